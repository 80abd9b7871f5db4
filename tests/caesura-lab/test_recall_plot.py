"""The picture of what retrievers find has a mark for each, at what it found, and a line as far as it may be off."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from caesura_lab import Question, measure, plot_recalls
from caesura_lab.plotting import save_figure

NAMES = ["boat", "cart", "gate", "kiln", "lamp", "mill", "pump", "weir"]
TEXTS = {f"{name}.md": f"The {name} is mended in week {at}." for at, name in enumerate(NAMES, 11)}
QUESTIONS = [Question(name, f"{name}.md", ((0, 28),)) for name in NAMES]


@pytest.fixture(autouse=True)
def no_screen() -> Any:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    yield
    from matplotlib import pyplot

    pyplot.close("all")


def knows(count: int) -> Any:
    """A retriever that knows the first so many texts."""
    return lambda question: [TEXTS[f"{question}.md"]] if NAMES.index(question) < count else []


def test_each_retriever_has_its_mark_and_its_line_in_each_budget(tmp_path: Path) -> None:
    found = measure(TEXTS, QUESTIONS, {"all": knows(8), "seven$x$": knows(7), "two": knows(2)}, budgets=[100, 200])
    axes = plot_recalls(found)
    first, second = axes.figure.axes
    assert [axes is first, first.get_title("left"), second.get_title("left")] == [
        True, "within 100 characters", "within 200 characters",
    ]  # fmt: skip
    assert [label.get_text() for label in first.get_yticklabels()] == ["all", "seven$x$", "two"]
    best, *lines = first.get_lines()
    assert list(best.get_xdata()) == [100, 100]
    assert [list(line.get_xdata()) for line in lines[1::2]] == [[100], [87.5], [25]]
    for line, (name, own) in zip(lines[::2], found.behind[100].items(), strict=True):
        assert list(line.get_xdata()) == pytest.approx([100 * (1 - own.high), 100 * (1 - own.low)]), name
    hollow = [line.get_markerfacecolor() == "white" for line in lines[1::2]]
    verdicts = [row["against_best_100"] for row in found.table]
    assert (hollow, verdicts) == ([False, True, False], ["best", "may be chance", "worse"])
    assert "mean of 8 questions" in axes.figure.get_supxlabel()
    for name, drawn in (("a.svg", axes), ("b.svg", plot_recalls(found))):
        save_figure(drawn, tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert re.search("<!-- seven", (tmp_path / "a.svg").read_text("utf-8"))


def test_one_that_failed_is_not_in_the_picture() -> None:
    def failing(question: str) -> list[str]:
        raise OSError

    found = measure(TEXTS, QUESTIONS, {"failing": failing, "all": knows(8)})
    assert [label.get_text() for label in plot_recalls(found).get_yticklabels()] == ["all"]
