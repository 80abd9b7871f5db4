"""What a module is called and begins with, so that one finds it by its name."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from house.sources import DISTRIBUTIONS, NAMES, SOURCES, distribution


@pytest.mark.parametrize("package", DISTRIBUTIONS)
def test_no_two_modules_of_a_distribution_share_a_file_name(package: str) -> None:
    found = Counter(path.name for name, path in NAMES.items() if distribution(name) == package)
    assert {name for name, count in found.items() if count > 1} - {"__init__.py"} == set()


def test_no_plugin_module_has_the_name_of_a_core_module() -> None:
    """It fools readers, and tools that resolve imports by path."""
    core = {path.name for name, path in NAMES.items() if distribution(name) == "caesura"} - {"__init__.py"}
    plugins = ("langchain_caesura", "llama_index.node_parser.caesura")
    assert {name for name, path in NAMES.items() if distribution(name) in plugins and path.name in core} == set()


def test_a_source_file_begins_with_what_it_does() -> None:
    for path in SOURCES:
        assert re.match(r'"""\S', path.read_text("utf-8")), path
