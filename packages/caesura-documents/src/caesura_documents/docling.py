"""A document of Docling -> one text and its layout. Docling is not imported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from caesura.errors import SettingError
from caesura_documents.parsed_text import (
    Cell,
    ElementPlace,
    GrowingText,
    Loose,
    ParsedDocument,
    Titles,
    as_int,
    box_of,
    heading_marker,
    is_number,
    label_of,
    path_under,
    pipe_table,
    read_json,
)

_LISTS = ("texts", "tables", "pictures", "key_value_items", "form_items", "field_regions", "field_items", "groups")
_HEADINGS = ("title", "section_header", "field_heading")
_ASIDE = ("furniture", "background", "invisible")  # layers that are no part of the text
_FURNITURE = ("page_header", "page_footer")
_LIST_GROUPS = ("list", "ordered_list")
_MARKERS = {"checkbox_selected": "- [x]", "checkbox_unselected": "- [ ]"}


def from_docling(document: object) -> ParsedDocument:
    """A `DoclingDocument`, the dict of it or its JSON -> its text, layout and source.

    The text has all elements of the body in their order, notes too, then those that nothing refers to; page headers and
    footers, backgrounds and what is invisible are left out. A table is one in Markdown, captions come before what they
    name, a picture is what is said of it and in it. An element with several provenances has an entry for each, where
    its `charspan` begins; one that begins nowhere in the text stands at the element's end.

    `page` is the `page_no`. `box` is [left, top, right, bottom] in points from the page's upper left corner, y growing
    downward. Where the bbox says `coord_origin` "BOTTOMLEFT", as of PDFs, and the document does not say how high the
    page is, y grows upward from the lower left corner, as Docling has it. `type` is Docling's label. `headings` are the
    titles above, a heading's own too: a title is of level 1, a section header of its own level and 1. `source` is the
    origin's `uri`, else its `filename`. Raises `SettingError` for anything else.

    >>> texts = [{"label": "text", "text": "Hi."}]
    >>> parsed = from_docling({"texts": texts, "body": {"children": [{"$ref": "#/texts/0"}]}})
    >>> parsed.text, parsed.layout
    ('Hi.', [{'start': 0, 'type': 'text'}])
    """
    data = Loose(_read(document))
    origin = data.part("origin").data
    return _Reader(data).text().finish(origin.get("uri") or origin.get("filename"))


def _read(document: object) -> Mapping[str, Any]:
    """What is given as document -> its dict. Raises `SettingError`."""
    wanted = "document must be a DoclingDocument, its dict (document.export_to_dict()) or its JSON, got"
    data, export = document, getattr(document, "export_to_dict", None)
    if isinstance(document, str):
        data = read_json(document, wanted)
    elif callable(export) and not isinstance(document, type):
        data = export()
    if not isinstance(data, Mapping):
        remedy = ": pass its document" if hasattr(document, "document") else ""
        raise SettingError(f"{wanted} {type(data).__name__} {data!r:.80}{remedy}")
    if not isinstance(data.get("texts"), list) or not isinstance(data.get("body"), Mapping):
        raise SettingError(f"{wanted} a dict without a list 'texts' and a dict 'body': it has {list(data)!r:.200}")
    return data


class _Frame(NamedTuple):
    """An item that waits: the outermost list that it is in, how deep, its number there, and whether it is its turn."""

    ref: str
    list: str = ""
    depth: int = 0
    number: int = 1
    due: bool = False


class _Reader:
    """A document while it is read, from the top and without recursion: items may be nested as deep as they like."""

    def __init__(self, data: Loose) -> None:
        self.data = data
        self.items: dict[str, Loose] = {
            f"#/{name}/{number}": Loose(item)
            for name in _LISTS
            for number, item in enumerate(data.values(name))
            if isinstance(item, Mapping)
        }
        self.seen: set[str] = set()
        sizes = {number: Loose(page).part("size").data for number, page in data.part("pages").data.items()}
        self.heights = {str(number): size["height"] for number, size in sizes.items() if is_number(size.get("height"))}
        self.path: Titles = ()
        self.list = ""  # which the last element is an item of
        self.out = GrowingText()

    def text(self) -> GrowingText:
        """All of the document."""
        for ref in _refs(self.data.part("furniture"), "children"):  # where older documents have it
            self.seen |= {below for below, _ in self._below(ref)}
        self._walk(_refs(self.data.part("body"), "children"))
        for ref in self.items:
            if not ref.startswith("#/groups/"):
                self._walk([ref])
        return self.out

    def _walk(self, refs: list[str]) -> None:
        waiting = [_Frame(ref) for ref in reversed(refs)]
        while waiting:
            frame = waiting.pop()
            if frame.due:
                self._add(self.items[frame.ref], frame)
            elif frame.ref in self.items and frame.ref not in self.seen:
                self.seen.add(frame.ref)
                waiting += reversed(self._frames(self.items[frame.ref], frame))

    def _frames(self, item: Loose, frame: _Frame) -> list[_Frame]:
        """An item -> its captions, itself, its children and its footnotes."""
        inside = frame
        if item.data.get("label") in _LIST_GROUPS:
            inside = inside._replace(list=frame.list or frame.ref, depth=frame.depth + 1)
        children = [inside._replace(ref=ref, number=n) for n, ref in enumerate(_refs(item, "children"), 1)]
        captions, notes = ([_Frame(ref) for ref in _refs(item, key)] for key in ("captions", "footnotes"))
        return [*captions, frame._replace(due=True), *children, *notes]

    def _below(self, top: str) -> Iterator[tuple[str, Loose]]:
        """An item -> it and all below it, each once, in their order."""
        waiting, met = [top], set[str]()
        while waiting:
            ref = waiting.pop()
            if ref in self.items and ref not in met:
                met.add(ref)
                yield ref, self.items[ref]
                waiting += reversed(_refs(self.items[ref], "children"))

    def _add(self, item: Loose, frame: _Frame) -> None:
        kind = label_of(item.data.get("label"))
        if item.data.get("content_layer") in _ASIDE or kind in _FURNITURE:
            return
        text, provenances = self._own(item, kind)
        if not text.strip():
            return
        marker, between, its_list = "", "\n\n", ""
        if kind in _HEADINGS:
            level = 1 if kind == "title" else max(1, item.number("level", 1)) + 1
            self.path = path_under(self.path, level, text)
            marker = heading_marker(level)
        elif kind == "list_item" or kind in _MARKERS:
            marker = _MARKERS.get(kind) or _list_marker(item, frame.number)
            its_list = frame.list or kind
            between = ("\n" if its_list == self.list else "\n\n") + "  " * min(frame.depth - 1, 9)
        self.list = its_list
        places = [_place(Loose(each), self.heights) for each in provenances]
        self.out.add(between, text, marker, kind, places, self.path)

    def _own(self, item: Loose, kind: str) -> tuple[str, list[Any]]:
        """An item -> its own text and its provenances."""
        provenances, text = item.values("prov"), _text(item)
        children = _refs(item, "children")
        group = item if kind == "inline" else self.items.get(children[0]) if children else None
        if "data" in item.data:
            text = pipe_table(self._cells(item.part("data").parts("table_cells")))
        elif "graph" in item.data:
            cells = item.part("graph").parts("cells")
            text = "\n".join(filter(str.strip, (_text(cell) for cell in cells if not cell.data.get("item_ref"))))
        elif not text.strip() and group is not None and group.data.get("label") == "inline":  # runs of one paragraph
            below = [run for child in _refs(group, "children") for run in self._below(child)]
            runs = {ref: run for ref, run in below if _text(run).strip() and ref not in self.seen}
            self.seen |= runs.keys()
            text = " ".join(_text(run).strip() for run in runs.values())
            provenances = provenances or [first for run in runs.values() for first in run.values("prov")][:1]
        elif not text.strip():  # a picture that has been described
            said = [item.part("meta").part("description"), *item.parts("annotations")]
            text = "\n\n".join(dict.fromkeys(filter(None, (_text(each).strip() for each in said))))
        return text, provenances

    def _cells(self, cells: list[Loose]) -> list[Cell]:
        """A table's cells. Items that a cell has in it are not said again where they are its text."""
        found = []
        for cell in cells:
            inner = {ref: " ".join(_text(run).split()) for ref, run in self._below(_ref(cell.part("ref")))}
            text = " ".join(_text(cell).split()) or " ".join(filter(None, inner.values()))
            self.seen |= {ref for ref, words in inner.items() if words and words in text}
            row, row_end, column, column_end = (
                cell.number(f"{side}_{name}_offset_idx", 0) for name in ("row", "col") for side in ("start", "end")
            )
            heads = bool(cell.data.get("column_header"))
            found.append(Cell(row, max(row_end, row + 1), column, max(column_end, column + 1), text, heads))
        return found


