"""Awaited, a splitter awaits its embedding, and makes the same nodes."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from fakes.llama_index.embeddings import AsyncWords, Words
from fakes.llama_index.parsers import ARTICLE, REPEATED, content, parsers, spans
from llama_index.core import Document
from llama_index.core.ingestion import IngestionPipeline

DOCUMENTS = [Document(text=text, id_=str(number)) for number, text in enumerate([ARTICLE, REPEATED, "", ARTICLE[::-1]])]


@parsers
async def test_async_code_never_calls_a_sync_method_of_the_embedding(parser: Any) -> None:
    model = AsyncWords()
    made = parser(embed_model=model, chunk_size=40)
    nodes = [
        await made.acall(DOCUMENTS),
        await made.aget_nodes_from_documents(DOCUMENTS, show_progress=True),
        await IngestionPipeline(transformations=[made], disable_cache=True).arun(documents=DOCUMENTS),
    ]
    expected = parser(embed_model=Words(), chunk_size=40)(DOCUMENTS)
    assert all(spans(each) == spans(expected) for each in nodes)
    assert (len(model.calls), model.calibrations) == (3, 1)


@parsers
@pytest.mark.parametrize("settings", [{}, {"chunk_size": 20}, {"chunk_size": None, "calibrated": False}])
async def test_async_is_sync(parser: Any, settings: dict[str, Any]) -> None:
    for model in (None, Words()):
        made = parser(embed_model=model, **settings)
        assert content(await made.acall(DOCUMENTS)) == content(made(DOCUMENTS))


@parsers
async def test_many_calls_at_once_make_the_same_nodes(parser: Any) -> None:
    made = parser(embed_model=AsyncWords(), chunk_size=40)
    each = [[Document(text=ARTICLE[i:], id_=str(i))] for i in range(0, 60, 10)]
    together = await asyncio.gather(*map(made.acall, each))
    alone = [parser(embed_model=Words(), chunk_size=40)(documents) for documents in each]
    assert list(map(spans, together)) == list(map(spans, alone))


@parsers
async def test_a_sync_call_inside_a_running_loop_works(parser: Any) -> None:
    assert parser(embed_model=Words())(DOCUMENTS)


@parsers
async def test_a_cancelled_call_leaves_the_splitter_usable(parser: Any) -> None:
    class Hanging(Words):
        async def _aget_text_embeddings(self, texts: list[str]) -> Any:
            asked.set()
            await asyncio.sleep(3600)

    asked = asyncio.Event()
    made = parser(embed_model=Hanging())
    task = asyncio.create_task(made.acall(DOCUMENTS))
    await asked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    made.embed_model = Words()
    assert spans(await made.acall(DOCUMENTS)) == spans(parser(embed_model=Words())(DOCUMENTS))
