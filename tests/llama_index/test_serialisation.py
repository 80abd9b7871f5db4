"""`to_dict` and `from_dict`, JSON and pickle keep every setting, and no secret."""

from __future__ import annotations

import json
import pickle
from copy import deepcopy
from functools import partial
from typing import Any

import pytest
from llama_index.core import Document, Settings
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.ingestion import IngestionPipeline
from llama_index_embedding_fakes import KeyedWords, Words
from llama_index_fakes import ARTICLE, at_lines, content, letters, numbered, parsers

from caesura import SettingError
from llama_index.node_parser.caesura import (
    ClusterSemanticSplitter,
    DoublePassSemanticSplitter,
    OptimalSemanticSplitter,
    SemanticPercentileSplitter,
    StaticEmbedding,
)

SHARED = {"chunk_size": 90, "min_chunk_size": 4, "sentence_splitter": at_lines, "tokenizer": letters,
          "id_func": numbered, "cache_tag": "t", "include_metadata": False, "include_prev_next_rel": False}  # fmt: skip
SETTINGS: list[tuple[Any, dict[str, Any]]] = [
    (DoublePassSemanticSplitter, {}),
    (DoublePassSemanticSplitter, {"embed_model": StaticEmbedding(embed_batch_size=7)}),
    (DoublePassSemanticSplitter, {"embed_model": MockEmbedding(embed_dim=3), "background": [0.5, 0.25, 0.0]}),
    (DoublePassSemanticSplitter, {"embed_model": "settings", "chunk_size": None}),
    (DoublePassSemanticSplitter, {"initial_threshold": 0.1, "appending_threshold": 0.2, "merging_threshold": 0.3,
                                  "look_ahead": 3, "min_units": 2, "calibrated": False, **SHARED}),
    (SemanticPercentileSplitter, {}),
    (SemanticPercentileSplitter, {"breakpoint_threshold_type": "gradient", "breakpoint_threshold_amount": 70.0,
                                  "window": "overlapping", "buffer_size": 2, "calibrated": False, **SHARED}),
    (SemanticPercentileSplitter, {"number_of_chunks": 3, "window_size": 2, "embed_model": MockEmbedding(embed_dim=3)}),
    (SemanticPercentileSplitter, {"tokenizer": list, "chunk_size": 200}),
    (OptimalSemanticSplitter, {"penalty": 0.9, "structure": 0.1, "calibrated": False, **SHARED}),
    (OptimalSemanticSplitter, {"target_size": 30, **SHARED}),
    (OptimalSemanticSplitter, {"n_chunks": 3}),
    (ClusterSemanticSplitter, {"linkage": "ward", "stop": "silhouette", **SHARED}),
    (ClusterSemanticSplitter, {"linkage": "average", "distance_threshold": 0.9}),
    (ClusterSemanticSplitter, {"n_clusters": 3, "embed_model": StaticEmbedding(embed_batch_size=7)}),
]  # fmt: skip
everything = pytest.mark.parametrize(("parser", "settings"), SETTINGS)


def same(one: Any, other: Any) -> None:
    """Holds that two splitters have the same settings and split alike."""
    assert type(other) is type(one)
    for name in type(one).model_fields:
        if name not in ("callback_manager", "embed_model"):
            assert getattr(other, name) == getattr(one, name)
    assert type(other.embed_model) is type(one.embed_model)
    assert other.to_dict() == one.to_dict()
    documents = [Document(text=ARTICLE, id_="a", metadata={"k": "v"})]
    assert content(other(documents)) == content(one(documents))


@everything
def test_a_dict_brings_the_splitter_back(parser: Any, settings: dict[str, Any]) -> None:
    Settings.embed_model = StaticEmbedding()
    made = parser(**settings)
    same(made, parser.from_dict(made.to_dict(), trusted=True))
    assert parser.from_dict(made.to_dict(), trusted=True).to_dict() == made.to_dict()


@everything
def test_json_and_pickle_bring_the_splitter_back(parser: Any, settings: dict[str, Any]) -> None:
    Settings.embed_model = StaticEmbedding()
    made = parser(**settings)
    same(made, parser.from_json(made.to_json(), trusted=True))
    same(made, pickle.loads(pickle.dumps(made)))
    same(made, deepcopy(made))


@everything
def test_a_dict_is_plain_values(parser: Any, settings: dict[str, Any]) -> None:
    Settings.embed_model = StaticEmbedding()
    data = parser(**settings).to_dict()
    assert json.loads(json.dumps(data)) == data
    assert data["class_name"] == parser.class_name()
    kept = deepcopy(data)
    parser.from_dict(data, trusted=True)
    assert data == kept


@parsers
def test_arguments_take_the_place_of_entries(parser: Any) -> None:
    made = parser.from_dict(parser(chunk_size=90).to_dict(), chunk_size=50, tokenizer=letters)
    assert (made.chunk_size, made.tokenizer) == (50, letters)


@parsers
@pytest.mark.parametrize("make", [dict, lambda embed_model: {"embed_model": embed_model}])
def test_static_and_mock_embeddings_are_revived(parser: Any, make: Any) -> None:
    for model in (StaticEmbedding(embed_batch_size=9), MockEmbedding(embed_dim=5)):
        revived = parser.from_dict(parser(**make(embed_model=model)).to_dict()).embed_model
        assert type(revived) is type(model)
        assert revived.to_dict() == model.to_dict()


