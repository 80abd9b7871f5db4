"""What is embedded, how often, in how many calls."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from llama_index.core import Document, Settings
from llama_index.core.utils import get_tokenizer
from llama_index_embedding_fakes import Words
from llama_index_fakes import ARTICLE, REPEATED, content, flat, parsers, spans

from caesura import calibrate
from llama_index.node_parser.caesura import SemanticPercentileSplitter, StaticEmbedding

TEXTS = [ARTICLE, REPEATED, "", " \n\t", ARTICLE[::-1], "word " * 900, "\u4e2d\u6587\u3002" * 300]


class Slow(Words):
    """Takes its time, as a service does."""

    async def _aget_text_embeddings(self, texts: list[str]) -> Any:
        await asyncio.sleep(0.1)
        return await super()._aget_text_embeddings(texts)


def documents() -> list[Document]:
    return [Document(text=text, id_=str(number)) for number, text in enumerate(TEXTS)]


@parsers
@pytest.mark.parametrize("settings", [{}, {"chunk_size": 20}, {"chunk_size": None}, {"min_chunk_size": 30}])
async def test_every_character_is_embedded_once_in_one_call(parser: Any, settings: dict[str, Any]) -> None:
    made = parser(embed_model=Words(), **settings)
    made(documents())
    (call,) = made.embed_model.calls
    assert flat("".join(call)) == flat("".join(TEXTS))
    assert all(text.strip() == text for text in call)
    await made.acall(documents())
    assert made.embed_model.calls == [call, call]


@parsers
def test_no_text_over_the_limit_is_embedded(parser: Any) -> None:
    made = parser(embed_model=Words(), chunk_size=20)
    made([Document(text=text, metadata={"k": "v"}) for text in TEXTS])
    assert max(len(get_tokenizer()(text)) for text in made.embed_model.calls[0]) <= 16


@parsers
async def test_an_instance_is_calibrated_once(parser: Any) -> None:
    made = parser(embed_model=Words())
    for _ in range(2):
        made(documents())
        await made.acall(documents())
        await made.aget_nodes_from_documents(documents())
    assert made.embed_model.calibrations == 1
    assert len(made.embed_model._calls) == 7


@parsers
async def test_concurrent_calls_calibrate_once(parser: Any) -> None:
    made = parser(embed_model=Slow())
    results = await asyncio.gather(*(made.acall(documents()) for _ in range(4)))
    assert all(content(each) == content(results[0]) for each in results)
    assert made.embed_model.calibrations == 1


@parsers
def test_threads_get_the_same_nodes(parser: Any) -> None:
    made = parser(embed_model=Words(), chunk_size=30)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(made, [documents() for _ in range(8)]))
    assert all(content(each) == content(results[0]) for each in results)


@parsers
def test_what_needs_no_background_is_not_calibrated(parser: Any) -> None:
    background = calibrate(Words().rows).mean.tolist()
    given = parser(embed_model=Words(), background=background)
    uncentred = parser(embed_model=Words(), calibrated=False)
    measured = parser(embed_model=Words())
    nodes = given(documents())
    uncentred(documents())
    assert given.embed_model.calibrations == uncentred.embed_model.calibrations == 0
    assert len(given.embed_model._calls) == len(uncentred.embed_model._calls) == 1
    assert spans(nodes) == spans(measured(documents()))


@parsers
async def test_the_embedded_model_is_not_calibrated(parser: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("caesura.work.calibration", None)
    model = StaticEmbedding()
    for settings in ({}, {"embed_model": model}, {"embed_model": "settings"}):
        Settings.embed_model = model
        assert parser(**settings)(documents())
        assert await parser(**settings).acall(documents())


@parsers
def test_the_embedded_model_gives_the_same_nodes_however_it_is_named(parser: Any) -> None:
    Settings.embed_model = StaticEmbedding()
    for model in (StaticEmbedding(), StaticEmbedding(embed_batch_size=3), "settings"):
        assert content(parser(embed_model=model)(documents())) == content(parser()(documents()))


@parsers
def test_no_splitter_asks_for_the_global_embedding_unless_told_to(parser: Any) -> None:
    Settings.embed_model = Words()
    parser()(documents())
    assert Settings.embed_model._calls == []
    parser(embed_model="settings")(documents())
    assert len(Settings.embed_model._calls) == 2


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
def test_nothing_to_embed_no_call(parser: Any) -> None:
    made = parser(embed_model=Words())
    made([Document(text=""), Document(text="  ")])
    made([])
    assert made.embed_model._calls == []


@parsers
def test_the_batch_size_of_the_embedding_is_kept_to_and_changes_nothing(parser: Any) -> None:
    made = parser(embed_model=Words(embed_batch_size=7))
    nodes = made(documents())
    assert max(map(len, made.embed_model._batches)) == 7
    assert len(made.embed_model.calls) == 1
    assert spans(nodes) == spans(parser(embed_model=Words())(documents()))


@parsers
def test_a_chain_embeds_all_nodes_of_a_stage_in_one_call(parser: Any) -> None:
    first, second = (parser(embed_model=Words(), chunk_size=size, calibrated=False) for size in (60, 20))
    second(first(documents()))
    assert (len(first.embed_model._calls), len(second.embed_model._calls)) == (1, 1)
    assert flat("".join(second.embed_model.calls[0])) == flat("".join(TEXTS))


@parsers
def test_documents_do_not_depend_on_their_batch(parser: Any) -> None:
    made = parser(embed_model=Words(), chunk_size=40)
    alone = [node for document in documents() for node in made([document])]
    assert spans(made(documents())) == spans(alone)


def test_joined_windows_embed_neighbours_again_and_say_so() -> None:
    made = SemanticPercentileSplitter(window="joined", buffer_size=1, embed_model=Words())
    made([Document(text=ARTICLE)])
    (call,) = made.embed_model.calls
    assert 2 < len(flat("".join(call))) / len(flat(ARTICLE)) <= 3
