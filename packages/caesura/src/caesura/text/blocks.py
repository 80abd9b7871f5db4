"""str -> blocks (start, end, kind): what must stay whole, and the prose between.

Code, tables, display formulas, quotations, lists, front matter: fenced, indented, marked up, or known by what their
lines look like. By rules and not by a Markdown parser: the core needs numpy alone, and most texts are not quite
Markdown, but LaTeX, HTML, source code, or a page of a PDF, of which such a parser knows nothing. A parser's blocks
are whole lines as well, so that it serves as the oracle of a test (tests/core/test_blocks_markdown.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from caesura.text.lines import BLANKS, NL, OPENER, SPACE, end_of, indent
from caesura.text.looks import look_of
from caesura.text.marked import LONG, marked
from caesura.text.paragraphs import paragraph
from caesura.text.titles import is_title

_MATTER = re.compile(
    rf"\s*(?:(---|\+\+\+){SPACE}*+[{NL}](?s:.{{0,20000}}?)[{NL}]\1{SPACE}*+(?=[{NL}]|\Z)"
    r"|\\documentclass(?s:.{0,20000}?)\\begin\{document\}(?:\s*\\maketitle)?)"
)
_PROSE = re.compile(  # a paragraph in one line that can be nothing else: most of them are decided by this alone
    rf"[\"“‘]?[^\W\d_](?![.)])[^{NL}]*+(?:(?<=[a-z][a-z][.?!])|(?<=[a-z][a-z][.?!][\")”’]))"
    r"(?:\r?\n[ \t]*+\r?\n\s*|\s*\Z)"
)
_CLEAR = ("code", "table", "formula", "matter", "rule", "closing", "list", "quote")
_GAP = re.compile(rf"[{NL}](?:(?<=[\x0c\u2029])|(?:(?<=\r)\n)?{SPACE}*+[{NL}])")


def blocks(text: str, lists: bool) -> Iterator[tuple[int, int, str]]:
    """Text -> its blocks, such that they tile it from its first character that is not blank and none begins blank.

    Kinds: "heading", "closing" (tags, which belong to what precedes them), "code", "table", "formula", "matter",
    "rule", and "" for prose; with `lists`, also "list" and "quote", which else are prose: an item, or a sentence, at a
    time.
    """
    at = end_of(BLANKS, text, 0)
    if matter := _MATTER.match(text):
        stop = end_of(BLANKS, text, matter.end())
        yield at, stop, "matter"
        at = stop
    loose = seen = 0  # up to here: items of a list too long to be whole; a paragraph that does not look like code
    missing: dict[str, int] = {}
    while at < len(text):
        if prose := _PROSE.match(text, at):
            yield at, prose.end(), ""
            at = prose.end()
            continue
        found = OPENER.match(text, at)
        inside = found is not None and (at < loose or not lists) and found.lastgroup in ("bullet", "item", "quote")
        stop, kind = (-1, "") if found is None or inside else marked(text, at, found, missing)
        if kind in ("list", "quote") and stop - at > LONG:
            loose, stop = stop, -1
        item = kind == "list" and stop < 0  # alone: "2. TERM" is a heading
        if at >= seen and (item or kind not in _CLEAR):
            blank = _GAP.search(text, at)
            seen = blank.start() if blank else len(text)
            looks = "" if item else look_of(text, at, seen)
            if looks:
                stop, kind = seen, looks
            elif (item or kind == "") and is_title(text, at, seen):
                stop, kind = seen, "heading"
            if looks == "code":
                stop = _deeper(text, end_of(BLANKS, text, stop), min(indent(text, at) + 1, 4))
        if stop >= 0:
            stop = end_of(BLANKS, text, stop)
            yield at, stop, kind
        else:
            starts, stop, underlined = paragraph(text, at, found)
            for first, last in zip(starts, [*starts[1:], stop], strict=True):
                yield first, last, "heading" if underlined else ""
        at = stop


def _deeper(text: str, at: int, least: int) -> int:
    """The start of what follows code -> the start of what follows all of it: what is indented so far, or closes."""
    while at < len(text) and (indent(text, at) >= least or text[at] in ")]}"):
        blank = _GAP.search(text, at)
        at = end_of(BLANKS, text, blank.start() if blank else len(text))
    return at
