"""What is printed on a page: words with their boxes and type, and the pieces of lines that they make.

All measures are points, 1/72 inch, from the upper left corner of the page as it is shown; y grows downward.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

SPREAD = 1.2
"""The widest gap between words of a line, as a share of their size: what is farther apart is another column or cell."""
SOFT_HYPHENS = "\x02\ufffe\xad"
"""Hyphens of a line's end, as PDFium and files mark them."""
BROKEN_OFF, BROKEN_SPACE = "˓→", "␣"
"""What Sphinx prints before the rest of a line of code that is too long for the page, and where it broke a space."""
_LEADER = re.compile(r"(?:[.·…_] ?){4,}+")
_MONO = re.compile(r"mono|courier|consol|typewriter|menlo|fixed|code|cmtt|sftt|ectt|nimbusmon|lettergothic", re.I)
_BOLD = re.compile(r"bold|black|heavy|demi|cm(?:ss)?b(?:x|\d)|[se][fc]bx|lmbx|p(?:tm|hv|pl|nc)b|-bd\b|medi$", re.I)

_ACCENTS = dict(zip("¨´ˆ˜¯˘ˇ˝˚¸", "\u0308\u0301\u0302\u0303\u0304\u0306\u030c\u030b\u030a\u0327", strict=True))
_KEYS = {"ˆ": "^", "˜": "~", "\u0300": "`"}
"""What an accent without a letter is."""
_APART = 0.18  # between words that the file has without a space, as a share of their size


class Word(NamedTuple):
    """A word as it is printed: its text, its box, its baseline, the size of its type, and whether that is bold or of
    one width for all letters."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    base: float
    size: float
    bold: bool = False
    mono: bool = False


@dataclass(slots=True)
class LinePiece:
    """Words side by side on one line, without a wide gap between them."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    base: float
    size: float
    bold: bool = False
    mono: bool = False

    @property
    def width(self) -> float:
        """How wide it is."""
        return self.right - self.left


@dataclass(slots=True)
class PrintedPage:
    """A page: its number from 1, its printed label if it has one, its width and height, and its pieces in the order of
    the file. rules: the horizontal lines drawn on it, as (left, y, right). aside: text that runs in another direction.
    has_picture: whether there is one on it. turn: by how many quarters, clockwise, its text is turned; its pieces stand
    as if the page were turned back.
    """

    number: int
    label: str | None
    width: float
    height: float
    pieces: list[LinePiece] = field(default_factory=list)
    rules: list[tuple[float, float, float]] = field(default_factory=list)
    aside: list[LinePiece] = field(default_factory=list)
    has_picture: bool = False
    turn: int = 0

    def box(self, pieces: Sequence[LinePiece]) -> list[float]:
        """Returns the box around pieces, [left, top, right, bottom] on the page as it is shown."""
        left, top = min(piece.left for piece in pieces), min(piece.top for piece in pieces)
        right, bottom = max(piece.right for piece in pieces), max(piece.bottom for piece in pieces)
        if self.turn == 1:
            left, top, right, bottom = -bottom, left, -top, right
        elif self.turn == 2:
            left, top, right, bottom = -right, -bottom, -left, -top
        elif self.turn == 3:
            left, top, right, bottom = top, -right, bottom, -left
        return [round(edge, 1) for edge in (left, top, right, bottom)]


def is_bold(font: str) -> bool:
    """Whether the name of a font says that it is bold."""
    return _BOLD.search(font) is not None


def is_mono(font: str) -> bool:
    """Whether the name of a font says that all its letters are of one width."""
    return _MONO.search(font) is not None


def runs_left(text: str) -> bool:
    """Whether most letters of a text are of a script that is written from right to left."""
    if text.isascii():
        return False
    ways = [unicodedata.bidirectional(mark) for mark in text]
    return sum(way in ("R", "AL") for way in ways) > sum(way == "L" for way in ways)


