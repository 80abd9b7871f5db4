"""Tables on a screen: names that are wider than their column are told below it."""

from __future__ import annotations

import pytest
from rich.console import Console

from caesura_lab.tables import Table

LONG = ("ours:size=400,words=2,overlap=0", "bm25:size=1000,overlap=200,\x1b[31m")


def shown(names: tuple[str, ...], width: int, column: str = "retriever") -> list[str]:
    """What a table of retrievers is on a screen that is so wide."""
    rows = tuple({column: name, "recall_1000": 0.8, "against_best_1000": "best"} for name in names)
    screen = Console(width=width, color_system=None)
    with screen.capture() as captured:
        screen.print(Table(rows, "Retrievers measured", ("A note.",), frozenset({"recall_1000"})))
    return captured.get().splitlines()


def test_a_name_that_is_wider_than_its_column_stands_below_the_table_under_a_number() -> None:
    lines = shown(("ours", *LONG), 80)
    cells = [line.split("│")[1].strip() for line in lines if line.startswith("│")]
    assert cells == ["ours", "[1]", "[2]"]
    assert lines[-3:] == [f"[1] {LONG[0]}", "[2] bm25:size=1000,overlap=200,\\x1b[31m", "A note."]


@pytest.mark.parametrize(("names", "width"), [(("ours", "vectors"), 80), (LONG, 160)])
def test_names_that_fit_stand_in_the_table(names: tuple[str, ...], width: int) -> None:
    lines = shown(names, width)
    assert not any("[1]" in line for line in lines)
    assert sum("│ ours" in line for line in lines) == 1


def test_a_text_is_cut_off_and_not_told_below() -> None:
    lines = shown(("a tide mill stands in the inlet of the harbour " * 3,), 80, "text")
    assert any("…" in line for line in lines)
    assert lines[-2:][0].startswith("└")
