"""What is no text, no list of texts, or not as many metadatas, is refused by what it is."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_fakes import every_splitter

from caesura import SettingError


@every_splitter
@pytest.mark.parametrize("text", [None, 7, b"bytes", ["a list"]])
def test_a_text_that_is_no_str_is_refused(cls: Any, text: Any) -> None:
    name = type(text).__name__
    with pytest.raises(SettingError, match=f"a document must be a str, got {name} at position 0"):
        cls().split_text(text)
    with pytest.raises(SettingError, match=f"a document must be a str, got {name} at position 1"):
        cls().create_documents(["fine.", text])


@every_splitter
def test_one_str_in_place_of_a_list_is_refused_and_not_taken_letter_by_letter(cls: Any) -> None:
    with pytest.raises(SettingError, match="pass \\[text\\]"):
        cls().create_documents("One text. And no list.")


@every_splitter
def test_metadata_is_one_per_text(cls: Any) -> None:
    with pytest.raises(SettingError, match="metadatas must be one per text: expected 2, got 1"):
        cls().create_documents(["One.", "Two."], [{"a": 1}])
