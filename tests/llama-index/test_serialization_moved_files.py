"""A package may move an embedding to another of its files: what was filed, cached and indexed before is still known."""

from __future__ import annotations

import pytest
from fakes.llama_index.embeddings import Words
from fakes.llama_index.parsers import cache_key
from llama_index.core import Document

from llama_index.node_parser.caesura import DoublePassSemanticSplitter, HierarchyIndex, StaticEmbedding

DOCUMENTS = [Document(text="The cat sleeps. The dog barks.", id_="d")]


@pytest.fixture(params=[StaticEmbedding, Words])
def embedding(request: pytest.FixtureRequest) -> StaticEmbedding | Words:
    made: StaticEmbedding | Words = request.param()
    return made


def moved(embedding: object, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = type(embedding)
    monkeypatch.setattr(kind, "__module__", f"{kind.__module__.partition('.')[0]}.moved.here")


def test_a_pipelines_cache_key_is_the_same(embedding: StaticEmbedding, monkeypatch: pytest.MonkeyPatch) -> None:
    parser = DoublePassSemanticSplitter(embed_model=embedding)
    before = cache_key(parser)
    moved(embedding, monkeypatch)
    assert cache_key(parser) == before


def test_a_dict_that_was_filed_before_is_revived(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = DoublePassSemanticSplitter(embed_model=StaticEmbedding())
    filed = parser.to_dict()
    moved(parser.embed_model, monkeypatch)
    assert DoublePassSemanticSplitter.from_dict(filed).to_dict() == filed


def test_an_index_embeds_nothing_again(monkeypatch: pytest.MonkeyPatch) -> None:
    embedding = Words()
    index = HierarchyIndex(embed_model=embedding)
    index.upsert(DOCUMENTS)
    calls = len(embedding.calls)
    moved(embedding, monkeypatch)
    index.upsert(DOCUMENTS)
    assert len(embedding.calls) == calls > 0
