"""`embeddings` may be a function, list of str -> rows: called as embeddings are, sync and async, or refused well."""

from __future__ import annotations

import pickle
import threading
from typing import Any

import pytest
from fakes.articles import article
from fakes.embedders import Counting
from fakes.langchain.splitters import Bag, bags, every_splitter

from caesura import EmbeddingError, SettingError
from caesura.background import TEXTS
from caesura_static import StaticEmbedder
from langchain_caesura import DoublePassSemanticSplitter, SemanticPercentileSplitter, StaticEmbeddings

DOCUMENTS = [article(seed=seed) for seed in range(3)]


@every_splitter
def test_all_texts_go_into_one_call_and_the_calibration_into_another(cls: Any) -> None:
    function, kinds = Counting(lambda texts: kinds.append(type(texts)) or bags(texts)), list[type]()
    splitter = cls(function)
    assert splitter.embeddings is function
    splitter.create_documents(DOCUMENTS)
    assert [list(TEXTS) == call for call in function.calls] == [True, False]
    splitter.create_documents(DOCUMENTS)
    assert len(function.calls) == 3
    assert kinds == [list] * 3


@every_splitter
def test_it_cuts_as_embeddings_of_the_same_rows_do(cls: Any) -> None:
    assert cls(bags).create_documents(DOCUMENTS) == cls(Bag()).create_documents(DOCUMENTS)
    uncentred = cls(StaticEmbedder(), calibrated=False)
    assert uncentred.create_documents(DOCUMENTS) == cls(calibrated=False).create_documents(DOCUMENTS)
    assert cls(bags, batch_size=3).create_documents(DOCUMENTS) == cls(Bag()).create_documents(DOCUMENTS)


@every_splitter
async def test_async_gives_the_same_beside_the_event_loop(cls: Any) -> None:
    threads = []

    def noted(texts: list[str]) -> Any:
        threads.append(threading.get_ident())
        return bags(texts)

    splitter = cls(noted)
    made = await splitter.acreate_documents(DOCUMENTS)
    assert len(threads) == 2
    assert threading.get_ident() not in threads
    assert made == splitter.create_documents(DOCUMENTS)


@every_splitter
def test_it_pickles(cls: Any) -> None:
    splitter = cls(Counting(bags))
    expected = splitter.create_documents(DOCUMENTS)
    twin = pickle.loads(pickle.dumps(splitter))
    assert twin.create_documents(DOCUMENTS) == expected
    assert len(twin.embeddings.calls) == 3  # calibrated before, not again


def test_every_constructor_takes_a_function() -> None:
    assert DoublePassSemanticSplitter.like_double_merging(bags).split_text(article())
    assert SemanticPercentileSplitter.like_semantic_chunker(bags).split_text(article())


async def awaited(texts: list[str]) -> Any:
    return bags(texts)


class Encoder:
    """As sentence-transformers' models are: it can be called, and means something else."""

    def __call__(self, tensors: Any) -> Any:
        raise AssertionError("called")

    def encode(self, texts: list[str]) -> Any:
        return bags(texts)


@every_splitter
@pytest.mark.parametrize("function", [len, lambda _: None, lambda texts: bags(texts)[1:]])
def test_what_a_function_returns_is_checked_as_any_embedders(cls: Any, function: Any) -> None:
    with pytest.raises(EmbeddingError, match="one row per text"):
        cls(function, calibrated=False).split_text(article())


@every_splitter
@pytest.mark.parametrize(
    ("value", "remedy"),
    [
        ("openai", "got 'openai'"),
        (3, "got 3"),
        (StaticEmbeddings, "a class: pass an instance"),
        (awaited, "has to be awaited: pass a sync one"),
        (Encoder(), "pass its method encode"),
    ],
)
def test_what_is_no_embedder_is_refused_with_the_remedy(cls: Any, value: Any, remedy: str) -> None:
    with pytest.raises(SettingError, match=rf"embeddings must have embed_documents.*list of str -> rows.*{remedy}"):
        cls(value)
