"""A printed report and a manual as golden files: what is read of each page, and where the layout says it stands.

`CAESURA_REWRITE=1` writes it anew; read it then as a careful reader would.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from fakes.documents.pdf import Printed, print_lines, printed_pdf

from caesura_documents.pdf import from_pdf

GOLDEN = Path(__file__).parents[1] / "golden/parsers"
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


def manual() -> bytes:
    """Eighteen pages: chapters of one page or two with heads that are cut short, backquotes after their lines, and
    numbers at the beginnings of lines."""
    pages = []
    for number in range(18):
        chapter, begins = number // 2 + 1, not number % 2 and number % 8 != 4
        name, other = NAMES[chapter % 6], NAMES[number % 7 % 6]
        head = Printed(f"CHAPTER {chapter}. THE RULES OF THE {name.upper()} AND WHAT THEY\x85", LEFT, 40, 8)
        title = Printed(f"{chapter} The rules of the {name}", LEFT, 80, 20, "bold")
        kinds = (
            [
                Printed(f"The list of berth {number} is in", LEFT, 144),
                Printed("stable' of the office, where it is read at noon.", LEFT + 121, 144),
                Printed("`", LEFT + 117.5, 142),
            ],
            print_lines([f"A {other} that is not found has the status of the gauge at this harbour, which is",
                         f"127. If it is found, its status is that of pilot {number}."], base=144),
            print_lines([f"1. Ask the pilot of berth {number}.", f"2. Read the {other}."], base=144),
        )  # fmt: skip
        begun = Printed(f"The {other} of berth {number} is kept by the {name}.", LEFT, 120)
        more = [f"The {NAMES[(number + n * n) % 6]} lies at {NAMES[n % 5]} {number * 7 + n}." for n in range(6)]
        lines = [title if begins else head, begun, *kinds[number % 3], *print_lines(more, base=180 + number % 4 * 6)]
        pages.append([*lines, Printed(f"{number + 1}", 300, 770, 8)])
    return printed_pdf(pages, info={"Title": "A manual"})


def options() -> bytes:
    """Eight pages: contents, options with their meanings, addresses that are divided, an item with two paragraphs, a
    letter's head, and a page that has heads alone."""
    wide = LEFT + 380
    entries = [("1 The program", 3), ("2 Its options: which of them are read, in which order, and", 0)]
    first = [Printed("Contents", LEFT, 90, 14, "bold")]
    for at, (title, number) in enumerate([*entries, ("  how they are set", 5), ("3 Errors", 7)]):
        first.append(Printed(title + " ." * (55 - len(title) // 2) * bool(number), LEFT, 120 + 14 * at))
        first += [Printed(str(number), wide, 120 + 14 * at)] * bool(number)
    middle = []
    for number in range(6):
        name, other = NAMES[number], NAMES[(number * number + 1) % 6]
        meaning = [
            f"Says which {name} is meant, of those that the {other} has, as in the list at the quay,",
            f"which is read from /usr/share/doc/{name}/list, or from (https://www.",
            "tides.org/ports/) if it is not there. The path is that of --",
            f"{name}-list, and may end with a slash.",
        ]
        item = [
            f"2. The {name} goes first, and the {other} follows it, if there is one that is near it.",
            f"   It stops at the {other}.",
            f"   A second {name} waits at the lock, where it is seen from the quay by the pilot.",
        ]
        office = print_lines([f"The {name}'s office", "5 Quay road", "Ternholm"], LEFT, 240) if number == 2 else []
        middle.append(
            [
                *print_lines([f"--{name}-list=<path>", f"-{name[0]} <path>"], LEFT, 100, font="mono"),
                *print_lines(meaning, LEFT + 24, 130),
                *print_lines(item, LEFT, 190),
                *office,
            ]
        )
    pages = [first, *middle, []]
    heads = [Printed("Harbour Office, the program", LEFT, 40, 8)]
    shown = [[*heads, *lines, Printed(f"{number}", 300, 770, 8)] for number, lines in enumerate(pages, 1)]
    return printed_pdf(shown, info={"Title": "The program"})


NAMES = ["ferry", "crane", "pilot", "lock", "buoy", "anchor"]


@pytest.mark.parametrize(("name", "made"), [("tide_report", report), ("manual", manual), ("options", options)])
def test_a_file_is_read_as_its_golden_file_shows(name: str, made: Callable[[], bytes]) -> None:
    parsed = from_pdf(made(), pytest.fail)
    golden = GOLDEN / f"{name}.pdf.golden"
    shown = f"{parsed.text}\n\n=== {parsed.metadata.get('title')}\n"
    for entry in parsed.layout:
        begun = parsed.text[entry["start"] :].split("\n", 1)[0][:40]
        box = [round(side) for side in entry["box"]]
        shown += f"{entry['start']:5} page {entry['page']} ({entry.get('label')}) {entry['type']} {box}: {begun}\n"
    if os.environ.get("CAESURA_REWRITE") == "1":
        golden.write_text(shown, encoding="utf-8", newline="\n")
    assert shown == golden.read_text(encoding="utf-8")
