"""Pages of one source -> one text, and where each page begins in it.

A loader gives a document per page, or form feeds between pages. A sentence, a hyphenated word or a table that runs on
over a page's end is whole only where the pages are one text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

from caesura.errors import SettingError
from caesura.text.blocks import is_title
from caesura.text.marks import ENDED
from caesura.text.markup import OPENER
from caesura_documents.layout import LAYOUT
from caesura_documents.page_numbers import PAGE_KEYS, TOTALS, PageNumber, is_noise, pages_of, roman_number

EDGE = 3  # the most lines at a page's top, and at its bottom, that may be running headers and footers
LEAST = 3  # the fewest pages that a running line stands on
LONGEST = 200  # a longer line is no running line
NEAR = 2  # the most pages from one to the next that a chapter's running line stands on
_FEED = "\f"
_NUMBER = re.compile(r"(\d{1,18})")
_COUNTED = re.compile(  # a heading that counts along with the pages, where each begins a new one
    r"(?i:chapter|part|section|article|appendix|lesson|unit|step|day|week|question|exercise|figure|table|kapitel|teil"
    r"|abschnitt|artikel|chapitre|capítulo|sección)\s+\d"
)
_BLOCKS = ("fence", "table", "formula", "quote", "heading", "environment", "element", "opening", "closing")
_FIGURE = re.compile(r"\d(?:[\d.,]*\d)?")
_LETTERS = re.compile(r"[^\W\d_]+(?: [^\W\d_]+)*")
_SLASH = re.compile(r"[/\\]")
_CLAUSE = re.compile(r"[.,;:!?](?:\s|$)")
_GAP = re.compile(r"\t| {2,}|\|")
_WORD_END, _WORD_START = re.compile(r"[^\W\d_]\W"), re.compile(r"\W[^\W\d_]")
_GLUED = re.compile(r"[^\W\d_]{30,}")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]+")
_MOST_GLUED = 0.05  # of a text's characters in words of 30 letters and more: no language has so many

PAGED = frozenset((*PAGE_KEYS, *TOTALS))
"""Metadata that loaders give the pages of a file."""
Entry: TypeAlias = dict[str, Any]
"""Of one page: its number from 1 or its name (``page``), its printed label where there is one (``label``), where it
begins in the text (``start``), and where in its own text (``offset``)."""
_Lines: TypeAlias = list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class LoadedPage:
    """A document as it was loaded: its source (None if unknown), its metadata and its text."""

    source: str | None
    metadata: Mapping[str, Any]
    text: str


class Joined(NamedTuple):
    """The text of a source, and its layout: one entry for each page, in their order."""

    text: str
    layout: list[Entry]


def join_sources(
    pages: Sequence[LoadedPage], page: str | None, warn: Callable[[str], object]
) -> Iterator[tuple[list[int], Joined | None]]:
    """Yields for each source the numbers of its documents and their joined text. The source of the first comes first.

    page: the key in the metadata that says which page a document is; None: see `_page_key`. A text with form feeds and
    no page is split into pages from 1. A document that is the only one of its source, without a page or form feeds,
    stays as it is: None is its joined text. Documents of unknown source are one source if they have pages, else each is
    its own. A page that was given twice counts once. Where labels alone tell pages apart, and begin anew within a
    source, its pages are counted in their order. warn: called if labels begin anew, if words run together, and at the
    end if sources have no text. Raises `SettingError` if one of several documents of a source has no page, or two have
    the same page and different texts.
    """
    groups: dict[tuple[str | None, int], list[int]] = {}
    paged = [any(one.metadata.get(key) is not None for key in ([page] if page else PAGE_KEYS)) for one in pages]
    for number, one in enumerate(pages):
        groups.setdefault((one.source, -1 if one.source is not None or paged[number] else number), []).append(number)
    blank: list[str] = []
    for numbers in groups.values():
        first, joined = pages[numbers[0]], None
        if len(numbers) > 1 or paged[numbers[0]]:
            joined = join_texts(*_distinct_pages(pages, numbers, page, warn))
        elif _FEED in first.text and LAYOUT not in first.metadata:
            texts = first.text.removesuffix(_FEED).split(_FEED)
            joined = join_texts(texts, range(1, len(texts) + 1))
        if joined is not None and not joined.text:
            blank.append(f"{first.source!r} ({len(joined.layout)} page{'s' * (len(joined.layout) > 1)})")
        elif joined is not None:
            _warn_of_glued(first.source, joined.text, warn)
        yield numbers, joined
    if blank:
        said = f"there is no text in {', '.join(blank):.500}, so that nothing of it will be found"
        warn(f"{said}: if the pages are scanned, read them with OCR first")


def shared_metadata(pages: Sequence[LoadedPage], page: str | None) -> dict[str, Any]:
    """Pages of a source -> the metadata that is equal in all of them.

    Left out are the keys that say which page each is, and those that say how the file was made: see `is_noise`.
    """
    first, *others = [one.metadata for one in pages]
    return {
        key: value
        for key, value in first.items()
        if key not in (page, *PAGE_KEYS)
        and not is_noise(key)
        and all(key in other and other[key] == value for other in others)
    }


def _page_key(pages: Sequence[Mapping[str, Any]]) -> str:
    """Returns ``page_label`` if none has a ``page``, or if each has a label and as many differ; else ``page``."""
    numbers, labels = ([str(one[key]) for one in pages if one.get(key) is not None] for key in PAGE_KEYS)
    return "page_label" if not numbers or (len(labels) == len(pages) and len({*labels}) >= len({*numbers})) else "page"


def _distinct_pages(
    pages: Sequence[LoadedPage], numbers: Sequence[int], page: str | None, warn: Callable[[str], object]
) -> tuple[list[str], list[PageNumber]]:
    """The documents of a source -> the text and the number of each page. Raises `SettingError`."""
    found: dict[int | str, int] = {}
    key = _page_key([pages[number].metadata for number in numbers]) if page is None else page
    for number in numbers:
        metadata, source = pages[number].metadata, pages[number].source
        name = metadata.get(key)
        said = "documents without a source" if source is None else f"the source {source!r:.200}"
        if name is None:
            raise SettingError(
                f"all {len(numbers)} documents of {said} must have {key!r} in their metadata, to be joined: the one "
                f"at position {number} has {sorted(map(str, pages[number].metadata))} only; if another key has the "
                f"page numbers, name it, page=…; if that document is no page, leave it out"
            )
        if isinstance(name, bool) or not isinstance(name, (int, str)):
            raise SettingError(f"metadata {key!r} must be a whole number or a str, got {name!r:.80} in {said}")
        name = int(name) if isinstance(name, str) and _NUMBER.fullmatch(name) else name
        before = found.setdefault(name, number)
        is_other = pages[before].text != pages[number].text
        if is_other and page is None and key == "page_label" and _begin_anew(pages, numbers):
            if not _SLASH.search(source or ""):  # else it is one file, as of a manual whose parts are counted each
                warn(
                    f"labels begin anew in {said}, where a second page is {name!r}: its pages are counted in their "
                    f"order; if two files have one name, name a key that tells them apart, source=…"
                )
            found = dict(enumerate(numbers))
            break
        if is_other:
            raise SettingError(
                f"page {name!r} of {said} came twice, with different texts, at positions {before} and {number}: if "
                f"two files have one name, name a key that tells them apart, source=…; if numbers begin anew within "
                f"a file, give its pages other ones in {key!r}; if these are parts of a page, join before you split"
            )
    own = [pages[number] for number in found.values()]
    keys = [page] if page else ["page", "page_label"]
    return [one.text for one in own], pages_of([one.metadata for one in own], keys)


def _begin_anew(pages: Sequence[LoadedPage], numbers: Sequence[int]) -> bool:
    """Whether the labels of pages are such as a file with two counts has: each has one, and no two neighbours the
    same."""
    labels = [pages[number].metadata.get("page_label") for number in numbers]
    return None not in labels and all(str(label) != str(following) for label, following in pairwise(labels))


def warn_of_glued_pages(documents: Iterable[LoadedPage], warn: Callable[[str], object]) -> None:
    """Warns of each source whose pages, which are not joined, have many words without a space between them.

    documents: also those that are no pages. warn: is called with each warning.
    """
    texts: dict[str | None, list[str]] = {}
    for one in documents:
        if LAYOUT not in one.metadata and not PAGED.isdisjoint(one.metadata):
            texts.setdefault(one.source, []).append(one.text)
    for source, own in texts.items():
        _warn_of_glued(source, "\n".join(own), warn)


def _warn_of_glued(source: str | None, text: str, warn: Callable[[str], object]) -> None:
    """Warns if many words of a text have no space between them, as of files in which spaces are only drawn."""
    found = (word for word in _GLUED.findall(text) if _LATIN.fullmatch(word) and not word.isupper())
    if sum(map(len, found)) > _MOST_GLUED * len(text):
        warn(
            f"in {'a file' if source is None else repr(source)[:200]}, the loader has lost spaces between words, so "
            f"that a search misses these words: if it is a PDF, read it with from_pdf"
        )


def join_texts(texts: Sequence[str], names: Sequence[int | str | PageNumber]) -> Joined:
    """The texts of pages and their names or numbers -> one text, and its layout.

    Blank lines around a page's text are left out, and so are running headers and footers: see `_bodies`. Between two
    pages stands a line end, so that a sentence, a list or a table goes on. Where a paragraph or a heading is
    known to begin, it is a blank line.

    Returns a layout such that ``text[start + k] == page[offset + k]`` for every k up to the next entry's start. The
    whitespace between two pages belongs to the first and is excepted. An empty page has an entry that begins where the
    next one does.

    >>> join_texts(["The ferry leaves", "at nine."], [1, 2])
    Joined(text='The ferry leaves\\nat nine.', layout=[{'start': 0, 'page': 1, 'offset': 0}, {'start': 17, ...}])
    """
    parts: list[str] = []
    layout: list[Entry] = []
    length, before, empty = 0, "", 0
    for text, name, (start, end) in zip(texts, names, _bodies(texts), strict=True):
        body = text[start:end]
        if body and before:
            parts.append(_space(before, body))
            length += len(parts[-1])
            for entry in layout[len(layout) - empty :]:
                entry["start"] = length
        place = name if isinstance(name, PageNumber) else PageNumber(name)
        label = {} if place.label is None else {"label": place.label}
        layout.append({"start": length, "page": place.page, **label, "offset": start})
        parts.append(body)
        length += len(body)
        before, empty = body or before, 0 if body else empty + 1
    return Joined("".join(parts), layout)


def _bodies(texts: Sequence[str]) -> list[tuple[int, int]]:
    """Pages -> where the body of each begins and ends, such that no page that has text is left without.

    A line at a page's top or bottom is a running header or footer, and no part of the body, where the same line, or one
    in which a number counts along with the pages, stands there on most pages, or on most of every second page, and on 3
    at least; and where all lines on its outer side are such too. There are 3 of them at most: where a fourth would be
    one, the pages have the same text, and none is. A page counts for a line only where the line can be nothing of the
    text: see `may_run`. One more line at each side may be of a chapter: see `_add_chapters`.
    """
    pages = [_lines(text) for text in texts]
    bodies: list[tuple[int, int]] = []
    counts = count_running(texts)
    for side in (0, 1):
        _add_chapters(texts, pages, side, counts)
    for lines, (top, bottom) in zip(pages, counts, strict=True):
        kept = lines[top : len(lines) - bottom] or lines
        bodies.append((kept[0][0], kept[-1][1]) if kept else (0, 0))
    return bodies


def count_running(texts: Sequence[str]) -> list[tuple[int, int]]:
    """Pages -> how many lines with text at the top of each, and at its bottom, are running headers and footers: see
    `_bodies`."""
    pages = [_lines(text) for text in texts]
    return list(zip(*(_count_running(texts, pages, side) for side in (1, -1)), strict=True)) if texts else []


def _lines(text: str) -> _Lines:
    """A page -> where each of its lines begins and ends, those without text left out."""
    found: _Lines = []
    start = 0
    for line in text.split("\n"):
        bare = line.rstrip()
        if bare:
            found.append((start, start + len(bare)))
        start += len(line) + 1
    return found


def _add_chapters(texts: Sequence[str], pages: Sequence[_Lines], side: int, counts: list[tuple[int, int]]) -> None:
    """Adds the running lines of single chapters to the counts of a side: 0 for the top of pages, 1 for their bottom.

    They are page numbers alone, also Roman ones, that count along with 3 pages or more, each at most the next but one
    of another; and lines of several words, no sentences, that are the same on as many, but not on most: then it has a
    reason that they were not counted. The first of these stays: it may be the chapter's title.
    """
    most = sum(map(bool, pages)) // 2
    runs: dict[tuple[bool, str], list[int]] = {}
    for number, (lines, own) in enumerate(zip(pages, counts, strict=True)):
        inward = [texts[number][start:end].strip() for start, end in lines[:: -1 if side else 1]]
        depth = own[side]
        if depth >= min(EDGE, len(inward)) or not may_run(inward, depth):
            continue
        line, value = inward[depth], _page_number(inward[depth])
        if value is not None:
            runs.setdefault((True, str(value - number)), []).append(number)
        elif (word := _WORD_END.search(line)) and _WORD_START.search(line, word.end() - 1) and line[-1] not in ENDED:
            for form in {form for _, form in _keys(line, number)}:
                runs.setdefault((False, form), []).append(number)
    gone: set[int] = set()
    for (is_number, _), own_pages in runs.items():
        if not is_number and len(own_pages) > most:
            continue
        borders = [at for at, (one, other) in enumerate(pairwise(own_pages), 1) if other - one > NEAR]
        for start, end in pairwise([0, *borders, len(own_pages)]):
            if end - start >= LEAST:
                gone.update(own_pages[start if is_number else start + 1 : end])
    for number in gone:
        top, bottom = counts[number]
        counts[number] = (top, bottom + 1) if side else (top + 1, bottom)


def _page_number(line: str) -> int | None:
    """The number that a line is, in digits or Roman; None for any other line.

    >>> [_page_number(line) for line in ("- 7 -", "xiv", "IX", "vx", "civil", "Page 7")]
    [7, 14, 9, None, None, None]
    """
    bare = line.strip(" -\u2013\u2014").lower()
    return int(bare) if _NUMBER.fullmatch(bare) else roman_number(bare)


def _count_running(texts: Sequence[str], pages: Sequence[_Lines], side: int) -> list[int]:
    """Returns the number of running lines of each page. side: 1 for its top, -1 for its bottom."""
    inward = [
        [text[start:end].strip() for start, end in lines[::side]] for text, lines in zip(texts, pages, strict=True)
    ]
    totals = Counter(way for number, lines in enumerate(inward) if lines for way in (None, number % 2))
    counts = [0] * len(pages)
    for depth in range(EDGE + 1):
        keys = {
            number: _keys(lines[depth], number)
            for number, lines in enumerate(inward)
            if counts[number] == depth < len(lines)
        }
        votes = Counter(key for number, own in keys.items() if may_run(inward[number], depth) for key in own)
        common = {key for key, count in votes.items() if count >= LEAST and 2 * count > totals[key[0]]}
        running = [number for number, own in keys.items() if not common.isdisjoint(own)]
        if running and depth == EDGE:
            return [0] * len(pages)
        for number in running:
            counts[number] += 1
    return counts


def _keys(line: str, number: int) -> list[tuple[int | None, str]]:
    """A line and the number of its page -> what it is the same by, on all pages and on every second one: itself, and
    itself with one of its numbers, here or wherever it stands in it, as far as it differs from the page's."""
    if len(line) > LONGEST:
        return []
    parts = _NUMBER.split(" ".join(line.split()))
    forms = {"".join(parts)}
    for at, value in enumerate(parts) if not _COUNTED.match(line) else ():
        if at % 2:
            counted = f"\0{int(value) - number}"
            forms.add("".join([*parts[:at], counted, *parts[at + 1 :]]))
            forms.add("".join(counted if part == value else part for part in parts))
    return [(way, form) for form in forms for way in (None, number % 2)]


