"""What is asked of the embeddings: every character that is not blank, once, in lists of str."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from fakes.langchain.splitters import Bag, every_splitter
from fakes.texts.articles import article, letters
from langchain_core.documents import Document

from caesura.background import TEXTS
from langchain_caesura import SemanticPercentileSplitter

DOCUMENTS = [Document(page_content=article(seed=seed, between="\n")) for seed in range(4)]
WHOLE = "".join(letters(document.page_content) for document in DOCUMENTS)


@every_splitter
@pytest.mark.parametrize("batch_size", [1, 7, 10_000])
def test_a_batch_size_splits_calls_and_changes_no_chunk(cls: Any, batch_size: int) -> None:
    embeddings, whole = Bag(), cls(Bag()).split_documents(DOCUMENTS)
    assert cls(embeddings, batch_size=batch_size).split_documents(DOCUMENTS) == whole
    assert max(map(len, embeddings.calls)) <= batch_size
    units = len(embeddings.texts) - len(TEXTS)
    assert len(embeddings.calls) == -(-len(TEXTS) // batch_size) + -(-units // batch_size)
    assert "".join(map(letters, embeddings.texts[len(TEXTS) :])) == WHOLE


@every_splitter
def test_overlap_costs_nothing(cls: Any) -> None:
    embeddings = Bag()
    cls(embeddings, chunk_overlap=100, chunk_size=300, calibrated=False).split_documents(DOCUMENTS)
    assert "".join(map(letters, embeddings.texts)) == WHOLE


@every_splitter
def test_blank_documents_cost_nothing(cls: Any) -> None:
    embeddings = Bag()
    assert cls(embeddings).split_documents([Document(page_content=text) for text in ("", " ", "\n\t\u3000")]) == []
    assert embeddings.calls == []


@pytest.mark.parametrize("window", ["adjacent", "overlapping"])
def test_pooled_windows_cost_nothing_and_joined_ones_as_much_as_they_repeat(window: str) -> None:
    pooled, joined = Bag(), Bag()
    text = DOCUMENTS[0].page_content
    SemanticPercentileSplitter(pooled, window=window, calibrated=False).split_text(text)
    SemanticPercentileSplitter(joined, window="joined", buffer_size=1, calibrated=False).split_text(text)
    assert "".join(map(letters, pooled.texts)) == letters(text)
    assert 2.8 < len(letters("".join(joined.texts))) / len(letters(text)) <= 3


@every_splitter
def test_lists_of_str_are_what_embeddings_are_given(cls: Any) -> None:
    class Strict(Bag):
        def embed_documents(self, texts: list[str]) -> object:
            assert type(texts) is list
            assert all(type(text) is str for text in texts)
            return super().embed_documents(texts)

    embeddings = Strict()
    cls(embeddings, batch_size=5).split_documents(DOCUMENTS)
    assert len(embeddings.calls) > 1


def test_metadata_are_copied_deeply_where_they_can_change_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    copied: list[Any] = []
    monkeypatch.setattr(copy, "deepcopy", lambda value, inner=copy.deepcopy: copied.append(value) or inner(value))
    splitter = SemanticPercentileSplitter(Bag(), chunk_size=300)
    plain = splitter.create_documents([article()], [{"source": "a", "page": 3, "score": 0.5, "draft": None}])
    assert len(plain) > 3
    assert not copied
    assert len({id(chunk.metadata) for chunk in plain}) == len(plain)
    nested = splitter.create_documents([article()], [{"source": "a", "tags": ["x"]}])
    assert len({id(chunk.metadata["tags"]) for chunk in nested}) == len(nested)
