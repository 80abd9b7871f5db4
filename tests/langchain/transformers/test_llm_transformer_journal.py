"""What is paid is paid once: over runs, ways to call, threads and edited documents."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest
from fakes.langchain.llms import Plain, documents, llm, made, many
from fakes.servers.openai_server import OpenAIServer
from langchain_core.documents import Document

from caesura_llm.prompts import PROPOSITIONS, Prompt
from langchain_caesura import AgenticSplitter, PropositionTransformer, QuestionTransformer, SummaryTransformer

pytestmark = pytest.mark.enable_socket


@pytest.mark.parametrize("kind", [PropositionTransformer, SummaryTransformer, QuestionTransformer, AgenticSplitter])
async def test_a_second_run_asks_nothing_and_gives_the_same(kind: Any, tmp_path: Path) -> None:
    given = [*documents(), *many(20)]
    with OpenAIServer() as server:
        first = await made(kind(llm(server), journal=tmp_path / "replies.db"), given, "sync")
        calls = server.calls
        for how in ("sync", "async", "lazy", "alazy"):
            again = kind(llm(server, timeout=9, max_retries=1), journal=tmp_path / "replies.db", max_concurrency=2)
            assert await made(again, given, how) == first
            assert (again.report.calls, again.report.input_tokens) == (0, 0)
            assert again.report.journalled == calls
    assert calls == server.calls > 0


async def test_another_model_option_or_prompt_is_asked_anew(tmp_path: Path) -> None:
    other = Prompt("mine", "1", PROPOSITIONS.text)
    with OpenAIServer() as server:
        for number, (options, settings) in enumerate(
            [({}, {}), ({"model": "b"}, {}), ({"temperature": 0.5}, {}), ({}, {"prompt": other})], 1
        ):
            transformer = PropositionTransformer(llm(server, **options), journal=tmp_path / "replies.db", **settings)
            await made(transformer, documents(), "sync")
            assert server.calls == number


async def test_an_edited_document_is_asked_about_alone(tmp_path: Path) -> None:
    with OpenAIServer() as server:
        transformer = PropositionTransformer(llm(server), journal=tmp_path / "replies.db", budget=1)
        given = many(20)
        first = await made(transformer, given, "sync")
        given[7] = Document("Tea is cold by now.", id="d7")
        second = await made(transformer, given, "sync")
    assert transformer.report.calls == 1
    assert [one.id for one in second if one.metadata["parent_id"] != "d7"] == [
        one.id for one in first if one.metadata["parent_id"] != "d7"
    ]


async def test_one_transformer_serves_threads_and_tasks_at_once(tmp_path: Path) -> None:
    with OpenAIServer(latency=0.01) as server:
        transformer = PropositionTransformer(llm(server), journal=tmp_path / "replies.db")
        results: list[Any] = []
        threads = [
            threading.Thread(target=lambda: results.append(transformer.transform_documents(many(20)))) for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        results += await asyncio.gather(*(transformer.atransform_documents(many(20)) for _ in range(4)))
        for thread in threads:
            await asyncio.to_thread(thread.join)
    assert len(results) == 8
    assert all(result == results[0] for result in results)


def test_two_plain_models_of_one_class_are_not_taken_for_each_other(tmp_path: Path) -> None:
    first, second = Plain(flavour="a"), Plain(flavour="b")
    for model in (first, second, Plain(flavour="a")):
        PropositionTransformer(model, journal=tmp_path / "replies.db").transform_documents(documents())
    assert (first.calls, second.calls) == (1, 1)
