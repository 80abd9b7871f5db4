"""What an index cannot keep is refused with the remedy, and nothing of it is written."""

from __future__ import annotations

import functools
import re
import warnings
from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

import pytest
from fakes.documents.metadata import CYCLIC, DEEP
from fakes.llama_index.embeddings import Words
from fakes.llama_index.indexes import documents, index, parser, rows
from fakes.llama_index.parsers import ARTICLE
from llama_index.core import Document, StorageContext
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import BaseNode, IndexNode, TextNode, TransformComponent
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import SimpleVectorStore
from llama_index.core.vector_stores.types import BasePydanticVectorStore

from caesura import SettingError
from llama_index.node_parser.caesura import BM25Retriever, HierarchyIndex, SQLiteDocumentStore, StaticEmbedding


def test_ids_given_twice_are_refused_before_anything_is_written() -> None:
    made = index()
    with pytest.raises(SettingError, match=r"2 documents have the id 'a'"):
        made.upsert([*documents(), Document(text="Other.", id_="a")])
    assert rows(made) == set()


def test_a_node_of_no_document_is_refused() -> None:
    class Stray(TransformComponent):
        """Adds a node without a source."""

        def __call__(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[BaseNode]:
            return [*nodes, IndexNode(text="x", index_id="nowhere")]

    made = index(transformations=[parser(), Stray()])
    with pytest.raises(SettingError, match="which is none of the documents"):
        made.upsert(documents())
    assert rows(made) == set()


def test_stores_that_do_not_go_together_are_refused(tmp_path: Any) -> None:
    with pytest.raises(SettingError, match="SQLiteDocumentStore"):
        index(vector_store=SimpleVectorStore())
    with pytest.raises(SettingError, match="not both"):
        index(storage_context=StorageContext.from_defaults(), docstore=SQLiteDocumentStore(tmp_path / "d.db"))
    with pytest.raises(SettingError, match="batch_size"):
        index(batch_size=0)

    class Adding(SimpleVectorStore):
        """Cannot delete a node."""

        delete_nodes = BasePydanticVectorStore.delete_nodes

    with pytest.raises(SettingError, match="must be able to delete nodes, which Adding is not"):
        index(vector_store=Adding(), docstore=SimpleDocumentStore())


def test_metadata_that_cannot_be_kept_is_named_and_nothing_is_findable(tmp_path: Any) -> None:
    made = index(vector_store=SimpleVectorStore(), docstore=SQLiteDocumentStore(tmp_path / "nodes.db"))
    with pytest.raises(SettingError, match=r"(?s)cannot be kept: .*date.*metadata must be"):
        made.upsert([Document(text=ARTICLE, id_="a", metadata={"day": date(1921, 1, 9)})])
    assert rows(made) == set()


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        (Document(text="one", id_="a"), r"pass \[document\]"),
        (["a text"], "Documents or nodes, got str 'a text'"),
        ([Document(text="one", id_="")], "an empty id"),
    ],
)
async def test_what_is_no_list_of_documents_is_refused(documents: Any, message: str) -> None:
    made = index()
    with pytest.raises(SettingError, match=message):
        made.upsert(documents)
    with pytest.raises(SettingError, match=message):
        await made.aupsert(documents)


@pytest.mark.parametrize("name", [3, ["a"], None])
async def test_a_document_is_deleted_by_its_id(name: Any) -> None:
    made = index()
    wrong = re.escape(f"ref_doc_id must be the id of one document, a str, got {name!r}: for several documents, call ")
    for delete in (made.delete_ref_doc, made.delete):
        with pytest.raises(SettingError, match=wrong):
            delete(name)
    with pytest.raises(SettingError, match=wrong):
        await made.adelete_ref_doc(name)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"similarity_topk": 3}, "no option similarity_topk: is similarity_top_k meant?"),
        ({"filters": {"kind": "talk"}}, "filters must be MetadataFilters of LlamaIndex, got {'kind': 'talk'}"),
        ({"filter": None}, "no option filter: is filters meant?"),
        (
            {"k": 3},
            "as_retriever() has no option k: is similarity_top_k meant? It has budget, words, similarity_top_k, ",
        ),
        ({"top_k": 3}, "no option top_k: is similarity_top_k meant?"),
        ({"xyz": 3}, "score, similarity_cutoff, show_pages, and VectorIndexRetriever's"),
        ({"similarity_cutoff": "0.3"}, "similarity_cutoff must be a finite number, got '0.3'"),
        ({"similarity_top_k": 0}, "similarity_top_k must be a whole number of at least 1, got 0"),
        ({"similarity_top_k": -3}, "similarity_top_k must be a whole number of at least 1, got -3"),
    ],
)
def test_an_option_of_a_retriever_that_would_be_ignored_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=re.escape(message)):
        index().as_retriever(**options)