def divide_word(
    marks: Sequence[str], lefts: Sequence[float], rights: Sequence[float], size: float
) -> list[tuple[int, int, str]]:
    """Characters without a space between them, and the left and right edge of each -> the words that they make, each
    with its first character and the one after its last.

    Words are divided where characters stand as far apart as words do, unless most stand so. An accent that is printed
    over the letter after it belongs to the letter; one beside it is the sign of a keyboard.

    >>> divide_word("Br\u00a8oker", [0, 5, 8, 8, 13, 18, 23], [5, 8, 13, 13, 18, 23, 26], 10)
    [(0, 7, 'Br\xf6ker')]
    >>> divide_word("anyof", [0, 5, 10, 18, 23], [5, 10, 15, 23, 26], 10)
    [(0, 3, 'any'), (3, 5, 'of')]
    """
    if len(marks) == 1 and marks[0] not in _KEYS:
        return [(0, 1, marks[0])]
    whole = "".join(marks)
    shown: Sequence[str] = whole if whole.isascii() else _place_accents(marks, lefts, rights)
    most = _APART * size
    cuts = [at for at in range(1, len(marks)) if lefts[at] - rights[at - 1] > most]
    if not cuts or 2 * len(cuts) >= len(marks) or is_unspaced(marks[cuts[0]]):
        return [(0, len(marks), "".join(shown))]
    edges = [0, *cuts, len(marks)]
    return [(start, end, "".join(shown[start:end])) for start, end in pairwise(edges)]


def _place_accents(marks: Sequence[str], lefts: Sequence[float], rights: Sequence[float]) -> list[str]:
    """Characters -> the same, of an accent and its letter the first empty and the second both."""
    shown = list(marks)
    for at, mark in enumerate(marks):
        is_last = at + 1 == len(marks)
        if mark in _ACCENTS and not is_last and 2 * lefts[at + 1] < lefts[at] + rights[at]:
            joined = unicodedata.normalize("NFC", marks[at + 1] + _ACCENTS[mark])
            if len(joined) == 1 and marks[at + 1].isalpha():
                shown[at : at + 2] = "", joined
        elif mark in _KEYS and (at == 0 or mark != "\u0300"):
            shown[at] = _KEYS[mark]
    return shown


def is_unspaced(mark: str) -> bool:
    """Whether a character is of a script that puts no spaces between words, such as Japanese and Chinese."""
    return not mark.isascii() and unicodedata.east_asian_width(mark) in ("W", "F") and not "\uac00" <= mark <= "\ud7a3"


def turn_word(word: Word, turn: int) -> Word:
    """A word that is turned by one, two or three quarters -> where it stands when the page is turned back."""
    if turn == 1:
        left, top, right, bottom = word.top, -word.right, word.bottom, -word.left
    elif turn == 2:
        left, top, right, bottom = -word.right, -word.bottom, -word.left, -word.top
    else:
        left, top, right, bottom = -word.bottom, word.left, -word.top, word.right
    return word._replace(left=left, top=top, right=right, bottom=bottom, base=bottom - 0.2 * (bottom - top))


def join_words(words: Iterable[Word]) -> list[LinePiece]:
    """Words, in the order of the file -> the pieces of lines that they make. Marks of `BROKEN_OFF` are left out."""
    pieces: list[LinePiece] = []
    line: list[Word] = []
    for word in words:
        if word.text.startswith(BROKEN_OFF):
            word = word._replace(text=word.text.removeprefix(BROKEN_OFF))
            if line and line[-1].text != BROKEN_SPACE:
                line[-1] = line[-1]._replace(text=line[-1].text.removesuffix(BROKEN_SPACE))
            if not word.text:
                continue
        if line and not _goes_on(line[-1], word):
            if at := _place_before(line, word):
                line.insert(at - 1, word)
                continue
            pieces.append(_piece(line))
            line = []
        line.append(word)
    if line:
        pieces.append(_piece(line))
    return pieces


def _goes_on(before: Word, word: Word) -> bool:
    large = max(before.size, word.size)
    level = abs(word.base - before.base) <= 0.3 * large or (  # raised or lowered, as the mark of a footnote is
        min(before.size, word.size) < 0.85 * large
        and min(before.bottom, word.bottom) - max(before.top, word.top) > 0.3 * min(before.size, word.size)
        and abs(word.base - before.base) <= 0.6 * large
    )
    gap = word.left - before.right if word.left >= before.left else before.left - word.right
    return level and -0.5 * large <= gap <= SPREAD * large and (word.left >= before.left or runs_left(word.text))


