"""Embeddings that embed a document's nodes together: embed_chunks, HierarchyIndex, and what an edit asks and writes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import chromadb
import numpy as np
import openai
import pytest
from fakes.embedders.document_embedders import Together, document_rows
from fakes.llama_index.together import TogetherEmbedding
from fakes.servers.contextual_server import ContextualServer
from fakes.servers.conversations import FAST
from llama_index.core import Document, StorageContext, VectorStoreIndex
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import BaseNode, IndexNode, MetadataMode, TransformComponent
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import SimpleVectorStore
from llama_index.vector_stores.chroma import ChromaVectorStore

from caesura.errors import EmbeddingError, SettingError
from caesura_llm.document_vectors import jina_vectors
from caesura_retrieval.cached_documents import cached_documents
from caesura_retrieval.leaning import lean
from llama_index.node_parser.caesura import (
    ContextualEmbedding,
    HierarchyIndex,
    OptimalSemanticSplitter,
    SemanticHierarchyParser,
    SQLiteDocumentStore,
)

FERRY = " ".join(f"The ferry to island {number} leaves the harbour at {number}." for number in range(9))
BREAD = " ".join(f"Bread dough number {number} rests for {number} hours in the oven." for number in range(9))
DOCUMENTS = [Document(text=FERRY, id_="ferry"), Document(text=BREAD, id_="bread")]


def splitter(model: Any, **settings: Any) -> OptimalSemanticSplitter:
    return OptimalSemanticSplitter(
        embed_model=model, tokenizer=list, chunk_size=200, target_size=100, embed_chunks=True, **settings
    )


def texts_of(nodes: Sequence[BaseNode], mode: MetadataMode = MetadataMode.NONE) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for node in nodes:
        found.setdefault(str(node.ref_doc_id), []).append(node.get_content(metadata_mode=mode))
    return found


def edited(document: Document, old: str, new: str) -> Document:
    assert old in document.text
    return Document(text=document.text.replace(old, new), id_=document.id_)


# -- flat -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("covered", [False, True])
@pytest.mark.parametrize("share", [0.0, 0.4])
async def test_a_node_has_the_row_that_its_document_gives_it(share: float, covered: bool) -> None:
    model: Any = Together() if covered else TogetherEmbedding()
    own = splitter(ContextualEmbedding(model) if covered else model, context=share)
    nodes = own(DOCUMENTS)
    assert model.documents[-2:] == list(texts_of(nodes).values())
    rows = [document_rows(texts) for texts in texts_of(nodes).values()]
    wanted = np.concatenate([lean(each, share) if share else each for each in rows])
    np.testing.assert_allclose([node.embedding for node in nodes], wanted, rtol=1e-5)
    waiting = splitter(own.embed_model if covered else TogetherEmbedding(awaited=True), context=share)
    assert [node.embedding for node in await waiting.acall(DOCUMENTS)] == [node.embedding for node in nodes]


def test_the_nodes_that_another_parser_made_of_a_document_are_embedded_together() -> None:
    model = TogetherEmbedding()
    parts = SentenceSplitter(chunk_size=60, chunk_overlap=0)(DOCUMENTS)
    nodes = splitter(model)(parts)
    assert len(parts) > 2
    assert model.documents == list(texts_of(nodes).values())
    assert len(model.documents) == 2


def test_cutting_still_uses_sentences() -> None:
    plain = OptimalSemanticSplitter(embed_model=TogetherEmbedding(), tokenizer=list, chunk_size=200, target_size=100)
    own = splitter(TogetherEmbedding())
    assert [node.text for node in own(DOCUMENTS)] == [node.text for node in plain(DOCUMENTS)]


def test_the_smallest_nodes_of_a_hierarchy_are_embedded_together() -> None:
    model = TogetherEmbedding()
    parser = SemanticHierarchyParser(embed_model=model, tokenizer=list, chunk_sizes=[300, 120], embed_chunks=True)
    nodes = [node for node in parser(DOCUMENTS) if node.embedding is not None]
    assert model.documents == list(texts_of(nodes).values())
    wanted = np.concatenate([document_rows(texts) for texts in model.documents])
    np.testing.assert_allclose([node.embedding for node in nodes], wanted, rtol=1e-6)


@pytest.mark.parametrize("kind", ["memory", "chroma"])
def test_an_index_holds_these_rows_and_questions_go_by_embed_query(kind: str) -> None:
    model = TogetherEmbedding()
    nodes = splitter(model)(DOCUMENTS)
    asked = len(model.texts), len(model.documents)
    store: Any = SimpleVectorStore()
    if kind == "chroma":
        collection = chromadb.EphemeralClient().get_or_create_collection("contextual_nodes", embedding_function=None)
        store = ChromaVectorStore(chroma_collection=collection)
    context = StorageContext.from_defaults(vector_store=store)
    index = VectorStoreIndex(nodes, storage_context=context, embed_model=model)
    assert (len(model.texts), len(model.documents)) == asked
    if kind == "chroma":
        kept = collection.get(include=["embeddings"])
        found = dict(zip(kept["ids"], kept["embeddings"], strict=True))
    else:
        found = store.data.embedding_dict
    for node in nodes:
        np.testing.assert_allclose(found[node.node_id], node.embedding, rtol=1e-5)
    assert "Bread" in index.as_retriever(similarity_top_k=1).retrieve("bread dough")[0].get_content()
    assert model.questions == ["bread dough"]


@pytest.mark.parametrize("cached", [False, True])
def test_what_is_no_row_per_node_is_refused_by_the_documents_name(cached: bool, tmp_path: Path) -> None:
    class Faulty(Together):
        def embed_document(self, chunks: list[str]) -> object:
            return document_rows(chunks)[1:] if "Bread" in chunks[0] and len(chunks) > 1 else document_rows(chunks)

    model = cached_documents(Faulty(), tmp_path / "rows.db", "own") if cached else Faulty()
    wanted = r"one row per chunk: expected \(\d+, d\), got \(\d+, 64\), for the document that begins 'Bread dough"
    with pytest.raises(EmbeddingError, match=wanted) as caught:
        splitter(ContextualEmbedding(model))(DOCUMENTS)
    assert "raised by embed_document_batch() for document 'ferry' to document 'bread'" in caught.value.__notes__


@pytest.mark.parametrize("model", [None, Together, "voyage-context-3"])
def test_what_has_no_such_method_cannot_be_covered(model: Any) -> None:
    with pytest.raises(SettingError, match="must have embed_document"):
        ContextualEmbedding(model)


def test_a_cover_is_filed_by_its_models_name_and_must_be_given_to_be_revived() -> None:
    model = Together()
    model.model = "own-1"  # type: ignore[attr-defined]
    own = splitter(ContextualEmbedding(model))
    data = own.to_dict()
    assert data["embed_model"]["model_name"] == "own-1"
    with pytest.raises(SettingError, match="embed_model="):
        OptimalSemanticSplitter.from_dict(data)
    again = OptimalSemanticSplitter.from_dict(data, embed_model=own.embed_model)
    assert again.to_dict() == data


async def test_as_a_step_of_a_pipeline_it_embeds_a_documents_nodes_together_with_their_metadata() -> None:
    model = Together()
    documents = [Document(text=FERRY, id_="ferry", metadata={"kind": "boats"}), DOCUMENTS[1]]
    steps = [OptimalSemanticSplitter(tokenizer=list, chunk_size=200, target_size=100), ContextualEmbedding(model)]
    nodes = IngestionPipeline(transformations=steps, disable_cache=True).run(documents=documents)
    texts = texts_of(nodes, MetadataMode.EMBED)
    assert texts["ferry"][0].startswith("kind: boats")
    assert model.documents == list(texts.values())
    wanted = np.concatenate([document_rows(own) for own in texts.values()])
    np.testing.assert_allclose([node.embedding for node in nodes], wanted, rtol=1e-6)
    again = await IngestionPipeline(transformations=steps, disable_cache=True).arun(documents=documents)
    assert [node.embedding for node in again] == [node.embedding for node in nodes]


# -- HierarchyIndex ---------------------------------------------------------------------------------------------------


class Kept(SimpleVectorStore):
    """Keeps which rows it was given."""

    added: list[str] = []  # noqa: RUF012 - pydantic copies it

    def add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        self.added += [node.node_id for node in nodes]
        return super().add(nodes, **kwargs)


def index(model: Any, more: Sequence[TransformComponent] = (), **settings: Any) -> HierarchyIndex:
    """Its sentences are cut by the built-in model, so that what the model is asked for is leaves."""
    parser = SemanticHierarchyParser(tokenizer=list, chunk_sizes=[300, 120])
    made = HierarchyIndex(transformations=[parser, *more], embed_model=model, **settings)
    made.vector_store.added.clear()
    return made


def leaves(made: HierarchyIndex) -> list[Any]:
    nodes = [node for node in made.docstore.docs.values() if not node.child_nodes]
    return sorted(nodes, key=lambda node: (node.ref_doc_id, node.start_char_idx))


def vectors(made: HierarchyIndex) -> dict[str, list[float]]:
    return dict(made.vector_store.data.embedding_dict)  # type: ignore[attr-defined]


def obvious(texts: Sequence[str], window: int | None, share: float) -> np.ndarray[Any, Any]:
    """The slow twin: run by run, then leaned over the whole document."""
    step = window or len(texts)
    found = np.concatenate([document_rows(texts[at : at + step]) for at in range(0, len(texts), step)])
    return lean(found, share) if share else found


def made_of(window: int | None, share: float) -> tuple[HierarchyIndex, Together, Kept]:
    model, store = Together(window), Kept()
    docstore = SimpleDocumentStore()
    return index(ContextualEmbedding(model), vector_store=store, docstore=docstore, context=share), model, store


@pytest.mark.parametrize("window", [None, 3])
@pytest.mark.parametrize("share", [0.0, 0.4])
async def test_the_leaves_of_a_document_have_the_rows_that_it_gives_them(share: float, window: int | None) -> None:
    one, model, store = made_of(window, share)
    waiting, _, _ = made_of(window, share)
    one.upsert(DOCUMENTS)
    await waiting.aupsert(DOCUMENTS)
    for name, texts in texts_of(leaves(one), MetadataMode.EMBED).items():
        own = [store.data.embedding_dict[leaf.node_id] for leaf in leaves(one) if leaf.ref_doc_id == name]
        np.testing.assert_allclose(own, obvious(texts, window, share), atol=1e-6)
    assert vectors(waiting) == vectors(one)
    asked = len(model.documents)
    one.upsert(DOCUMENTS)
    assert len(model.documents) == asked
    assert one.as_retriever().retrieve("bread dough")[0].node.ref_doc_id == "bread"
    assert model.questions == ["bread dough"]


@pytest.mark.parametrize("share", [0.0, 0.4])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ferry to island 0", "raft to rock 0"),
        ("at 4.", "at 4. Fog came in."),
        ("The ferry to island 8 leaves the harbour at 8.", ""),
    ],
)
def test_an_edit_writes_again_all_rows_of_its_document_and_no_other(old: str, new: str, share: float) -> None:
    one, model, store = made_of(None, share)
    fresh, _, _ = made_of(None, share)
    one.upsert(DOCUMENTS)
    model.documents.clear()
    store.added.clear()
    changed = [edited(DOCUMENTS[0], old, new), DOCUMENTS[1]]
    one.upsert(changed)
    fresh.upsert(changed)
    texts = texts_of(leaves(one), MetadataMode.EMBED)
    assert model.documents == [texts["ferry"]]
    assert sorted(store.added) == sorted(leaf.node_id for leaf in leaves(one) if leaf.ref_doc_id == "ferry")
    assert vectors(one) == vectors(fresh)


@pytest.mark.parametrize("share", [0.0, 0.4])
def test_of_a_document_over_the_window_it_writes_the_run_and_what_leans_to_it(share: float) -> None:
    long = Document(
        text=" ".join(f"The keeper of lamp {number} paints it in the colour {number}." for number in range(90)), id_="a"
    )
    one, model, store = made_of(3, share)
    fresh, _, _ = made_of(3, share)
    one.upsert([long])
    before = [leaf.node_id for leaf in leaves(one)]
    model.documents.clear()
    store.added.clear()
    changed = edited(long, "colour 41.", "colour 14.")
    one.upsert([changed])
    fresh.upsert([changed])
    after = leaves(one)
    places = [at for at, leaf in enumerate(after) if leaf.node_id not in before]
    assert len(after) == len(before) > 30
    low, high = places[0] // 3 * 3, places[-1] // 3 * 3 + 3
    assert 12 < low < high < len(after) - 12
    low, high = (low - 4, high + 4) if share else (low, high)
    assert sorted(store.added) == sorted(leaf.node_id for leaf in after[low:high])
    low, high = (low - 4, high + 4) if share else (low, high)
    texts = [leaf.get_content(metadata_mode=MetadataMode.EMBED) for leaf in after]
    assert model.documents == [texts[at : at + 3] for at in range(low // 3 * 3, high, 3)]
    assert vectors(one) == vectors(fresh)


def test_a_reference_is_a_document_by_itself() -> None:
    class Summary(TransformComponent):
        def __call__(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[BaseNode]:
            first = nodes[0]
            return [*nodes, IndexNode(text="All of it.", index_id=first.node_id, id_="sum")]

    model = Together()
    one = index(ContextualEmbedding(model), [Summary()], vector_store=Kept(), docstore=SimpleDocumentStore())
    one.upsert(DOCUMENTS[:1])
    assert model.documents[-1] == ["All of it."]
    np.testing.assert_allclose(vectors(one)["sum"], document_rows(["All of it."])[0])


def test_with_a_cache_and_nodes_in_sqlite_a_new_index_asks_for_nothing(tmp_path: Path) -> None:
    model = Together()
    with cached_documents(model, tmp_path / "rows.db", "own") as cache:
        for name in ("a.db", "b.db"):
            docstore = SQLiteDocumentStore(tmp_path / name)
            one = index(ContextualEmbedding(cache), vector_store=Kept(), docstore=docstore)
            one.upsert(DOCUMENTS)
            assert len(model.documents) == 2


@pytest.mark.enable_socket
async def test_over_the_wire_a_document_is_a_request_and_what_is_paid_is_what_the_server_counts() -> None:
    with ContextualServer(plan=["500", "truncated"]) as server:
        model = jina_vectors(openai.OpenAI(base_url=server.url, api_key="any"), "late-3", pace=FAST)
        one = index(ContextualEmbedding(model), vector_store=Kept(), docstore=SimpleDocumentStore(), context=0)
        one.upsert(DOCUMENTS)
        one.upsert(DOCUMENTS)
        texts = texts_of(leaves(one), MetadataMode.EMBED)
        assert len(server.requests) == 4
        assert all(request["input"] in texts.values() for request in server.requests)
        waiting = index(ContextualEmbedding(model), vector_store=Kept(), docstore=SimpleDocumentStore(), context=0)
        await waiting.aupsert(DOCUMENTS)
        assert vectors(waiting) == vectors(one)
        assert one.as_retriever().retrieve("bread dough")[0].node.ref_doc_id == "bread"
        assert server.requests[-1] == {"model": "late-3", "input": ["bread dough"], "task": "retrieval.query"}
        assert model.report.retries == 2
    for name, own in texts.items():
        found = [vectors(one)[leaf.node_id] for leaf in leaves(one) if leaf.ref_doc_id == name]
        np.testing.assert_allclose(found, document_rows(own), rtol=1e-6)
    lost = server.tokens - model.report.input_tokens  # of the reply that was cut off
    assert lost in [sum(len(text.split()) for text in own) for own in texts.values()]
