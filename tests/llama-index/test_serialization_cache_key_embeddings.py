"""Another embedding makes another cache key, by its class too, and in the settings; a key of its service does not."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.llama_index.embeddings import KeyedWords, Words
from fakes.llama_index.parsers import cache_key, parsers
from llama_index.core import Settings
from llama_index.core.embeddings import MockEmbedding

from caesura_static import StaticEmbedder
from llama_index.node_parser.caesura import StaticEmbedding


@parsers
def test_the_global_embedding_is_in_the_key_where_it_is_used(parser: Any) -> None:
    def keys() -> tuple[str, str]:
        return cache_key(parser(embed_model="settings")), cache_key(parser())

    Settings.embed_model = MockEmbedding(embed_dim=3)
    first = keys()
    Settings.embed_model = MockEmbedding(embed_dim=4)
    second = keys()
    assert first[0] != second[0]
    assert first[1] == second[1]


class Nameless(Words):
    """A user's own embedding, without a class_name of its own."""

    @classmethod
    def class_name(cls) -> str:
        return "BaseEmbedding"


class OtherNameless(Nameless):
    """Another one."""

    def row(self, text: str) -> list[float]:
        return [1.0, *super().row(text)[1:]]


@parsers
def test_two_embeddings_of_different_classes_have_different_keys(parser: Any) -> None:
    assert cache_key(parser(embed_model=Nameless())) != cache_key(parser(embed_model=OtherNameless()))
    Settings.embed_model = Nameless()
    before = cache_key(parser(embed_model="settings"))
    Settings.embed_model = OtherNameless()
    assert cache_key(parser(embed_model="settings")) != before


@parsers
@pytest.mark.parametrize("settings", [{}, {"embed_model": StaticEmbedding()}])
def test_another_built_in_model_makes_another_key(parser: Any, settings: Any, monkeypatch: Any) -> None:
    before = cache_key(parser(**settings))
    monkeypatch.setattr(StaticEmbedder, "version", property(lambda _: "another"))
    assert cache_key(parser(**settings)) != before


@parsers
def test_a_key_of_a_service_is_not_in_the_key(parser: Any) -> None:
    one, other = (parser(embed_model=KeyedWords(api_key=secret)) for secret in ("one", "other"))
    assert cache_key(one) == cache_key(other)
