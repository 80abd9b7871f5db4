"""What is paid is paid once: over runs, interruptions, failures and frameworks' ways to call."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_llm_fakes import FAST, Plain, documents, llm, made, many
from openai_server import OpenAIServer

from caesura.errors import ReplyError
from caesura.llm.prompts import PROPOSITIONS, Prompt
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


def test_ctrl_c_ends_it_and_loses_what_was_in_flight_at_most(tmp_path: Path) -> None:
    worker = Path(__file__).parent / "llm_worker.py"
    with OpenAIServer(latency=0.05) as server:

        def start() -> subprocess.Popen[bytes]:
            command = [sys.executable, str(worker), server.url, str(tmp_path / "replies.db"), "120"]
            return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

        running = start()
        while server.calls < 30 and running.poll() is None:
            time.sleep(0.005)
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=300)
        assert running.returncode != 0
        assert b"KeyboardInterrupt" in said
        assert server.calls < 120
        found, _ = start().communicate(timeout=300)
        assert server.calls <= 120 + 8  # in flight, at most
        whole = PropositionTransformer(llm(server, model="m"), budget=1).transform_documents(many(120))
    assert json.loads(found) == [one.id for one in whole]
    assert len(whole) == 240


async def test_cancelled_it_cancels_its_calls_and_the_next_call_goes_on() -> None:
    """Without a journal too, in the same object."""
    given = many(60)
    with OpenAIServer(latency=0.05) as server:
        transformer = PropositionTransformer(llm(server), budget=1)
        task = asyncio.create_task(transformer.atransform_documents(given))
        while server.calls < 20:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert 8 <= transformer.report.finished < 60
        found = await transformer.atransform_documents(given)
        assert transformer.report.journalled >= 8
        assert server.calls <= 60 + 8
        assert len(found) == 120
        await transformer.atransform_documents(given[:10])
        assert transformer.report.journalled == 0  # what ended well is not kept


async def test_what_failed_is_asked_for_again_when_it_is_forgotten(tmp_path: Path) -> None:
    with OpenAIServer(plan=["refusal"]) as server:
        transformer = PropositionTransformer(llm(server), journal=tmp_path / "replies.db", on_failure="keep", budget=1)
        given = documents()
        assert [one.metadata["kept"] for one in await made(transformer, given, "sync")].count(True) == 3
        await made(transformer, given, "sync")
        assert (transformer.report.calls, len(transformer.report.failures)) == (0, 1)
        assert transformer.forget_failures() == 1
        assert not any(one.metadata["kept"] for one in await made(transformer, given, "sync"))
        assert (transformer.report.calls, transformer.report.failures) == (1, [])


@pytest.mark.parametrize("journal", [True, False])
async def test_a_failure_that_was_raised_can_be_asked_for_again_too(journal: bool, tmp_path: Path) -> None:
    path = tmp_path / "replies.db" if journal else None
    with OpenAIServer(plan=["refusal"]) as server:
        transformer = PropositionTransformer(llm(server), journal=path, pace=FAST)
        with pytest.raises(ReplyError):
            await made(transformer, documents()[:1], "sync")
        (failure,) = transformer.report.failures
        assert failure.document_id == "bees"
        if journal:
            with pytest.raises(ReplyError):
                await made(transformer, documents()[:1], "sync")
            assert transformer.forget_failures() == 1
        assert len(await made(transformer, documents()[:1], "sync")) == 3
        assert server.calls == 2


async def test_a_run_that_an_error_ended_goes_on_where_it_stopped() -> None:
    with OpenAIServer(plan=["ok"] * 10 + ["401"]) as server:
        transformer = PropositionTransformer(llm(server), budget=1, max_concurrency=1)
        with pytest.raises(Exception, match="It went wrong"):
            await made(transformer, many(30), "sync")
        assert (transformer.report.calls, transformer.report.finished) == (11, 10)
        assert len(await made(transformer, many(30), "sync")) == 60
        assert server.calls == 31


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
