"""What is given in the place of documents, transformations, stores or a folder is refused with what to give instead."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from fakes.llama_index.embeddings import Words
from fakes.llama_index.indexes import documents, index, parser, texts, whole
from fakes.llama_index.parsers import ARTICLE, parsers
from llama_index.core import Document
from llama_index.core.storage.docstore import SimpleDocumentStore

from caesura import SettingError
from llama_index.node_parser.caesura import AgenticSplitter, HierarchyIndex, SemanticHierarchyParser

WRONG = [
    (Document(text="one"), "documents must be a list of Documents or nodes, got one Document: pass [document]"),
    (["text"], "got str 'text' at position 0: of a text make a Document(text=text), of a PDF file from_pdf(path)"),
    ([Document(text="one"), None], "got NoneType None at position 1"),
    ("text", "got str 'text': of a text make [Document(text=text)]"),
    (None, "got NoneType None"),
]
wrong = pytest.mark.parametrize(("given", "message"), WRONG)


@wrong
@pytest.mark.parametrize("kind", [SemanticHierarchyParser, AgenticSplitter])
def test_what_is_no_list_of_documents_is_refused_however_a_parser_is_called(
    kind: Any, given: Any, message: str
) -> None:
    made = kind()
    for call in (made, made.get_nodes_from_documents):
        with pytest.raises(SettingError, match=re.escape(message)):
            call(given)


@wrong
async def test_awaited_it_is_refused_too(given: Any, message: str) -> None:
    made = SemanticHierarchyParser()
    for call in (made.acall, made.aget_nodes_from_documents):
        with pytest.raises(SettingError, match=re.escape(message)):
            await call(given)


@parsers
def test_documents_may_come_from_a_generator(parser: Any) -> None:
    held = [Document(text=ARTICLE, id_="a")]
    made = parser(embed_model=Words())
    assert [node.node_id for node in made(each for each in held)] == [node.node_id for node in made(held)]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (SemanticHierarchyParser(), "transformations must be a list"),
        ([SemanticHierarchyParser], "call it, SemanticHierarchyParser()"),
        (SemanticHierarchyParser, "transformations must be a list"),
        ("hierarchy", "transformations must be a list"),
        ([len], "transformations must be a list"),
        (3, "transformations must be a list"),
    ],
)
def test_transformations_that_are_none_are_refused(given: Any, message: str) -> None:
    with pytest.raises(SettingError, match=re.escape(message)):
        index(transformations=given)


@pytest.mark.parametrize("name", ["storage_context", "vector_store", "docstore"])
def test_a_store_that_is_none_is_refused_by_name(name: str) -> None:
    with pytest.raises(SettingError, match=f"{name} must be a .*, got 'x'"):
        index(**{"docstore": SimpleDocumentStore()} | {name: "x"})


def test_a_folder_that_holds_no_index_is_refused_as_are_stores_that_are_none(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(SettingError, match=r"persist_dir=.* holds nothing to load .*persist\(folder\)"):
            HierarchyIndex.load(folder, embed_model=Words())
    made = index()
    made.upsert(documents())
    made.persist(tmp_path / "index")
    for name in ("vector_store", "docstore"):
        with pytest.raises(SettingError, match=f"{name} must be a .*, got 'x'"):
            HierarchyIndex.load(tmp_path / "index", **{name: "x"})  # type: ignore[arg-type]
    loaded = HierarchyIndex.load(tmp_path / "index", embed_model=Words(), transformations=[parser()])
    assert texts(loaded, "dough") == texts(made, "dough")
    assert loaded.upsert(documents()).unchanged == len(documents())
    whole(loaded, documents())
