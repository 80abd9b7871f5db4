"""The splitters are node parsers, made and called as LlamaIndex's are."""

from __future__ import annotations

import pickle
from copy import deepcopy
from typing import Any

import pytest
from fakes.llama_index.embeddings import Words
from fakes.llama_index.parsers import ARTICLE, ONE_ARTICLE, numbered, parsers
from llama_index.core import Document
from llama_index.core.callbacks import CallbackManager
from llama_index.core.node_parser import NodeParser
from llama_index.core.schema import TextNode, TransformComponent

import llama_index.node_parser.caesura as plugin
from caesura import Limits, SettingError
from caesura.host.settings import SPLITTER_NAMES
from caesura_store.setting_keys import canonical
from llama_index.node_parser.caesura import (
    DoublePassSemanticSplitter,
    SemanticHierarchyParser,
    SemanticPercentileSplitter,
)


def test_the_plugin_exports_what_it_names() -> None:
    assert sorted({*plugin.__all__} - {*SPLITTER_NAMES.values()}) == [
        "AgenticSplitter",
        "BM25Retriever",
        "ContextTransformer",
        "ContextualEmbedding",
        "DescriptionTransformer",
        "FoundNode",
        "HierarchyIndex",
        "JoinPages",
        "MergingRetriever",
        "PropositionTransformer",
        "QuestionTransformer",
        "SQLiteDocumentStore",
        "SemanticHierarchyParser",
        "SemanticSplitter",
        "StaticEmbedding",
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
        "spans_of",
    ]
    assert all(hasattr(plugin, name) for name in plugin.__all__)


@parsers
def test_a_splitter_is_a_node_parser(parser: Any) -> None:
    assert issubclass(parser, NodeParser)
    assert issubclass(parser, TransformComponent)
    assert parser.class_name() == parser.__name__


@parsers
def test_defaults_are_those_of_the_page(parser: Any) -> None:
    made = parser()
    assert made.embed_model is None
    assert (made.chunk_size, made.target_size, made.min_chunk_size, made.calibrated) == ("auto", "auto", 0, True)
    assert made.compiled.stages.limits == Limits(200, 0, 100)
    assert made.include_metadata
    assert made.include_prev_next_rel


@parsers
def test_settings_are_compiled_once_and_again_when_one_changes(parser: Any) -> None:
    made = parser(tokenizer=list, metadata=["headings"])
    once, filed = made.compiled, made.filed_settings()
    assert made.compiled is once
    assert made.filed_settings() is filed
    for other in (deepcopy(made), pickle.loads(pickle.dumps(made)), made.model_copy(update={"chunk_size": 90})):
        assert other.compiled is not once
        assert other.compiled.size is len
    made.chunk_size = 90
    assert made.compiled.stages.limits.max_size == 90
    made.metadata["start_index"] = "start"
    assert "start_index" in made.compiled.metadata.names.keys
    assert filed != made.filed_settings() == canonical(made.to_dict())
    made.tokenizer = str.split
    assert made.compiled.size("two words") == 2


@parsers
def test_from_defaults_is_the_constructor(parser: Any) -> None:
    manager = CallbackManager([])
    settings = {"embed_model": Words(), "chunk_size": 90, "min_chunk_size": 3, "include_metadata": False,
                "include_prev_next_rel": False, "callback_manager": manager, "id_func": numbered}  # fmt: skip
    made = parser.from_defaults(**settings)
    assert {name: getattr(made, name) for name in settings} == settings
    assert parser.from_defaults(id_func=None, callback_manager=None).to_dict() == parser().to_dict()
    assert parser.from_defaults(chunk_size=None).chunk_size is None


@parsers
@pytest.mark.parametrize("name", ["bogus", "chunk_overlap", "buffersize", "language_config"])
def test_an_unknown_argument_is_refused_by_name(parser: Any, name: str) -> None:
    for make in (parser, parser.from_defaults):
        with pytest.raises(ValueError, match=name):
            make(**{name: 1})


def test_the_settings_of_one_splitter_are_unknown_to_the_other() -> None:
    with pytest.raises(ValueError, match="look_ahead"):
        SemanticPercentileSplitter(look_ahead=2)
    with pytest.raises(ValueError, match="window"):
        DoublePassSemanticSplitter(window="adjacent")


@parsers
@pytest.mark.parametrize("text", [ARTICLE, "", " \n", "A lone \ud800 surrogate."])
def test_split_text_returns_the_texts_of_the_nodes(parser: Any, text: str) -> None:
    made = parser(chunk_size=60)
    assert made.split_text(text) == [node.text for node in made([TextNode(text=text)])]
    assert (made.split_text(text) == []) == (not text.strip())


@parsers
def test_split_text_takes_one_text(parser: Any) -> None:
    with pytest.raises(SettingError, match=r"split_text\(\) takes a str, got list"):
        parser().split_text([ARTICLE])


@parsers
def test_arguments_that_are_for_others_change_nothing(parser: Any) -> None:
    made = parser(chunk_size=60)
    stray = made.get_nodes_from_documents(ONE_ARTICLE, embed_model="x", insert_kwargs={})
    assert stray == made.get_nodes_from_documents(ONE_ARTICLE)


@parsers
def test_no_documents_no_nodes(parser: Any) -> None:
    assert parser().get_nodes_from_documents([]) == []


@parsers
def test_documents_stay_as_they_were(parser: Any) -> None:
    document = Document(text=ARTICLE, id_="a", metadata={"title": "x"}, embedding=[1.0, 2.0])
    before = document.to_dict()
    nodes = parser(chunk_size=60)([document])
    nodes[0].metadata["title"] = "changed"
    nodes[0].excluded_embed_metadata_keys.append("title")
    assert document.to_dict() == before
    assert nodes[1].metadata == {"title": "x"}
    assert nodes[1].excluded_embed_metadata_keys == []


@parsers
def test_a_setting_that_is_set_later_holds_from_the_next_call(parser: Any) -> None:
    made, copy = parser(chunk_size=80), parser(chunk_size=80).model_copy(update={"chunk_size": 30})
    assert made(ONE_ARTICLE) != parser(chunk_size=30)(ONE_ARTICLE)
    made.chunk_size = 30
    assert made(ONE_ARTICLE) == copy(ONE_ARTICLE) == parser(chunk_size=30)(ONE_ARTICLE)
    with pytest.raises(SettingError, match="chunk_size must be"):
        made.chunk_size = -1
    assert made(ONE_ARTICLE) == copy(ONE_ARTICLE), "the size that was stays"


def test_a_list_of_sizes_that_is_changed_holds_from_the_next_call() -> None:
    made = SemanticHierarchyParser(chunk_sizes=[90, 60])
    before = made(ONE_ARTICLE)
    made.chunk_sizes[1] = 30
    assert made(ONE_ARTICLE) == SemanticHierarchyParser(chunk_sizes=[90, 30])(ONE_ARTICLE) != before
