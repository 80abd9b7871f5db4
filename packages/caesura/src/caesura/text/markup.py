"""Markup at the start of lines: what opens there, where it ends, and how strong an edge it is."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from caesura.text.marks import BULLETS, DISPLAYS, INLINE_TAGS, TAGS, WHOLE_TAGS
from caesura.types import Structure

NL = r"\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029"
SPACE = rf"[^\S{NL}]"
NEWLINE = re.compile(rf"[{NL}](?:(?<=\r)\n)?({SPACE}*+[{NL}]|(?<=[\x0c\u2029]))?\s*")
BLANKS = re.compile(r"\s*")
GAP = re.compile(rf"[{NL}](?:(?<=[\x0c\u2029])|(?:(?<=\r)\n)?+{SPACE}*+[{NL}])")
PLAIN_NEWLINE, PLAIN_GAP = re.compile(r"\n([^\S\n]*+\n)?\s*"), re.compile(r"\n[^\S\n]*+\n")
"""The same where lines end in one way, as nearly everywhere: found by a search for that alone, many times faster."""
_OTHER = "\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
NAME = r"[^\W\d_][\w.'’-]{0,20}(?: [\w.'’-]{1,20}+){0,3}+(?: \((?:[^()\n]|\([^()\n]{1,60}\)){1,90}\))?+"
_DATE = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}"
_HOUR = r"\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:[ \u202f]?[AaPp][Mm])?"
OPENER = re.compile(
    rf"(?P<fence>`{{3,9}}+(?![^`{NL}]*`)|~{{3,9}}+(?!~)|\"\"\"|''')|(?P<table>\|)|(?P<formula>\$\$|\\\[)|(?P<quote>>)"
    rf"|(?P<heading>\#{{1,6}}(?={SPACE})|={{2,6}}+(?= \w)|<h[1-6]\b|\\(?:part|chapter|(?:sub)*section|paragraph)\*?\{{"
    rf"|[a-z0-9][a-z0-9+.-]{{1,60}}+ \([^()\s]{{1,60}}+\) [^;{NL}]{{1,60}}+; urgency=)"
    rf"|(?P<rule>(?:_{{3,}}+|\*{{3,}}+|-{{3,}}+|={{3,}}+|~{{10,}}+|`{{10,}}+)(?={SPACE}*+(?:[{NL}]|\Z)))"
    rf"|(?P<environment>\\begin\{{(?P<name>(?:{DISPLAYS})\*?)\}})"
    rf"|(?P<container>(?=[/:!?=.\[<])(?:/{{3,9}}+{SPACE}*+[a-z][\w-]*+{SPACE}*+(?:\|[^{NL}]*+)?(?=[{NL}])"
    rf"|:{{3,9}}+{SPACE}*+[\w{{][^{NL}]*+(?=[{NL}])|(?:!!!|\?\?\?\+?){SPACE}*+[\w-]|===[!+]?{SPACE}++[\"']"
    rf"|\.\. [\w.+-]++(?::[\w.+-]++)*+::(?=\s)|\[\^[^\]{NL}]{{1,60}}+\]:|<details\b"
    rf"|<[A-Z][A-Z0-9_]*+[a-z.][\w.]*+(?=[\s>])(?=[^<>{NL}]*+(?:>{SPACE}*+)?[{NL}])))"
    rf"|(?P<element><(?P<tag>{WHOLE_TAGS})\b)|(?P<opening><(?:!DOCTYPE|!--|(?:{TAGS})\b))"
    rf"|(?P<closing>(?!</(?:{INLINE_TAGS})\b)(?:(?:</[\w:.-]+{SPACE}*+>{SPACE}*+)++|\\end\{{document\}}|/{{3,9}}+{SPACE}*+|:{{3,9}}+{SPACE}*+"
    rf"|-- [^<>{NL}]{{1,100}}+<[^<>\s]{{1,100}}+>  [A-Z][a-z]{{2}}, [^{NL}]{{1,40}}+)"
    rf"(?=[{NL}]|\Z))"
    rf"|(?P<comment>%(?=[%\s=-])|(?:\.\. _[^{NL}]{{1,80}}+(?<=:)|\([\w-]{{1,80}}+\)=|{{/\*){SPACE}*+(?=[{NL}]))"
    r"|(?P<turn>\[\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(?::\d{2})?\]|\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}"
    rf"|\[{_DATE},? {_HOUR}\]|(?:{_DATE},? )?(?:\[{_HOUR}\]"
    r"|\d{1,2}:\d{2}(?::\d{2})?(?:[ \u202f]?[AaPp][Mm])?(?= -|[ \t]+[^\s:]{1,20}:))|<[\w.-]{1,20}>(?= )"
    r"|\*\*[^*\n]{1,30}(?::\*\*|\*\*:))"
    rf"|(?P<bullet>[{BULLETS}]|[-*+](?={SPACE}))"
    rf"|(?P<item>\(?(?P<value>\d{{1,3}}|[a-z])(?P<mark>\.\)|[.)])(?={SPACE}))"
    rf"|(?P<speaker>{NAME}:(?=\s)|[\u4e00-\u9fff]{{1,6}}：)"
    r"|(?P<dash>[—–](?=\s))"
)
LONG = 2000  # a list or a quotation is whole up to here; in a longer one, items and sentences are units
_FORMULA = 4000  # the longest display formula
_FAR = 50_000  # the longest environment or element; a table may have 20 times as much
_MARK = 30  # no closing mark is longer
_WIDE = 1000  # no blank line is wider
ATTRIBUTES = re.compile(r"[ \t]*+\{(?:-|:[^{}]*|[ \t]*[#.][^{}]*)\}\s*$")
"""What a heading or a paragraph ends with to name its id and classes, as in "# Title {#id .class}"."""
_TAGS_ONLY = re.compile(rf"(?:<[^<>{NL}]*>{SPACE}*)+(?=[{NL}]|\Z)")
_LINES = {mark: re.compile(rf"(?:{mark}[^{NL}]*+(?:(?:\r\n|[{NL}]){SPACE}*+(?={mark}))?+)++") for mark in (r"\|", ">")}
LINE, PARAGRAPH, HEADING = 0.5, 1.0, 2.0
_CLOSED = {"fence": 3, "formula": 2, "environment": 0, "element": 0}
"""What opens such that another mark closes it, and how many characters further that is looked for."""
INTERRUPTING = ("fence", "table", "formula", "quote", "environment")
_SHOWN = "#=`~\"'|$\\><"
"""What headings and interrupting blocks begin with."""
_NEWLINE = re.compile(rf"\r\n|[{NL}]")
UNDERLINES = "=-~`^\"'*+#.:"
"""What lines of marks below, or above and below, a heading are made of."""
_UNDERLINE = re.compile(rf"(?P<mark>[=\-~`^\"'*+#.:])(?P=mark){{1,}}+{SPACE}*+(?=[{NL}]|\Z)")
_OVERLINED = re.compile(
    rf"(?P<over>(?P<mark>[=\-~`^\"'*+#.:])(?P=mark){{2,}}+){SPACE}*+\r?\n{SPACE}*+(?P<title>(?=[^{NL}]*\w)[^{NL}]*+)\r?\n"
    rf"(?P=over){SPACE}*+(?=[{NL}]|\Z)"
)


def line_ends(text: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A text -> `NEWLINE` and `GAP`, as fast as its line ends allow."""
    return (NEWLINE, GAP) if any(mark in text for mark in _OTHER) else (PLAIN_NEWLINE, PLAIN_GAP)


