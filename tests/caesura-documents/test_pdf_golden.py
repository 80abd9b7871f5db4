"""A printed report as a golden file: what is read of each page, and where the layout says that it stands.

`CAESURA_REWRITE=1` writes it anew; read it then as a careful reader would.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from fakes.documents.pdf import Printed, print_lines, printed_pdf

from caesura_documents.pdf import from_pdf

GOLDEN = Path(__file__).parents[1] / "golden/parsers/tide_report.pdf.golden"
LEFT, RIGHT = 72, 320
COLUMN = [
    "The gauge at the mole was read on",
    "every day of the year, also in the",
    "storm of March, when the pilots who",
    "keep the book were called out to the",
    "schooner off the point. What they de-",
]
NEXT = [
    "livered is in the table below. It is",
    "the first whole year since the gauge",
    "was moved, and the harbour master",
    "has asked for a second one.",
]
HEADS = ["Month", "High water", "Low water"]
ROWS = [["January", "4.12", "0.31"], ["February", "4.40", "0.22"], ["March", "5.07", "0.54"]]


def table(top: float) -> list[Printed]:
    """A title, heads and rows, in columns that line up."""
    made = [Printed("Table 1: Tides at the mole, in metres", LEFT, top)]
    for number, row in enumerate([HEADS, *ROWS]):
        font = "plain" if number else "bold"
        made += [Printed(cell, LEFT + 130 * at, top + 20 + 13 * number, font=font) for at, cell in enumerate(row)]
    return made


def page(number: int, lines: list[Printed]) -> list[Printed]:
    """Lines between a running head and a number."""
    head = Printed("Harbour Office, Report of the Tides", LEFT, 40, 8)
    return [head, *lines, Printed(f"{number}", 300, 770, 8)]


def report() -> bytes:
    """Four pages: two columns, a table, code with a footnote, and a list."""
    first = [
        Printed("The Tides of 2025", LEFT, 80, 20, "bold"),
        Printed("1 What was measured", LEFT, 120, 14, "bold"),
        *print_lines(COLUMN, LEFT, 145),
        *print_lines(NEXT, RIGHT, 145),
    ]
    second = [Printed("2 Figures", LEFT, 90, 14, "bold"), *table(120)]
    third = [
        Printed("3 How it is computed", LEFT, 90, 14, "bold"),
        *print_lines(["The mean of a month is computed by the program of the office.1"], LEFT, 115),
        *print_lines(["def mean(rows):", "    return sum(rows) / len(rows)"], LEFT, 145, font="mono"),
        *print_lines(["1 It is kept with the book, and shown on demand."], LEFT, 740, size=7),
    ]
    fourth = [
        Printed("4 What is to be done", LEFT, 90, 14, "bold"),
        *print_lines(["- Buy a second gauge.", "- Repair the steps at the mole.", "- Read both at noon."], LEFT, 115),
    ]
    pages = [page(number, lines) for number, lines in enumerate((first, second, third, fourth), 1)]
    return printed_pdf(pages, info={"Title": "The Tides of 2025"}, labels="0 << /S /r >> 1 << /S /D >>")


def test_a_report_is_read_as_its_golden_file_shows() -> None:
    parsed = from_pdf(report(), pytest.fail)
    shown = f"{parsed.text}\n\n=== {parsed.metadata.get('title')}\n"
    for entry in parsed.layout:
        begun = parsed.text[entry["start"] :].split("\n", 1)[0][:40]
        box = [round(side) for side in entry["box"]]
        shown += f"{entry['start']:5} page {entry['page']} ({entry['label']}) {entry['type']} {box}: {begun}\n"
    if os.environ.get("CAESURA_REWRITE") == "1":
        GOLDEN.write_text(shown, encoding="utf-8", newline="\n")
    assert shown == GOLDEN.read_text(encoding="utf-8")
