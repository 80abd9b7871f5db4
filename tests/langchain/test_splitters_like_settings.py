"""SemanticChunker's arguments in its order, with its defaults, checked by its names, and ours beside them."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from fakes.langchain.splitters import Bag, places
from fakes.texts.articles import article

from caesura import SettingError
from langchain_caesura import SemanticPercentileSplitter

like = SemanticPercentileSplitter.like_semantic_chunker
REGEX = r"(?<=[.?!])\s+"
TEXT = article(60)
CHUNKER = {
    "embeddings": None,
    "buffer_size": 1,
    "add_start_index": False,
    "breakpoint_threshold_type": "percentile",
    "breakpoint_threshold_amount": None,
    "number_of_chunks": None,
    "sentence_split_regex": REGEX,
    "min_chunk_size": None,
}


def test_semantic_chunkers_arguments_come_in_its_order_with_its_defaults() -> None:
    found = inspect.signature(like).parameters
    assert [*found][: len(CHUNKER)] == [*CHUNKER]
    assert {name: found[name].default for name in CHUNKER} == CHUNKER
    assert all(found[name].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD for name in CHUNKER)


def test_all_of_semantic_chunkers_arguments_go_by_position() -> None:
    splitter = like(Bag(), 0, True, "interquartile", 0.5, None, r"(?<=\.)\s+", 40)
    by_name = like(
        Bag(),
        buffer_size=0,
        add_start_index=True,
        breakpoint_threshold_type="interquartile",
        breakpoint_threshold_amount=0.5,
        sentence_split_regex=r"(?<=\.)\s+",
        min_chunk_size=40,
    )
    made = splitter.create_documents([TEXT])
    assert made == by_name.create_documents([TEXT])
    assert all(TEXT[start:end] == one.page_content for (start, end), one in zip(places(made), made, strict=True))
    assert min(len(one.page_content) for one in made) >= 40


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"breakpoint_threshold_type": "median"}, "breakpoint_threshold_type must be one of"),
        ({"buffer_size": -1}, "buffer_size must be a whole number"),
        ({"number_of_chunks": 0}, "number_of_chunks"),
        ({"breakpoint_threshold_amount": 101}, "from 0 to 100"),
        ({"min_chunk_size": -1}, "min_chunk_size"),
    ],
)
def test_a_bad_setting_of_theirs_is_refused_by_its_name(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        like(Bag(), **settings)


def test_an_unknown_argument_is_refused() -> None:
    with pytest.raises(TypeError, match="language"):
        like(Bag(), language="en")


def test_our_own_settings_go_beside_theirs() -> None:
    splitter = like(Bag(), chunk_size=200, chunk_overlap=0, batch_size=9, length_function=len, strip_whitespace=True)
    assert max(map(len, splitter.split_text(TEXT))) <= 200
    assert isinstance(splitter, SemanticPercentileSplitter)
