"""llama-index-ingestion-ray runs our node parsers: the nodes of a local run, with the same ids; and its docstore."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.splitters.split_batch import documents
from llama_index.core import Document
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.ingestion.ray import RayIngestionPipeline, RayTransformComponent

from llama_index.node_parser.caesura import OptimalSemanticSplitter, StaticEmbedding

pytestmark = pytest.mark.usefixtures("cluster")
COLUMNS = documents(20)
DOCUMENTS = [Document(id_=name, text=text) for name, text in zip(COLUMNS["id"], COLUMNS["text"], strict=True)]


def steps() -> list[Any]:
    return [
        RayTransformComponent(
            OptimalSemanticSplitter, map_batches_kwargs={"batch_size": 3}, transform_kwargs={"chunk_size": 60}
        ),
        RayTransformComponent(StaticEmbedding, map_batches_kwargs={"batch_size": 10}),
    ]


def content(nodes: Any) -> list[Any]:
    return [(node.node_id, node.text, node.start_char_idx, node.ref_doc_id, node.embedding) for node in nodes]


class Repaired(RayIngestionPipeline):
    """As docs/scale.md has it."""

    def _update_docstore(self, nodes: Any, *_: Any, store_doc_text: bool = True) -> None:
        super()._update_docstore(nodes, self.docstore_strategy, store_doc_text)


def test_nodes_are_those_of_a_local_pipeline() -> None:
    local = IngestionPipeline(
        transformations=[OptimalSemanticSplitter(chunk_size=60), StaticEmbedding()], disable_cache=True
    ).run(documents=DOCUMENTS)
    assert len(local) > 40
    assert sorted(content(RayIngestionPipeline(transformations=steps()).run(documents=DOCUMENTS))) == sorted(
        content(local)
    )


def test_with_a_docstore_it_needs_a_line_of_ours() -> None:
    with pytest.raises(TypeError, match="effective_strategy"):
        RayIngestionPipeline(transformations=steps(), docstore=SimpleDocumentStore()).run(documents=DOCUMENTS)
    pipeline = Repaired(transformations=steps(), docstore=SimpleDocumentStore())
    assert len(pipeline.run(documents=DOCUMENTS)) > 40
    assert pipeline.run(documents=DOCUMENTS) == []
