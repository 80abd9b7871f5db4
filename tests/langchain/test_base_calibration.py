"""One call calibrates a splitter, once, where that is wanted; the built-in model brings its own background."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest
from fakes.langchain.splitters import Bag, every_splitter
from fakes.texts.articles import article, letters
from langchain_core.documents import Document

from caesura import Background
from caesura.background import TEXTS
from caesura_static import StaticEmbedder
from langchain_caesura import StaticEmbeddings

DOCUMENTS = [Document(page_content=article(seed=seed, between="\n")) for seed in range(4)]
WHOLE = "".join(letters(document.page_content) for document in DOCUMENTS)


@every_splitter
def test_one_call_calibrates_and_one_embeds_all_documents(cls: Any) -> None:
    embeddings = Bag()
    cls(embeddings, chunk_size=300).split_documents(DOCUMENTS)
    calibration, embedding = embeddings.calls
    assert tuple(calibration) == tuple(TEXTS)
    assert "".join(map(letters, embedding)) == WHOLE


@every_splitter
def test_an_instance_calibrates_once(cls: Any) -> None:
    embeddings = Bag()
    splitter = cls(embeddings)
    splitter.split_documents(DOCUMENTS[:2])
    splitter.split_text(DOCUMENTS[2].page_content)
    splitter.create_documents([DOCUMENTS[3].page_content])
    assert [len(call) == len(TEXTS) for call in embeddings.calls] == [True, False, False, False]
    assert "".join(map(letters, embeddings.texts[len(TEXTS) :])) == WHOLE


@every_splitter
@pytest.mark.parametrize(
    "settings", [{"calibrated": False}, {"background": [0.1] * 256}, {"background": Background([0.1] * 256)}]
)
def test_nothing_is_spent_on_calibration_that_is_not_wanted(cls: Any, settings: dict[str, Any]) -> None:
    embeddings = Bag()
    cls(embeddings, **settings).split_documents(DOCUMENTS)
    (call,) = embeddings.calls
    assert "".join(map(letters, call)) == WHOLE


@every_splitter
@pytest.mark.parametrize("given", [True, False])
def test_the_built_in_model_is_never_asked_to_calibrate(cls: Any, given: bool) -> None:
    calls: list[list[str]] = []
    ask = StaticEmbedder.__call__

    def counted(self: StaticEmbedder, texts: list[str]) -> Any:
        calls.append(texts)
        return ask(self, texts)

    with patch.object(StaticEmbedder, "__call__", counted):
        cls(StaticEmbeddings() if given else None).split_documents(DOCUMENTS)
    assert len(calls) == 1
    assert "".join(map(letters, calls[0])) == WHOLE
