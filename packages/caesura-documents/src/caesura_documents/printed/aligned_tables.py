"""Rows of a page whose cells stand under each other -> tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from caesura_documents.parsed_text import Cell
from caesura_documents.printed.page import SOFT_HYPHENS, LinePiece, join_pieces

_FEWEST = 3  # rows of a table with two columns
_LONGEST = 80  # characters that the middle cell has at most
_APART = 3.2  # the most between baselines of two rows, as a share of their size
_GAP = 0.5  # the narrowest gap between columns, as a share of the size
MARKER = re.compile(
    r"[•▪◦‣●○■□–—\-*·➢✓\uf0b7\uf0a7]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)]|\(\d{1,3}\)|\d+(?:\.\d+)+\.?"
)
"""What stands before an item of a list or a heading, with a gap that parts no cells."""

Row = list[LinePiece]


@dataclass(slots=True)
class PrintedTable:
    """A table: its rows as they are printed, and its cells."""

    rows: list[Row]
    cells: list[Cell]


def join_markers(row: Row) -> Row:
    """A row -> the same, a marker at its beginning joined to what it marks."""
    if len(row) > 1 and MARKER.fullmatch(row[0].text) and row[1].left - row[0].right < 5 * row[0].size:
        first = join_pieces(row[:2])
        return [first, *row[2:]]
    return row


def find_printed_tables(rows: Sequence[Row], rules: Sequence[tuple[float, float, float]]) -> list[PrintedTable | Row]:
    """Rows of a region, from the top down -> the same, those of a table in its place. rules: see `PrintedPage`."""
    found: list[PrintedTable | Row] = []
    at = 0
    while at < len(rows):
        end, columns = _extend(rows, at) if len(rows[at]) > 1 else (at + 1, [])
        own = list(rows[at:end])
        if columns and _is_table(own, columns):
            found.append(PrintedTable(own, _cells(own, columns, rules)))
            at = end
        else:
            found.append(rows[at])
            at += 1
    return found


def _extend(rows: Sequence[Row], first: int) -> tuple[int, list[tuple[float, float]]]:
    """From a row on, how far rows keep to the same columns: the row after the last, and the left and right edge of
    each column."""
    columns = [(piece.left, piece.right) for piece in sorted(rows[first], key=lambda one: one.left)]
    end, at = first + 1, first + 1
    while at < len(rows):
        row, before = rows[at], rows[at - 1]
        size = max(row[0].size, before[0].size)
        if row[0].base - before[0].base > _APART * size or all(piece.mono for piece in row):
            break
        spans = [(piece.left, piece.right) for piece in row]
        merged = _merge([*columns, *spans], _GAP * size)
        if len(merged) < max(2, (2 * len(columns) + 2) // 3) or (len(row) == 1 and len(merged) < len(columns)):
            break
        if len(row) == 1 and row[0].width > 0.6 * (merged[-1][1] - merged[0][0]):
            break
        columns = merged
        at += 1
        if len(row) > 1 or (row[0].left > columns[0][1] and row[0].base - before[0].base < 1.4 * size):
            end = at
    return end, columns


def _merge(spans: list[tuple[float, float]], gap: float) -> list[tuple[float, float]]:
    spans.sort()
    merged = [spans[0]]
    for left, right in spans[1:]:
        if left - merged[-1][1] < gap:
            merged[-1] = (merged[-1][0], max(merged[-1][1], right))
        else:
            merged.append((left, right))
    return merged


def _is_table(rows: Sequence[Row], columns: Sequence[tuple[float, float]]) -> bool:
    several = [row for row in rows if len(row) > 1]
    is_headed = (
        len(rows[0]) == len(columns) and all(piece.bold for piece in rows[0]) and len(rows) > 1 and not rows[1][0].bold
    )
    if len(several) < (_FEWEST if len(columns) < 3 and not is_headed else 2) or 2 * len(several) < len(rows):
        return False
    lengths = [len(piece.text) for row in several for piece in row]
    return median(lengths) <= _LONGEST and len(lengths) >= 1.5 * len(several)


def _cells(
    rows: Sequence[Row], columns: Sequence[tuple[float, float]], rules: Sequence[tuple[float, float, float]]
) -> list[Cell]:
    """Rows and columns -> cells. A line that goes on in a cell above belongs to that cell's row."""
    steps = [below[0].base - above[0].base for above, below in pairwise(rows)]
    full = [step for step, row in zip(steps, rows[1:], strict=True) if row[0].left <= columns[0][1] and len(row) > 1]
    usual = median(full) if full else 0.0
    heads = _count_heads(rows, rules)
    texts: list[dict[int, str]] = []
    lines: list[int] = []
    for number, row in enumerate(rows):
        own: dict[int, str] = {}
        for piece in row:
            column = _column(piece, columns)
            own[column] = f"{own[column]} {piece.text}" if column in own else piece.text
        goes_on = (
            bool(texts)
            and number != heads
            and 0 not in own
            and steps[number - 1] <= max(0.95 * usual, 1.3 * row[0].size)
        )
        if goes_on and own.keys() <= texts[-1].keys():
            for column, text in own.items():
                texts[-1][column] = _join_cell(texts[-1][column], text)
        else:
            texts.append(own)
            lines.append(number)
    return [
        Cell(number, number + 1, column, column + 1, text, lines[number] < heads)
        for number, own in enumerate(texts)
        for column, text in sorted(own.items())
    ]


def _join_cell(above: str, text: str) -> str:
    """A cell and its next line -> both, a word that is divided there whole: its hyphen is marked as for the line's
    end."""
    is_divided = above[-1:] in SOFT_HYPHENS and above[-2:-1].isalpha() and text[:1].islower()
    return f"{above[:-1]}{text}" if is_divided else f"{above} {text}"


def _column(piece: LinePiece, columns: Sequence[tuple[float, float]]) -> int:
    middle = (piece.left + piece.right) / 2
    return next((number for number, (_, right) in enumerate(columns) if middle <= right), len(columns) - 1)


def _count_heads(rows: Sequence[Row], rules: Sequence[tuple[float, float, float]]) -> int:
    """How many rows at the top are heads: those above a line drawn under them, else those in bold; at most 3."""
    for count in range(1, min(4, len(rows))):
        above, below = rows[count - 1][0], rows[count][0]
        if any(above.base < y < below.base and left < above.right and right > above.left for left, y, right in rules):
            return count
    count = 0
    while count < min(3, len(rows) - 1) and all(piece.bold for piece in rows[count]):
        count += 1
    return count
