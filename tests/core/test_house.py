"""The house rules: what the core imports, how large its files are, what they begin with."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path
from statistics import median

import pytest

import caesura

ROOT = Path(__file__).parents[2]
CORE = Path(caesura.__file__).parent
LANGCHAIN = ROOT / "integrations" / "langchain" / "src" / "langchain_caesura"
LLAMA_INDEX = ROOT / "integrations" / "llama-index" / "src" / "llama_index" / "node_parser" / "caesura"
LAB = ROOT / "packages" / "caesura-lab" / "src" / "caesura_lab"
DATA = {"abbreviations.py", "background_texts.py"}
SOURCES = sorted(path for folder in ("packages", "integrations") for path in (ROOT / folder).glob("*/src/**/*.py"))

FOLDERS = ("packages", "integrations", "tests", "benchmarks", "examples", "docs", "sessions")
BUILT = {"build", "dist"}
EVERY = sorted(path for name in FOLDERS for path in (ROOT / name).rglob("*.py") if not BUILT & set(path.parts))

LOADED = """
import json, sys
before = set(sys.modules)
import caesura
loaded = {name: getattr(module, "__file__", None) for name, module in sys.modules.items() if name not in before}
print(json.dumps(loaded))
"""


@pytest.fixture(scope="module")
def loaded() -> dict[str, str | None]:
    """The modules that `import caesura` loads in a fresh interpreter, and their files."""
    environment = {**os.environ, "PYTHONPATH": str(CORE.parent)}
    run = subprocess.run([sys.executable, "-c", LOADED], env=environment, capture_output=True, text=True, check=True)
    found: dict[str, str | None] = json.loads(run.stdout)
    assert "caesura.splitter" in found
    return found


def test_the_core_imports_numpy_and_the_standard_library_alone(loaded: dict[str, str | None]) -> None:
    allowed = {"caesura", "numpy", "cython_runtime", *sys.stdlib_module_names}  # the third is numpy 1's
    found = {name.split(".")[0] for name in loaded if not name.startswith("_cython_")}
    assert found - allowed == set()


def test_the_core_loads_at_most_20_files_and_1700_lines_beside_data(loaded: dict[str, str | None]) -> None:
    files = [Path(file) for name, file in loaded.items() if name.split(".")[0] == "caesura" and file]
    lines = {file.name: len(file.read_text("utf-8").splitlines()) for file in files if file.name not in DATA}
    assert len(files) <= 20, sorted(files)
    assert sum(lines.values()) <= 1700, lines


def test_what_few_need_is_not_loaded(loaded: dict[str, str | None]) -> None:
    unasked = {f"caesura.{name}" for name in ("batch", "embed", "llm", "store", "testing")}
    assert loaded.keys() & {*unasked, "sqlite3"} == set()


def test_there_are_sources_to_look_at() -> None:
    assert len([path for path in SOURCES if CORE in path.parents]) > 15


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_source_file_begins_with_what_it_does(path: Path) -> None:
    source = path.read_text("utf-8")
    assert ast.get_docstring(ast.parse(source))
    assert source.startswith('"""')


def test_a_file_has_at_most_250_lines_and_half_of_the_sources_at_most_80() -> None:
    lines = {path: len(path.read_text("utf-8").splitlines()) for path in EVERY}
    assert {path: count for path, count in lines.items() if count > 250} == {}
    assert median(lines[path] for path in SOURCES) <= 80


@pytest.mark.parametrize(
    "package", [CORE, LANGCHAIN, LLAMA_INDEX, LAB], ids=["core", "langchain", "llama-index", "lab"]
)
def test_imports_make_no_circle_among_files_or_folders(package: Path) -> None:
    """Those within functions count too; those for types alone do not."""
    whole = _name(package / "__init__.py")
    names = {_name(path): path for path in package.rglob("*.py")}
    files = {name: {other for other in _imported(path) if other in names} - {name} for name, path in names.items()}
    del files[whole]  # its names come from all of them
    folders: dict[str, set[str]] = {}
    for name, others in files.items():
        folders.setdefault(_folder(name, whole), set()).update(_folder(other, whole) for other in others - {whole})
    for graph in (files, {name: others - {name} for name, others in folders.items()}):
        assert sum(map(len, graph.values())) > 15
        list(TopologicalSorter(graph).static_order())  # or a CycleError that shows the circle


def _name(path: Path) -> str:
    source = next(folder for folder in path.parents if folder.name == "src")
    parts = path.relative_to(source).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _folder(name: str, package: str) -> str:
    return ".".join(name.split(".")[: package.count(".") + 2])


def _imported(path: Path) -> set[str]:
    """The modules that a file imports, anywhere but under TYPE_CHECKING."""
    found, waiting = set(), list(ast.parse(path.read_text("utf-8")).body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}", *(f"{node.module}.{name.name}" for name in node.names)}
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        waiting += [
            child
            for child in ast.iter_child_nodes(node)
            if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case)
        ]
    return found


def test_the_llama_index_namespaces_are_nobodys() -> None:
    namespace = ROOT / "integrations" / "llama-index" / "src" / "llama_index"
    assert not (namespace / "__init__.py").exists()
    assert not (namespace / "node_parser" / "__init__.py").exists()
