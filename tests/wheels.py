"""A wheel -> an exit code: what it and its sdist hold, and whether it works. Runs in the wheel's own environment.

That environment has the wheel and what it declares, nothing else: a module that needs more at import is found here.
With the name of an extra, it has what the extra declares too.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.message import Message
from importlib import import_module
from importlib.metadata import distribution
from pathlib import Path, PurePosixPath
from pkgutil import walk_packages
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = {
    tomllib.loads(path.read_text("utf-8"))["project"]["name"].replace("-", "_"): path.parent
    for path in ROOT.glob("*/*/pyproject.toml")
}
LICENCES = {"caesura_static": {"LICENSE", "NOTICE", "MODEL_CARD.md"}}
NAMESPACES = ("llama_index", "llama_index.node_parser")
EXTRAS = {
    "caesura_documents": ("pdf", "printed.pdfium"),
    "langchain_caesura": ("llm", "transformers"),
    "llama_index_node_parser_caesura": ("llm", "transformers"),
}
"""A wheel, an extra of it, and the module that needs that at import."""
LARGEST = {"caesura_static": 6_500_000}  # bytes; any other wheel: 250,000


def sources(name: str) -> set[str]:
    """The files below a package's `src`, caches aside, as paths inside a wheel."""
    src = FOLDERS[name] / "src"
    found = {path.relative_to(src) for path in src.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    return {path.as_posix() for path in found if not path.parts[0].startswith(".")}


def check_wheel(path: Path, name: str) -> None:
    """The package, whole and alone: typed, licensed, no tests, and no `__init__.py` that would shadow a namespace."""
    with zipfile.ZipFile(path) as wheel:
        names = {entry for entry in wheel.namelist() if not entry.endswith("/")}
    meta = {entry for entry in names if ".dist-info/" in entry}
    inside = names - meta
    assert inside == sources(name), f"{name}: not as in src: {sorted(inside ^ sources(name))}"
    assert [entry for entry in inside if entry.endswith("/py.typed")], f"{name} has no py.typed"
    assert not [entry for entry in inside if re.search(r"(^|/)(tests?/|test_|conftest)", entry)], f"{name} has tests"
    shadows = [f"{namespace.replace('.', '/')}/__init__.py" for namespace in NAMESPACES]
    assert not inside & set(shadows), f"{name} takes a namespace that many share"
    licences = {PurePosixPath(entry).name for entry in meta if "/licenses/" in entry}
    assert licences == LICENCES.get(name, {"LICENSE"}), f"{name} has the licences {licences}"
    size, largest = path.stat().st_size, LARGEST.get(name, 250_000)
    assert size <= largest, f"{name} has {size:,} bytes, more than {largest:,}"


def check_sdist(path: Path, name: str) -> None:
    """What a wheel is built from: the same sources, the README, the licences. Nothing of the workspace."""
    with tarfile.open(path) as sdist:
        names = {PurePosixPath(*PurePosixPath(entry.name).parts[1:]).as_posix() for entry in sdist if entry.isfile()}
    wanted = {f"src/{entry}" for entry in sources(name)} | LICENCES.get(name, {"LICENSE"})
    wanted |= {"README.md", "pyproject.toml", "PKG-INFO"}
    assert names - {".gitignore"} == wanted, f"the sdist of {name}: {sorted(names ^ wanted)}"


def check_metadata(metadata: Message) -> None:
    """What an index shows: a README, a licence, the Pythons, and a range for everything that it needs."""
    assert metadata["Requires-Python"] == ">=3.11", metadata["Requires-Python"]
    assert metadata["License-Expression"], "no licence"
    assert metadata["Description-Content-Type"] == "text/markdown"
    for needed in metadata.get_all("Requires-Dist") or []:
        assert ">=" in needed, f"no lowest version: {needed}"


def check_imports(name: str, extra: str) -> None:
    """Every module can be imported with what is declared, and the package's public names are all there.

    Without the extra, importing what needs it fails, and the error says what to install.
    """
    (marker,) = (entry for entry in sources(name) if entry.endswith("/py.typed"))
    root = marker.removesuffix("/py.typed").replace("/", ".")
    package = import_module(root)
    needed, module = EXTRAS.get(name, (extra, ""))
    lacking = "" if needed == extra else f"{root}.{module}"
    for found in walk_packages(package.__path__, f"{root}."):
        if not found.name.endswith("__main__") and found.name != lacking:
            import_module(found.name)
    if not lacking:
        assert all(hasattr(package, public) for public in getattr(package, "__all__", ()))
        return
    said = ""
    try:
        import_module(lacking)
    except ImportError as error:
        said = str(error)
    assert f'pip install "{name.replace("_", "-")}[{needed}]"' in said, f"{lacking} without its extra: {said!r}"


def run_readme(metadata: Message) -> str:
    """Runs the first example of the README that the wheel carries, in a file and a process of its own."""
    blocks: list[str] = re.findall(r"```python\n(.*?)```", str(metadata.get_payload()), re.S)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "example.py"
        path.write_text(blocks[0], encoding="utf-8")
        done = subprocess.run([sys.executable, "-I", path], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    return done.stdout


def main(path: Path, extra: str = "") -> None:
    """Checks one wheel, and the sdist beside it."""
    name, version = path.name.split("-")[:2]
    check_wheel(path, name)
    check_sdist(path.with_name(f"{name}-{version}.tar.gz"), name)
    metadata = distribution(name).metadata
    check_metadata(metadata)  # type: ignore[arg-type]  # a Message, though typed as a protocol
    check_imports(name, extra)
    lines = run_readme(metadata).splitlines()  # type: ignore[arg-type]
    installed = f"{name}[{extra}]" if extra else name
    print(f"{installed} on {sys.version.split()[0]}: contents and imports right, its README prints {len(lines)} lines")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
