"""The obvious twins of what is read from parsers: each element by itself, found again in the text from the top."""

from __future__ import annotations

from typing import Any

Facts = dict[str, Any]
Element = tuple[str, list[tuple[int, Facts]]]
"""An element's text as it stands in the document, and from which of its characters what is true of it."""

_HEADS = {"title": 0, "section_header": 1}


def naive_docling(data: dict[str, Any]) -> list[Element]:
    """Its elements, for documents whose items are all below the body."""
    found: list[Element] = []
    above: dict[int, str] = {}

    def visit(item: dict[str, Any], number: int) -> None:
        for key in ("captions", None, "children", "footnotes"):
            if key is None:
                one(item, number)
            for position, ref in enumerate(item.get(key, []) if key else [], 1):
                _, name, place = ref["$ref"].split("/")
                if (name, place) not in seen:
                    seen.add((name, place))
                    visit(data[name][int(place)], position)

    def one(item: dict[str, Any], number: int) -> None:
        label, words = item.get("label", ""), item.get("text", "")
        if "page_" in label or item.get("content_layer") == "furniture":
            return
        if label == "inline":
            runs = [ref["$ref"].split("/")[1:] for ref in item["children"]]
            seen.update((name, place) for name, place in runs)
            words = " ".join(data[name][int(place)]["text"] for name, place in runs)
        if "data" in item:
            words = table(item["data"]["table_cells"])
        if not words.strip():
            return
        if label in _HEADS:
            level = item.get("level", 1) + 1 if _HEADS[label] else 1
            for deeper in [each for each in above if each >= level]:
                del above[deeper]
            above[level] = " ".join(words.split())
            shown = "#" * level + " " + words.strip().replace("\n", " ")
        elif label == "list_item":
            shown = f"{item['marker'] if item.get('enumerated') else '-'} {words.strip()}"
        elif label in ("code", "formula"):
            shown = f"```\n{words.rstrip()}\n```" if label == "code" else f"$${words}$$"
        else:
            shown = "- [x] " * (label == "checkbox_selected") + words.strip()
        facts = {"type": label, "headings": [*above.values()], "heading_levels": [*above]}
        places = item.get("prov") or [{}]
        spans = []
        for place in places:
            own = {"page": place.get("page_no"), "box": _from_top(place, data) if place else None}
            start = 0 if place is places[0] else shown.index(words.strip()[:4]) + place["charspan"][0]
            spans.append((start, facts | own))
        found.append((shown, spans))

    seen: set[tuple[str, str]] = set()
    visit(data["body"] | {"label": "page_root"}, 1)
    return found


def _from_top(place: dict[str, Any], data: dict[str, Any]) -> list[float]:
    """The box of a provenance, from the upper left corner of its page."""
    left, top, right, bottom = (place["bbox"][side] for side in "ltrb")
    high = data["pages"].get(str(place["page_no"]), {}).get("size", {}).get("height") if data.get("pages") else None
    if high is None or place["bbox"]["coord_origin"] != "BOTTOMLEFT":
        return [left, top, right, bottom]
    return [left, high - top, right, high - bottom]


def table(cells: list[dict[str, Any]]) -> str:
    """Cells -> a table whose every place says who stands there."""
    height, width = (max(cell[f"end_{name}_offset_idx"] for cell in cells) for name in ("row", "col"))
    grid = [["" for _ in range(width)] for _ in range(height)]
    top = max([cell["start_row_offset_idx"] for cell in cells if cell["column_header"]], default=0) + 1
    for cell in cells:
        for row in range(cell["start_row_offset_idx"], cell["end_row_offset_idx"]):
            for column in range(cell["start_col_offset_idx"], cell["end_col_offset_idx"]):
                grid[row][column] = " ".join(cell["text"].split()).replace("|", "\\|")
    heads = [" / ".join(dict.fromkeys(grid[row][column] for row in range(top))) for column in range(width)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [heads, ["---"] * width, *grid[top:]])


def naive_unstructured(elements: list[dict[str, Any]]) -> list[Element]:
    """Its elements."""
    found: list[Element] = []
    for position, element in enumerate(elements):
        kind, words = element["type"].lower(), element["text"]
        metadata = element["metadata"]
        if "text_as_html" in metadata:
            words = f"| a |\n| --- |\n| {' '.join(words.split())} |"
        if kind == "header" or not words:
            continue
        path = headings(elements, position)
        mark = {"title": "#" * path[-1][0] if path else "", "listitem": "-"}.get(kind, "")
        shown = f"{mark} {words}".strip() if kind != "codesnippet" else f"```\n{words}\n```"
        shown = shown.replace("\n", " ") if kind == "title" else shown
        facts = {"type": kind, "page": metadata.get("page_number"), "box": None}
        facts |= {"headings": [title for _, title in path], "heading_levels": [level for level, _ in path]}
        if points := metadata.get("coordinates", {}).get("points"):
            facts["box"] = [*points[0], *points[2]]
        found.append((shown, [(0, facts)]))
    return found


def headings(elements: list[dict[str, Any]], position: int) -> list[tuple[int, str]]:
    """The headings above an element, an element's own too where it is one: by its parent, else by what stands above."""
    element = elements[position]
    metadata, title = element["metadata"], element["type"] == "Title" and element["text"] != ""
    name = metadata.get("parent_id")
    parent = next((place for place in range(position) if elements[place]["element_id"] == name), None)
    if parent is not None:
        path = headings(elements, parent)
    else:
        before = [place for place in range(position) if elements[place]["type"] == "Title" and elements[place]["text"]]
        path = headings(elements, before[-1]) if before else []
    if not title:
        return path
    under = path[-1][0] if parent is not None and path else 0
    level = max(metadata.get("category_depth", 0), under) + 1
    return [each for each in path if each[0] < level] + [(level, " ".join(element["text"].split()))]


def check(text: str, layout: list[Facts], elements: list[Element]) -> None:
    """The text is the elements with whitespace between, and the facts at every position are those of what is there."""
    wanted: list[Facts] = []
    at = 0
    for shown, spans in elements:
        start = text.index(shown, at)
        assert text[at:start].isspace() or at == start == 0
        wanted += [{"start": start + offset, **facts} for offset, facts in spans]
        at = start + len(shown)
    assert text[at:] == ""
    assert [_known(each) for each in wanted] == [_known(each) for each in layout]
    assert all(each.keys() <= {"start", "page", "type", "box", "headings", "heading_levels"} for each in layout)
    assert [each["start"] for each in layout] == sorted({each["start"] for each in layout})


def _known(facts: Facts) -> Facts:
    return {key: value for key, value in facts.items() if value not in (None, [], "")}
