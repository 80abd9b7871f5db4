"""A function, list of str -> rows, as a splitter's embedder, in both plugins: called as embedders are, or refused."""

from __future__ import annotations

import pickle
import threading
from typing import Any

import numpy as np
import pytest
from fakes.embedders.rows_of_words import Counting, embed
from fakes.hosts import Host, both, every_splitter
from fakes.texts.articles import article

from caesura import EmbeddingError
from caesura.background import TEXTS
from caesura_static import StaticEmbedder

DOCUMENTS = [article(seed=seed) for seed in range(3)]


async def embed_awaited(texts: list[str]) -> Any:
    return embed(texts)


class Awaited:
    async def __call__(self, texts: list[str]) -> Any:
        return embed(texts)


class Encoder:
    """As sentence-transformers' models are: it can be called, and means something else."""

    def __call__(self, tensors: Any) -> Any:
        raise AssertionError("called")

    def encode(self, texts: list[str]) -> Any:
        return embed(texts)


@both
@every_splitter
def test_all_texts_go_into_one_call_and_the_calibration_into_another(host: Host, name: str) -> None:
    function = Counting()
    splitter = host.splitter(name, function)
    assert getattr(splitter, host.embedder) is function
    host.split(splitter, DOCUMENTS)
    assert [list(TEXTS) == call for call in function.calls] == [True, False]
    host.split(splitter, DOCUMENTS)
    assert len(function.calls) == 3
    assert {type(call) for call in function.calls} == {list}


@both
@every_splitter
async def test_async_gives_the_same_beside_the_event_loop(host: Host, name: str) -> None:
    threads = []

    def embed_noting(texts: list[str]) -> Any:
        threads.append(threading.get_ident())
        return embed(texts)

    splitter = host.splitter(name, embed_noting)
    made = await host.asplit(splitter, DOCUMENTS)
    assert len(threads) == 2
    assert threading.get_ident() not in threads
    assert made == host.split(splitter, DOCUMENTS)


@both
@every_splitter
def test_it_cuts_as_an_embedder_of_the_same_rows_does(host: Host, name: str) -> None:
    words = host.words()
    rows = words.get_text_embedding_batch if hasattr(words, "get_text_embedding_batch") else words.embed_documents
    expected = host.split(host.splitter(name, host.words()), DOCUMENTS)
    assert host.split(host.splitter(name, rows), DOCUMENTS) == expected
    uncentred = host.splitter(name, StaticEmbedder(), calibrated=False)
    assert host.split(uncentred, DOCUMENTS) == host.split(host.splitter(name, calibrated=False), DOCUMENTS)


@both
@every_splitter
def test_it_pickles(host: Host, name: str) -> None:
    splitter = host.splitter(name, embed)
    expected = host.split(splitter, DOCUMENTS)
    assert host.split(pickle.loads(pickle.dumps(splitter)), DOCUMENTS) == expected


@both
@every_splitter
@pytest.mark.parametrize(
    "function", [len, lambda _: None, lambda texts: embed(texts)[1:], lambda texts: [["a"]] * len(texts)]
)
def test_what_a_function_returns_is_checked_as_any_embedders(host: Host, name: str, function: Any) -> None:
    with pytest.raises(EmbeddingError, match="one row per text"):
        host.split(host.splitter(name, function, calibrated=False), DOCUMENTS)


@both
def test_what_a_function_raises_comes_out_with_the_texts_named(host: Host) -> None:
    def embed_nothing(texts: list[str]) -> Any:
        raise ConnectionError("down")

    with pytest.raises(ConnectionError, match="down") as caught:
        host.split(host.splitter("Optimal", embed_nothing, calibrated=False), DOCUMENTS)
    assert any("raised by the embedder for texts 0 to" in note for note in caught.value.__notes__)


@both
@pytest.mark.parametrize(
    ("value", "remedy"),
    [
        ("local", "got 'local'"),
        (3, "got 3"),
        (np.zeros(3), "got array"),
        (StaticEmbedder, "a class: pass an instance"),
        (embed_awaited, "has to be awaited: pass a sync one"),
        (Awaited(), "has to be awaited: pass a sync one"),
        (Encoder(), "pass its method encode"),
    ],
)
def test_what_is_no_embedder_is_refused_with_the_remedy(host: Host, value: Any, remedy: str) -> None:
    needed = {"embeddings": "embeddings must have embed_documents", "embed_model": "embed_model must be an embedding"}
    with pytest.raises(ValueError, match=rf"(?s){needed[host.embedder]}.*list of str -> rows.*{remedy}"):
        host.splitter("Optimal", value)


@both
def test_every_constructor_takes_a_function(host: Host) -> None:
    chunker = {"embeddings": "like_semantic_chunker", "embed_model": "like_semantic_splitter"}[host.embedder]
    assert host.split(getattr(host.cls("SemanticPercentile"), chunker)(embed), DOCUMENTS)
