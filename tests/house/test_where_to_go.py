"""The tables of docs/architecture.md that say where to go: every path is there."""

from __future__ import annotations

import re

import pytest
from house.sources import DISTRIBUTIONS, ROOT

PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
SECTION = PAGE.partition("## Where to go\n")[2].partition("\n## ")[0]
TABLES = {table.partition("\n")[0]: table for table in re.split(r"(?m)^### ", SECTION)[1:]}
SOURCE_FOLDERS = {folder.parents[name.count(".")] for name, folder in DISTRIBUTIONS.items()}
ROWS = [row for table in TABLES.values() for row in re.findall(r"(?m)^\| (`.*?) \| ", table)]


def test_there_are_tables_and_rows() -> None:
    assert len(TABLES) == 7
    assert all("| where | what |" in table for table in TABLES.values())
    assert len(ROWS) > 20


def test_contributing_leads_to_each_table() -> None:
    anchors = {re.sub(r"\W+", "-", title.lower()) for title in TABLES}
    assert set(re.findall(r"architecture\.md#([\w-]+)", (ROOT / "CONTRIBUTING.md").read_text("utf-8"))) == anchors


@pytest.mark.parametrize("row", ROWS)
def test_every_path_of_a_row_is_there(row: str) -> None:
    """One without a folder is beside the one before it. NAME is anything."""
    beside = ROOT
    for path in re.findall(r"`([^`]+)`", row):
        pattern = path.replace("…", "node_parser").replace("NAME", "*").rstrip("/")
        found = [one for folder in (ROOT, *SOURCE_FOLDERS) for one in folder.glob(pattern)]
        found = found or list(beside.glob(pattern))
        assert found, path
        beside = found[0].parent