def _place(provenance: Loose, heights: Mapping[str, float]) -> ElementPlace:
    """heights: of the pages, by their numbers as they are written in JSON."""
    page, box = provenance.data.get("page_no"), provenance.part("bbox").data
    at = as_int((provenance.values("charspan") or [None])[0], -1)
    found, height = box_of([box.get(side) for side in "ltrb"]), heights.get(str(page))
    if found is not None and height is not None and box.get("coord_origin") == "BOTTOMLEFT":
        found[1], found[3] = height - found[1], height - found[3]
    return ElementPlace(at, page if isinstance(page, (int, str)) else None, found)


def _list_marker(item: Loose, number: int) -> str:
    marker = item.text("marker").strip()
    if any(map(str.isalnum, marker)):
        return marker
    return f"{number}." if item.data.get("enumerated") else "-"


def _text(item: Loose) -> str:
    text = item.text("text")
    return text if text.strip() else item.text("orig")


def _refs(item: Loose, key: str) -> list[str]:
    """Returns what an item refers to under a key."""
    return [name for ref in item.parts(key) if (name := _ref(ref))]


def _ref(reference: Loose) -> str:
    """Returns the name in a reference, such as `{"$ref": "#/texts/0"}`."""
    return reference.text("$ref" if "$ref" in reference.data else "cref")
