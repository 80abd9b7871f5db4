"""Our blocks against a Markdown parser's: what markdown-it finds at the top level of a document is one unit.

Deliberately otherwise: a heading is in the unit of what follows it; a list or quotation of over 2,000 characters is its
items or sentences; indented lines are code after a blank line alone, and where they look like it, for they may be a
poem or how a text begins its paragraphs; front matter, `$$`, `///`, HTML and LaTeX are ours alone, so that documents
are made without them. Pages with content tabs, which indent whole pages of Markdown, are left out.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from fakes.texts.markdown_texts import markdown
from hypothesis import given, settings
from markdown_it import MarkdownIt

from caesura.text.sentences import units

ROOT = Path(__file__).parents[3]
SAMPLES = [
    *(path for path in sorted((ROOT / "tests" / "golden" / "kinds").glob("*.md")) if path.name != "mkdocs.md"),
    *(page for page in sorted(ROOT.glob("docs/*.md")) if '\n=== "' not in page.read_text("utf-8")),
    ROOT / "README.md",
]
LONG = 2000
PARSER = MarkdownIt("commonmark").enable("table")
WHOLE = {
    "fence": "fence",
    "code_block": "indented code",
    "table_open": "table",
    "blockquote_open": "quotation",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
}


def found_by_parser(text: str) -> list[tuple[int, int, str]]:
    """The blocks at the top level -> (start, end, kind), from the first character that is not blank to the last."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    found = []
    for token in PARSER.parse(text):
        if token.level == 0 and token.map is not None:
            first, last = token.map
            block = text[starts[first] : min(starts[last], len(text))]
            start = starts[first] + len(block) - len(block.lstrip())
            found.append((start, starts[first] + len(block.rstrip()), WHOLE.get(token.type, token.type)))
    return found


def differences(text: str) -> list[str]:
    """What a parser takes for one block and we do not."""
    edges = units(text).tolist()
    wrong = []
    for before, (start, end, kind) in pairwise([(0, 0, "paragraph_open"), *found_by_parser(text)]):
        if kind not in WHOLE.values() or (kind in ("list", "quotation") and end - start > LONG):
            continue
        if not any(map(str.isalpha, text[start:end])):  # it is no unit of its own
            continue
        inside = [at for at in edges if start < at < end]
        if inside:
            wrong.append(f"{kind} is cut at {[text[at : at + 30] for at in inside]}")
        own = next(at for at in reversed(edges[:-1]) if at <= start)
        opens = before[2] == "heading_open" or (kind == "list" and text[own:start].rstrip()[-1:] == "?")
        if not opens and any(map(str.isalnum, text[own:start])):
            wrong.append(f"{kind} is in one unit with {text[own:start]!r} before it")
        close = next(at for at in edges if at >= end)
        if any(map(str.isalnum, text[end:close])):
            wrong.append(f"{kind} is in one unit with {text[end:close]!r} after it")
    return wrong


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_blocks_of_documents_are_those_of_a_parser(path: Path) -> None:
    text = path.read_bytes().decode("utf-8")
    assert len(found_by_parser(text)) > 3
    assert differences(text) == []


@pytest.mark.thorough
@settings(max_examples=500)
@given(markdown())
def test_blocks_of_made_documents_are_those_of_a_parser(text: str) -> None:
    assert differences(text) == []
