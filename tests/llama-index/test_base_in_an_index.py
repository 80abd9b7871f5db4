"""A splitter, or a hierarchy, among LlamaIndex's settings or given to an index splits what it indexes."""

from __future__ import annotations

from typing import Any

from fakes.llama_index.parsers import ARTICLE, ONE_ARTICLE, documents, parsers, slices, spans
from llama_index.core import Document, Settings, VectorStoreIndex
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.node_parser import get_leaf_nodes
from llama_index.core.retrievers import AutoMergingRetriever

from llama_index.node_parser.caesura import SemanticHierarchyParser, StaticEmbedding

SIZES = [120, 40, 15]


@parsers
def test_settings_take_it_as_transformation_and_as_node_parser(parser: Any) -> None:
    Settings.embed_model = StaticEmbedding()
    Settings.transformations = [parser(chunk_size=40)]
    document = Document(text=ARTICLE, id_="a")
    index = VectorStoreIndex.from_documents([document])
    slices(document, sorted(index.docstore.docs.values(), key=lambda node: node.start_char_idx))

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
    few = Settings.node_parser.get_nodes_from_documents(ONE_ARTICLE)
    assert spans(few) == spans(parser(chunk_size=30)(ONE_ARTICLE))


@parsers
def test_an_index_built_offline_finds_the_right_node(parser: Any) -> None:
    Settings.embed_model = StaticEmbedding()
    Settings.transformations = [parser(chunk_size=60)]
    index = VectorStoreIndex.from_documents(ONE_ARTICLE)
    (found,) = index.as_retriever(similarity_top_k=1).retrieve("How long should bread dough rise?")
    assert "dough" in found.node.text
    assert ARTICLE[found.node.start_char_idx : found.node.end_char_idx] == found.node.text


@parsers
def test_transformations_given_to_the_index_work_beside_another_embedding(parser: Any) -> None:
    index = VectorStoreIndex.from_documents(
        ONE_ARTICLE, transformations=[parser(chunk_size=60)], embed_model=MockEmbedding(embed_dim=3), show_progress=True
    )
    assert index.as_retriever(similarity_top_k=1).retrieve("bread")


def test_all_levels_of_a_hierarchy_are_indexed() -> None:
    Settings.transformations = [SemanticHierarchyParser(chunk_sizes=SIZES)]
    Settings.embed_model = StaticEmbedding()
    index = VectorStoreIndex.from_documents(documents())
    found = index.as_retriever(similarity_top_k=3).retrieve("Knead the dough until it is smooth.")
    assert "dough" in found[0].text
    assert len(index.index_struct.nodes_dict) == len(SemanticHierarchyParser(chunk_sizes=SIZES)(documents()))


def test_the_merging_retriever_of_llama_index_works_on_the_nodes() -> None:
    nodes = SemanticHierarchyParser(chunk_sizes=SIZES)(ONE_ARTICLE)
    index = VectorStoreIndex(get_leaf_nodes(nodes), embed_model=StaticEmbedding())
    index.docstore.add_documents(nodes)
    retriever = AutoMergingRetriever(index.as_retriever(similarity_top_k=6), index.storage_context)
    found = retriever.retrieve("Knead the dough and let it rise")
    assert any(each.node.child_nodes for each in found)
    assert "dough" in found[0].text
