"""A mark that opens a line -> the end and the kind of the block that it opens, if it opens one."""

from __future__ import annotations

import re

from caesura.text.lines import NEWLINE, NL, OPENER, SPACE, end_of, indent, line_end

LONG = 2000  # a list or a quotation is whole up to here; in a longer one, items and sentences are units
_FORMULA = 4000  # the longest display formula
_FAR = 50_000  # the longest environment or element
_MARK = 30  # no closing mark is longer
_TAGS_ONLY = re.compile(rf"(?:<[^<>{NL}]*>{SPACE}*)+(?=[{NL}]|\Z)")
_LINES = {mark: re.compile(rf"(?:{mark}[^{NL}]*+(?:(?:\r\n|[{NL}]){SPACE}*+(?={mark}))?+)++") for mark in (r"\|", ">")}


def marked(text: str, at: int, found: re.Match[str], missing: dict[str, int]) -> tuple[int, str]:
    """A block that a mark opens -> its end and its kind; -1 where the mark opens prose."""
    opener = found.lastgroup
    if opener == "fence" and text[at] in "\"'":  # a docstring
        return _closed(text, at + 3, text[at : at + 3], _FAR, missing), "code"
    if opener == "fence":
        closing = re.compile(rf"[{NL}][ \t]*+{found[0]}+[ \t]*+(?=[{NL}]|\Z)").search(text, at)
        return (closing.end() if closing else len(text)), "code"
    if opener == "formula":
        return _closed(text, at + 2, r"\$\$" if text[at] == "$" else r"\\\]", _FORMULA, missing), "formula"
    if opener == "environment":
        return _closed(text, at, re.escape(f"\\end{{{found['name']}}}"), _FAR, missing), "formula"
    if opener == "element":
        kind = "table" if found["tag"] == "table" else "code"
        return _closed(text, at, rf"(?i:</{found['tag']}\s{{0,9}}>)", _FAR, missing), kind
    if opener == "table":
        return end_of(_LINES[r"\|"], text, at), "table"
    if opener == "quote":
        return end_of(_LINES[">"], text, at), "quote"
    if opener in ("heading", "comment"):
        return line_end(text, at), "heading"
    if opener in ("rule", "closing"):
        return line_end(text, at), opener
    if opener == "opening":
        return (line_end(text, at) if _TAGS_ONLY.match(text, at) else -1), "heading"
    if opener in ("bullet", "item"):
        stop, items = _list(text, at, found, missing)
        return (stop if items > 1 else -1), "list"
    return -1, ""


def _closed(text: str, at: int, mark: str, far: int, missing: dict[str, int]) -> int:
    """The end of the line where a mark, written as a pattern, closes what is open at `at`; -1 where none does.

    `missing` knows for each mark up to where there is none: openers that nothing closes share one search.
    """
    stop = at + far
    found = re.compile(mark).search(text, max(at, missing.get(mark, 0)), stop)
    if found:
        return line_end(text, found.end())
    missing[mark] = stop - _MARK
    return -1


def _list(text: str, at: int, first: re.Match[str], missing: dict[str, int]) -> tuple[int, int]:
    """A list's first item -> the list's end, and the number of its items that begin a line."""
    base, items, stop, kind, fenced = indent(text, at), 1, at, first.lastgroup, False
    while True:
        gap = NEWLINE.search(text, stop)
        if gap is None or gap.end() == len(text):
            return (len(text.rstrip()) if gap is None else gap.start()), items
        found = OPENER.match(text, gap.end())
        opener = found.lastgroup if found else None
        inside = indent(text, gap.end()) > base
        alike = found is not None and opener == kind and found[0][-1] == first[0][-1]  # another mark is another list
        if alike or (opener in ("bullet", "item") and inside):
            items += 1
        elif not inside and (gap[1] is not None or opener is not None or fenced):
            return gap.start(), items
        stop, fenced = gap.end(), inside and opener == "fence"
        if fenced and found is not None:
            stop = marked(text, stop, found, missing)[0]
        if stop - at > LONG:
            return stop, items
