"""Metadata goes from a document to its own nodes, over several parsers, or stays behind."""

from __future__ import annotations

from typing import Any

from fakes.llama_index.parsers import ARTICLE, parsers
from llama_index.core import Document
from llama_index.core.schema import MetadataMode

from llama_index.node_parser.caesura.metadata_budget import sizer_with_metadata


@parsers
def test_metadata_of_both_parents_arrives_and_the_nearer_wins(parser: Any) -> None:
    middle = parser(chunk_size=60)([Document(text=ARTICLE, id_="root", metadata={"a": 1, "b": 1})])
    for node in middle:
        node.metadata["b"] = 2
        node.metadata["c"] = 3
    nodes = parser(chunk_size=40)(middle)
    assert all(node.metadata == {"a": 1, "b": 2, "c": 3} for node in nodes)
    assert all(node.next_node.metadata == node.metadata for node in nodes[:-1])


@parsers
def test_documents_that_share_an_id_keep_their_own_metadata(parser: Any) -> None:
    pages = [Document(text=f"Page {page} says this.", id_="report.pdf", metadata={"page": page}) for page in (1, 2)]
    assert [(node.text, node.metadata["page"]) for node in parser()(pages)] == [
        ("Page 1 says this.", 1),
        ("Page 2 says this.", 2),
    ]


@parsers
def test_metadata_can_stay_behind(parser: Any) -> None:
    nodes = parser(chunk_size=20, include_metadata=False)([Document(text=ARTICLE, metadata={"long": "x " * 500})])
    assert all(node.metadata == {} for node in nodes)


@parsers
def test_each_document_keeps_its_own_templates(parser: Any) -> None:
    own = {
        "metadata_template": "{key} is {value}",
        "metadata_separator": "; ",
        "text_template": "{content}\n({metadata_str})",
    }
    plain = Document(text="Fog.", id_="plain", metadata={"a": 1, "b": 2})
    shown = {"plain": "a: 1\nb: 2\n\nFog.", "own": "Fog.\n(a is 1; b is 2)", "again": "a: 1\nb: 2\n\nFog."}
    documents = [plain, Document(text="Fog.", id_="own", metadata=plain.metadata, **own)]
    nodes = parser()([*documents, plain.model_copy(update={"id_": "again"})])
    assert {node.ref_doc_id: node.get_content(MetadataMode.ALL) for node in nodes} == shown
    assert all(type(node).from_dict(node.to_dict()) == node for node in nodes)
    nodes[0].excluded_llm_metadata_keys.append("a")
    nodes[0].metadata["c"] = 3
    assert [len(node.metadata) + len(node.excluded_llm_metadata_keys) for node in nodes[1:]] == [2, 2]


def test_a_text_is_measured_once_where_both_models_see_the_same() -> None:
    document, seen = Document(text="", metadata={"a": 1}), list[str]()
    sizer_with_metadata(document, lambda text: seen.append(text) or len(text))("Fog.")  # type: ignore[func-returns-value]
    assert seen == ["a: 1\n\nFog."]
    document.excluded_llm_metadata_keys = ["a"]
    assert sizer_with_metadata(document, len)("Fog.") == 10
