"""The hierarchy in pipelines: runs, awaited runs, caches and processes make the same nodes; an index finds them."""

from __future__ import annotations

from typing import Any

from llama_index.core import Document, Settings, VectorStoreIndex
from llama_index.core.ingestion import IngestionCache, IngestionPipeline
from llama_index.core.node_parser import get_leaf_nodes
from llama_index.core.retrievers import AutoMergingRetriever
from llama_index_embedding_fakes import Words
from llama_index_fakes import ARTICLE, at_stops, content, documents, letters, numbered, spans

from llama_index.node_parser.caesura import SemanticHierarchyParser, StaticEmbedding

SIZES = [120, 40, 15]


async def test_run_and_arun_make_the_nodes_of_the_parser_and_cache_them(tmp_path: Any) -> None:
    model = Words()
    pipeline = IngestionPipeline(transformations=[SemanticHierarchyParser(chunk_sizes=SIZES, embed_model=model)])
    first = pipeline.run(documents=documents())
    assert content(first) == content(SemanticHierarchyParser(chunk_sizes=SIZES, embed_model=Words())(documents()))
    asked = len(model._calls)
    assert content(await pipeline.arun(documents=documents())) == content(first)
    assert len(model._calls) == asked
    pipeline.persist(str(tmp_path))
    again = IngestionPipeline(transformations=[SemanticHierarchyParser(chunk_sizes=SIZES, embed_model=Words())])
    again.load(str(tmp_path))
    assert content(again.run(documents=documents())) == content(first)
    uncached = IngestionPipeline(transformations=pipeline.transformations, disable_cache=True)
    assert content(await uncached.arun(documents=documents())) == content(first)


def test_another_setting_misses_the_cache() -> None:
    cache = IngestionCache()
    for settings in ({}, {"chunk_sizes": [120, 40]}, {"cut": "cluster"}, {"calibrated": False}, {"tokenizer": letters}):
        parser = SemanticHierarchyParser(**{"chunk_sizes": SIZES, **settings})
        run = IngestionPipeline(transformations=[parser], cache=cache).run(documents=documents())
        assert spans(run) == spans(parser(documents()))


def test_two_workers_make_the_nodes_of_one_process() -> None:
    parser = SemanticHierarchyParser(
        chunk_sizes=[300, 100], embed_model=Words(), sentence_splitter=at_stops, tokenizer=letters, id_func=numbered
    )
    serial = IngestionPipeline(transformations=[parser], disable_cache=True).run(documents=documents())
    assert content(IngestionPipeline(transformations=[parser]).run(documents=documents(), num_workers=2)) == content(
        serial
    )


def test_settings_transformations_index_all_levels() -> None:
    Settings.transformations = [SemanticHierarchyParser(chunk_sizes=SIZES)]
    Settings.embed_model = StaticEmbedding()
    index = VectorStoreIndex.from_documents(documents())
    found = index.as_retriever(similarity_top_k=3).retrieve("Knead the dough until it is smooth.")
    assert "dough" in found[0].text
    assert len(index.index_struct.nodes_dict) == len(SemanticHierarchyParser(chunk_sizes=SIZES)(documents()))


async def test_the_merging_retriever_of_llama_index_works_on_the_nodes() -> None:
    nodes = SemanticHierarchyParser(chunk_sizes=SIZES)([Document(text=ARTICLE, id_="a")])
    index = VectorStoreIndex(get_leaf_nodes(nodes), embed_model=StaticEmbedding())
    index.docstore.add_documents(nodes)
    retriever = AutoMergingRetriever(index.as_retriever(similarity_top_k=6), index.storage_context)
    found = retriever.retrieve("Knead the dough and let it rise")
    assert any(each.node.child_nodes for each in found)
    assert "dough" in found[0].text
