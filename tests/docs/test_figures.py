"""The figures of CONTRIBUTING.md and docs/architecture.md are what a command writes."""

from __future__ import annotations

import re

from fakes.pages import ROOT, load_program
from house.sources import DISTRIBUTIONS

FIGURES = load_program("docs/figures")
CONTRIBUTING, ARCHITECTURE = ROOT / "CONTRIBUTING.md", ROOT / "docs" / "architecture.md"
TABLE = "| session | what | minutes |\n|---|---|---|\n| `tests` | all | 3 |\n| `latest`, `lint` | two | 1 |\n\nEnd\n"


def report(*sessions: tuple[str, float, str]) -> dict[str, object]:
    """What `nox --report` writes."""
    return {"sessions": [{"name": name, "duration": taken, "result": said} for name, taken, said in sessions]}


def test_the_table_of_packages_says_what_each_needs() -> None:
    page = ARCHITECTURE.read_text("utf-8")
    dependencies = FIGURES.package_dependencies()
    assert FIGURES.with_column(page, "needs", FIGURES.package_needs(dependencies)) == page
    assert len(dependencies) == len(DISTRIBUTIONS)


def test_the_levels_are_those_of_the_packages() -> None:
    (lines,) = FIGURES.LEVELS.findall(ARCHITECTURE.read_text("utf-8"))
    assert lines == FIGURES.package_levels(FIGURES.package_dependencies())
    assert sorted(lines.split()) == sorted(FIGURES.package_dependencies())


def test_a_package_stands_above_all_that_it_needs() -> None:
    needs = {"core": [], "store": ["core"], "plugin": ["core", "store"], "lab": ["store"], "model": []}
    assert FIGURES.package_levels(needs) == "lab   plugin\nstore\ncore   model\n"


def test_minutes_are_those_of_the_longest_session_that_succeeded() -> None:
    ran = report(("wheels-3.11", 130, "success"), ("wheels-3.12", 170, "success"), ("lint", 20, "success"))
    assert FIGURES.session_minutes([ran, report(("tests", 9, "failed"))]) == {"wheels": "3", "lint": "under 1"}


def test_a_column_is_written_and_what_was_not_measured_stays() -> None:
    written = FIGURES.with_column(TABLE, "minutes", {"lint": "under 1", "latest": "12"})
    assert written == TABLE.replace("| two | 1 |", "| two | 12 |")
    assert FIGURES.with_column(TABLE, "needs", {"tests": "8"}) == TABLE


def test_each_session_of_contributing_is_there() -> None:
    rows = re.findall(r"(?m)^\| (`.+?) \|.*\| (?:(?:under )?\d+|not measured) \|$", CONTRIBUTING.read_text("utf-8"))
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    sources = "".join(path.read_text("utf-8") for path in [ROOT / "noxfile.py", *(ROOT / "sessions").glob("*.py")])
    assert len(named) > 15
    assert named <= set(re.findall(r"(?m)^@nox\.session.*\ndef (\w+)", sources))


def test_the_page_of_costs_quotes_the_page_on_scale() -> None:
    """A row there has its first five cells of one table, and what a search takes of the next."""
    pages = [(ROOT / "docs" / f"{name}.md").read_text("utf-8") for name in ("performance", "scale")]
    costs, scale = ([row.split(" | ") for row in re.findall(r"(?m)^\| (\d+,\d{3}.*) \|$", page)] for page in pages)
    indexed, searched = ({row[0]: row for row in scale if len(row) == width} for width in (6, 8))
    assert len(costs) == 2
    assert costs == [[*indexed[row[0]][:5], searched[row[0]][1], searched[row[0]][3]] for row in costs]


def test_the_page_of_costs_begins_with_what_the_benchmark_puts_before_its_tables() -> None:
    head = (ROOT / "benchmarks" / "performance.md").read_text("utf-8")
    assert (ROOT / "docs" / "performance.md").read_text("utf-8").startswith(head)
