"""`embed_model` may be a function, list of str -> rows: called as embeddings are, checked, or refused."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from fakes.embedders import Counting, embed
from fakes.llama_index.embeddings import Words
from fakes.llama_index.parsers import ARTICLE, PARSERS, content, parsers
from llama_index.core import Document

from caesura import EmbeddingError
from caesura.background import TEXTS
from caesura_static import StaticEmbedder
from llama_index.node_parser.caesura import DoublePassSemanticSplitter, SemanticPercentileSplitter, StaticEmbedding

DOCUMENTS = [Document(text=ARTICLE, id_="a", metadata={"k": "v"}), Document(text=ARTICLE * 2, id_="b")]


def half(texts: list[str]) -> Any:
    return embed(texts)[: len(texts) // 2]


async def awaited(texts: list[str]) -> Any:
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


@parsers
def test_all_texts_go_into_one_call_and_the_calibration_into_another(parser: Any) -> None:
    function = Counting()
    made = parser(embed_model=function)
    assert made.embed_model is function
    nodes = made(DOCUMENTS)
    assert len(nodes) > 2
    assert [list(TEXTS) == call for call in function.calls] == [True, False]
    made(DOCUMENTS)
    assert len(function.calls) == 3
    assert all(type(call) is list for call in function.calls)


@parsers
async def test_async_gives_the_same_beside_the_event_loop(parser: Any) -> None:
    threads = []

    def noted(texts: list[str]) -> Any:
        threads.append(threading.get_ident())
        return embed(texts)

    made = parser(embed_model=noted)
    nodes = await made.acall(DOCUMENTS)
    assert len(threads) == 2
    assert threading.get_ident() not in threads
    assert content(nodes) == content(made(DOCUMENTS))


@parsers
def test_it_cuts_as_an_embedding_of_the_same_rows_does(parser: Any) -> None:
    assert content(parser(embed_model=Words().rows)(DOCUMENTS)) == content(parser(embed_model=Words())(DOCUMENTS))
    uncentred = parser(embed_model=StaticEmbedder(), calibrated=False)
    assert content(uncentred(DOCUMENTS)) == content(parser(calibrated=False)(DOCUMENTS))


@parsers
@pytest.mark.parametrize("function", [half, len, lambda _: None, lambda texts: [["a"]] * len(texts)])
def test_what_a_function_returns_is_checked_as_any_embedders(parser: Any, function: Any) -> None:
    with pytest.raises(EmbeddingError, match="one row per text"):
        parser(embed_model=function, calibrated=False)(DOCUMENTS)


@parsers
def test_what_a_function_raises_comes_out_with_the_texts_named(parser: Any) -> None:
    def down(texts: list[str]) -> Any:
        raise ConnectionError("down")

    with pytest.raises(ConnectionError, match="down") as caught:
        parser(embed_model=down, calibrated=False)(DOCUMENTS)
    assert any("raised by the embedder for texts 0 to" in note for note in caught.value.__notes__)


@parsers
@pytest.mark.parametrize(
    ("value", "remedy"),
    [
        ("local", "got 'local'"),
        (3, "got 3"),
        (np.zeros(3), "got array"),
        (StaticEmbedding, "a class: pass an instance"),
        (StaticEmbedder, "a class: pass an instance"),
        (awaited, "has to be awaited: pass a sync one"),
        (Awaited(), "has to be awaited: pass a sync one"),
        (Encoder(), "pass its method encode"),
    ],
)
def test_what_is_no_embedder_is_refused_with_the_remedy(parser: Any, value: Any, remedy: str) -> None:
    with pytest.raises(ValueError, match=rf"(?s)embed_model must be an embedding.*list of str -> rows.*{remedy}"):
        parser(embed_model=value)


def test_every_constructor_takes_a_function() -> None:
    like = [DoublePassSemanticSplitter.like_double_merging, SemanticPercentileSplitter.like_semantic_splitter]
    for make in (*(parser.from_defaults for parser in PARSERS), *like):
        made = make(embed)
        assert made.embed_model is embed
        assert made(DOCUMENTS)
