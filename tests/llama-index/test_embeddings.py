"""The built-in model as a LlamaIndex embedding."""

from __future__ import annotations

import pickle
import threading
from typing import Any

import numpy as np
import pytest
from fakes.llama_index.parsers import ARTICLE, at_stops
from llama_index.core import Document, Settings, VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import Field
from llama_index.core.embeddings.utils import resolve_embed_model
from llama_index.core.schema import TextNode

from caesura.errors import SettingError
from caesura_static import StaticEmbedder
from llama_index.node_parser.caesura import HierarchyIndex, OptimalSemanticSplitter, StaticEmbedding

TEXTS = [*at_stops(ARTICLE), "", "\U0001f9ff", "\x00", "one two " * 500]


def test_it_is_shown_by_what_was_given() -> None:
    assert repr(StaticEmbedding()) == "StaticEmbedding()"
    assert repr(StaticEmbedding(embed_batch_size=8)) == "StaticEmbedding(embed_batch_size=8)"


def test_an_heir_has_settings_of_its_own() -> None:
    class Heir(StaticEmbedding):
        tag: str = Field(default="", alias="Tag")

    assert Heir(Tag="own").tag == "own"  # type: ignore[call-arg]


def test_it_is_an_embedding() -> None:
    model = StaticEmbedding()
    assert isinstance(model, BaseEmbedding)
    assert resolve_embed_model(model) is model
    assert model.class_name() == "StaticEmbedding"
    assert model.model_name == "caesura-static"


async def test_every_way_gives_the_rows_of_the_built_in_model() -> None:
    model, expected = StaticEmbedding(), StaticEmbedder()(TEXTS)
    batches = [
        model.get_text_embedding_batch(TEXTS),
        await model.aget_text_embedding_batch(TEXTS),
        [model.get_text_embedding(text) for text in TEXTS],
        [await model.aget_text_embedding(text) for text in TEXTS],
        [model.get_query_embedding(text) for text in TEXTS],
        [await model.aget_query_embedding(text) for text in TEXTS],
        StaticEmbedding(embed_batch_size=3).get_text_embedding_batch(TEXTS),
        [node.embedding for node in model([TextNode(text=text) for text in TEXTS])],
    ]
    for rows in batches:
        np.testing.assert_allclose(rows, expected, atol=1e-5)
        assert all(type(value) is float for row in rows for value in row)


async def test_no_texts_no_rows() -> None:
    assert StaticEmbedding().get_text_embedding_batch([]) == []
    assert await StaticEmbedding().aget_text_embedding_batch([]) == []


def test_a_query_is_nearest_to_what_it_asks_for() -> None:
    model = StaticEmbedding()
    query = model.get_query_embedding("Which animals purr?")
    scores = [model.similarity(query, model.get_text_embedding(text)) for text in
              ("A cat is an animal that purrs.", "The treasury sold bonds.", "Concrete hardens slowly.")]  # fmt: skip
    assert scores[0] == max(scores)


def test_dict_json_and_pickle_bring_it_back() -> None:
    model = StaticEmbedding(embed_batch_size=17, model_name="mine", num_workers=2)
    for other in (
        StaticEmbedding.from_dict(model.to_dict()),
        StaticEmbedding.from_json(model.to_json()),
        pickle.loads(pickle.dumps(model)),
    ):
        assert other.to_dict() == model.to_dict()
        assert other.get_text_embedding("a cat") == model.get_text_embedding("a cat")


def test_a_pickle_carries_no_weights() -> None:
    assert len(pickle.dumps(StaticEmbedding())) < 10_000


@pytest.mark.parametrize("size", [0, -1, 2049])
def test_a_batch_size_out_of_range_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match="embed_batch_size"):
        StaticEmbedding(embed_batch_size=size)


async def test_embedding_runs_beside_the_event_loop(monkeypatch: Any) -> None:
    threads: set[int] = set()
    inner = StaticEmbedding._get_text_embeddings

    def watched(self: Any, texts: list[str]) -> Any:
        threads.add(threading.get_ident())
        return inner(self, texts)

    monkeypatch.setattr(StaticEmbedding, "_get_text_embeddings", watched)
    await StaticEmbedding().aget_text_embedding_batch(TEXTS)
    await StaticEmbedding().aget_query_embedding("cat")
    assert threads
    assert threading.get_ident() not in threads


async def test_an_index_embeds_and_finds_with_it() -> None:
    Settings.embed_model = StaticEmbedding()
    nodes = [TextNode(text=text) for text in at_stops(ARTICLE)]
    index = VectorStoreIndex(nodes)
    index.insert(Document(text="Volcanoes erupt with lava and ash."))
    retriever = index.as_retriever(similarity_top_k=1)
    for question, word in (("lava of a volcano", "lava"), ("dough", "dough"), ("the lamp of a lighthouse", "lamp")):
        (found,) = retriever.retrieve(question)
        assert word in found.text
        (found,) = await retriever.aretrieve(question)
        assert word in found.text


def test_all_instances_share_one_model_and_its_background() -> None:
    one, other = StaticEmbedding(), StaticEmbedding(embed_batch_size=2)
    assert one.embedder is other.embedder
    assert one.background == other.background


def test_a_setting_that_there_is_not_is_refused_and_the_others_are_shown() -> None:
    with pytest.raises(
        SettingError, match=r"StaticEmbedding has no setting embed_batch=1: did you mean embed_batch_size"
    ):
        StaticEmbedding(embed_batch=1)
    made = StaticEmbedding(embed_batch_size=7)
    assert StaticEmbedding.from_dict(made.to_dict()).embed_batch_size == 7
    assert str(StaticEmbedding()) == "StaticEmbedding()"
    assert str(made) == "StaticEmbedding(embed_batch_size=7)"


async def test_a_model_that_embeds_only_synchronously_is_asked_in_a_thread() -> None:
    threads: list[int] = []

    class Plain(BaseEmbedding):
        def _get_text_embedding(self, text: str) -> list[float]:
            threads.append(threading.get_ident())
            return [float(len(text)), 1.0]

        def _get_query_embedding(self, query: str) -> list[float]:
            return self._get_text_embedding(query)

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return self._get_query_embedding(query)

    text = "The ferry leaves at nine. Tickets are sold on board. " * 9
    await OptimalSemanticSplitter(embed_model=Plain(), chunk_size=40).acall([Document(text=text)])
    await HierarchyIndex(embed_model=Plain()).aupsert([Document(text=text)])
    assert threads
    assert threading.get_ident() not in threads
