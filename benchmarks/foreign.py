"""Texts of this machine and measuring data -> how often the built-in model wrongly warns of other languages.

    python benchmarks/foreign.py [--texts 500]

English: pages of the manual, documentation, headers and Python code, each a document of its own, so many of each kind.
Other languages: translated pages of the manual, where they are installed, and the paragraphs of XQuAD (../shared/data).
A lexicon or a test of other languages among the English files is warned of rightly: the last column names the files.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import subprocess
import sysconfig
import warnings
from collections.abc import Iterator
from pathlib import Path

from choi import DATA
from tables import Row, Table

import caesura
from caesura_static import StaticEmbedder, foreign

MANUAL, DOCS = Path("/usr/share/man"), Path("/usr/share/doc")
ENGLISH = {
    "pages of the manual": (MANUAL, r"man/man\d/"),
    "documentation": (DOCS, r"(?i)\.(?:txt|md|html|rst)(?:\.gz)?$|/(?:README|NEWS|changelog|copyright)[^/]*$"),
    "headers of C": (Path("/usr/include"), r"\.h$"),
    "Python code": (Path(sysconfig.get_paths()["purelib"]), r"\.py$"),
}
OTHERS = ("cs", "da", "de", "es", "fr", "hr", "hu", "id", "it", "nl", "pl", "pt", "pt_BR", "ro", "sl", "sr", "sv", "tr")
LEAST, MOST, NAMED = 1000, 120_000, 4


def files(folder: Path, kind: str, count: int) -> Iterator[tuple[str, str]]:
    """The names and texts of files whose paths match, in a shuffled order that is always the same."""
    found = sorted(path for path in folder.rglob("*") if re.search(kind, str(path)) and path.is_file())
    random.Random(1).shuffle(found)
    for path in found:
        if count and (text := _read(path)) is not None:
            count -= 1
            yield path.name, text


def _read(path: Path) -> str | None:
    """The text of a file, as `man` prints it if it is a page of the manual; None if it is short or no text."""
    try:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        if MANUAL in path.parents:
            command = "groff -Kutf8 -Tutf8 -mandoc 2>/dev/null | col -bx"
            data = subprocess.run(command, shell=True, input=data, capture_output=True, check=True).stdout
        text = data.decode()
    except (OSError, EOFError, UnicodeDecodeError, subprocess.CalledProcessError):
        return None
    return text[:MOST] if len(text) >= LEAST else None


def is_warned_of(text: str, embed: StaticEmbedder) -> bool:
    """Whether a document is."""
    foreign.warned = False
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        caesura.Splitter().split(text, embed)
    return any("knows English" in str(each.message) for each in caught)


def paragraphs(language: str) -> Iterator[tuple[str, str]]:
    """The paragraphs of a language's articles."""
    for line in (DATA / f"languages/{language}.jsonl").read_text("utf-8").splitlines():
        for number, paragraph in enumerate(json.loads(line)["paragraphs"]):
            yield str(number), paragraph["text"]


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--texts", type=int, default=500)
    count = parser.parse_args().texts
    sets = {f"English, {name}": files(*kind, count) for name, kind in ENGLISH.items()}
    sets |= {f"{code}, pages of the manual": files(MANUAL / code, "", count // 10) for code in OTHERS}
    sets |= {f"{code}, paragraphs": paragraphs(code) for code in ("en", "de", "es", "ro", "tr")}
    embed, table = StaticEmbedder(), Table("The warning of other languages")
    for name, texts in sets.items():
        said = [(file, is_warned_of(text, embed)) for file, text in texts]
        warned = [file for file, is_warned in said if is_warned]
        row: Row = {"set": name, "texts": len(said), "warned of": len(warned)}
        table.rows.append(row | {"of": ", ".join(warned[:NAMED]) if name.startswith("English") else ""})
    print(table.markdown())


if __name__ == "__main__":
    main()
