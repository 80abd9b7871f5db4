"""A bad setting is refused where a splitter is made, a bad text where it is given: by name, with the remedy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fakes.langchain.splitters import Bag, every_splitter
from fakes.texts.articles import article

from caesura import SettingError

COMMON: list[tuple[dict[str, Any], str]] = [
    *(({"chunk_size": value}, "chunk_size must be a whole number of at least 1") for value in (0, -5, 1.5, True)),
    *(({name: "half"}, f"{name} must be .*auto.* got 'half'") for name in ("chunk_size", "target_size")),
    *(({"target_size": value}, "target_size must be a whole number of at least 1") for value in (0, -1, 1.5, True)),
    ({"target_size": 301, "chunk_size": 300}, "target_size=301 must not be over chunk_size=300: raise chunk_size"),
    ({"target_size": 300, "chunk_overlap": 301}, "chunk_overlap=301 must be at most half of chunk_size=600"),
    *(({"chunk_overlap": value}, "chunk_overlap must be a whole number of at least 0") for value in (-1, 0.1, None)),
    *(({"min_chunk_size": value}, "min_chunk_size must be a whole number of at least 0") for value in (-1, 2.5, None)),
    ({"chunk_size": 50, "min_chunk_size": 51}, "chunk_size=50 must have room for min_chunk_size=51"),
    (
        {"chunk_size": 100, "chunk_overlap": 95},
        "chunk_overlap=95 must be at most half of chunk_size=100: what is new needs",
    ),
    ({"chunk_size": 50, "chunk_overlap": 200}, "chunk_overlap=200 must be at most half of chunk_size=50"),
    ({"chunk_size": 50, "chunk_overlap": 25, "min_chunk_size": 26}, "chunk_size=50 must have room"),
    *(({"batch_size": value}, "batch_size must be a whole number of at least 1") for value in (0, -1, 2.0)),
    ({"background": [0.1], "calibrated": False}, "background is what vectors are centred on"),
    *(({"background": value}, "background is one row of finite numbers") for value in ([], [[1.0]], [float("nan")])),
    ({"background": "generic"}, "background"),
    *(({"embeddings": value}, r"embeddings must have embed_documents\(texts\)") for value in ("openai", 3)),
    ({"embeddings": Bag}, "embeddings"),
    ({"length_function": 100}, "length_function must be callable, str -> int, as len is, got 100"),
    ({"length_function": None}, "length_function must be callable, str -> int, as len is, got None"),
    ({"sentence_splitter": r"(?<=\.)\s+"}, "sentence_splitter must be callable"),
]


def named(case: object) -> str | None:
    return ",".join(f"{k}={v!r}".partition(" at 0x")[0][:40] for k, v in case.items()) if isinstance(case, dict) else ""


@every_splitter
@pytest.mark.parametrize(("settings", "message"), COMMON, ids=named)
def test_a_bad_setting_is_refused(cls: Any, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        cls(**settings)


@every_splitter
def test_whole_numbers_of_numpy_are_whole_numbers(cls: Any) -> None:
    made = cls(Bag(), chunk_size=np.int64(300), chunk_overlap=np.int32(0), batch_size=np.int16(9))
    assert made.split_text(article()) == cls(Bag(), chunk_size=300).split_text(article())


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
