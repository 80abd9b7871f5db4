"""Marks of sentences, lines, lists, quotations and markup. What differs by language is in `data/marks.txt`."""

from __future__ import annotations

from caesura.text import read_data

_LINES = (line.partition(" ") for line in read_data("marks.txt").splitlines() if line and not line.startswith("# "))
_VALUES = {name: value for name, _, value in _LINES}

FREE = _VALUES["FREE"]
STOPS = _VALUES["STOPS"] + "\u037e" + FREE  # a Greek question mark, which editors make a semicolon
CLOSERS = _VALUES["CLOSERS"]
EITHER = _VALUES["EITHER"]
LATE = _VALUES["LATE"]
NOTES = _VALUES["NOTES"]
OPENERS = _VALUES["OPENERS"]
BULLETS = _VALUES["BULLETS"]
HANGING = _VALUES["HANGING"]
ENDED = _VALUES["ENDED"]
ROW_LETTERS = _VALUES["ROW_LETTERS"]
ROLES = tuple(_VALUES["ROLES"].split())
ASKS = frozenset(_VALUES["ASKS"].split())
ANSWERS = frozenset(_VALUES["ANSWERS"].split())

NOTE = r"(?:\[(?:\d{1,3}(?:[,;–-] ?\d{1,3}){0,9}|[a-z]|(?i:note|nb) \d{1,3}|[a-z]{1,15} needed)\]|[⁰¹²³⁴-⁹]{1,4}|[†‡])"

# Elements that are whole, those that open a unit, those that stand in a sentence; environments that are whole.
WHOLE_TAGS = "table|pre|script|style|ul|ol|dl"
TAGS = "p|div|section|article|header|footer|nav|main|blockquote|form|head|body|html|title|meta|link|figure"
INLINE_TAGS = "a|abbr|b|cite|code|em|i|q|small|span|strong|sub|sup|u"
DISPLAYS = (
    "equation|align|alignat|gather|multline|eqnarray|displaymath|math|array|tabularx?|longtable|table|figure|verbatim|lstlisting"
    "|minted|algorithm|algorithmic|itemize|enumerate|description|quote|quotation|tikzpicture"
)

# Directives of reStructuredText and MyST: those that hold text, and those that hold code.
ADMONITIONS = (
    "note|warning|tip|important|hint|caution|danger|attention|error|seealso|admonition|topic|sidebar|margin|dropdown|tab-set"
    "|tab-item|grid|grid-item|grid-item-card|card|exercise|solution|proof|theorem|versionadded|versionchanged|deprecated"
)
CODE_DIRECTIVES = "code|code-block|sourcecode|code-cell|parsed-literal|doctest|testcode|testoutput|prompt|highlight"

# Opening mark, how it is written in a pattern, what may not stand inside, the closing mark in a pattern.
PAIRS = (
    ('"', r'(?<![^\s(\[{—–:-])"(?=\S)', '"', r'(?<=\S)"(?!\w)'),
    ("„", "„", "„“”", "[“”]"),
    ("»", r"»(?=\w)", "«»", "«"),
    ("`", "`", "`\n\r", "`"),
    ("(", r"\(", "()", r"\)"),
    ("[", r"\[", "[]", r"\]"),
    *((pair[0], pair[0], pair, pair[1]) for pair in ("“”", "«»", "‹›", "「」", "『』", "《》", "〈〉", "（）", "【】")),
)
