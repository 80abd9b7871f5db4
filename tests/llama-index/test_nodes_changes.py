"""A node can be changed, copied and sent to another process, and no other changes with it."""

from __future__ import annotations

import pickle
from typing import Any

from fakes.llama_index.parsers import ARTICLE, parsers
from llama_index.core import Document
from llama_index.core.schema import NodeRelationship, TextNode


def nodes_of(parser: Any) -> list[TextNode]:
    hidden = {"excluded_embed_metadata_keys": ["k"], "excluded_llm_metadata_keys": ["k"]}
    return list(parser(chunk_size=20)([Document(text=ARTICLE, id_="a", metadata={"k": "v"}, **hidden)]))


@parsers
def test_a_node_is_changed_apart_from_all_others(parser: Any) -> None:
    expected = [node.to_dict() for node in nodes_of(parser)[1:]]
    first, *others = nodes_of(parser)
    first.metadata["more"] = 1
    first.excluded_embed_metadata_keys.append("more")
    first.excluded_llm_metadata_keys.append("more")
    del first.relationships[NodeRelationship.SOURCE]
    first.text, first.embedding, first.id_ = "another", [0.0], "z"
    assert [node.to_dict() for node in others] == expected


@parsers
def test_a_node_comes_back_as_it_was_from_a_pickle_a_copy_and_its_dict(parser: Any) -> None:
    for node in nodes_of(parser):
        again = pickle.loads(pickle.dumps(node)), node.model_copy(deep=True), TextNode.from_dict(node.to_dict())
        assert [each == node and each.hash == node.hash for each in again] == [True] * 3
        assert node.model_dump(exclude_unset=True).items() >= {"text": node.text, "id_": node.node_id}.items()
