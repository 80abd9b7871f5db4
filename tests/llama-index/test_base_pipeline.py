"""An ingestion pipeline caches, updates and awaits, and always makes the same nodes."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.llama_index.embeddings import Words
from fakes.llama_index.parsers import PARSERS, content, documents, every_parser, letters, parsers, spans
from llama_index.core import Document
from llama_index.core.ingestion import IngestionCache, IngestionPipeline
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import SimpleVectorStore

from llama_index.node_parser.caesura import SemanticHierarchyParser, StaticEmbedding


@every_parser
async def test_a_second_run_asks_no_embedding(parser: Any, tmp_path: Any) -> None:
    model = Words()
    pipeline = IngestionPipeline(transformations=[parser(embed_model=model)])
    first = pipeline.run(documents=documents())
    asked = len(model.all_calls)
    assert content(pipeline.run(documents=documents())) == content(first)
    assert content(await pipeline.arun(documents=documents())) == content(first)
    assert len(model.all_calls) == asked

    pipeline.persist(str(tmp_path))
    again = IngestionPipeline(transformations=[parser(embed_model=Words())])
    again.load(str(tmp_path))
    assert content(again.run(documents=documents())) == content(first)
    assert again.transformations[0].embed_model.all_calls == []


@parsers
def test_another_setting_or_text_misses_the_cache(parser: Any) -> None:
    cache = IngestionCache()
    for size in (30, 60):
        run = IngestionPipeline(transformations=[parser(chunk_size=size)], cache=cache).run(documents=documents())
        assert spans(run) == spans(parser(chunk_size=size)(documents()))
    edited = [*documents()[:-1], Document(text="Another text.", id_="d7")]
    run = IngestionPipeline(transformations=[parser(chunk_size=60)], cache=cache).run(documents=edited)
    assert spans(run) == spans(parser(chunk_size=60)(edited))


@parsers
async def test_awaited_runs_make_the_same_nodes(parser: Any) -> None:
    pipeline = IngestionPipeline(transformations=[parser(chunk_size=40), StaticEmbedding()], disable_cache=True)
    nodes = pipeline.run(documents=documents())
    assert content(await pipeline.arun(documents=documents())) == content(nodes)
    assert all(node.embedding for node in nodes)


@parsers
def test_upserts_replace_what_changed_and_leave_the_rest(parser: Any) -> None:
    store, vectors = SimpleDocumentStore(), SimpleVectorStore()
    model = Words()
    pipeline = IngestionPipeline(
        transformations=[parser(chunk_size=30, embed_model=model), StaticEmbedding()],
        docstore=store,
        vector_store=vectors,
        disable_cache=True,
    )

    def stored() -> dict[str, int]:
        names = list(vectors.data.text_id_to_ref_doc_id.values())
        return {name: names.count(name) for name in sorted(set(names))}

    first = pipeline.run(documents=documents())
    before, ids = stored(), set(vectors.data.embedding_dict)
    assert ids == {node.node_id for node in first}
    assert pipeline.run(documents=documents()) == []
    assert (stored(), len(model.calls)) == (before, 1)

    edited = documents()
    edited[1] = Document(text="Another text. It is short.", id_="d1", metadata={"n": 1})
    changed = pipeline.run(documents=edited)
    assert {node.ref_doc_id for node in changed} == {"d1"}
    assert {**stored(), "d1": before["d1"]} == before
    kept = {node.node_id for node in first if node.ref_doc_id != "d1"} | {node.node_id for node in changed}
    assert set(vectors.data.embedding_dict) == kept


def test_a_cache_shared_by_the_splitters_keeps_them_apart() -> None:
    cache = IngestionCache()
    for each in PARSERS:
        for settings in ({}, {"chunk_size": 30}):
            nodes = IngestionPipeline(transformations=[each(**settings)], cache=cache).run(documents=documents())
            assert spans(nodes) == spans(each(**settings)(documents()))


@pytest.mark.thorough
def test_another_setting_of_a_hierarchy_misses_the_cache() -> None:
    cache = IngestionCache()
    for settings in ({}, {"chunk_sizes": [120, 40]}, {"cut": "cluster"}, {"calibrated": False}, {"tokenizer": letters}):
        parser = SemanticHierarchyParser(**{"chunk_sizes": [120, 40, 15], **settings})
        run = IngestionPipeline(transformations=[parser], cache=cache).run(documents=documents())
        assert spans(run) == spans(parser(documents()))
