"""Metadata that leave a text no room do not count: the document is named in a warning, and the others go on."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from fakes.llama_index.parsers import ARTICLE, content, parsers, slices
from llama_index.core import Document
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.node_parser import get_leaf_nodes
from llama_index.core.utils import get_tokenizer

from llama_index.node_parser.caesura import SemanticHierarchyParser

FULL = {"long": "word " * 400}


def bare(document: Document) -> Document:
    return document.model_copy(update={"metadata": {}})


@parsers
@pytest.mark.parametrize("chunk_size", [10, 60, 401])
def test_a_document_without_room_is_cut_by_its_text_and_named_and_the_others_are_as_they_were(
    parser: Any, chunk_size: int
) -> None:
    fine, full = Document(text=ARTICLE, id_="fine"), Document(text=ARTICLE, id_="full", metadata=FULL)
    made = parser(chunk_size=chunk_size)
    with pytest.warns(UserWarning, match=r"document 'full' takes \d+ tokens .*leaves no room") as caught:
        nodes = IngestionPipeline(transformations=[made], disable_cache=True).run(documents=[fine, full, fine])
    (message,) = [str(each.message) for each in caught if each.category is UserWarning]
    for said in (f"chunk_size={chunk_size}", "excluded_embed_metadata_keys", "excluded_llm_metadata_keys"):
        assert said in message
    assert str(len(get_tokenizer()("long: " + FULL["long"].strip() + "\n\n"))) in message
    own = [node for node in nodes if node.ref_doc_id == "full"]
    assert [node.text for node in own] == [node.text for node in made([bare(full)])]
    assert all(node.metadata == FULL for node in own)
    assert content([node for node in nodes if node.ref_doc_id == "fine"][: len(made([fine]))]) == content(made([fine]))


def test_a_hierarchy_cuts_a_document_without_room_at_every_level() -> None:
    made = SemanticHierarchyParser(chunk_sizes=[400, 100, 30], metadata=["headings"], embed_headings=True)
    full, light = (
        Document(text=ARTICLE, id_=name, metadata={"long": "word " * n}) for name, n in (("a", 60), ("b", 1))
    )
    with pytest.warns(UserWarning, match=r"'a' takes \d+ tokens of chunk_sizes\[2\]=30, which leaves no room"):
        nodes = made([full, light])
    own = [node for node in nodes if node.ref_doc_id == "a"]
    assert [node.text for node in own] == [node.text for node in made([bare(full)])]
    slices(full, get_leaf_nodes(own))
    assert content([node for node in nodes if node.ref_doc_id == "b"]) == content(made([light]))


@parsers
def test_a_blank_document_needs_no_room_for_its_metadata(parser: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        assert parser(chunk_size=10)([Document(text=" \n", metadata=FULL)]) == []


@parsers
def test_room_for_less_than_a_character_is_none(parser: Any) -> None:
    taken = len(get_tokenizer()("k: v\n\n"))
    with pytest.warns(UserWarning, match=f"'odd' takes {taken} tokens of chunk_size={taken + 1}, which leaves no room"):
        nodes = parser(chunk_size=taken + 1)([Document(text="\U0001f9ff\U0001f9ff", id_="odd", metadata={"k": "v"})])
    assert "".join(node.text for node in nodes) == "\U0001f9ff\U0001f9ff"
