"""Whatever can change a node changes the pipeline's cache key, and nothing else does."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from itertools import combinations
from typing import Any

import llama_index.core
import pytest
from llama_index.core import Document, Settings
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.ingestion.pipeline import get_transformation_hash
from llama_index.core.storage.kvstore import SimpleKVStore
from llama_index_embedding_fakes import KeyedWords, Words
from llama_index_fakes import ARTICLE, PARSERS, at_lines, at_stops, letters, numbered, parsers

from caesura import SettingError
from caesura_static import StaticEmbedder
from llama_index.node_parser.caesura import (
    ClusterSemanticSplitter,
    DoublePassSemanticSplitter,
    OptimalSemanticSplitter,
    SemanticPercentileSplitter,
    StaticEmbedding,
)

DOCUMENTS = [Document(text=ARTICLE, id_="a")]
SHARED: list[dict[str, Any]] = [
    {},
    {"embed_model": MockEmbedding(embed_dim=3)},
    {"embed_model": MockEmbedding(embed_dim=4)},
    {"embed_model": MockEmbedding(embed_dim=4, model_name="other")},
    {"embed_model": Words()},
    {"chunk_size": 511},
    {"chunk_size": None},
    {"min_chunk_size": 5},
    {"embed_chunks": True},
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
    {"include_prev_next_rel": False},
    {"id_func": numbered},
    {"tokenizer": lambda text: [text], "cache_tag": "one"},
    {"sentence_splitter": lambda text: [text], "cache_tag": "one"},
]
OWN: dict[Any, list[dict[str, Any]]] = {
    DoublePassSemanticSplitter: [
        {"initial_threshold": 0.5},
        {"appending_threshold": 0.5},
        {"merging_threshold": 0.5},
        {"look_ahead": 2},
        {"min_units": 1},
    ],
    SemanticPercentileSplitter: [
        {"breakpoint_threshold_type": "gradient"},
        {"breakpoint_threshold_amount": 50},
        {"number_of_chunks": 5},
        {"window": "overlapping"},
        {"window": "joined"},
        {"window_size": 2},
        {"window": "joined", "buffer_size": 2},
    ],
    OptimalSemanticSplitter: [
        {"penalty": 1.0},
        {"n_chunks": 5},
        {"target_size": 100},
        {"structure": 0.0},
        {"half_weight": 2.0},
    ],
    ClusterSemanticSplitter: [
        {"linkage": "ward"},
        {"n_clusters": 5},
        {"distance_threshold": 1.0},
        {"stop": "elbow"},
        {"stop": "silhouette"},
        {"half_weight": 2.0},
    ],
}


def key(parser: Any) -> str:
    return get_transformation_hash(DOCUMENTS, parser)


@parsers
def test_every_setting_is_tried_here(parser: Any) -> None:
    tried = {name for settings in (*SHARED, *OWN[parser]) for name in settings}
    assert tried == set(parser.model_fields) - {"callback_manager"}


@parsers
def test_every_setting_makes_another_key(parser: Any) -> None:
    every = [*SHARED, *OWN[parser]]
    keys = [key(parser(**settings)) for settings in every]
    for (one, first), (other, second) in combinations(zip(keys, every, strict=True), 2):
        assert one != other, (first, second)


def test_the_class_is_in_the_key() -> None:
    assert len({key(parser()) for parser in PARSERS}) == len(PARSERS)


@parsers
@pytest.mark.parametrize("settings", [{}, {"embed_model": Words()}, {"embed_model": "settings"}])
async def test_using_a_splitter_leaves_its_key(parser: Any, settings: dict[str, Any]) -> None:
    Settings.embed_model = Words()
    made = parser(**settings)
    before = key(made)
    made(DOCUMENTS)
    await made.acall(DOCUMENTS)
    assert key(made) == before == key(parser(**settings))


@parsers
def test_using_an_embedding_with_a_cache_leaves_the_key(parser: Any) -> None:
    made = parser(embed_model=Words(embeddings_cache=SimpleKVStore()))
    before = key(made)
    made(DOCUMENTS)
    assert key(made) == before


@parsers
def test_the_global_embedding_is_in_the_key_where_it_is_used(parser: Any) -> None:
    def keys() -> tuple[str, str]:
        return key(parser(embed_model="settings")), key(parser())

    Settings.embed_model = MockEmbedding(embed_dim=3)
    first = keys()
    Settings.embed_model = MockEmbedding(embed_dim=4)
    second = keys()
    assert first[0] != second[0]
    assert first[1] == second[1]


@parsers
def test_a_key_of_a_service_is_not_in_the_key(parser: Any) -> None:
    one, other = (parser(embed_model=KeyedWords(api_key=secret)) for secret in ("one", "other"))
    assert key(one) == key(other)


class Nameless(Words):
    """A user's own embedding, without a class_name of its own."""

    @classmethod
    def class_name(cls) -> str:
        return "BaseEmbedding"


