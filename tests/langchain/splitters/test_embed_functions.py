"""`embeddings` may be a function, list of str -> rows: called as embeddings are, sync and async."""

from __future__ import annotations

import pickle
import threading
from typing import Any

from articles import article
from embedders import Counting
from langchain_fakes import Bag, bags, every_splitter

from caesura.background import TEXTS
from caesura_static import StaticEmbedder
from langchain_caesura import DoublePassSemanticSplitter, SemanticPercentileSplitter

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
