"""The built-in model cuts alike whether a door takes it by itself or is given it, as a function or from a cache."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fakes.langchain.splitters import SPLITTERS
from fakes.llama_index.parsers import PARSERS
from llama_index.core import Document

from caesura_lab import split
from caesura_static import StaticEmbedder
from caesura_store.embedding_cache import cached

TEXT = (Path(__file__).parents[2] / "examples" / "article.md").read_text("utf-8")


@pytest.mark.parametrize("cls", SPLITTERS)
def test_langchains_splitters_cut_alike(cls: Any, tmp_path: Path) -> None:
    wanted = cls(chunk_size=800).split_text(TEXT)
    assert cls(StaticEmbedder(), chunk_size=800).split_text(TEXT) == wanted
    with cached(StaticEmbedder(), tmp_path / "rows.db", "static") as embed:
        assert cls(embed, chunk_size=800).split_text(TEXT) == wanted


@pytest.mark.parametrize("cls", PARSERS)
def test_llama_indexs_parsers_cut_alike(cls: Any, tmp_path: Path) -> None:
    def cut(**settings: Any) -> list[str]:
        parser = cls(chunk_size=200, **settings)
        return [node.get_content() for node in parser.get_nodes_from_documents([Document(text=TEXT)])]

    wanted = cut()
    assert cut(embed_model=StaticEmbedder()) == wanted
    with cached(StaticEmbedder(), tmp_path / "rows.db", "static") as embed:
        assert cut(embed_model=embed) == wanted


@pytest.mark.parametrize("name", ["double-pass", "optimal"])
def test_the_labs_splitters_cut_alike(name: str) -> None:
    assert split(TEXT, name, embedder=StaticEmbedder()).rows == split(TEXT, name).rows
