"""A run that is interrupted, cancelled or ended by an error goes on where it stopped."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fakes.langchain.llms import llm, made, many
from fakes.servers.openai_server import OpenAIServer

from langchain_caesura import PropositionTransformer

pytestmark = pytest.mark.enable_socket


@pytest.mark.thorough
def test_ctrl_c_ends_it_and_loses_what_was_in_flight_at_most(tmp_path: Path) -> None:
    worker = Path(__file__).parent / "worker.py"
    with OpenAIServer(latency=0.05) as server:

        def start() -> subprocess.Popen[bytes]:
            command = [sys.executable, str(worker), server.url, str(tmp_path / "replies.db"), "120"]
            return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

        running = start()
        while server.calls < 30 and running.poll() is None:
            time.sleep(0.005)
        running.send_signal(signal.SIGINT)
        _, said = running.communicate()
        assert running.returncode != 0
        assert b"KeyboardInterrupt" in said
        assert server.calls < 120
        found, _ = start().communicate()
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


async def test_a_run_that_an_error_ended_goes_on_where_it_stopped() -> None:
    with OpenAIServer(plan=["ok"] * 10 + ["401"]) as server:
        transformer = PropositionTransformer(llm(server), budget=1, max_concurrency=1)
        with pytest.raises(Exception, match="It went wrong"):
            await made(transformer, many(30), "sync")
        assert (transformer.report.calls, transformer.report.finished) == (11, 10)
        assert len(await made(transformer, many(30), "sync")) == 60
        assert server.calls == 31
