"""Metadata that leaves a text no room is refused with the sizes and the remedy."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.llama_index.parsers import parsers
from llama_index.core import Document
from llama_index.core.utils import get_tokenizer

from caesura import SettingError


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
