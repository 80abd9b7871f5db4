"""Every setting of a splitter, its class and the versions of what it works with change the pipeline's cache key."""

from __future__ import annotations

from itertools import combinations
from typing import Any, get_args

from fakes.llama_index.embeddings import Words
from fakes.llama_index.parsers import PARSERS, at_lines, at_stops, cache_key, letters, numbered, parsers
from llama_index.core.embeddings import MockEmbedding

from caesura.host.settings import settings_of

SHARED: list[dict[str, Any]] = [
    {},
    {"embed_model": MockEmbedding(embed_dim=3)},
    {"embed_model": MockEmbedding(embed_dim=4)},
    {"embed_model": MockEmbedding(embed_dim=4, model_name="other")},
    {"embed_model": Words()},
    {"chunk_size": 511},
    {"chunk_size": None},
    {"target_size": 90},
    {"target_size": None},
    {"min_chunk_size": 5},
    {"embed_chunks": True},
    {"embed_chunks": True, "context": 0.4},
    {"calibrated": False},
    {"background": [1.0, 0.0]},
    {"background": [0.0, 1.0]},
    {"sentence_splitter": at_lines},
    {"sentence_splitter": at_stops},
    {"tokenizer": list},
    {"tokenizer": letters},
    {"cache_tag": "one"},
    {"cache_tag": "two"},
    {"include_metadata": False},
    {"metadata": ["headings"]},
    {"metadata": {"headings": "section"}},
    {"embed_headings": True},
    {"include_prev_next_rel": False},
    {"id_func": numbered},
    {"tokenizer": lambda text: [text], "cache_tag": "one"},
    {"sentence_splitter": lambda text: [text], "cache_tag": "one"},
]
BESIDE: dict[str, dict[str, Any]] = {"buffer_size": {"window": "joined"}}
"""What has to be given beside a setting."""


def own_settings(parser: Any) -> list[dict[str, Any]]:
    """Other values of each setting of a splitter's cut: the other words, or another number, and None."""
    tried = []
    for name, setting in settings_of(parser.cut_class).items():
        kinds = get_args(setting.type) or (setting.type,)
        words = [word for kind in kinds for word in (get_args(kind) or (kind,)) if isinstance(word, str)]
        others = words or [(setting.default or 0) + (1 if int in kinds else 0.01)]
        others += [None] if type(None) in kinds else []
        tried += [{name: value, **BESIDE.get(name, {})} for value in others if value != setting.default]
    return tried


@parsers
def test_every_setting_is_tried_here(parser: Any) -> None:
    tried = {name for settings in (*SHARED, *own_settings(parser)) for name in settings}
    assert tried == set(parser.model_fields) - {"callback_manager"}


@parsers
def test_every_setting_makes_another_key(parser: Any) -> None:
    every = [*SHARED, *own_settings(parser)]
    keys = [cache_key(parser(**settings)) for settings in every]
    for (one, first), (other, second) in combinations(zip(keys, every, strict=True), 2):
        assert one != other, (first, second)


def test_the_class_is_in_the_key() -> None:
    assert len({cache_key(parser()) for parser in PARSERS}) == len(PARSERS)


@parsers
def test_another_version_of_the_core_makes_another_key(parser: Any, monkeypatch: Any) -> None:
    before = cache_key(parser())
    monkeypatch.setattr("caesura.__version__", "99")
    assert cache_key(parser()) != before