def _place_before(line: Sequence[Word], word: Word) -> int:
    """The number, from 1, of the word of a line before which there is room for a word that the file has later; 0
    without one."""
    number = bisect_right(line, word.left, key=lambda one: one.left)
    if number == len(line) or line[-1].left < line[0].left or runs_left(word.text + line[0].text):
        return 0
    after, most = line[number], 0.25 * word.size
    is_room = word.right <= after.left + most and (number == 0 or line[number - 1].right <= word.left + most)
    return number + 1 if is_room and abs(word.base - after.base) <= most and _goes_on(word, after) else 0


def _piece(words: Sequence[Word]) -> LinePiece:
    count = sum(len(word.text) for word in words)
    most = max(words, key=lambda word: (len(word.text), word.size))
    bold = sum(len(word.text) for word in words if word.bold)
    mono = sum(len(word.text) for word in words if word.mono)
    parts: list[str] = []
    for number, word in enumerate(words):
        if number:
            before = words[number - 1]
            gap = word.left - before.right if word.left >= before.left else before.left - word.right
            glued = (
                gap < 0.08 * word.size and abs(word.base - before.base) > 0.12 * word.size
            )  # raised, without a space
            wide = max(1, round(gap / (0.6 * word.size))) if word.mono and before.mono else 1
            parts.append("" if glued else " " * wide)
        parts.append(word.text)
    return LinePiece(
        "".join(parts),
        min(word.left for word in words),
        min(word.top for word in words),
        max(word.right for word in words),
        max(word.bottom for word in words),
        most.base,
        most.size,
        bold > 0.8 * count,
        mono > 0.8 * count,
    )


def make_rows(pieces: Iterable[LinePiece]) -> list[list[LinePiece]]:
    """Pieces -> rows from the top down: those on one baseline, in their order of reading. Pieces of a row that stand
    close together become one."""
    rows: list[list[LinePiece]] = []
    for piece in sorted(pieces, key=lambda one: (one.base, one.left)):
        row = rows[-1] if rows else []
        if row and piece.base - row[0].base <= 0.35 * max(piece.size, row[0].size):
            row.append(piece)
        else:
            rows.append([piece])
    return [_join_close(row) for row in rows]


def _join_close(row: list[LinePiece]) -> list[LinePiece]:
    if len(row) == 1:
        return row
    left = runs_left(" ".join(piece.text for piece in row))
    row = sorted(row, key=lambda one: one.left)
    found = [row[0]]
    for piece in row[1:]:
        before = found[-1]
        if piece.left - before.right > SPREAD * max(piece.size, before.size):
            found.append(piece)
        else:
            found[-1] = join_pieces([piece, before] if left else [before, piece])
    return found[::-1] if left else found


def join_pieces(pieces: Sequence[LinePiece], between: str = " ") -> LinePiece:
    """Several pieces, in their order of reading -> one."""
    most = max(pieces, key=lambda piece: len(piece.text))
    count, bold = (sum(len(piece.text) for piece in some) for some in (pieces, [one for one in pieces if one.bold]))
    return LinePiece(
        between.join(piece.text for piece in pieces),
        min(piece.left for piece in pieces),
        min(piece.top for piece in pieces),
        max(piece.right for piece in pieces),
        max(piece.bottom for piece in pieces),
        most.base,
        most.size,
        bold > 0.8 * count,
        all(piece.mono for piece in pieces),
    )


def row_text(row: Sequence[LinePiece]) -> str:
    """A row -> its text, wide gaps as two spaces."""
    return "  ".join(piece.text for piece in row)


def drop_leaders(text: str) -> str:
    """A line of a table of contents -> the same without the dots that lead to the page's number.

    >>> drop_leaders("Tides . . . . . . . 12")
    'Tides 12'
    """
    return " ".join(_LEADER.sub(" ", text).split()) if _LEADER.search(text) else text
