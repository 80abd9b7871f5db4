"""embed_headings: what stands above a chunk is in its vector, counts in its limit, and is no part of its text."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fakes.langchain.splitters import AsyncBag, Bag, bags, every_splitter
from fakes.texts.articles import article
from langchain_core.documents import Document

from caesura.errors import SettingError
from caesura.types import Chunk
from caesura_documents.chunk_metadata import ChunkMetadata
from caesura_documents.layout import LAYOUT
from caesura_retrieval.leaning import lean
from langchain_caesura import OptimalSemanticSplitter, SemanticHierarchySplitter

TITLES = "Fares", "Crews", "Ropes"
SECTIONS = [f"## {title} of the harbour\n\n{article(8, seed)}" for seed, title in enumerate(TITLES)]
ROWS = "".join(f"| boat {number} | {number} coins |\n" for number in range(60))
TEXT = "\n\n".join(["# Ferries", *SECTIONS, f"## Prices\n\n| vessel | toll |\n|---|---|\n{ROWS}"])
HEADINGS = ChunkMetadata.of(["headings", "table_header"])


def above(chunk: Document, text: str = TEXT) -> str:
    """The lines before a chunk, as they are embedded."""
    start = chunk.metadata["start_index"]
    own = Chunk(chunk.page_content, start, start + len(chunk.page_content))
    (said,) = HEADINGS.describe(text, {}, [own], ["id"])
    return HEADINGS.headings_text(said, len, 100)


@every_splitter
def test_headings_and_a_chunk_together_fit_the_limit(cls: Any) -> None:
    settings: dict[str, Any] = {"chunk_size": 400, "target_size": 390, "add_start_index": True}
    splitter = cls(Bag(), embed_chunks=True, embed_headings=True, **settings)
    chunks = splitter.split_documents([Document(TEXT)])
    before = [above(chunk) for chunk in chunks]
    assert all(TEXT.startswith(chunk.page_content, chunk.metadata["start_index"]) for chunk in chunks)
    assert max(len(lines) + len(chunk.page_content) for lines, chunk in zip(before, chunks, strict=True)) <= 400
    assert len(set(before)) > 4
    assert "Ferries > Prices\n| vessel | toll |\n" in before
    without = cls(Bag(), **settings)
    assert max(len(above(chunk)) + len(chunk.page_content) for chunk in without.split_documents([Document(TEXT)])) > 400
    flat = [Document(article(40))]
    assert splitter.split_documents(flat) == without.split_documents(flat)


@pytest.mark.parametrize("context", [0, 0.4])
@pytest.mark.parametrize("batch_size", [None, 3])
async def test_a_vector_counts_its_headings_as_one_sentence_more(context: float, batch_size: int | None) -> None:
    settings: dict[str, Any] = {"chunk_size": 400, "embed_chunks": True, "context": context, "batch_size": batch_size}
    model, amodel = Bag(), AsyncBag()
    splitter = OptimalSemanticSplitter(model, embed_headings=True, add_start_index=True, **settings)
    other = OptimalSemanticSplitter(amodel, embed_headings=True, add_start_index=True, **settings)
    chunks = splitter.split_documents([Document(TEXT)])
    assert await other.asplit_documents([Document(TEXT)]) == chunks
    distinct = list(dict.fromkeys(filter(None, map(above, chunks))))
    calls = -(-len(distinct) // (batch_size or 99))
    assert [text for call in model.calls[-calls:] for text in call] == distinct
    assert [text for call in amodel.calls[-calls:] for text in call] == distinct
    batch = splitter.stages.prepare([TEXT])
    (result,) = splitter.stages.finish(batch, bags(batch.texts))
    expected = []
    for chunk in chunks:
        start, end = chunk.metadata["start_index"], chunk.metadata["start_index"] + len(chunk.page_content)
        units = [
            number
            for number in range(len(result.sizes))
            if result.sizes[number] and result.units[number] < end and result.units[number + 1] > start
        ]
        weights = [*np.sqrt(result.sizes[units]), np.sqrt(len(above(chunk)))]
        row = np.array(weights) @ np.array([*result.rows[units], *bags([above(chunk)])])
        expected.append(row / np.linalg.norm(row))
    rows = np.array(splitter.chunk_embeddings.embed_documents([chunk.page_content for chunk in chunks]))
    own = lean(np.array(expected, np.float32), context) if context else np.array(expected)
    assert np.allclose(rows / np.linalg.norm(rows, axis=1)[:, None], own, atol=1e-5)
    first = [chunks[0].page_content]
    assert splitter.chunk_embeddings.embed_documents(first) == other.chunk_embeddings.embed_documents(first)


def test_headings_of_a_layout_have_room_too() -> None:
    titles = ["A book on the harbours of the north and of the south", "Fares of all ferries"]
    layout = [{"start": 0, "headings": titles}]
    splitter = OptimalSemanticSplitter(Bag(), chunk_size=400, embed_chunks=True, embed_headings=True)
    chunks = splitter.split_documents([Document(article(40), metadata={LAYOUT: layout})])
    assert max(len(chunk.page_content) for chunk in chunks) <= 400 - len(" > ".join(titles)) - 1
    assert chunks[-1].metadata == {"headings": titles}


def test_metadata_say_headings_only_where_they_are_asked_for() -> None:
    settings: dict[str, Any] = {"embed_chunks": True, "embed_headings": True}
    (chunk, *_) = OptimalSemanticSplitter(Bag(), **settings).split_documents([Document(TEXT, metadata={"source": "a"})])
    assert chunk.metadata == {"source": "a"}
    (chunk, *_) = OptimalSemanticSplitter(Bag(), metadata=["headings"], **settings).split_documents([Document(TEXT)])
    assert chunk.metadata == {"headings": ["Ferries", "Fares of the harbour"]}


def test_a_text_without_headings_costs_no_call_more() -> None:
    plain, model = Bag(), Bag()
    OptimalSemanticSplitter(plain, embed_chunks=True).split_text(article(30))
    OptimalSemanticSplitter(model, embed_chunks=True, embed_headings=True).split_text(article(30))
    assert model.calls == plain.calls
    OptimalSemanticSplitter(model, embed_chunks=True, embed_headings=True).split_text("")


def test_other_headings_of_the_users_are_refused_before_anything_is_embedded() -> None:
    model, document = Bag(), Document(TEXT, metadata={"table_header": 4})
    with pytest.raises(SettingError, match=r"metadata={'table_header': 'chunk_table_header'}"):
        OptimalSemanticSplitter(model, embed_chunks=True, embed_headings=True).split_documents([document])
    assert model.calls == []
    renamed = {"table_header": "chunk_table_header"}
    splitter = OptimalSemanticSplitter(model, embed_chunks=True, embed_headings=True, metadata=renamed)
    assert {chunk.metadata["table_header"] for chunk in splitter.split_documents([document])} == {4}


def test_without_vectors_of_chunks_it_is_refused() -> None:
    with pytest.raises(SettingError, match=r"embed_headings=True.*give embed_chunks=True too"):
        OptimalSemanticSplitter(embed_headings=True)
    with pytest.raises(TypeError, match="embed_headings"):
        SemanticHierarchySplitter(embed_headings=True)
