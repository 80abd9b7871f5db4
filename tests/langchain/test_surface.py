"""The names that are exported, and the arguments that constructors take and refuse."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.langchain.splitters import every_splitter
from langchain_core.documents import BaseDocumentTransformer
from langchain_core.embeddings import Embeddings
from langchain_text_splitters import TextSplitter

import langchain_caesura
from langchain_caesura import DoublePassSemanticSplitter, SemanticPercentileSplitter, StaticEmbeddings


def test_all_names_what_the_readme_promises() -> None:
    assert sorted(langchain_caesura.__all__) == [
        "AgenticSplitter",
        "ChunkEmbeddings",
        "ClusterSemanticSplitter",
        "ContextTransformer",
        "ContextualEmbeddings",
        "DescriptionTransformer",
        "DoublePassSemanticSplitter",
        "OptimalSemanticSplitter",
        "ParentDocumentRetriever",
        "PropositionTransformer",
        "QuestionTransformer",
        "SQLiteDocumentStore",
        "ScoredDocument",
        "SemanticHierarchySplitter",
        "SemanticPercentileSplitter",
        "SemanticSplitter",
        "StaticEmbeddings",
        "SummaryTransformer",
        "from_docling",
        "from_unstructured",
        "join_pages",
    ]
    assert all(hasattr(langchain_caesura, name) for name in langchain_caesura.__all__)


@every_splitter
def test_splitters_are_langchains(cls: type[TextSplitter]) -> None:
    assert issubclass(cls, TextSplitter)
    assert issubclass(cls, BaseDocumentTransformer)
    assert issubclass(StaticEmbeddings, Embeddings)


@every_splitter
@pytest.mark.parametrize("name", ["chunksize", "keep_separator", "separators", "embed_model", "threshold"])
def test_an_unknown_argument_is_refused(cls: Any, name: str) -> None:
    with pytest.raises(TypeError, match=name):
        cls(**{name: 1})


@every_splitter
def test_only_the_embeddings_go_by_position(cls: Any) -> None:
    with pytest.raises(TypeError, match="positional"):
        cls(None, 500)


def test_a_setting_of_one_splitter_is_refused_by_the_other() -> None:
    with pytest.raises(TypeError, match="look_ahead"):
        SemanticPercentileSplitter(look_ahead=1)
    with pytest.raises(TypeError, match="window"):
        DoublePassSemanticSplitter(window="adjacent")
