"""A run that was stopped, or that one reply ended, goes on where it was and pays for nothing twice."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from fakes.llama_index.llms import Plain, hows, like, made, told
from fakes.llama_index.parsers import content
from fakes.servers.openai_server import OpenAIServer

from caesura import SettingError
from caesura.errors import ReplyError
from caesura_store.sqlite_store import Store
from llama_index.node_parser.caesura import PropositionTransformer, QuestionTransformer, SummaryTransformer

pytestmark = pytest.mark.enable_socket


@pytest.mark.thorough
@hows
@pytest.mark.parametrize("journalled", [True, False])
def test_a_run_that_was_stopped_goes_on_where_it_was(journalled: bool, how: str, tmp_path: Path) -> None:
    """By Ctrl-C, or by a task that is cancelled. Without a journal, in the same object."""
    with OpenAIServer(plan=["ok"] * 5 + ["timeout"] * 9) as server:
        journal = str(tmp_path / "replies.db") if journalled else None
        parser = PropositionTransformer(like(server), journal=journal, budget=1, max_concurrency=2)

        def until_it_hangs() -> None:
            while server.served["timeout"] < 2:  # of two at once: the five before were settled
                time.sleep(0.01)

        if how == "sync":

            def stop() -> None:
                until_it_hangs()
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

            threading.Thread(target=stop, daemon=True).start()
            with pytest.raises(KeyboardInterrupt):
                parser(told(12))
        else:

            async def main() -> None:
                task = asyncio.create_task(parser.acall(told(12)))
                await asyncio.to_thread(until_it_hangs)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task

            asyncio.run(main())
        assert parser.report is not None
        assert (parser.report.calls, parser.report.finished) == (7, 5)
        server.plan = iter(())
        again = PropositionTransformer(like(server), journal=journal, budget=1) if journalled else parser
        nodes = made(again, how, told(12))
        assert again.report is not None
        assert (again.report.journalled, again.report.calls) == (5, 7)
        assert max(server.done.values()) == 1
    assert content(nodes) == content(PropositionTransformer(Plain())(told(12)))


@hows
def test_one_odd_reply_that_ends_a_run_costs_no_other(how: str) -> None:
    with OpenAIServer(plan=["ok", "ok", "refusal", "refusal"]) as server:
        parser = SummaryTransformer(like(server), budget=1, max_concurrency=1)
        with pytest.raises(ReplyError, match=r"'d2' .*failed: "):
            made(parser, how, told(4))
        parser.on_failure = "keep"
        nodes = made(parser, how, told(4))
    assert parser.report is not None
    assert (parser.report.journalled, parser.report.calls) == (2, 2)
    assert [node.ref_doc_id for node in nodes if node.metadata.get("kept")] == ["d2"]


@hows
def test_without_a_journal_a_failure_that_was_raised_is_asked_for_again(how: str) -> None:
    with OpenAIServer(plan=["ok", "refusal"]) as server:
        parser = SummaryTransformer(like(server), budget=1, max_concurrency=1)
        with pytest.raises(ReplyError, match=r"'d1' .*failed: "):
            made(parser, how, told(3))
        nodes = made(parser, how, told(3))
    assert parser.report is not None
    assert (parser.report.journalled, parser.report.calls, parser.report.failures) == (1, 2, [])
    assert not any(node.metadata.get("kept") for node in nodes)


def test_what_failed_can_be_asked_again_and_nothing_else_is(tmp_path: Path) -> None:
    with OpenAIServer(plan=["ok", "refusal"]) as server:
        settings: dict[str, Any] = {"journal": str(tmp_path / "j.db"), "budget": 1, "max_concurrency": 1}
        parser = QuestionTransformer(like(server), on_failure="keep", **settings)
        assert any(node.metadata.get("kept") for node in parser(told(3)))
        assert any(node.metadata.get("kept") for node in parser(told(3)))  # what was answered is not asked again
        assert server.calls == 3
        assert parser.forget_failures() == 1
        assert not any(node.metadata.get("kept") for node in parser(told(3)))
        assert server.calls == 4
    with pytest.raises(SettingError, match="of a journal"):
        QuestionTransformer(Plain()).forget_failures()


async def test_the_journal_is_opened_and_closed_beside_the_event_loop(tmp_path: Path, monkeypatch: Any) -> None:
    threads = dict[str, set[int]]()

    def noted(name: str) -> Any:
        own = getattr(Store, name)

        def noting(self: Store, *args: Any, **settings: Any) -> Any:
            threads.setdefault(name, set()).add(threading.get_ident())
            return own(self, *args, **settings)

        return noting

    for name in ("__init__", "get", "put", "close"):
        monkeypatch.setattr(Store, name, noted(name))
    with OpenAIServer() as server:
        await PropositionTransformer(like(server), journal=str(tmp_path / "replies.db")).acall(told(2))
    assert threads.keys() == {"__init__", "get", "put", "close"}
    assert threading.get_ident() not in set().union(*threads.values())