@parsers
def test_another_embedding_has_to_be_passed(parser: Any) -> None:
    made = parser(embed_model=Words())
    with pytest.raises(SettingError, match=r"Words.*from_dict\(data, embed_model="):
        parser.from_dict(made.to_dict())
    same(made, parser.from_dict(made.to_dict(), embed_model=made.embed_model))


class Loud(MockEmbedding):
    """Not a MockEmbedding, whatever its inherited class_name says."""

    def _get_text_embedding(self, text: str) -> list[float]:
        return [float(len(text))] * self.embed_dim


@parsers
def test_an_embedding_is_not_revived_as_its_base(parser: Any) -> None:
    data = parser(embed_model=Loud(embed_dim=3)).to_dict()
    with pytest.raises(SettingError, match="embed_model"):
        parser.from_dict(data)


@parsers
def test_functions_are_filed_by_their_name(parser: Any) -> None:
    data = parser(sentence_splitter=at_lines, tokenizer=list, id_func=numbered).to_dict()
    assert data["sentence_splitter"] == "llama_index_fakes:at_lines"
    assert data["tokenizer"] == "builtins:list"
    assert data["id_func"] == "llama_index_fakes:numbered"


@parsers
def test_a_method_of_a_builtin_type_has_a_name(parser: Any) -> None:
    data = parser(tokenizer=str.split).to_dict()
    assert data["tokenizer"] == "builtins:str.split"
    assert parser.from_dict(data).tokenizer is str.split


def closure(n: int) -> Any:
    def inner(text: str) -> list[str]:
        return [text[i : i + n] for i in range(0, len(text), n)]

    return inner


UNNAMED = [lambda text: [text], closure(9), partial(at_lines), partial(str.splitlines, keepends=True), letters.__call__]


@parsers
@pytest.mark.parametrize("name", ["sentence_splitter", "tokenizer", "id_func"])
@pytest.mark.parametrize("function", UNNAMED)
def test_a_function_without_a_name_needs_a_cache_tag(parser: Any, name: str, function: Any) -> None:
    function = (lambda i, doc: f"{doc.node_id}{i}") if name == "id_func" else function
    document = Document(text=ARTICLE, id_="a")
    made, tagged = parser(**{name: function}), parser(**{name: function}, cache_tag="v1")
    with pytest.raises(SettingError, match=rf"{name}.*cache_tag"):
        made.to_dict()
    with pytest.raises(SettingError, match="cache_tag"):
        IngestionPipeline(transformations=[made]).run(documents=[document])
    nodes = IngestionPipeline(transformations=[made], disable_cache=True).run(documents=[document])
    assert content(nodes) == content(IngestionPipeline(transformations=[tagged]).run(documents=[document]))
    with pytest.raises(SettingError, match=rf"from_dict\(data, {name}="):
        parser.from_dict(tagged.to_dict())
    same(tagged, parser.from_dict(tagged.to_dict(), **{name: function}))


def test_a_function_that_is_gone_has_to_be_passed() -> None:
    data = {**DoublePassSemanticSplitter().to_dict(), "tokenizer": "llama_index_fakes:gone"}
    with pytest.raises(SettingError, match=r"gone.*from_dict\(data, tokenizer="):
        DoublePassSemanticSplitter.from_dict(data, trusted=True)


HIDDEN = {
    "headers": {"Authorization": "Bearer sk-topsecret"},
    "default_headers": {"X-Api-Key": "sk-topsecret"},
    "nested": [{"Authorization": "sk-topsecret"}, {"X-API-Key": "sk-topsecret"}, {"api-key": "sk-topsecret"}],
    "accessToken": "sk-topsecret",
    "clientSecret": "sk-topsecret",
    "aws_secret_access_key": "sk-topsecret",
    "aws_session_token": "sk-topsecret",
    "openai_api_key": "sk-topsecret",
    "password": "sk-topsecret",
    "api_keys": ["sk-topsecret"],
    "cookies": {"session": "sk-topsecret"},
}


@pytest.mark.parametrize("name", HIDDEN)
def test_no_secret_is_written_down(name: str) -> None:
    model = KeyedWords(additional_kwargs={name: HIDDEN[name], "dimensions": 16})
    assert "sk-topsecret" in str(model.to_dict())
    parser = DoublePassSemanticSplitter(embed_model=model)
    data = parser.to_dict()
    assert "sk-topsecret" not in str(data) + repr(parser)
    assert data["embed_model"]["additional_kwargs"]["dimensions"] == 16
    assert data["embed_model"]["api_base"] == "http://localhost"


def test_no_secret_of_the_global_embedding_is_written_down() -> None:
    Settings.embed_model = KeyedWords(model_name="large")
    data = DoublePassSemanticSplitter(embed_model="settings").to_dict()
    assert "sk-topsecret" not in str(data)
    assert "large" in str(data)


@pytest.mark.parametrize("name", ["max_tokens", "tokenizer_name", "dimensions", "keyword", "author", "monkey"])
def test_what_only_sounds_like_a_secret_is_kept(name: str) -> None:
    data = DoublePassSemanticSplitter(embed_model=KeyedWords(additional_kwargs={name: 1})).to_dict()
    assert data["embed_model"]["additional_kwargs"] == {name: 1}
