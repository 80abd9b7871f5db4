"""What parsers found in a file -> a LlamaIndex document."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from fakes.documents.parsed_files import DOCLING, UNSTRUCTURED
from llama_index.core import Document
from llama_index.core.schema import MetadataMode

from caesura import SettingError
from caesura_documents import docling, unstructured
from caesura_documents.parsed_text import ParsedDocument
from llama_index.node_parser.caesura import from_docling, from_unstructured

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
    assert (document.text, document.doc_id) == (parsed.text, source)
    assert document.metadata == {"source": source, "caesura_layout": parsed.layout}
    assert make(json.loads(paper)) == document
    assert Document.from_json(document.to_json()) == document


@pytest.mark.parametrize(("make", "parse", "paper", "source"), CASES)
def test_neither_embedder_nor_language_model_is_shown_layout_and_source(
    make: Callable[[object], Document], parse: Parse, paper: str, source: str
) -> None:
    for mode in (MetadataMode.EMBED, MetadataMode.LLM):
        assert make(paper).get_content(mode) == parse(paper).text


def test_a_file_that_is_not_known_gives_no_source() -> None:
    document = from_unstructured([{"type": "Text", "text": "Hi."}])
    assert document.metadata == {"caesura_layout": [{"start": 0, "type": "text"}]}
    assert document.doc_id


@pytest.mark.parametrize("make", [from_docling, from_unstructured])
def test_anything_else_is_refused(make: Callable[[object], Document]) -> None:
    with pytest.raises(SettingError, match="must be"):
        make(3)