def end_of(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Where the pattern ends that matches here; here where none does."""
    found = pattern.match(text, at)
    return found.end() if found else at


def line_end(text: str, at: int) -> int:
    """A position -> the end of its line, without the line end."""
    found = NEWLINE.search(text, at)
    return found.start() if found else len(text)


def indent(text: str, at: int) -> int:
    """How far a position is indented on its line, a tab for four; 0 where more than blanks stand before it."""
    width, place = 0, at - 1
    while place >= 0 and text[place] in " \t" and width < 40:
        width += 4 if text[place] == "\t" else 1
        place -= 1
    return width if place < 0 or text[place].isspace() else 0


def underline_end(text: str, at: int, length: int) -> int:
    """Returns the end of a line of marks at `at` that makes a heading of the line above; -1 for another line.

    length: of the line above. Marks that mean something else too must be as many as its characters.
    """
    found = _UNDERLINE.match(text, at) if text[at : at + 1] in UNDERLINES else None
    if found is None:
        return -1
    marks = len(found[0].rstrip())
    enough = marks > 2 if found["mark"] in "=-" else marks >= max(length, 3 if found["mark"] in '~^"' else 4)
    if found["mark"] == '"' and marks == 3 and length != 3:
        return -1  # a docstring opens
    return found.end() if enough else -1


def overlined_end(text: str, at: int) -> int:
    """Returns the end of a heading with a line of marks above it and the same below it; -1 where none begins."""
    found = _OVERLINED.match(text, at) if text[at] in UNDERLINES else None
    return found.end() if found and len(found["over"]) >= len(found["title"].strip()) else -1


def line_start(text: str, at: int) -> int:
    """Where the line begins that is indented up to here; here where more than blanks stand before it."""
    start = at
    while start and text[start - 1] in " \t":
        start -= 1
    return start if not start or text[start - 1] in "\n\r" else at


def block_end(text: str, at: int, found: re.Match[str], missing: dict[str, int]) -> tuple[int, str]:
    """Returns the end and the kind of a block that a mark opens; -1 where the mark opens prose."""
    opener = found.lastgroup
    if opener == "fence" and text[at] not in "\"'":
        most = indent(text, at) + 3
        closing = re.compile(rf"[{NL}][ \t]{{0,{most}}}+{found[0]}+[ \t]*+(?=[{NL}]|\Z)").search(text, at)
        return (closing.end() if closing else len(text)), "code"
    if opener in _CLOSED:
        mark, kind, far = _closing(text, at, found)
        return _closed(text, at + _CLOSED[opener], mark, far, missing), kind
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
        stop, items = list_end(text, at, found, missing)
        return (stop if items > 1 else -1), "list"
    return -1, ""


def _closing(text: str, at: int, found: re.Match[str]) -> tuple[str, str, int]:
    """A mark that opens what another one closes -> that one as a pattern, the kind, and how far it may be."""
    opener = found.lastgroup
    if opener == "fence":  # a docstring
        return text[at : at + 3], "code", _FAR
    if opener == "formula":
        return (r"\$\$" if text[at] == "$" else r"\\\]"), "formula", _FORMULA
    if opener == "environment":
        return re.escape(f"\\end{{{found['name']}}}"), "formula", _FAR
    kind, far = ("table", 20 * _FAR) if found["tag"] == "table" else ("code", _FAR)
    return rf"(?i:</{found['tag']}\s{{0,9}}>)", kind, far


def _closed(text: str, at: int, mark: str, far: int, missing: dict[str, int]) -> int:
    """Returns the end of the line where a mark, written as a pattern, closes what is open at `at`; -1 where none does.

    `missing` remembers up to where a mark does not occur: openers that one mark closes, or none, share a search.
    """
    stop = at + far
    found = re.compile(mark).search(text, max(at, missing.get(mark, 0)), stop)
    missing[mark] = found.start() if found else stop - _MARK
    return line_end(text, found.end()) if found else -1


def list_end(text: str, at: int, first: re.Match[str], missing: dict[str, int], alone: bool = False) -> tuple[int, int]:
    """A list's first item -> the list's end, and the number of its items that begin a line.

    alone: of this item, with the items within it.
    """
    base, items, stop, kind, fenced = indent(text, at), 1, at, first.lastgroup, False
    while True:
        gap = NEWLINE.search(text, stop)
        if gap is None or gap.end() == len(text):
            return (len(text.rstrip()) if gap is None else gap.start()), items
        found = OPENER.match(text, gap.end())
        opener = found.lastgroup if found else None
        inside = indent(text, gap.end()) > base
        alike = found is not None and opener == kind and found[0][-1] == first[0][-1]  # another mark is another list
        if alone and not inside and opener is not None:
            return gap.start(), items
        if alike or (opener in ("bullet", "item") and inside):
            items += 1
        elif not inside and (gap[1] is not None or opener is not None or fenced):
            return gap.start(), items
        stop, fenced = gap.end(), inside and opener == "fence"
        if fenced and found is not None:
            stop = block_end(text, stop, found, missing)[0]
        if stop - at > LONG:
            return stop, items


def structure(text: str, starts: Sequence[int] | NDArray[np.intp], is_code: bool = False) -> Structure:
    """(n,) first positions of units -> (n - 1,) 2 before a heading, 1 after a blank line, 0.5 after a line end, else 0.

    Whitespace before a start counts, whichever unit it belongs to. A formula, code, a table or a quotation interrupts a
    paragraph and does not end it; neither does a line end before a lower case letter. Where all is code: 2 after a
    blank line where nothing is indented, 1 after another blank line, else 0.
    """
    first, *others = np.asarray(starts).tolist() or [0]
    if is_code:
        return np.array([_code_edge(text, at) for at in others])
    inside, edges = bool(others) and _interrupts(text, first), np.zeros(len(others))
    for number, at in enumerate(others):
        if text[at - 1] == " " and not text[at - 2 : at - 1].isspace() and not text[at].isspace():
            inside = False  # between two sentences of a line, most of all
        elif text[at - 1] == "\n" and text[at].isupper() and not (inside or text[at - 2 : at - 1].isspace()):
            edges[number] = LINE
        else:
            edges[number], inside = _edge(text, at, inside)
    return edges


def _code_edge(text: str, at: int) -> float:
    above = text.rfind("\n", max(at - _WIDE, 0), at - 1) + 1
    if not above or text[above:at].strip():
        return 0.0
    return PARAGRAPH if text[at] in " \t" else HEADING


def _interrupts(text: str, at: int) -> bool:
    """Whether a block opens here that stands inside of what is said."""
    found = OPENER.match(text, at)
    return found is not None and found.lastgroup in INTERRUPTING


def _edge(text: str, at: int, interrupted: bool) -> tuple[float, bool]:
    """Returns how strong the edge before a unit is, and whether the unit interrupts a paragraph."""
    before, after = at, end_of(BLANKS, text, at) if text[at].isspace() else at
    while before and text[before - 1].isspace():
        before -= 1
    lines = len(_NEWLINE.findall(text, before, after))
    found = OPENER.match(text, after) if text[after : after + 1] in _SHOWN else None
    opener = found.lastgroup if found else None
    if not lines:
        return 0.0, opener in INTERRUPTING
    if opener == "heading":
        return HEADING, False
    if opener in INTERRUPTING:
        return 0.0, True
    if interrupted or text[after : after + 1].islower():
        return 0.0, False
    return (PARAGRAPH if lines > 1 else LINE), False