def may_run(lines: Sequence[str], depth: int) -> bool:
    """Whether a line can be nothing of the page's text. lines: from the page's edge inward.

    These can be text: markup, a line that the page has twice, rows of a table, and a line beside two such rows. So can
    a line without letters and numbers at the page's edge.
    """
    line, near = lines[depth], lines[depth + 1 : depth + 3]
    found = OPENER.match(line)
    return (
        (depth > 0 or any(map(str.isalnum, line)))
        and (found is None or found.lastgroup not in _BLOCKS)
        and lines.count(line) == 1
        and not (near and _are_rows(line, near[0]))
        and not (len(near) > 1 and _are_rows(*near))
    )


def _are_rows(line: str, other: str) -> bool:
    """Whether two lines look like rows of one table: equal fields, a later one a number or a gap apart, no clauses."""
    form = _form(line)
    return form == _form(other) and _CLAUSE.search(form) is None and (" 0" in form or _GAP.search(form) is not None)


def _form(line: str) -> str:
    """A line -> its words as one letter, its numbers as 0: "Red apples 3 0.50" is "a 0 0"."""
    return _LETTERS.sub("a", _FIGURE.sub("0", line.strip()))


def _space(before: str, after: str) -> str:
    """The texts of two pages -> what stands between them."""
    above, below = before.split("\n"), after.split("\n")
    if _are_rows(above[-1], below[0]):
        return "\n"
    heading = _is_heading(above[-1]) or _is_heading(below[0])
    ended = above[-1][-1] in ENDED and _begins_paragraph(above, below)
    return "\n\n" if heading or ended else "\n"


def _is_heading(line: str) -> bool:
    found = OPENER.match(line)
    return found is not None and found.lastgroup == "heading"


def _begins_paragraph(above: Sequence[str], below: Sequence[str]) -> bool:
    """Whether a page begins with a title or is indented there, or the one before ends with a line that is not full."""
    *full, last = above
    short = len(full) > 1 and 4 * len(last) < 3 * max(map(len, full))
    indented = below[0][0].isspace() and len(below) > 1 and not below[1][:1].isspace()
    return short or indented or is_title("\n".join(below[:3]), 0, len(below[0]))
