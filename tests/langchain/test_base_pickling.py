"""A splitter pickles and is copied with its settings and what it was calibrated to."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from fakes.langchain.splitters import Bag, every_splitter
from fakes.texts.articles import article

from caesura import Background, utf8_bytes


def named(case: object) -> str | None:
    return ",".join(f"{k}={v!r}".partition(" at 0x")[0][:40] for k, v in case.items()) if isinstance(case, dict) else ""


def half(text: str) -> list[str]:
    return [text[: len(text) // 2], text[len(text) // 2 :]]


PICKLED: list[dict[str, Any]] = [
    {},
    {"chunk_size": 300, "chunk_overlap": 50, "length_function": utf8_bytes, "add_start_index": True},
    {"background": Background([0.1] * 256), "min_chunk_size": 50, "batch_size": 3},
    {"strip_whitespace": False, "calibrated": False, "chunk_size": None},
    {"sentence_splitter": half},
]


@pytest.mark.thorough
@every_splitter
@pytest.mark.parametrize("settings", PICKLED, ids=named)
@pytest.mark.parametrize("used", [True, False])
def test_a_splitter_pickles_and_cuts_as_before(cls: Any, settings: dict[str, Any], used: bool) -> None:
    splitter = cls(None if "background" not in settings else Bag(), **settings)
    if used:
        splitter.split_text(article())
    for twin in (pickle.loads(pickle.dumps(splitter)), copy.deepcopy(splitter), copy.copy(splitter)):
        assert twin.create_documents([article()]) == splitter.create_documents([article()])


@every_splitter
def test_a_pickled_splitter_keeps_what_it_was_calibrated_to(cls: Any) -> None:
    splitter = cls(Bag(list_of_bags))
    splitter.split_text(article())
    twin = pickle.loads(pickle.dumps(splitter))
    before = len(twin.embeddings.calls)
    assert twin.split_text(article()) == splitter.split_text(article())
    assert len(twin.embeddings.calls) == before + 1


def list_of_bags(texts: list[str]) -> list[list[float]]:
    return [[float(len(text)), float(text.count("e")), float(text.count("a")), 1.0] for text in texts]
