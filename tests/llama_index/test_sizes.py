"""`chunk_size` is a promise about a node's content with its metadata, as it is embedded and as a model reads it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core import Document, Settings
from llama_index.core.schema import MetadataMode
from llama_index.core.utils import get_tokenizer
from llama_index_fakes import ARTICLE, REPEATED, letters, parsers, sizes, slices
from sizers import odd_encode

from caesura import SettingError

METADATA = {"file_name": "a report of 2026 (final).pdf", "page": 12, "tags": ["x", "y"], "none": None}


@parsers
@pytest.mark.parametrize("chunk_size", [1, 2, 3, 7, 20, 64, 512])
def test_tokens_are_those_of_the_global_tokenizer(parser: Any, chunk_size: int) -> None:
    nodes = parser(chunk_size=chunk_size)([Document(text=ARTICLE), Document(text=REPEATED)])
    assert max(sizes(nodes, get_tokenizer())) <= chunk_size


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
    document = Document(text=ARTICLE * 2, metadata=METADATA, **form)
    for chunk_size in range(110, 124, 3):
        for tokenizer in (None, letters):
            nodes = parser(chunk_size=chunk_size * (3 if tokenizer else 1), tokenizer=tokenizer)([document])
            assert max(sizes(nodes, tokenizer or get_tokenizer())) <= chunk_size * (3 if tokenizer else 1)


@parsers
def test_a_template_that_joins_metadata_and_text_cannot_make_a_node_too_large(parser: Any) -> None:
    document = Document(text=".getElementById " * 60, metadata={"k": "v"}, text_template="{metadata_str} {content}")
    for chunk_size in range(8, 40):
        nodes = parser(chunk_size=chunk_size)([document])
        assert max(sizes(nodes, get_tokenizer())) <= chunk_size


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
@pytest.mark.parametrize("chunk_size", [5, 17, 100, 1000])
def test_list_as_tokenizer_counts_characters(parser: Any, chunk_size: int) -> None:
    nodes = parser(chunk_size=chunk_size, tokenizer=list)([Document(text=ARTICLE)])
    assert max(len(node.text) for node in nodes) <= chunk_size
    counted = parser(chunk_size=chunk_size + 6, tokenizer=list)([Document(text=ARTICLE, metadata={"k": "v"})])
    assert max(sizes(counted, list)) <= chunk_size + 6
    assert [node.text for node in counted] == [node.text for node in nodes]


@parsers
def test_a_tokenizer_of_ones_own_is_used(parser: Any) -> None:
    nodes = parser(chunk_size=9, tokenizer=str.split)([Document(text=ARTICLE)])
    assert 5 < max(sizes(nodes, str.split)) <= 9


@parsers
def test_the_tokenizer_of_the_settings_is_used(parser: Any) -> None:
    Settings.tokenizer = letters
    nodes = parser(chunk_size=50)([Document(text=ARTICLE)])
    assert 20 < max(sizes(nodes, letters)) <= 50


@parsers
def test_no_chunk_size_is_no_limit(parser: Any) -> None:
    document = Document(text="The same cat sat. " * 3000, metadata={"long": "x " * 1000})
    (node,) = parser(chunk_size=None)([document])
    assert (node.start_char_idx, node.end_char_idx) == (0, len(document.text) - 1)


@parsers
def test_small_nodes_join_a_neighbour_where_that_fits(parser: Any) -> None:
    document = Document(text=ARTICLE)
    small = sizes(parser(chunk_size=200)([document]), get_tokenizer())
    joined = sizes(parser(chunk_size=200, min_chunk_size=40)([document]), get_tokenizer())
    assert min(joined) >= 40 > min(small)
    assert max(joined) <= 200


@parsers
@pytest.mark.parametrize("chunk_size", [1, 10, 401])
def test_metadata_that_leaves_no_room_is_refused_with_sizes_and_remedy(parser: Any, chunk_size: int) -> None:
    documents = [Document(text="ok", id_="fine"), Document(text="Text.", id_="full", metadata={"long": "word " * 400})]
    with pytest.raises(SettingError) as caught:
        parser(chunk_size=chunk_size)(documents)
    message = str(caught.value)
    assert "'full'" in message
    assert f"chunk_size={chunk_size}" in message
    assert str(len(get_tokenizer()("long: " + ("word " * 400).strip() + "\n\n"))) in message
    assert "excluded_embed_metadata_keys" in message
    assert "excluded_llm_metadata_keys" in message


@parsers
def test_a_blank_document_needs_no_room_for_its_metadata(parser: Any) -> None:
    assert parser(chunk_size=10)([Document(text=" \n", metadata={"long": "word " * 400})]) == []


@parsers
def test_room_for_less_than_a_character_is_refused_in_the_same_words(parser: Any) -> None:
    taken = len(get_tokenizer()("k: v\n\n"))
    with pytest.raises(SettingError) as caught:
        parser(chunk_size=taken + 1)([Document(text="\U0001f9ff\U0001f9ff", id_="odd", metadata={"k": "v"})])
    assert "'odd'" in str(caught.value)
    assert f"chunk_size={taken + 1}" in str(caught.value)


@parsers
@pytest.mark.parametrize("tokenizer", [len, lambda text: {"input_ids": list(text), "attention_mask": list(text)}])
def test_a_tokenizer_that_returns_no_list_is_refused_with_a_remedy(parser: Any, tokenizer: Any) -> None:
    with pytest.raises(SettingError, match="tokenizer"):
        parser(tokenizer=tokenizer)([Document(text=ARTICLE)])


@parsers
def test_the_limit_holds_where_sizes_of_metadata_and_text_do_not_add_up(parser: Any) -> None:
    def pairs(text: str) -> list[str]:
        return [text[at : at + 2] for at in range(0, len(text), 2)]

    document = Document(text="!" * 60, metadata={"k": "vv"}, id_="d")
    nodes = parser(chunk_size=12, tokenizer=pairs).get_nodes_from_documents([document])
    assert max(len(pairs(node.get_content(MetadataMode.EMBED))) for node in nodes) <= 12
    assert "".join(node.get_content(MetadataMode.NONE) for node in nodes) == document.text
