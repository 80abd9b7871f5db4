"""str -> Edges: sentences of any script, by rule.

A block opener or a blank line always cuts (`_blocks`). Inside a block one scan stops at every mark that could end a
sentence, and at every opening quote or bracket, whose short balanced content is passed over whole. What stands around
a mark is looked at within a bounded distance, so the time is linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from caesura.text.abbreviations import (
    DATES,
    ENDS,
    INNER,
    MAYBE,
    MONTHS,
    NUMBERS,
    ORDINAL_AFTER,
    SHOUTED,
    STARTERS,
)
from caesura.types import Edges

_LEFT = 32  # how far before a mark is read
_QUOTE = 240  # the longest quotation or parenthesis that is kept in one piece
_SHORT = 40  # a line that was not broken for lack of room

_LATIN_STOPS = ".!?…‼⁇⁈⁉‽"
_FREE_STOPS = "。！？｡．؟۔܀܁܂।॥။၊։՜፧።፨᠃᠉។៕៖༎།꓿𑁇𑁈𑅁".replace("၊", "").replace("՜", "").replace("．", "")
_STOPS = _LATIN_STOPS + _FREE_STOPS + "．\u037e"
_CLOSERS = "\"'”’“»«›‹)]}」』）】》〉］｝＂＇*_`"
_CLOSE = re.escape(_CLOSERS)
_STOP = re.escape(_STOPS)

_NEWLINES = r"\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029"
_NEWLINE = re.compile(rf"[{_NEWLINES}](?:(?<=\r)\n)?([^\S{_NEWLINES}]*[{_NEWLINES}]\s*|(?<=[\x0c\u2029]))?\s*")
_BULLETS = "•⁃‣◦▪▫●○■□◆◇➢➤✓✔∙·"
_OPENER = re.compile(
    rf"(?P<fence>```|~~~)|(?P<table>\|)|(?P<formula>\$\$)|(?P<heading>\#{{1,6}}(?=[^\S{_NEWLINES}]))"
    rf"|(?P<rule>(?:_{{3,}}|\*{{3,}}|-{{3,}}|={{3,}})(?=[^\S{_NEWLINES}]*(?:[{_NEWLINES}]|\Z)))"
    rf"|(?P<bullet>[{_BULLETS}]|[-*+–](?=[^\S{_NEWLINES}]))"
    rf"|(?P<item>\(?(?P<value>\d{{1,3}}|[a-z])(?P<delimiter>\.\)|[.)])(?=[^\S{_NEWLINES}]+\S))"
    r"|(?P<speaker>[^\W\d_][\w.'’-]{0,20}(?: [\w.'’-]{1,20}){0,3}:(?=\s)|[\u4e00-\u9fff]{1,6}：)|(?P<dash>—(?=\s))"
)

_SCAN_ASCII = re.compile(r'[.!?("\[`]')
_SCAN = re.compile(rf"[{_STOP};:(\"\[`“„«»‹「『《〈（【]")
_TAIL = re.compile(rf"(?:[{_STOP}]+|[:;](?=\s|$))(?:[{_CLOSE}]+[{_STOP}]*)?(?:\[\d{{1,3}}\])*")
_GAP = re.compile(r"\s*")
_NEXT = re.compile(r"[\"'“”„‘’«»‹›(\[{¿¡*_`#,—–\-\s]*(\w[\w'’]*)?")
_DOTS = re.compile(r"\.(?:[ \u00a0]\.)+")
_COMPOUND = re.compile(r"(?:(?<=[^\w.])|^)(?:[^\W\d_]{1,4}\.[ \u00a0]?)+[^\W\d_]{1,4}$")
_DOTTED = re.compile(r"(?:[^\W\d_]{1,3}\.)+[^\W\d_]{1,3}")
_FRONTED = re.compile(r"(?:at|by|on|around|about|before|after|until|from|since)\s+\d[\d:.]*\s*[ap]\.?\s?m", re.I)
_THAI = re.compile("(?<=[\u0e01-\u0e45\u0e47-\u0e59]{20})[ \u00a0]+(?=[\u0e01-\u0e59]{20})")
_SAYING = re.compile(r"[，、,と]|って|[がはのをにもで]|[\u4e00-\u9fff]{1,4}(?:说|道|问|喊|說|問)")


def _pair(opening: str, closing: str, inside: str) -> re.Pattern[str]:
    return re.compile(f"{opening}[^{inside}]{{0,{_QUOTE}}}{closing}")


_PAIRS = {
    '"': _pair(r'(?<![^\s(\[{—–\-:])"(?=\S)', r'(?<=\S)"(?!\w)', '"'),
    "“": _pair("“", "”", "“”"),
    "„": _pair("„", "[“”]", "„“”"),
    "«": _pair("«", "»", "«»"),
    "»": _pair(r"»(?=\S)", "«", "«»"),
    "‹": _pair("‹", "›", "‹›"),
    "(": _pair(r"\(", r"\)", "()"),
    "[": _pair(r"\[", r"\]", r"\[\]"),
    "`": _pair("`", "`", f"`{_NEWLINES}"),
    "「": _pair("「", "」", "「」"),
    "『": _pair("『", "』", "『』"),
    "《": _pair("《", "》", "《》"),
    "〈": _pair("〈", "〉", "〈〉"),
    "（": _pair("（", "）", "（）"),
    "【": _pair("【", "】", "【】"),
}


def sentences(text: str) -> Edges:
    """Text -> the edges of its sentences, such that no unit is blank unless the whole text is.

    Whitespace after a sentence belongs to it; leading whitespace belongs to the first one. Never raises on a str.

    >>> text = "Dr. Wu left at 5 p.m. She was tired!  Was it late?"
    >>> edges = sentences(text)
    >>> [text[a:b] for a, b in zip(edges, edges[1:])]
    ['Dr. Wu left at 5 p.m. ', 'She was tired!  ', 'Was it late?']
    """
    edges = [0]
    for start, end, whole in _blocks(text):
        if edges[-1] < start and len(edges) + start > 1 and not _is_lead(text, edges, start):
            edges.append(start)
        if not whole:
            _cut(text, start, end, edges)
    if text:
        edges.append(len(text))
    return np.array(edges, dtype=np.intp)
