"""What a key or a file says of a setting is the same in every process: no address, no secret of an object's repr."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from fakes.llama_index.embeddings import Words
from fakes.llama_index.llms import Plain
from fakes.llama_index.parsers import ONE_ARTICLE, cache_key
from llama_index.core import StorageContext

from llama_index.node_parser.caesura import (
    HierarchyIndex,
    OptimalSemanticSplitter,
    SemanticHierarchyParser,
    StaticEmbedding,
    SummaryTransformer,
)


class Client:
    """Its repr is its address."""


class Telling:
    def __repr__(self) -> str:
        return "Telling(api_key='sk-topsecret')"


def local() -> Callable[[], None]:
    """A function whose repr has an address that LlamaIndex does not take out."""

    def inner() -> None: ...

    return inner


class OddWords(Words):
    held: Any = None


class OddLLM(Plain):
    held: Any = None


held = pytest.mark.parametrize("kind", [Client, local, lambda: [{"of": {Client()}}]], ids=["object", "function", "in"])


@held
def test_an_embedding_that_holds_an_object_has_one_key_in_every_process(kind: Callable[[], Any]) -> None:
    keys = {cache_key(splitter(kind())) for _ in range(2)}
    assert len(keys) == 1


def splitter(one: Any) -> OptimalSemanticSplitter:
    return OptimalSemanticSplitter(embed_model=OddWords(held=one))


@held
def test_an_llm_that_holds_an_object_has_one_key_in_every_process(kind: Callable[[], Any]) -> None:
    keys = {cache_key(SummaryTransformer(OddLLM(held=kind()))) for _ in range(2)}
    assert len(keys) == 1


@held
def test_and_one_name_in_the_journal(kind: Callable[[], Any], tmp_path: Any) -> None:
    calls = []
    for _ in range(2):
        parser = SummaryTransformer(OddLLM(held=kind()), journal=str(tmp_path / "j.db"))
        parser(ONE_ARTICLE)
        assert parser.report is not None
        calls.append(parser.report.calls)
    assert calls == [1, 0]


def test_what_an_objects_repr_tells_is_not_filed() -> None:
    for parser in (SummaryTransformer(OddLLM(held=Telling())), splitter(Telling())):
        assert "topsecret" not in str(parser.to_dict())


def test_a_splitter_that_holds_an_object_makes_no_document_anew() -> None:
    stores = StorageContext.from_defaults()

    def index(one: Any) -> HierarchyIndex:
        parser = SemanticHierarchyParser(embed_model=OddWords(held=one))
        return HierarchyIndex(storage_context=stores, transformations=[parser], embed_model=StaticEmbedding())

    first, second = index(local()), index(local())
    first.upsert(ONE_ARTICLE)
    assert second.upsert(ONE_ARTICLE).unchanged == 1


def test_a_setting_that_is_called_like_a_secret_is_seen_by_the_index() -> None:
    index = HierarchyIndex(transformations=[SummaryTransformer(Plain())], embed_model=StaticEmbedding())
    index.upsert(ONE_ARTICLE)
    index.transformations = [SummaryTransformer(Plain(), title_key="heading")]
    assert index.upsert(ONE_ARTICLE).updated == 1
