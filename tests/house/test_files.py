"""How many files there are, how large, in which folders, and that each is there for more than one other."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest
from house.sources import CORE, DISTRIBUTIONS, EVERY, NAMES, ROOT, SOURCES, distribution, importers, lines

ALONE = {
    "caesura.background_texts": "data",
    "caesura.testing.segmenter_laws": "public: one check of caesura.testing, as its neighbours, which are longer",
    "caesura.testing.units": "what the checks of cuts draw, apart from the checks",
    "caesura_lab.__main__": "a command",
    "caesura_lab.cli": "a command",
    "langchain_caesura.pages": "public: `join_pages`, of which the core does most",
    "caesura_static.embedder": "public: all that caesura_static exports",
}
"""Modules of 90 lines or less that fewer than two others import, and why."""


def is_face(path: Path) -> bool:
    return path.name in ("__init__.py", "__main__.py")


def test_there_are_at_most_193_source_files() -> None:
    assert len(SOURCES) <= 193


def test_the_core_has_at_most_75_files_12350_lines_and_17_modules_at_its_root() -> None:
    files = [path for path in SOURCES if CORE in path.parents]
    assert 40 < len(files) <= 75
    assert sum(map(lines, files)) <= 12_350
    assert len([path for path in files if path.parent == CORE]) <= 17


def test_no_file_has_over_400_lines() -> None:
    assert {str(path.relative_to(ROOT)): lines(path) for path in EVERY if lines(path) > 400} == {}


def test_no_folder_has_over_19_modules() -> None:
    found = Counter(path.parent for path in SOURCES if not is_face(path))
    assert {str(folder.relative_to(ROOT)): count for folder, count in found.items() if count > 19} == {}


@pytest.mark.parametrize("package", DISTRIBUTIONS)
def test_no_two_modules_of_a_distribution_share_a_file_name(package: str) -> None:
    found = Counter(path.name for name, path in NAMES.items() if distribution(name) == package)
    assert {name for name, count in found.items() if count > 1} - {"__init__.py"} == set()


def test_no_name_of_another_module_ends_in_that_of_a_core_module() -> None:
    """It fools readers and tools that resolve imports by path."""
    core = [name for name in NAMES if distribution(name) == "caesura" and name != "caesura"]
    ending = {name for name in NAMES if distribution(name) != "caesura" for other in core if name.endswith(f".{other}")}
    assert ending == set()


def test_a_module_has_two_importers_or_over_90_lines_or_a_reason() -> None:
    by = importers()
    few = {
        name for name, path in NAMES.items() if len(by[name]) < 2 and lines(path) <= 90 and path.name != "__init__.py"
    }
    assert few - ALONE.keys() == set()
    assert ALONE.keys() - few == set(), "these need no reason any more"


def test_at_most_18_modules_of_the_core_serve_a_single_one() -> None:
    by = importers()
    single = {
        name: by[name]
        for name, path in NAMES.items()
        if distribution(name) == "caesura" and path.name != "__init__.py" and len(by[name]) == 1
    }
    assert len(single) <= 18, single


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_source_file_begins_with_what_it_does(path: Path) -> None:
    source = path.read_text("utf-8")
    assert ast.get_docstring(ast.parse(source))
    assert source.startswith('"""')
