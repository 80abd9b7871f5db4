"""Metadata goes from a document to its own nodes, over several parsers, or stays behind."""

from __future__ import annotations

from typing import Any

from fakes.llama_index.parsers import ARTICLE, parsers
from llama_index.core import Document


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