class OtherNameless(Nameless):
    """Another one."""

    def row(self, text: str) -> list[float]:
        return [1.0, *super().row(text)[1:]]


@parsers
def test_two_embeddings_of_different_classes_have_different_keys(parser: Any) -> None:
    assert key(parser(embed_model=Nameless())) != key(parser(embed_model=OtherNameless()))
    Settings.embed_model = Nameless()
    before = key(parser(embed_model="settings"))
    Settings.embed_model = OtherNameless()
    assert key(parser(embed_model="settings")) != before


def key_or_refusal(parser: Any) -> object:
    """The key, or what cannot be mistaken for another's where one has to be asked for."""
    try:
        return key(parser)
    except SettingError:
        return object()


def set_tokenizer(tokenizer: Any) -> None:
    llama_index.core.global_tokenizer = tokenizer


@parsers
@pytest.mark.parametrize(
    ("one", "other"),
    [(letters, at_lines), (partial(str.split, sep="a"), partial(str.split, sep="b")), (letters, partial(letters))],
)
def test_the_global_tokenizer_is_in_the_key(parser: Any, one: Any, other: Any) -> None:
    keys = [key(parser())]
    for tokenizer in (one, other):
        set_tokenizer(tokenizer)
        keys.append(key_or_refusal(parser()))
    assert len(set(keys)) == len(keys)


@parsers
def test_the_global_tokenizer_is_in_the_key_where_it_only_weighs(parser: Any) -> None:
    documents = [Document(text=ARTICLE, id_="a")]
    made = parser(chunk_size=None, min_chunk_size=60)
    set_tokenizer(letters)
    nodes, first = made(documents), key(made)
    set_tokenizer(str.split)
    assert len(made(documents)) != len(nodes)
    assert key(made) != first


@parsers
def test_the_global_tokenizer_is_not_in_the_key_of_a_splitter_with_its_own(parser: Any) -> None:
    before = key(parser(tokenizer=list))
    set_tokenizer(letters)
    assert key(parser(tokenizer=list)) == before


@parsers
@pytest.mark.parametrize("settings", [{}, {"embed_model": StaticEmbedding()}])
def test_another_embedded_model_makes_another_key(parser: Any, settings: Any, monkeypatch: Any) -> None:
    before = key(parser(**settings))
    monkeypatch.setattr(StaticEmbedder, "version", property(lambda _: "another"))
    assert key(parser(**settings)) != before


@parsers
def test_another_version_of_the_core_makes_another_key(parser: Any, monkeypatch: Any) -> None:
    before = key(parser())
    monkeypatch.setattr("caesura.__version__", "99")
    assert key(parser()) != before


def test_a_key_is_the_same_in_another_process() -> None:
    script = (
        "from llama_index.core import Document\n"
        "from llama_index.core.ingestion.pipeline import get_transformation_hash\n"
        "from llama_index_embedding_fakes import Words\n"
        "from llama_index_fakes import ARTICLE, PARSERS, at_lines, letters\n"
        "for parser in PARSERS:\n"
        "    made = parser(tokenizer=letters, sentence_splitter=at_lines, embed_model=Words())\n"
        "    for each in (parser(), made):\n"
        "        print(get_transformation_hash([Document(text=ARTICLE, id_='a')], each))\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": "9"}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    settings = {"tokenizer": letters, "sentence_splitter": at_lines, "embed_model": Words()}
    assert done.stdout.split() == [key(parser(**each)) for parser in PARSERS for each in ({}, settings)]
