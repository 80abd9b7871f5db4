"""A splitter among LlamaIndex's settings or given to an index splits what it indexes."""

from __future__ import annotations

from typing import Any

from llama_index.core import Document, Settings, VectorStoreIndex
from llama_index.core.embeddings import MockEmbedding
from llama_index_fakes import ARTICLE, parsers, slices, spans

from llama_index.node_parser.caesura import StaticEmbedding


@parsers
def test_settings_take_it_as_transformation_and_as_node_parser(parser: Any) -> None:
    Settings.embed_model = StaticEmbedding()
    Settings.transformations = [parser(chunk_size=40)]
    document = Document(text=ARTICLE, id_="a")
    index = VectorStoreIndex.from_documents([document])
    slices(document, sorted(index.docstore.docs.values(), key=lambda node: node.start_char_idx))

    Settings.transformations = None
    Settings._transformations = None
    Settings.node_parser = parser(chunk_size=40)
    assert Settings.transformations == [Settings.node_parser]
    assert Settings.text_splitter is Settings.node_parser
    assert len(VectorStoreIndex.from_documents([document]).docstore.docs) > 1


@parsers
def test_the_global_chunk_size_is_that_of_the_splitter(parser: Any) -> None:
    Settings.node_parser = parser(chunk_size=300)
    assert Settings.chunk_size == 300
    Settings.chunk_size = 30
    few = Settings.node_parser.get_nodes_from_documents([Document(text=ARTICLE, id_="a")])
    assert spans(few) == spans(parser(chunk_size=30)([Document(text=ARTICLE, id_="a")]))


@parsers
def test_an_index_built_offline_finds_the_right_node(parser: Any) -> None:
    Settings.embed_model = StaticEmbedding()
    Settings.transformations = [parser(chunk_size=60)]
    index = VectorStoreIndex.from_documents([Document(text=ARTICLE, id_="a")])
    (found,) = index.as_retriever(similarity_top_k=1).retrieve("How long should bread dough rise?")
    assert "dough" in found.node.text
    assert ARTICLE[found.node.start_char_idx : found.node.end_char_idx] == found.node.text


@parsers
def test_transformations_given_to_the_index_work_beside_another_embedding(parser: Any) -> None:
    documents = [Document(text=ARTICLE)]
    index = VectorStoreIndex.from_documents(
        documents, transformations=[parser(chunk_size=60)], embed_model=MockEmbedding(embed_dim=3), show_progress=True
    )
    assert index.as_retriever(similarity_top_k=1).retrieve("bread")
