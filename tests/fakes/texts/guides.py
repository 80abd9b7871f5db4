"""A guide in Markdown with headings and tables, an obvious scan of what stands above a place, and a layout of pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

TOPICS = "Harbour Mill Quarry Market Chapel Orchard".split()  # noqa: SIM905


def guide(sections: int = 6, deep: str = "Prices") -> str:
    """Sections of prose, each with one below it that ends in a table."""
    parts = ["# Guide", "What there is to see, and what it costs."]
    for number in range(sections):
        topic = TOPICS[number % len(TOPICS)]
        prose = " ".join(f"The {topic.lower()} keeper number {each} counts the visitors at noon." for each in range(6))
        table = "\n".join(f"| guest {row} | {row} coins for the {topic.lower()} |" for row in range(9))
        parts += [
            f"## {topic} {number}",
            prose,
            f"### {deep} {number}",
            "Children pay half of it, and nobody pays on Mondays.",
            f"| who | {topic.lower()} price |\n|---|---|\n{table}",
        ]
    return "\n\n".join(parts) + "\n"


def scanned(text: str, start: int, end: int) -> tuple[list[str], str | None, int, int]:
    """A range of a guide -> the headings above its first words, the header of a table that goes on in it, and lines."""
    path: list[str] = []
    header, at, rows = None, 0, 0
    begun = False
    for line in text.splitlines(keepends=True):
        inside = at + len(line) > start
        if line.startswith("#") and not begun and at < end:
            level = line.index(" ")
            path = [*path[: level - 1], line[level:].strip()]
        elif inside and line.strip():
            begun = True
        rows = rows + 1 if line.startswith("|") else 0
        if not inside or at == start:
            header = line.strip() if rows == 1 else header if rows else None
        if at >= start:
            break
        at += len(line)
    goes_on = header if rows > 2 else None
    return path, goes_on, text.count("\n", 0, start) + 1, text.count("\n", 0, end - 1) + 1


def pages(text: str, size: int = 500) -> list[dict[str, Any]]:
    """A layout of pages of so many characters, each in two boxes."""
    half = size // 2
    return [
        {
            "start": at,
            "page": 1 + at // size,
            "offset": at % size,
            "type": ("text", "note")[at // half % 2],
            "box": [0, at],
        }
        for at in range(0, len(text), half)
    ]


def of_pages(layout: Sequence[dict[str, Any]], start: int, end: int) -> tuple[int, int, int]:
    """The pages that a range begins and ends on, and where in the first it stands."""
    first, last = (
        max(entry for entry in range(len(layout)) if layout[entry]["start"] <= at) for at in (start, end - 1)
    )
    offset = layout[first]["offset"] + start - layout[first]["start"]
    return layout[first]["page"], layout[last]["page"], offset
