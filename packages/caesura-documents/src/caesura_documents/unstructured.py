"""The elements of Unstructured -> one text and its layout. Unstructured is not imported."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from caesura.errors import SettingError
from caesura.text.marks import ENDED
from caesura_documents.html import html_table
from caesura_documents.parsed_text import (
    ElementPlace,
    GrowingText,
    Loose,
    ParsedDocument,
    Titles,
    box_of,
    heading_marker,
    is_number,
    label_of,
    path_under,
    read_json,
)

_FURNITURE = ("header", "footer", "pagenumber", "pagebreak", "page-header", "page-footer")
_PROSE = ("narrativetext", "uncategorizedtext", "text", "paragraph")


def from_unstructured(elements: object) -> ParsedDocument:
    """The elements of one file, as Unstructured partitions it, their dicts or the JSON of them -> text, layout, source.

    Headers, footers, page numbers and page breaks are left out. A table is one in Markdown where it has
    `text_as_html`, else its text. Prose that runs on in the next element, as over a page's end, is one paragraph: it
    ends without a stop, and the next of its type begins with a small letter.

    `page` is the `page_number`, else the `page_name`. `box` is [left, top, right, bottom] of the coordinates' `points`,
    in their own system: y grows downward from the page's top in "PixelSpace", upward from its foot in "PointSpace".
    `type` is Unstructured's, in small letters. `headings` are the `Title`s above by `parent_id`, or by order and
    `category_depth` where the parent is not among the elements, a title's own too; a title's level is its depth and 1,
    or deeper than its parent's. `source` is the `url`, else folder and name of the file. Raises `SettingError` for
    anything else, and for elements of two files, attachments aside.

    >>> parsed = from_unstructured([{"type": "Title", "text": "Tea"}, {"type": "NarrativeText", "text": "Boil it."}])
    >>> parsed.text
    '# Tea\\n\\nBoil it.'
    """
    items = [Loose(_element(position, element)) for position, element in enumerate(_read(elements))]
    source = _source(items)
    return _text(items).finish(source)


def _read(elements: object) -> list[Any]:
    """What is given as elements -> a list. Raises `SettingError`."""
    wanted = "elements must be a list of Unstructured's elements, of their dicts (element.to_dict()), or its JSON, got"
    data = read_json(elements, wanted) if isinstance(elements, str) else elements
    one = isinstance(data, Mapping) or hasattr(data, "to_dict")
    if one or isinstance(data, (str, bytes)) or not isinstance(data, Iterable):
        raise SettingError(f"{wanted} {type(data).__name__} {data!r:.80}" + (": pass [element]" if one else ""))
    return list(data)


def _element(position: int, element: object) -> Mapping[str, Any]:
    """An element -> its dict. Raises `SettingError` for what is none."""
    to_dict = getattr(element, "to_dict", None)
    data = to_dict() if callable(to_dict) and not isinstance(element, type) else element
    if not isinstance(data, Mapping) or "type" not in data:
        raise SettingError(
            f"each of elements must be an element of Unstructured, or its dict with 'type', 'text' and 'metadata', "
            f"got {type(data).__name__} {data!r:.80} at position {position}"
        )
    return data


def _source(items: list[Loose]) -> str | None:
    """The file that the elements are of. Raises `SettingError` where there are two."""
    found: dict[str, int] = {}
    for position, item in enumerate(items):
        metadata = item.part("metadata")
        name, folder = metadata.text("filename"), metadata.text("file_directory")
        url = metadata.text("url") or metadata.part("data_source").text("url")
        source = url or (f"{folder.rstrip('/')}/{name}" if folder and name else name)
        if source and not metadata.data.get("attached_to_filename"):
            found.setdefault(source, position)
    if len(found) > 1:
        files = ", ".join(f"{source!r} (from position {position})" for source, position in list(found.items())[:3])
        raise SettingError(f"elements must be of one file, got those of {files}: make a document of each")
    return next(iter(found), None)


def _text(items: list[Loose]) -> GrowingText:
    out = GrowingText()
    path: Titles = ()
    paths: dict[str, Titles] = {}  # by the names of elements
    last_kind = last_text = ""
    for item in items:
        kind, text, metadata = label_of(item.data["type"]), item.text("text"), item.part("metadata")
        parent = paths.get(metadata.text("parent_id"))
        depth = max(0, metadata.number("category_depth", 0))
        html = metadata.text("text_as_html")
        if kind.startswith("table") and html:
            text = html_table(html) or text
        empty = kind in _FURNITURE or not text.strip()
        marker, between, its_path = "", "\n\n", path if parent is None else parent
        if kind == "title" and not empty:
            level = max(depth, parent[-1][0] if parent else 0) + 1
            path = its_path = path_under(its_path, level, text)
            marker = heading_marker(level)
        elif kind == "listitem":
            marker = "-"
            between = ("\n" if last_kind == kind else "\n\n") + "  " * min(depth, 9)
        elif kind in _PROSE and kind == last_kind and _runs_on(last_text, text):
            between = "\n"
        if name := item.text("element_id"):
            paths[name] = its_path
        if not empty:
            out.add(between, text, marker, kind, [_place(metadata)], its_path)
            last_kind, last_text = kind, text
    return out


def _runs_on(before: str, text: str) -> bool:
    return before.rstrip()[-1] not in ENDED and text.lstrip()[:1].islower()


def _place(metadata: Loose) -> ElementPlace:
    page, name = metadata.data.get("page_number"), metadata.data.get("page_name")
    points = [
        [*point] if isinstance(point, (list, tuple)) else [] for point in metadata.part("coordinates").values("points")
    ]
    box = None
    if len(points) > 1 and all(len(point) == 2 and all(map(is_number, point)) for point in points):
        (left, *_, right), ys = sorted(point[0] for point in points), [point[1] for point in points]
        falls = ys[0] <= ys[len(ys) // 2]  # from the first corner, the upper left, to the one across
        top, bottom = (min(ys), max(ys)) if falls else (max(ys), min(ys))
        box = box_of([left, top, right, bottom])
    return ElementPlace(0, page if isinstance(page, int) else name if isinstance(name, str) else None, box)
