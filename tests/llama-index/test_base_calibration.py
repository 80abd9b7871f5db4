"""An embedding is calibrated once, if it needs it; that of the settings is asked on request alone."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from fakes.llama_index.embeddings import Words
from fakes.llama_index.parsers import content, documents, parsers, spans
from llama_index.core import Settings

from caesura import calibrate
from llama_index.node_parser.caesura import StaticEmbedding

pytestmark = pytest.mark.thorough


class Slow(Words):
    """Takes its time, as a service does."""

    async def _aget_text_embeddings(self, texts: list[str]) -> Any:
        await asyncio.sleep(0.1)
        return await super()._aget_text_embeddings(texts)


@parsers
async def test_an_instance_is_calibrated_once(parser: Any) -> None:
    made = parser(embed_model=Words())
    for _ in range(2):
        made(documents())
        await made.acall(documents())
        await made.aget_nodes_from_documents(documents())
    assert made.embed_model.calibrations == 1
    assert len(made.embed_model.all_calls) == 7


@parsers
async def test_concurrent_calls_calibrate_once(parser: Any) -> None:
    made = parser(embed_model=Slow())
    results = await asyncio.gather(*(made.acall(documents()) for _ in range(4)))
    assert all(content(each) == content(results[0]) for each in results)
    assert made.embed_model.calibrations == 1


@parsers
def test_what_needs_no_background_is_not_calibrated(parser: Any) -> None:
    background = calibrate(Words().rows).mean.tolist()
    given = parser(embed_model=Words(), background=background)
    uncentred = parser(embed_model=Words(), calibrated=False)
    measured = parser(embed_model=Words())
    nodes = given(documents())
    uncentred(documents())
    assert given.embed_model.calibrations == uncentred.embed_model.calibrations == 0
    assert len(given.embed_model.all_calls) == len(uncentred.embed_model.all_calls) == 1
    assert spans(nodes) == spans(measured(documents()))


@parsers
async def test_the_built_in_model_is_not_calibrated(parser: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("caesura.host.session.measure_background", None)
    model = StaticEmbedding()
    for settings in ({}, {"embed_model": model}, {"embed_model": "settings"}):
        Settings.embed_model = model
        assert parser(**settings)(documents())
        assert await parser(**settings).acall(documents())


@parsers
def test_another_global_embedding_is_calibrated_anew(parser: Any) -> None:
    made, first, second = parser(embed_model="settings"), Words(), Words()
    for model in (first, second):
        Settings.embed_model = model
        made(documents())
        made(documents())
    assert (first.calibrations, second.calibrations) == (1, 1)


@parsers
def test_another_embedding_set_later_is_calibrated_anew(parser: Any) -> None:
    made = parser(embed_model=Words())
    made(documents())
    made.embed_model = Words()
    made(documents())
    assert made.embed_model.calibrations == 1


@parsers
def test_the_built_in_model_gives_the_same_nodes_however_it_is_named(parser: Any) -> None:
    Settings.embed_model = StaticEmbedding()
    for model in (StaticEmbedding(), StaticEmbedding(embed_batch_size=3), "settings"):
        assert content(parser(embed_model=model)(documents())) == content(parser()(documents()))


@parsers
def test_no_splitter_asks_for_the_global_embedding_unless_told_to(parser: Any) -> None:
    Settings.embed_model = Words()
    parser()(documents())
    assert Settings.embed_model.all_calls == []
    parser(embed_model="settings")(documents())
    assert len(Settings.embed_model.all_calls) == 2
