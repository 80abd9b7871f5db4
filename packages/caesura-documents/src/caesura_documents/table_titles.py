"""Titles of tables: the caption, or the line above or below that names a table, and its units."""

from __future__ import annotations

import re
from collections.abc import Sequence

from caesura.text.number_rows import CAPTION, UNITS
from caesura_documents.html import FAR, LONGEST, bare_text

_NEAR = 1200  # characters above or below a table that its title is looked for in
_SHORT = 120  # a line that is no caption and names a table has up to so many
_MARKS = re.compile(r"^[\s>*_:#]+|[\s*_]+$")
_PANDOC = re.compile(r"(?::|Table:)[ \t]+(?=\S)")
_HTML_CAPTION = re.compile(r"<caption\b[^>]{0,300}>", re.IGNORECASE)
_CAPTION_END = re.compile("</caption|<t", re.IGNORECASE)
_NO_TITLE = re.compile(r"[-*+•][ \t]|\d{1,3}[.)][ \t]|[|`]|[-=_*~+]{3}|</?(?:table|t[rhd]|div|ul|ol)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+")
_FOLLOWS = re.compile(
    r"(?i)\b(?:following|follows|table|below|folgende[nrs]?|tabelle|suivante?s?|tableau|siguientes?|tabla|seguenti?"
    r"|tabella)\b|表"
)
"""A sentence right above a table that has one of these says what the table is of."""
_SENTENCES = 300  # such a sentence has up to so many characters
_STOPS = (".", "!", "?", ";", ",", "。")


def title_above(text: str, begun: int, start: int) -> tuple[str, int]:
    """Returns the title of a table that starts at a place, its units included, and where it begins; "" for none.

    begun: from where on lines belong to nothing above. Blank lines may stand between.

    >>> title_above("We grew.\\n\\nTable 2: Sales\\n(in millions)\\n\\n", 0, 40)
    ('Table 2: Sales (in millions)', 10)
    """
    low = max(begun, start - _NEAR)
    is_cut = low > begun and text[low - 1] != "\n"  # whether the first of the lines is the end of one
    lines, ends = text[low:start].rstrip().split("\n"), [low]
    for line in lines:
        ends.append(ends[-1] + len(line) + 1)
    number, units = len(lines) - 1, ""
    line = _bare(lines[number])
    if line and len(line) <= LONGEST and UNITS.fullmatch(line) and not CAPTION.match(line):
        units, last, number = line, number, number - 1
        while number >= 0 and not lines[number].strip():
            number -= 1
        line = _bare(lines[number]) if number >= 0 else ""
    title, first = _title(lines, number, line, bool(units), is_cut and number == 0)
    if title:
        within = max(lines[first].rfind(title[:40]), 0)  # the last sentence of a long line
        return f"{title} {units}".strip(), ends[first] + within
    return (units, ends[last]) if units else ("", -1)


def _title(lines: Sequence[str], number: int, line: str, is_sure: bool, is_cut: bool) -> tuple[str, int]:
    """The title that ends with a line, and the number of the line that it begins with.

    is_sure: units follow it. is_cut: the line begins earlier.
    """
    joined = line
    for first in range(
        number, max(number - 3, -1) if not is_cut else number, -1
    ):  # a caption may go on in the next two lines
        own = _bare(lines[first])
        if not own:
            break
        joined = own if first == number else f"{own} {joined}"
        if CAPTION.match(own) and len(joined) <= 2 * LONGEST:
            return joined, first
    if not line or _NO_TITLE.match(lines[number].lstrip()):
        return "", -1
    if line.endswith((":", ".")):
        return _last_sentence(lines, number)
    if is_cut:
        return "", -1
    before = _bare(lines[number - 1]) if number else ""
    apart = not before or before.endswith(_STOPS) or is_sure
    return (line, number) if apart and len(line) <= _SHORT and not line.endswith(_STOPS) else ("", -1)


def _last_sentence(lines: Sequence[str], number: int) -> tuple[str, int]:
    """The sentence that ends with a line, if it says that a table follows, as "Debt consisted of the following:"."""
    said, first, parts = "", number, list[str]()
    for first in range(number, -1, -1):
        own = _bare(lines[first])
        said = f"{own} {said}".strip()
        parts = _SENTENCE.split(said[-2 * LONGEST :].rstrip(":. "))
        if not own or len(parts) > 1 or len(said) > 2 * LONGEST:
            break
    is_whole = len(parts) > 1 or len(said) <= 2 * LONGEST
    title = parts[-1] if parts and is_whole else ""
    follows = said.endswith((":", ":.")) or _FOLLOWS.search(title)
    return (title, first) if title and follows and len(title) <= _SENTENCES else ("", -1)


def title_below(text: str, end: int, stop: int) -> tuple[str, int]:
    """Returns the caption right below a table that ends at a place, and where the caption begins; "" for none.

    stop: where the next table begins, to which a caption right above it belongs; -1 for none.
    """
    after = text[end : min(end + _NEAR, stop if stop >= 0 else len(text))]
    start = len(after) - len(after.lstrip())
    if after.count("\n", 0, start) > 2:
        return "", -1
    line, _, rest = after[start:].partition("\n")
    if 0 <= stop < end + _NEAR and not rest.strip():
        return "", -1
    bare = _bare(line)
    if 0 < len(bare) <= 2 * LONGEST and (CAPTION.match(bare) or _PANDOC.match(line.lstrip())):
        return bare, end + start
    return "", -1


def html_caption(text: str, start: int, body: int) -> tuple[str, int]:
    """Returns the caption in a table of HTML, and where it begins; "" for none."""
    opened = _HTML_CAPTION.search(text, start, max(body, start))
    if not opened:
        return "", -1
    closed = _CAPTION_END.search(text, opened.end(), opened.end() + FAR)
    caption = bare_text(text[opened.end() : closed.start()])[: 2 * LONGEST] if closed else ""
    return (caption, opened.start()) if caption else ("", -1)


def _bare(line: str) -> str:
    """A line without markup around it."""
    line = line[-4 * LONGEST :]
    return _MARKS.sub(
        "", bare_text(line) if "<" in line else " ".join(line.replace("**", "").replace("__", "").split())
    )
