"""`chunk_size` counts metadata and templates, as a node is embedded and as a model reads it: the larger."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.llama_index.parsers import ARTICLE, letters, parsers, sizes, slices
from llama_index.core import Document
from llama_index.core.schema import MetadataMode
from llama_index.core.utils import get_tokenizer

METADATA = {"file_name": "a report of 2026 (final).pdf", "page": 12, "tags": ["x", "y"], "none": None}


@parsers
@pytest.mark.parametrize("chunk_size", [60, 64, 71, 90])
def test_metadata_is_counted(parser: Any, chunk_size: int) -> None:
    document = Document(text=ARTICLE * 3, metadata=METADATA)
    nodes = parser(chunk_size=chunk_size)([document])
    assert max(sizes(nodes, get_tokenizer())) <= chunk_size
    assert all(node.metadata == METADATA for node in nodes)
    slices(document, nodes)


@parsers
def test_what_is_excluded_for_both_is_not_counted(parser: Any) -> None:
    long = {"long": "x " * 600, "title": "t"}
    document = Document(
        text=ARTICLE, metadata=long, excluded_embed_metadata_keys=["long"], excluded_llm_metadata_keys=["long"]
    )
    nodes = parser(chunk_size=30)([document])
    assert max(sizes(nodes, get_tokenizer())) <= 30
    assert "title: t" in nodes[0].get_content(MetadataMode.EMBED)


@parsers
@pytest.mark.parametrize("excluded", ["excluded_embed_metadata_keys", "excluded_llm_metadata_keys"])
def test_what_is_excluded_for_one_is_counted_for_the_other(parser: Any, excluded: str) -> None:
    document = Document(text=ARTICLE, metadata={"long": "word " * 40}, **{excluded: ["long"]})
    nodes = parser(chunk_size=64)([document])
    assert max(sizes(nodes, get_tokenizer())) <= 64


@parsers
@pytest.mark.parametrize(
    "form",
    [
        {"text_template": "<<{metadata_str}>>\n-----\n{content}\n=====", "metadata_template": "{key} is {value}!"},
        {"metadata_separator": "\n\n---------- a long separator ----------\n\n"},
        {"text_template": "{content}\n\n{metadata_str}"},
        {"text_template": "{metadata_str}{content}"},
        {"text_template": "{content}{metadata_str}"},
        {"text_template": "{metadata_str} {content}"},
        {"text_template": "{content}"},
    ],
)
def test_templates_and_separators_are_counted(parser: Any, form: dict[str, str]) -> None:
    document = Document(text=ARTICLE, metadata=METADATA, **form)
    for chunk_size in (110, 116, 122):
        for tokenizer in (None, letters):
            nodes = parser(chunk_size=chunk_size * (3 if tokenizer else 1), tokenizer=tokenizer)([document])
            assert max(sizes(nodes, tokenizer or get_tokenizer())) <= chunk_size * (3 if tokenizer else 1)