def test_what_a_tracer_puts_around_llama_indexs_retrieve_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    plain: Any = BaseRetriever.retrieve
    asked: list[Any] = []

    @functools.wraps(plain)
    def traced(own: Any, query: Any) -> Any:
        asked.append(query)
        return plain(own, query)

    monkeypatch.setattr(BaseRetriever, "retrieve", traced)
    index().as_retriever().retrieve("dough")
    assert asked == ["dough"]


async def test_settings_of_one_search_lead_to_as_retriever() -> None:
    retriever: Any = index().as_retriever()
    merging: Any = index().as_retriever(budget=None)
    said = re.escape("takes a question alone, and got budget=500, words=0: as_retriever(budget=500, words=0).")
    with pytest.raises(SettingError, match=rf"^retrieve\(\) {said}retrieve\(…\)"):
        retriever.retrieve("dough", budget=500, words=0)
    with pytest.raises(SettingError, match=rf"^aretrieve\(\) {said}aretrieve\(…\)"):
        await retriever.aretrieve("dough", budget=500, words=0)
    with pytest.raises(SettingError, match=r"takes a question alone, and got similarity_top_k=3"):
        merging.retrieve("dough", similarity_top_k=3)
    words: Any = BM25Retriever(index=index())
    with pytest.raises(SettingError, match=r"got k=3: BM25Retriever\(similarity_top_k=3\)\.retrieve\(…\)"):
        words.retrieve("dough", k=3)


def test_the_options_of_llama_indexs_own_retriever_are_taken() -> None:
    options = {"filters": None, "vector_store_query_mode": "mmr", "vector_store_kwargs": {"mmr_threshold": 0.5}}
    made = index()
    made.upsert(documents())
    assert made.as_retriever(**options, verbose=True).retrieve("dough")


@pytest.mark.parametrize("value", [*CYCLIC.values(), *DEEP.values()], ids=[*CYCLIC, *DEEP])
async def test_metadata_that_holds_itself_or_is_too_deep_is_refused_with_its_key(value: Callable[[], Any]) -> None:
    made = index()
    given = [*documents(), Document(text=ARTICLE, id_="odd", metadata={"page": 7, "bad": value()})]
    for _ in range(2):
        with pytest.raises(SettingError, match=r"metadata 'bad' of document 'odd' must not hold itself or .* leave it"):
            made.upsert(given)
        with pytest.raises(SettingError, match="metadata 'bad'"):
            await made.aupsert(given)
    assert rows(made) == set()
    assert made.upsert(documents()).added == len(documents())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"transformation": []}, "HierarchyIndex has no setting transformation=[]: did you mean transformations?"),
        ({"chunk_sizes": [9]}, "no setting chunk_sizes=[9]: SemanticHierarchyParser has it: transformations=["),
        ({"embedding": None}, "no setting embedding=None: embed_model is its name here"),
        ({"embed_model": len}, "embed_model must be an embedding of LlamaIndex, got <built-in function len>: derive"),
        ({"embed_model": StaticEmbedding}, "StaticEmbedding'>: call it, StaticEmbedding()"),
        ({"transformations": parser()}, "got one SemanticHierarchyParser: pass [SemanticHierarchyParser()]"),
    ],
)
def test_a_setting_that_there_is_not_is_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=re.escape(message)):
        index(**settings)


def test_names_of_llama_indexs_own_indexes_lead_to_ours() -> None:
    made = index()
    for method in (made.as_query_engine, made.as_chat_engine):
        with pytest.raises(SettingError, match=rf"{method.__name__}\(\) has no option buget: is budget meant"):
            method(buget=3)
    stores = "vector_store=SimpleVectorStore, docstore=SimpleDocumentStore"
    assert repr(made) == f"HierarchyIndex({stores}, embed_model='unknown')"


