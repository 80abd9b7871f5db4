"""What whitespace a chunk loses at its ends: all but the indentation of code."""

from __future__ import annotations

from caesura.edges import trim
from caesura.types import Span

_NEAR = 2000  # characters on either side of a place that its paragraph is looked for in


def trim_chunk(text: str, start: int, end: int, is_code: bool = False) -> Span:
    """A range of the text -> the same without whitespace at its ends, but with the indentation of code.

    Spaces and tabs that the range begins with stay where they begin a line of code: the segmenter says that all is
    (`is_code`), or the paragraph that they stand in looks like it. Prose, lists and tables are trimmed whole.

    >>> text = "def f(x):\\n    y = x + 1\\n    return (y)"
    >>> trim_chunk(text, 10, len(text)) == Span(10, len(text))
    True
    """
    span = trim(text, start, end)
    if start == span.start or start == end or text[start] not in " \t" or span.start == end:
        return span
    if (start and text[start - 1] not in "\n\r") or text[start : span.start].strip(" \t"):
        return span
    return Span(start, span.end) if is_code or _in_code(text, span.start) else span


def line_start(text: str, at: int) -> int:
    """Where the line begins that is indented up to here; here where more than blanks stand before it."""
    start = at
    while start and text[start - 1] in " \t":
        start -= 1
    return start if not start or text[start - 1] in "\n\r" else at


def _in_code(text: str, at: int) -> bool:
    """Whether the paragraph around a place looks like code."""
    from caesura.text.blocks import detect_code_or_table  # most chunks do not ask
    from caesura.text.markup import GAP

    start = max(at - _NEAR, 0)
    for gap in GAP.finditer(text, start, at):
        start = gap.end()
    blank = GAP.search(text, at, at + _NEAR)
    return detect_code_or_table(text, start, blank.start() if blank else min(at + _NEAR, len(text))) == "code"
