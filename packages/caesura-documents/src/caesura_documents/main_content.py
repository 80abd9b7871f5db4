"""Main content of a page of HTML: which of its blocks are no header, footer or side bar. trafilatura chooses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from html import unescape
from importlib.util import find_spec

from caesura.errors import SettingError

MAIN_REMEDY = 'needs trafilatura: pip install "caesura-documents[html]"'
MOST = 2_000_000
"""A longer page is taken whole. One of so many characters takes trafilatura some seconds."""
GRAM = 4
"""So many words in a row tell whether a block is among what was chosen, or the whole block, if it has fewer."""
LONG = 80
"""A paragraph, a table or code of so many characters is content in all likelihood."""
LEAST = 0.5
"""Where less of such content would be left, the page is taken whole."""
NEAR = 10
"""A heading of level 1 belongs to what begins within so many blocks, as below a date and names."""
MOSTLY = 0.8
"""If more of what was chosen stands in what the page says is its main content, that is taken as it is."""
HEAD = 20_000
"""In so many characters, a page says its title."""
_TITLE = re.compile(r"<title\b[^>]{0,200}>([^<]{0,1000})", re.IGNORECASE)
_REPEATED = ("h1", "title", "listitem")
"""What menus and tables of contents repeat, if it is short."""
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")
"""A word, or a character of a script that writes no spaces."""
_SPANS = re.compile(r"(?i)\b(?:col|row)span\s*+=\s*+[\"']?\s*+\d{1,9}+")  # which it fills cell by cell


@cache
def has_extractor() -> bool:
    """Whether trafilatura is there."""
    return find_spec("trafilatura") is not None


def find_main(html: str, blocks: Sequence[tuple[str, str, bool]]) -> tuple[int, int]:
    """HTML, and of each of its blocks the kind, the text, and whether the page says that it is main content -> the
    first block of the main content, and the end.

    trafilatura says which text is content. What stands between the first and the last block of it is content too: it
    drops tables, code and headings there. So are headings right above, the page's title where it is near, and code
    right below; and all of the page's `main`, if most of what was chosen stands there. The page is taken whole where
    half of its long paragraphs, code and tables would be lost, where it has more than two million characters, and where
    trafilatura finds nothing. Raises `SettingError` where trafilatura is not installed.

    html: as a browser gets it. blocks: of kind "h1", "title", "text", "listitem", "code" or "table".
    """
    if not has_extractor():
        raise SettingError(f"main=True {MAIN_REMEDY}, or leave it out")
    whole = 0, len(blocks)
    if not blocks or len(html) > MOST:
        return whole
    kinds, texts, inside = zip(*blocks, strict=True)
    lines = [tuple(_WORD.findall(line.lower())) for line in _extract(html).split("\n")]
    whole_lines, grams = {line for line in lines if line}, _grams([word for line in lines for word in line])
    told = {at for at, text in enumerate(texts) if _is_among(text, whole_lines, grams)}
    sure = [
        at
        for at in sorted(told)
        if len(texts[at]) >= LONG or (kinds[at] not in _REPEATED and len(_WORD.findall(texts[at])) >= GRAM)
    ]
    if not sure:
        return whole
    first, end = sure[0], sure[-1] + 1
    while end < len(blocks) and (end in told or kinds[end] == "code"):
        end += 1
    title = _title_near(html, blocks, first, sure)
    first = first if title is None else title
    while title is None and first and _leads_in(kinds[first - 1], first - 1 in told):
        first -= 1
    if any(inside) and sum(inside[at] for at in sure) > MOSTLY * len(sure):
        first, end = inside.index(True), len(inside) - inside[::-1].index(True)
    sizes = [len(text) if kind not in _REPEATED and len(text) >= LONG else 0 for kind, text, _ in blocks]
    return whole if sum(sizes[first:end]) < LEAST * sum(sizes) else (first, end)


def _title_near(html: str, blocks: Sequence[tuple[str, str, bool]], first: int, sure: Sequence[int]) -> int | None:
    """The place of the title near the first block of content: of what ``<title>`` begins with, else of a heading of
    level 1 above; None without one."""
    found = _TITLE.search(html[:HEAD])
    title = tuple(_WORD.findall(unescape(found[1]).lower())) if found else ()
    low, long = max(first - NEAR, 0), [at for at in sure if len(blocks[at][1]) >= LONG]
    for at in range(low, min(first + NEAR, *long[:1], len(blocks))):
        kind, text, _ = blocks[at]
        words = tuple(_WORD.findall(text.lower()[:LONG]))
        if words and words == title[: len(words)] and (kind == "h1" or (at < first and kind != "listitem")):
            return at
    return next((at for at in range(low, first) if blocks[at][0] == "h1"), None)


def _leads_in(kind: str, is_told: bool) -> bool:
    """Whether a block right above content is content too."""
    return kind in ("title", "h1") or (is_told and kind != "listitem")


def _extract(html: str) -> str:
    """The text that trafilatura chooses; "" where it finds none, or fails."""
    from trafilatura import extract  # type: ignore[import-not-found, unused-ignore]

    try:
        return (
            extract(_SPANS.sub("", html), include_comments=False, include_tables=True, favor_recall=True, fast=True)
            or ""
        )
    except Exception:  # of a page that lxml cannot read, or of a fault in it: the page is taken whole
        return ""


def _grams(words: Sequence[str]) -> set[tuple[str, ...]]:
    return {tuple(words[at : at + GRAM]) for at in range(len(words) - GRAM + 1)}


def _is_among(text: str, lines: set[tuple[str, ...]], grams: set[tuple[str, ...]]) -> bool:
    """Whether a block is a line of what was chosen, or most of its words stand in a row there."""
    words = _WORD.findall(text.lower())
    own = _grams(words)
    return tuple(words) in lines or 2 * len(own & grams) > len(own)
