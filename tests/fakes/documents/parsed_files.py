"""What parsers made of a paper of two pages: read from a file, or drawn at random."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

FILES = Path(__file__).parents[2] / "golden" / "parsers"
DOCLING = (FILES / "tides.docling.json").read_text("utf-8")
"""Headings of three levels, two columns, paragraphs over a column's and a page's end, a list in a list, a table whose
header has two rows, pictures with and without a caption, a formula, code, runs in a line, a check box, furniture."""
UNSTRUCTURED = (FILES / "tides.unstructured.json").read_text("utf-8")
"""The same paper."""


def docling_dict(texts: Sequence[dict[str, Any]] = (), **lists: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Texts, and lists of other items -> a document. What has no parent is in the body."""
    named = {"texts": texts, **lists}
    inside = {ref for items in named.values() for item in items for ref in refs(item)}
    every = [f"#/{name}/{number}" for name, items in named.items() for number in range(len(items))]
    body = {"children": [{"$ref": ref} for ref in every if ref not in inside]}
    return json.loads(json.dumps({"schema_name": "DoclingDocument", "body": body, **named}))  # type: ignore[no-any-return]


def refs(item: dict[str, Any]) -> list[str]:
    """What an item refers to."""
    return [ref["$ref"] for key in ("captions", "children", "footnotes") for ref in item.get(key, [])]


def docling_table(rows: Sequence[Sequence[str]], **more: Any) -> dict[str, Any]:
    """Rows, the first one a header -> a table."""
    cells = [
        {"text": text, "column_header": row == 0}
        | {f"{side}_row_offset_idx": row + end for side, end in (("start", 0), ("end", 1))}
        | {f"{side}_col_offset_idx": column + end for side, end in (("start", 0), ("end", 1))}
        for row, line in enumerate(rows)
        for column, text in enumerate(line)
    ]
    return {"label": "table", "data": {"table_cells": cells}, **more}


def drawn_docling(random: Random, count: int) -> dict[str, Any]:
    """A document of so many items, each of its own words, in groups within groups."""
    texts: list[dict[str, Any]] = []
    tables: list[dict[str, Any]] = []
    groups: list[dict[str, Any]] = [{"label": "unspecified", "children": []}]
    for number in range(count):
        inside = random.choice(groups[-3:])["children"]
        if random.random() < 0.15:
            inside.append({"$ref": f"#/groups/{len(groups)}"})
            groups.append({"label": random.choice(["list", "section", "unspecified"]), "children": []})
            continue
        page, top = random.randint(1, 4), float(random.randint(1, 800))
        words = f"word{number}" + random.choice(["", " and more", "\nand a line", " | a bar "])
        place = {"page_no": page, "bbox": {"l": 1.0, "t": top, "r": 9.5, "b": top - 1}, "charspan": [0, len(words)]}
        more = {"prov": random.choice([[], [place], [place, place | {"page_no": page + 1, "charspan": [4, 9]}]])}
        if random.random() < 0.1:
            inside.append({"$ref": f"#/tables/{len(tables)}"})
            tables.append(docling_table([["a", f"b{number}"], [words, "2"]], **more))
            continue
        label = random.choice(
            ["text"] * 4 + ["list_item"] * 2 + ["section_header", "title", "code", "page_header", "odd"]
        )
        inside.append({"$ref": f"#/texts/{len(texts)}"})
        blank = random.random() < 0.1
        texts.append({"label": label, "text": "" if blank else words, "level": random.randint(1, 3), **more})
    return docling_dict(texts, tables=tables, groups=groups)


def drawn_unstructured(random: Random, count: int) -> list[dict[str, Any]]:
    """So many elements, each of its own words."""
    elements: list[dict[str, Any]] = []
    for number in range(count):
        kind = random.choice(
            ["NarrativeText"] * 4 + ["Title"] * 2 + ["ListItem", "Header", "CodeSnippet", "Odd", "Table"]
        )
        words = random.choice(["", f"Word{number}.", f"word{number}", f"Word{number}\nand a line"])
        metadata: dict[str, Any] = {"page_number": number // 5 + 1} if random.random() < 0.8 else {}
        if random.random() < 0.5:
            left, top = float(random.randint(0, 99)), float(random.randint(0, 99))
            points = [[left, top], [left, top + 5], [left + 9, top + 5], [left + 9, top]]
            metadata["coordinates"] = {"points": points, "system": "PixelSpace"}
        if random.random() < 0.6:
            metadata["parent_id"] = f"e{random.randint(max(0, number - 6), number + 1)}"
        if random.random() < 0.6:
            metadata["category_depth"] = random.randint(0, 2)
        if kind == "Table":
            metadata["text_as_html"] = f"<table><tr><th>a</th></tr><tr><td>{words}</td></tr></table>"
        elements.append({"type": kind, "element_id": f"e{number}", "text": words, "metadata": metadata})
    return elements
