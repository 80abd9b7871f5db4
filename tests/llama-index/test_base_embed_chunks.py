"""embed_chunks: nodes come with the vectors that splitting cost already, and an index asks for none of them again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fakes.llama_index.embeddings import Words
from fakes.llama_index.parsers import ARTICLE, parsers
from llama_index.core import Document, VectorStoreIndex
from llama_index.core.ingestion import IngestionPipeline

from caesura.errors import SettingError
from caesura_retrieval.leaning import lean
from llama_index.node_parser.caesura import OptimalSemanticSplitter, StaticEmbedding

TEXT = " ".join(
    [f"The ferry to island {number} leaves the harbour at {number}." for number in range(9)]
    + [f"Bread dough number {number} rests for {number} hours in the oven." for number in range(9)]
)


def test_a_node_has_the_mean_direction_of_its_sentences_by_the_roots_of_their_sizes() -> None:
    model = StaticEmbedding()
    nodes = OptimalSemanticSplitter(tokenizer=list, chunk_size=300, embed_chunks=True)([Document(text=TEXT)])
    assert len(nodes) > 2
    for node in nodes:
        sentences = [f"{sentence.strip('.')}." for sentence in node.get_content().split(". ")]
        mean = np.average(model.embedder(sentences), axis=0, weights=np.sqrt([len(each) + 1 for each in sentences]))
        np.testing.assert_allclose(node.embedding, mean / np.linalg.norm(mean), atol=0.01 * np.abs(mean).max())


def test_by_default_nodes_have_none() -> None:
    assert {node.embedding for node in OptimalSemanticSplitter()([Document(text=TEXT)])} == {None}


def test_an_index_on_the_same_model_embeds_no_node_again() -> None:
    model = Words()
    splitter = OptimalSemanticSplitter(embed_model=model, chunk_size=60, embed_chunks=True)
    nodes = splitter([Document(text=TEXT)])
    asked = sum(map(len, model.calls))
    index = VectorStoreIndex(nodes, embed_model=model)
    assert sum(map(len, model.calls)) == asked > 0
    found = index.as_retriever(similarity_top_k=1).retrieve("Bread dough in the oven")[0]
    assert "Bread" in found.get_content()


async def test_async_nodes_have_the_same_vectors() -> None:
    splitter = OptimalSemanticSplitter(chunk_size=60, embed_chunks=True)
    document = Document(text=TEXT, id_="one")
    made = [node.embedding for node in splitter([document])]
    assert [node.embedding for node in await splitter.acall([document])] == made


def test_a_chunk_within_a_sentence_has_the_sentences_vector() -> None:
    model, long = StaticEmbedding(), "The ferry, " * 40 + "leaves."
    nodes = OptimalSemanticSplitter(tokenizer=list, chunk_size=100, target_size=None, embed_chunks=True)(
        [Document(text=long)]
    )
    assert len(nodes) > 3
    for node in nodes:
        np.testing.assert_allclose(node.embedding, model.embedder([node.get_content()])[0], atol=1e-5)


def test_metadata_that_takes_room_leaves_every_node_its_vector() -> None:
    document = Document(text=TEXT, metadata={"title": "Of ferries and of bread, in two parts", "page": 7})
    nodes = OptimalSemanticSplitter(chunk_size=60, embed_chunks=True)([document])
    assert all(node.embedding is not None and any(node.embedding) for node in nodes)


def test_a_cache_knows_the_setting() -> None:
    plain, embedded = OptimalSemanticSplitter(), OptimalSemanticSplitter(embed_chunks=True)
    assert plain.to_dict() != embedded.to_dict()
    assert OptimalSemanticSplitter.from_dict(embedded.to_dict()).embed_chunks
    pipeline = IngestionPipeline(transformations=[plain])
    pipeline.run(documents=[Document(text=TEXT, id_="one")])
    pipeline.transformations = [embedded]
    assert all(node.embedding for node in pipeline.run(documents=[Document(text=TEXT, id_="one")]))


@parsers
def test_the_embedding_of_a_document_is_not_its_nodes(parser: Any) -> None:
    nodes = parser(chunk_size=20)([Document(text=ARTICLE, embedding=[1.0, 0.0])])
    assert all(node.embedding is None for node in nodes)
    for node in nodes:
        node.embedding = [0.5]
    assert all(node.embedding is None for node in parser(chunk_size=5)(nodes))


def test_with_a_context_vectors_lean_toward_those_around() -> None:
    plain, leaning = (
        OptimalSemanticSplitter(tokenizer=list, chunk_size=300, embed_chunks=True, context=context)(
            [Document(text=TEXT, id_="a"), Document(text=TEXT[::-1], id_="b")]
        )
        for context in (0.0, 0.4)
    )
    assert [node.node_id for node in plain] == [node.node_id for node in leaning]
    for document in "ab":
        rows = np.array([node.embedding for node in plain if node.ref_doc_id == document])
        found = [node.embedding for node in leaning if node.ref_doc_id == document]
        np.testing.assert_allclose(found, lean(rows, 0.4), atol=1e-6)


def test_a_context_needs_vectors() -> None:
    with pytest.raises(SettingError, match="give embed_chunks=True too"):
        OptimalSemanticSplitter(context=0.4)
