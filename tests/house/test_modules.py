"""What a module is called and begins with, so that one finds it by its name."""

from __future__ import annotations

import ast
from collections import Counter

import pytest
from house.sources import DISTRIBUTIONS, NAMES, SOURCES, distribution


@pytest.mark.parametrize("package", DISTRIBUTIONS)
def test_no_two_modules_of_a_distribution_share_a_file_name(package: str) -> None:
    found = Counter(path.name for name, path in NAMES.items() if distribution(name) == package)
    assert {name for name, count in found.items() if count > 1} - {"__init__.py"} == set()


def test_no_name_of_another_module_ends_in_that_of_a_core_module() -> None:
    """It fools readers and tools that resolve imports by path."""
    core = [name for name in NAMES if distribution(name) == "caesura" and name != "caesura"]
    ending = {name for name in NAMES if distribution(name) != "caesura" for other in core if name.endswith(f".{other}")}
    assert ending == set()


def test_a_source_file_begins_with_what_it_does() -> None:
    for path in SOURCES:
        source = path.read_text("utf-8")
        assert source.startswith('"""'), path
        assert ast.get_docstring(ast.parse(source)), path
