"""Running heads and page numbers of printed pages, known by what they say and by where they stand."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from caesura_documents.join_pages import count_running
from caesura_documents.printed.page import LinePiece, PrintedPage, row_text

_EDGE = 3  # rows at a page's top and bottom that may be running heads
_FEWEST = 6  # pages that have a row at one place
_LONGEST = 120
_NUMBER = re.compile(r"\d{1,6}")
_PAGE = re.compile(r"[-\u2013]? *(?:\d{1,5}|[ivxlcIVXLC]{1,7}) *[-\u2013]?")

Rows = Sequence[Sequence[LinePiece]]


def drop_running(pages: Sequence[PrintedPage], rows: Sequence[Rows]) -> None:
    """Takes running heads and page numbers off pages. rows: of each page, from the top down.

    They are lines that `count_running` finds, and lines at one height in one type, on many pages, that count the pages,
    or say the same on many of them, as the title of a chapter does; and lines in type no larger than most that stand
    there apart on most pages, whatever they say. No page loses all that it has, unless it has only a number of its own
    and heads of other pages, or lines with its number in their place. Where most pages would lose four lines at one
    side, they are forms, and lose none by their places there.
    """
    counted = count_running(["\n".join(map(_text, own)) for own in rows])
    running: list[set[int]] = []
    for page, own, (top, bottom) in zip(pages, rows, counted, strict=True):
        gone = {*range(top), *range(len(own) - bottom, len(own))} if top + bottom < len(own) else set()
        gone.update(at for at in (0, len(own) - 1) if len(own) > 2 and _is_page_number(_text(own[at]), page))
        running.append(gone)
    body = _usual_size(rows)
    for side in (1, -1):
        before = [set(own) for own in running]
        for depth in range(_EDGE):
            _add_running(rows, running, body, side, depth)
        deeper = [set(own) for own in running]
        _add_running(rows, deeper, body, side, _EDGE)
        if 2 * sum(len(own) > len(less) for own, less in zip(deeper, running, strict=True)) > len(rows):
            running = before  # these are forms, whose text is alike
    is_counted = 2 * sum(map(bool, running)) > len(rows)
    heads = _heads(rows, running)
    places = {head[1:] for head in heads}
    for page, own, gone in zip(pages, rows, running, strict=True):
        if is_counted and all(
            _is_page_number(_text(row), page)
            or _head(row) in heads
            or (_head(row)[1:] in places and _has_number(_text(row), page))
            for row in own
        ):
            page.pieces = []
        elif gone and len(gone) < len(own):
            heights = [(own[number][0].base, 0.36 * own[number][0].size) for number in gone]
            page.pieces = [
                piece for piece in page.pieces if all(abs(piece.base - base) > near for base, near in heights)
            ]


def _text(row: Sequence[LinePiece]) -> str:
    return " ".join(row_text(row).split())


def _head(row: Sequence[LinePiece]) -> tuple[str, int, int]:
    return _NUMBER.sub("#", _text(row)), round(row[0].base / 3), round(2 * row[0].size)


def _heads(rows: Sequence[Rows], running: Sequence[set[int]]) -> set[tuple[str, int, int]]:
    """What running heads of pages with text say, on several of them, numbers aside."""
    said = Counter(
        text
        for own, gone in zip(rows, running, strict=True)
        if len(gone) < len(own)
        for text in {_head(own[at]) for at in gone}
    )
    return {text for text, count in said.items() if count >= _EDGE}


def _usual_size(rows: Sequence[Rows]) -> float:
    sizes: Counter[float] = Counter()
    for own in rows:
        for row in own:
            sizes[row[0].size] += sum(len(piece.text) for piece in row)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _is_page_number(text: str, page: PrintedPage) -> bool:
    bare = text.strip(" -\u2013\u2014.[]()|").removeprefix("Page ").removeprefix("page ")
    return bool(bare) and bare in (page.label, str(page.number))


def _has_number(text: str, page: PrintedPage) -> bool:
    """Whether a line begins or ends with the page's number, as "8 Chapter 2. The pump"."""
    return any(
        re.match(rf"{re.escape(own)}(?!\d)|.*(?<!\d){re.escape(own)}$", text)
        for own in (page.label, str(page.number))
        if own
    )


def _is_apart(rows: Rows, at: int, side: int) -> bool:
    """Whether a row is short and far from the next one inward."""
    if not 0 <= at + side < len(rows) or len(row_text(rows[at])) > _LONGEST:
        return False
    return abs(rows[at + side][0].base - rows[at][0].base) > 1.8 * rows[at][0].size


def _add_running(rows: Sequence[Rows], running: list[set[int]], body: float, side: int, depth: int) -> None:
    """Adds to the running rows of each page the one at a depth from its top (side 1) or its bottom (side -1)."""
    places: dict[tuple[int, int, int], list[tuple[int, int]]] = {}
    for number, own in enumerate(rows):
        at = depth if side == 1 else len(own) - 1 - depth
        outer = range(depth) if side == 1 else range(at + 1, len(own))
        if 0 <= at < len(own) and running[number].issuperset(outer):
            piece = own[at][0]
            places.setdefault((round(piece.base / 3), round(2 * piece.size), number % 2), []).append((number, at))
    for (height, size, way), own_places in places.items():
        both = own_places + places.get((height, size, 1 - way), [])
        texts = {number: _text(rows[number][at]) for number, at in both}
        alone = sum(_PAGE.fullmatch(text) is not None for text in texts.values()) if depth == 0 else 0
        if alone < _EDGE and (len(both) < _FEWEST or 4 * len(both) < len(rows)):
            continue
        said = {number for some in (own_places, both) for number in _find_running(texts, [one for one, _ in some])}
        apart = {number for number, at in both if _is_apart(rows[number], at, side)}
        is_place = 5 * len(said) > 3 * len(both) or (
            len(apart) >= _FEWEST and 3 * len(apart) > len(rows) and size <= 2.04 * body
        )  # of running heads, also where one says something else
        for number, at in own_places:
            if number in said or (is_place and number in apart):
                running[number].add(at)


def _find_running(texts: Mapping[int, str], numbers: Sequence[int]) -> set[int]:
    """Of rows at one place, by the numbers of their pages, those that count the pages or say what many of them say."""
    own = {number: texts[number] for number in numbers}
    offsets = Counter(int(found) - number for number, text in own.items() for found in {*_NUMBER.findall(text)})
    counts = {offset for offset, count in offsets.most_common(1) if 2 * count > len(own)}
    alike = Counter(own.values())
    return {
        number
        for number, text in own.items()
        if any(int(found) - number in counts for found in _NUMBER.findall(text))
        or (alike[text] > 1 and 2 * len(alike) <= len(own) and len(text) < _LONGEST)
    }
