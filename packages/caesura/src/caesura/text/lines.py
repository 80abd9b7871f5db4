"""A position in a text -> what opens there, how far it is indented, and where its line ends."""

from __future__ import annotations

import re

from caesura.text.abbreviations import BULLETS, DISPLAYS, INLINE_TAGS, TAGS, WHOLE_TAGS

NL = r"\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029"
SPACE = rf"[^\S{NL}]"
NEWLINE = re.compile(rf"[{NL}](?:(?<=\r)\n)?({SPACE}*+[{NL}]|(?<=[\x0c\u2029]))?\s*")
BLANKS = re.compile(r"\s*")
OPENER = re.compile(
    rf"(?P<fence>`{{3,9}}+(?![^`{NL}]*`)|~{{3,9}}+(?!~)|\"\"\"|''')|(?P<table>\|)|(?P<formula>\$\$|\\\[)|(?P<quote>>)"
    rf"|(?P<heading>\#{{1,6}}(?={SPACE})|<h[1-6]\b|\\(?:part|chapter|(?:sub)*section|paragraph)\*?\{{)"
    rf"|(?P<rule>(?:_{{3,}}+|\*{{3,}}+|-{{3,}}+|={{3,}}+|~{{10,}}+|`{{10,}}+)(?={SPACE}*+(?:[{NL}]|\Z)))"
    rf"|(?P<environment>\\begin\{{(?P<name>(?:{DISPLAYS})\*?)\}})"
    rf"|(?P<element><(?P<tag>{WHOLE_TAGS})\b)|(?P<opening><(?:!DOCTYPE|!--|(?:{TAGS})\b))"
    rf"|(?P<closing>(?!</(?:{INLINE_TAGS})\b)(?:(?:</[\w:-]+{SPACE}*+>{SPACE}*+)++|\\end\{{document\}})(?=[{NL}]|\Z))"
    rf"|(?P<comment>%(?=[%\s=-]))"
    r"|(?P<turn>\[\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(?::\d{2})?\]|\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}"
    r"|(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4},? )?(?:\[\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?: ?[AP]M)?\]"
    r"|\d{1,2}:\d{2}(?::\d{2})?(?: ?[AP]M)?(?= -|[ \t]+[^\s:]{1,20}:))|<[\w.-]{1,20}>(?= )|\*\*[^*\n]{1,30}:\*\*)"
    rf"|(?P<bullet>[{BULLETS}]|[-*+](?={SPACE}))"
    rf"|(?P<item>\(?(?P<value>\d{{1,3}}|[a-z])(?P<mark>\.\)|[.)])(?={SPACE}))"
    r"|(?P<speaker>[^\W\d_][\w.'’-]{0,20}(?: [\w.'’-]{1,20}+){0,3}+:(?=\s)|[\u4e00-\u9fff]{1,6}：)"
    r"|(?P<dash>[—–](?=\s))"
)


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
