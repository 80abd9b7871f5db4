"""The names that are exported, and the arguments that constructors take and refuse."""

from __future__ import annotations

import re
from typing import Any

import pytest
from fakes.langchain.splitters import every_splitter
from langchain_core.documents import BaseDocumentTransformer
from langchain_core.embeddings import Embeddings
from langchain_text_splitters import TextSplitter

import langchain_caesura
from caesura import DoublePassCut
from langchain_caesura import DoublePassSemanticSplitter, SemanticPercentileSplitter, StaticEmbeddings
from llama_index.node_parser.caesura import DoublePassSemanticSplitter as DoublePassSemanticParser


def test_all_names_what_the_readme_promises() -> None:
    assert sorted(langchain_caesura.__all__) == [
        "AgenticSplitter",
        "BM25Retriever",
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
        "from_html",
        "from_mail",
        "from_messages",
        "from_pdf",
        "from_pymupdf",
        "from_slack",
        "from_transcript",
        "from_unstructured",
        "from_whatsapp",
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


def test_a_splitter_shows_what_it_goes_by_with_the_defaults_and_no_key() -> None:
    shown = repr(DoublePassSemanticSplitter(chunk_overlap=100))
    assert shown.startswith(
        "DoublePassSemanticSplitter(chunk_size=800, target_size=400, min_chunk_size=0, chunk_overlap=100, "
        "cut=DoublePassCut(initial_threshold=0.1, appending_threshold=0.2,"
    )
    assert "(chunk_size=None, target_size=None, " in repr(DoublePassSemanticSplitter(chunk_size=None))
    levels = repr(langchain_caesura.SemanticHierarchySplitter(chunk_sizes=(600, 120)))
    assert levels.startswith("SemanticHierarchySplitter(chunk_sizes=(600, 120), cut=OptimalCut(")


def test_embeddings_and_what_is_found_are_shown_in_short() -> None:
    assert repr(StaticEmbeddings()) == "StaticEmbeddings()"
    hit = {"id": "a", "score": 0.5, "text": "The ferry leaves.", "start_index": 0, "end_index": 17}
    shown = repr(langchain_caesura.ScoredDocument("The ferry leaves.", score=0.5, matches=[hit]))
    assert "matches=[{'id': 'a', 'score': 0.5, 'start_index': 0, 'end_index': 17}]" in shown
    assert shown.count("The ferry leaves.") == 1


@pytest.mark.parametrize("name", ["initial_threshold", "appending_threshold", "merging_threshold"])
def test_what_none_means_for_a_threshold_is_said_and_is_the_cuts_own(name: str) -> None:
    says = rf"{name}: [^;]*; None is {getattr(DoublePassCut(), name)}\.\n"
    assert re.search(says, DoublePassSemanticSplitter.__doc__ or "")
    field = DoublePassSemanticParser.model_fields[name]
    assert (field.description or "").endswith(f"; None is {getattr(DoublePassCut(), name)}.")
