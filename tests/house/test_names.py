"""A function is named by a verb with an object, or by what it returns: a bare participle says neither."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from house.sources import ROOT, SOURCES

BARE = set(
    "asked bare brought checked drawn found given held kept made named opened same shown told".split()  # noqa: SIM905
)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_function_of_a_module_is_named_by_a_bare_participle(path: Path) -> None:
    body = ast.parse(path.read_text("utf-8")).body
    names = {node.name for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    assert {name for name in names if name.strip("_") in BARE} == set()
