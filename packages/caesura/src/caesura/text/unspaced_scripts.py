"""Sentences of scripts that write no stop between them: Thai, Lao, Khmer and Burmese without their stops, Tibetan.

A space parts sentences there, and also clauses, names and numbers. The words on either side of it tell which: particles
that close a sentence, words that open one, and words before or after which a sentence always goes on.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import NamedTuple

from caesura.text import read_data
from caesura.text.graphemes import inside_grapheme
from caesura.text.marks import FREE

_LEAST, _CLAUSE = 4, 20  # characters: of a sentence before a particle's space, and of a clause
_ENDED = FREE + "?!…"
_TIMES = ("เมื่อวาน", "เมื่อคืน", "เมื่อเช้า")  # words of `fronted` open these, which stand before nothing
_LETTERS = "\u0e01-\u0e45\u0e81-\u0ec4\u0edc-\u0edf\u0f40-\u0f6c\u1000-\u102a\u1780-\u17b3"
_GAP = re.compile(f"(?:(?<=[^\\s\u200b])|(?<=\n)(?=\u200b))\u200b*[ \u00a0][ \u00a0\u200b]*(?=[{_LETTERS}])")
_RUNS = ("\u0e01-\u0e59", "\u0e81-\u0ed9\u0edc-\u0edf", "\u1780-\u17d3\u200b")
_LONG = re.compile("|".join(f"[{run}]{{{_CLAUSE}}}" for run in _RUNS))
_LETTER = re.compile(f"[{_LETTERS}]")


def holds_unspaced(text: str) -> bool:
    """Whether a text has a letter of one of the scripts.

    In UTF-8 these letters begin with one of two bytes, which are looked for many times faster than letters are.
    """
    written = text.encode("utf-8", "surrogatepass")
    return (b"\xe0" in written or b"\xe1" in written) and _LETTER.search(text) is not None


class Script(NamedTuple):
    """Words of one script that tell what a space beside them means.

    closing: particles after which a sentence ends. opening: words that begin one. onward: words that go on with one,
    unless they are in `opening`. hanging: words after which one goes on. fronted: words of a clause, or of a date, that
    stands before the rest of its sentence. stop: what ends sentences in a paragraph whose spaces, therefore, do not.
    clauses: whether two long clauses are two sentences where no word says otherwise.
    """

    closing: tuple[str, ...]
    opening: tuple[str, ...] = ()
    onward: tuple[str, ...] = ()
    hanging: tuple[str, ...] = ()
    fronted: tuple[str, ...] = ()
    stop: re.Pattern[str] | None = None
    clauses: bool = False


def _script(name: str, stop: str | None = None, clauses: bool = False) -> Script:
    """The script whose words `data/unspaced_scripts.txt` has under a name. stop: a pattern."""
    words = defaultdict[str, tuple[str, ...]](tuple)
    for script, kind, *own in _LINES:
        if script == name:
            words[kind] += tuple(own)
    return Script(**words, stop=None if stop is None else re.compile(stop), clauses=clauses)


_LINES = [line.split() for line in read_data("unspaced_scripts.txt").splitlines() if line and not line.startswith("#")]
_SCRIPTS = {
    0x1C: _script("thai", "[\u0e01-\u0e4e]{4}\\.(?=\\s|$)", clauses=True),
    0x1D: _script("lao", "[\u0e81-\u0ecd]{4}\\.(?=\\s|$)", clauses=True),
    0x1E: _script("tibetan"),
    0x1F: _script("tibetan"),
    0x20: _script("burmese", "။"),
    0x2F: _script("khmer", "[។៕]", clauses=True),
}
"""By their half blocks of Unicode, 128 code points each."""


def space_edges(text: str, start: int, end: int) -> list[int]:
    """Returns the edges after those spaces of a run of prose that end sentences."""
    edges: list[int] = []
    last = clause = start
    stopped: dict[int, bool] = {}
    for gap in _GAP.finditer(text, start, end):
        at, after = gap.span()
        half = ord(text[after]) >> 7
        script = _SCRIPTS[half]
        if half not in stopped:
            stopped[half] = script.stop is not None and script.stop.search(text, start, end) is not None
        if stopped[half] or text[at - 1] in _ENDED:
            last = clause = after
        elif not _goes_on(text, last, at, after, script):
            if _ends(text, last, clause, at, after, end, script) and not inside_grapheme(text, after, start):
                edges.append(after)
                last = after
            clause = after
    return edges


def _ends(text: str, last: int, clause: int, at: int, after: int, end: int, script: Script) -> bool:
    """Whether the space at `text[at:after]` ends the sentence that began at `last`, its last clause at `clause`."""
    if at - last >= _LEAST and text.endswith(script.closing, last, at):
        return True
    if not script.clauses or at - last < _CLAUSE:
        return False
    if clause == last and text.startswith(script.fronted, last) and not text.startswith(_TIMES, last):
        return False
    if text.startswith(script.opening, after):
        return True
    return at - clause >= _CLAUSE and _LONG.match(text, after, end) is not None


def _goes_on(text: str, last: int, at: int, after: int, script: Script) -> bool:
    """Whether a word on either side of a space says that the sentence goes on."""
    if text.startswith(script.onward, after) and not text.startswith(script.opening, after):
        return True
    return text.endswith(script.hanging, last, at)
