"""What parsers found in a file -> a LangChain document."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable

import pytest
from fakes.documents.parsed_files import DOCLING, UNSTRUCTURED
from langchain_core.documents import Document
from langchain_core.load import dumpd, load

from caesura import SettingError
from caesura_documents import docling, unstructured
from caesura_documents.parsed_text import ParsedDocument
from langchain_caesura import from_docling, from_unstructured

Parse = Callable[[object], ParsedDocument]
CASES = [
    pytest.param(from_docling, docling.from_docling, DOCLING, "tides.pdf", id="docling"),
    pytest.param(
        from_unstructured, unstructured.from_unstructured, UNSTRUCTURED, "papers/tides.pdf", id="unstructured"
    ),
]


@pytest.mark.parametrize(("make", "parse", "paper", "source"), CASES)
def test_a_document_has_the_text_the_layout_and_the_source(
    make: Callable[[object], Document], parse: Parse, paper: str, source: str
) -> None:
    document, parsed = make(paper), parse(paper)
    assert (document.page_content, document.id) == (parsed.text, source)
    assert document.metadata == {"source": source, "caesura_layout": parsed.layout}
    assert make(json.loads(paper)) == document
    assert copy.deepcopy(document) == document
    assert load(dumpd(document), allowed_objects="core") == document


def test_a_file_that_is_not_known_gives_no_source_and_no_id() -> None:
    document = from_unstructured([{"type": "Text", "text": "Hi."}])
    assert document.id is None
    assert document.metadata == {"caesura_layout": [{"start": 0, "type": "text"}]}


@pytest.mark.parametrize("make", [from_docling, from_unstructured])
def test_anything_else_is_refused(make: Callable[[object], Document]) -> None:
    with pytest.raises(SettingError, match="must be"):
        make(Document(page_content="Hi."))
