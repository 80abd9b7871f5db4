"""sources.txt -> the Debian packages that it names, unpacked."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import NamedTuple

SOURCES = Path(__file__).with_name("sources.txt")


class Source(NamedTuple):
    """A line of sources.txt."""

    package: str
    version: str
    reader: str
    licence: str
    most: int
    files: list[str]


def sources() -> list[Source]:
    """Returns the lines of sources.txt."""
    lines = (line.split() for line in SOURCES.read_text().splitlines() if line and not line.startswith("#"))
    return [
        Source(name, version, reader, licence, int(most), files)
        for name, version, reader, licence, most, *files in lines
    ]


def unpacked(source: Source, cache: Path) -> Path:
    """Fetches the package by apt-get, once, and returns the folder that it was unpacked into."""
    folder = cache / f"{source.package}_{source.version.replace(':', '.')}"
    if not folder.is_dir():
        fetch = ["apt-get", "-q", "download", f"{source.package}={source.version}"]
        done = subprocess.run(fetch, cwd=cache, capture_output=True, text=True)  # noqa: S603 - names from our own sources.txt
        if done.returncode:
            raise SystemExit(
                f"the corpus needs {source.package} {source.version}, from Debian 12: "
                f"apt-get said {done.stderr.strip()!r}; "
                "run `apt-get update` on a Debian 12 first"
            )
        (archive,) = cache.glob(f"{source.package}_*.deb")
        subprocess.run(["dpkg-deb", "-x", archive, f"{folder}.part"], check=True)  # noqa: S603, S607
        Path(f"{folder}.part").rename(folder)
        archive.unlink()
    return folder
