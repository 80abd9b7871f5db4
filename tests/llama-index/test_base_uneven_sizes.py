"""`chunk_size` holds where the tokens of metadata and text do not add up to those of both."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.llama_index.parsers import parsers, sizes
from fakes.splitters.sizers import odd_encode
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core import Document
from llama_index.core.schema import MetadataMode
from llama_index.core.utils import get_tokenizer


@parsers
def test_a_template_that_joins_metadata_and_text_cannot_make_a_node_too_large(parser: Any) -> None:
    document = Document(text=".getElementById " * 60, metadata={"k": "v"}, text_template="{metadata_str} {content}")
    for chunk_size in range(8, 40, 3):
        nodes = parser(chunk_size=chunk_size)([document])
        assert max(sizes(nodes, get_tokenizer())) <= chunk_size


@pytest.mark.thorough
@parsers
@settings(max_examples=30)
@given(
    words=st.lists(
        st.sampled_from(["semantic", "word", "The", ".", "\n", "a", "cat. ", "xyz"]), min_size=5, max_size=60
    ),
    value=st.sampled_from(["", "v", "semantic", "The end\n", "xxxxx"]),
    template=st.sampled_from(["{metadata_str}\n\n{content}", "{metadata_str} {content}", "{content}\n{metadata_str}"]),
)
def test_a_tokenizer_whose_counts_do_not_add_up_is_kept_to(
    parser: Any, words: list[str], value: str, template: str
) -> None:
    document = Document(text=" ".join(words), metadata={"k": value}, text_template=template)
    nodes = parser(chunk_size=16, tokenizer=odd_encode)([document])
    assert max(sizes(nodes, odd_encode), default=0) <= 16


@parsers
def test_the_limit_holds_where_sizes_of_metadata_and_text_do_not_add_up(parser: Any) -> None:
    def pairs(text: str) -> list[str]:
        return [text[at : at + 2] for at in range(0, len(text), 2)]

    document = Document(text="!" * 60, metadata={"k": "vv"}, id_="d")
    nodes = parser(chunk_size=12, tokenizer=pairs).get_nodes_from_documents([document])
    assert max(len(pairs(node.get_content(MetadataMode.EMBED))) for node in nodes) <= 12
    assert "".join(node.get_content(MetadataMode.NONE) for node in nodes) == document.text
