"""The adapter that docs/custom.md builds, against real Haystack: a pipeline finds what it wrote, all laws hold."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
pytest.importorskip("haystack")
from haystack import Document, Pipeline, component
from haystack.components.embedders import MockDocumentEmbedder

from caesura_testing import Record, check_adapter, odd_texts

EXAMPLE = Path(__file__).parents[2] / "examples" / "haystack_splitter.py"
ODD = odd_texts(100, surrogates=False)
"""Haystack hashes a document's text, which has to be encodable."""
EXPECTED = "{'documents_written': 17}\narticle.md, from 4974: ## Counting birds Dr. Runa Haldorsen counts"

pytestmark = [pytest.mark.thorough, pytest.mark.filterwarnings("ignore:the built-in model knows English")]


@pytest.fixture(scope="module")
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("haystack_splitter", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules["haystack_splitter"] = found  # where Haystack looks for the class that it revives
    spec.loader.exec_module(found)
    return found


@component
class Letters:
    """A document embedder: how often each of eight letters occurs."""

    def __init__(self) -> None:
        self.calls = 0

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        self.calls += 1
        rows = [[float((one.content or "").count(letter)) for letter in "aeioutns"] for one in documents]
        return {
            "documents": [Document(content=d.content, embedding=row) for d, row in zip(documents, rows, strict=True)]
        }


def given(texts: list[str]) -> list[Document]:
    return [Document(id=str(number), content=text, meta={"tags": ["a"]}) for number, text in enumerate(texts)]


def records(count: int, found: dict[str, list[Document]]) -> list[list[Record]]:
    made: list[list[Record]] = [[] for _ in range(count)]
    for one in found["documents"]:
        start, text = one.meta["split_idx_start"], one.content or ""
        made[int(one.meta["source_id"])].append(Record(text, start, start + len(text), one.id))
    return made


def test_the_example_writes_the_article_and_finds_a_chunk_at_its_place() -> None:
    done = subprocess.run([sys.executable, EXAMPLE], capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith(EXPECTED)


@pytest.mark.parametrize("embedder", [None, Letters()], ids=["built-in model", "Haystack's"])
def test_the_component_keeps_the_laws_of_an_adapter(example: ModuleType, embedder: Any) -> None:
    splitter = example.SemanticSplitter(embedder, max_size=60)

    def split(texts: list[str]) -> list[list[Record]]:
        return records(len(texts), splitter.run(documents=given(texts)))

    check_adapter(split, ODD, max_size=60)


def test_all_documents_are_embedded_in_one_call_after_one_for_calibration(example: ModuleType) -> None:
    embedder = Letters()
    splitter = example.SemanticSplitter(embedder)
    splitter.run(documents=given(["One. Two.", "Three. Four."]))
    assert embedder.calls == 2
    splitter.run(documents=given(["Five. Six."]))
    assert embedder.calls == 3


def test_metadata_is_copied_and_a_document_without_text_has_no_chunk(example: ModuleType) -> None:
    documents = [Document(id="d", content="One.", meta={"tags": ["a"]}), Document(id="e", content=None)]
    (found,) = example.SemanticSplitter().run(documents=documents)["documents"]
    assert found.meta == {"tags": ["a"], "source_id": "d", "split_id": 0, "split_idx_start": 0}
    assert found.meta["tags"] is not documents[0].meta["tags"]


async def test_a_pipeline_is_saved_revived_and_run_sync_and_async(example: ModuleType) -> None:
    pipeline = Pipeline()
    pipeline.add_component("splitter", example.SemanticSplitter(MockDocumentEmbedder(dimension=8), max_size=30))
    revived = Pipeline.loads(pipeline.dumps(), allowed_modules=["haystack_splitter"])
    assert revived.get_component("splitter").document_embedder.dimension == 8
    data = {"splitter": {"documents": given(["A sentence of some length. And one that comes after it."])}}
    assert revived.run(data) == pipeline.run(data)
    assert await revived.run_async(data) == pipeline.run(data)