def test_another_embed_model_than_the_index_was_made_with_is_told(tmp_path: Any, recwarn: Any) -> None:
    made = index()
    made.upsert(documents())
    made.persist(tmp_path)
    settings: dict[str, Any] = {"transformations": [parser()]}
    HierarchyIndex.load(tmp_path, embed_model=Words(), **settings)
    assert not [each for each in recwarn if each.category is UserWarning]
    with pytest.warns(UserWarning, match=r"made with another embed_model.* mirror\(documents\) makes it anew"):
        other = HierarchyIndex.load(tmp_path, embed_model=StaticEmbedding(), **settings)
    retriever = other.as_retriever()
    with pytest.raises(SettingError, match=r"rows of \d+ numbers, and embed_model makes 192 of a question"):
        retriever.retrieve("dough")
    other.mirror(documents())
    assert retriever.retrieve("dough")


async def test_rows_of_an_embed_model_of_another_width_are_refused_before_anything_is_written() -> None:
    made = index()
    made.upsert(documents())
    before, retriever = rows(made), made.as_retriever()
    made.embed_model = StaticEmbedding()
    edited = [Document(text="Snow falls on the dough.", id_="a")]
    for upsert in (made.upsert, made.insert_nodes):
        with pytest.raises(SettingError, match=r"rows of 16 numbers, of 'b' and others, .* makes 192 of a text"):
            upsert(edited)
    with pytest.raises(SettingError, match=r"mirror\(documents\) makes it anew"):
        await made.amirror([Document(text="Snow.", id_="s", metadata={"user": "anna"})], {"user": "anna"})
    assert rows(made) == before
    made.embed_model = Words()
    assert made.as_retriever().retrieve("dough")[0].text == retriever.retrieve("dough")[0].text
    assert made.upsert(documents()) == (0, 0, 3, 0)
    for model, write in ((StaticEmbedding(), made.upsert), (Words(), made.mirror)):  # of all documents
        made.embed_model, made.batch_size = model, 1
        assert write(documents()).updated == 3
        assert made.as_retriever().retrieve("dough")


def test_rows_of_different_embed_models_are_told() -> None:
    made = index()
    made.upsert(documents())
    retriever = made.as_retriever()
    made.vector_store.add([TextNode(text="Snow.", id_="snow", embedding=[1.0, 2.0])])
    with pytest.raises(SettingError, match=r"rows of \d+ and of \d+ numbers, .*mirror\(documents\) makes it anew"):
        retriever.retrieve("dough")
    made.vector_store.delete_nodes(["snow"])
    assert retriever.retrieve("dough")


def test_a_storage_context_whose_texts_live_shorter_than_its_rows_is_told_of(tmp_path: Any) -> None:
    class Kept(SimpleVectorStore):
        """Stands for a vector store on the disk."""

        stores_text: bool = True

    stores = StorageContext.from_defaults(vector_store=Kept())
    with pytest.warns(UserWarning, match=r"has a Kept, and a docstore in memory.*docstore=SQLiteDocumentStore\(path\)"):
        made = index(storage_context=stores)
    made.upsert(documents())
    made.persist(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        HierarchyIndex.load(tmp_path, vector_store=Kept(), transformations=[parser()], embed_model=Words())
        index(vector_store=Kept(), docstore=SimpleDocumentStore())
        index(storage_context=StorageContext.from_defaults(docstore=SQLiteDocumentStore(tmp_path / "n.db")))
        index(storage_context=StorageContext.from_defaults())


def test_two_names_of_one_index_are_told_of() -> None:
    stores = StorageContext.from_defaults()
    first, second = index(storage_context=stores), index(storage_context=stores)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first.set_index_id("wiki")
        first.set_index_id("wiki")
    with pytest.warns(UserWarning, match="'notes' is the index 'wiki', since both have the same vector store"):
        second.set_index_id("notes")


def test_the_id_of_another_documents_node_is_refused_and_that_document_stays() -> None:
    made = index()
    made.upsert(documents())
    node = made.as_retriever().retrieve("ferry")[0].node
    inner = next(iter(made.docstore.get_ref_doc_info(str(node.ref_doc_id)).node_ids))  # type: ignore[union-attr]
    before = rows(made)
    with pytest.raises(SettingError, match=r"is the id of a node of the document"):
        made.upsert([Document(text="A note.", id_=inner)])
    with pytest.raises(SettingError, match=r"delete a document by its id"):
        made.delete_ref_doc(inner)
    assert rows(made) == before
    assert made.upsert(documents()).unchanged == len(documents())
