"""The upgrade notes of CHANGELOG.md name modules and settings that there are."""

from __future__ import annotations

import importlib
import re

import pytest
from fakes.pages import ROOT

from caesura import Limits, OptimalCut, Splitter
from langchain_caesura import ParentDocumentRetriever
from llama_index.node_parser.caesura import HierarchyIndex

NOTES = (ROOT / "CHANGELOG.md").read_text("utf-8").partition("### Upgrade from 0.1.0\n")[2].partition("\n### ")[0]
ROWS = re.findall(r"(?m)^\| (`.+) \| (.+) \|$", NOTES)
MODULES = [row[1] for row in ROWS if row[0].startswith("`caesura.") and "`caesura" in row[1]]  # others are Python's own


@pytest.mark.parametrize("cell", MODULES)
def test_what_is_imported_now_is_there(cell: str) -> None:
    *before, last = re.findall(r"`(caesura[\w.]+)`", cell)
    for path in (*before, last):
        module = importlib.import_module(path)
    names = re.findall(r"`(\w+)`", cell.partition("(")[2])
    assert [name for name in names if not hasattr(module, name)] == []


@pytest.mark.parametrize("name", ["caesura.code", "caesura.plugin", "caesura.scale", "caesura.testing", "caesura.llm"])
def test_what_was_imported_is_gone(name: str) -> None:
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(name)


def test_what_is_typed_now_works() -> None:
    assert len(ROWS) > 25
    assert Splitter(Limits(target_size=300), cut=OptimalCut()).limits.target_size == 300
    for method in ("mirror", "amirror"):
        assert hasattr(ParentDocumentRetriever, method)
        assert hasattr(HierarchyIndex, method)
    assert hasattr(HierarchyIndex, "delete_ref_doc")
    assert not hasattr(ParentDocumentRetriever, "sync")
