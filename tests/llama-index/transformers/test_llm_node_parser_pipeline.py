"""In a pipeline, and over processes, language-model work makes the same nodes and pays for nothing twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fakes.llama_index.llms import Plain, every, like, told
from fakes.llama_index.parsers import content
from fakes.servers.conversations import FAST
from fakes.servers.openai_server import OpenAIServer
from llama_index.core import Document
from llama_index.core.ingestion import IngestionPipeline

from llama_index.node_parser.caesura import AgenticSplitter, StaticEmbedding

pytestmark = pytest.mark.enable_socket
CODE = [Document(text="```python\nx = 1\n```\n", id_="code")]


@pytest.mark.thorough
@every
async def test_a_second_run_asks_nothing(kind: Any, tmp_path: Path) -> None:
    with OpenAIServer() as server:
        pipeline = IngestionPipeline(transformations=[kind(like(server))])
        first = pipeline.run(documents=told(3) + CODE)
        calls = server.calls
        assert calls
        assert content(pipeline.run(documents=told(3) + CODE)) == content(first)
        assert content(await pipeline.arun(documents=told(3) + CODE)) == content(first)
        pipeline.persist(str(tmp_path))
        settings = {"max_concurrency": 3, "prices": (1, 2), "journal": str(tmp_path / "j.db"), "pace": FAST}
        again = IngestionPipeline(transformations=[kind(like(server, max_retries=9, timeout=7.0), **settings)])
        again.load(str(tmp_path))
        assert content(again.run(documents=told(3) + CODE)) == content(first)
        assert server.calls == calls
        assert content(
            await IngestionPipeline(transformations=[kind(like(server))]).arun(documents=told(3) + CODE)
        ) == (content(first))


@pytest.mark.thorough
def test_over_processes_the_nodes_are_the_same_and_one_journal_serves_all(tmp_path: Path) -> None:
    documents = told(4)
    with OpenAIServer() as server:
        alone = AgenticSplitter(like(server), budget=1)(documents)
        parser = AgenticSplitter(like(server), budget=1, journal=str(tmp_path / "j.db"))
        pipeline = IngestionPipeline(transformations=[parser], disable_cache=True)
        over = pipeline.run(documents=documents, num_workers=2)
        calls = server.calls
        assert [node.node_id for node in over] == [node.node_id for node in alone]
        assert content(parser(documents)) == content(alone)
        assert server.calls == calls


@every
def test_texts_and_vectors_go_into_one_store(kind: Any) -> None:
    pipeline = IngestionPipeline(transformations=[kind(Plain()), StaticEmbedding()])
    assert all(node.embedding for node in pipeline.run(documents=told(2) + CODE))
