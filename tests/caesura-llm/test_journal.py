"""A reply that is in the journal is not asked for again: not by another thread, process, run or version."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest
from fakes.servers.conversations import FAST, model, passages, said

from caesura.errors import SettingError
from caesura_llm.conversation import Message, Reply, Request
from caesura_llm.driver import Driver
from caesura_llm.journal import Journal
from caesura_llm.prompts import Prompt
from caesura_llm.propositions import Propositions
from caesura_store.sqlite_store import Store

DAMAGED = [b"", b"null", b"[1]", b"\xff", b"[" * 200_000, b'[null,"stop",0,0]', b'["x","stop","a","b"]', b'["x","stop"']


def ask(way: str, conversation: Any, client: Client, journal: Journal | None) -> Any:
    """The results and the report, in threads or on the event loop."""
    if way == "run":
        return Driver(FAST).run(conversation, client, journal=journal)

    async def awaited(request: Request) -> Reply:
        return client(request)

    return asyncio.run(Driver(FAST).arun(conversation, awaited, journal=journal, name=client.name))


class Client:
    """The server's model, without the server: counts."""

    def __init__(self, name: str = "model-1") -> None:
        self.name, self.calls = name, 0
        self.lock = threading.Lock()

    def __call__(self, request: Request) -> Reply:
        with self.lock:
            self.calls += 1
        return model(request)


def test_a_reply_comes_back_as_it_went_in(tmp_path: Path) -> None:
    request = Request((Message("user", "Lone \ud800"),))
    reply = Reply('{"a": "é \ud800"}', "length", 12, 34)
    with Journal(tmp_path / "replies.db") as journal:
        assert journal.get("m", request) is None
        journal.put("m", request, reply)
    with Journal(Store(tmp_path / "replies.db", table="replies")) as journal:
        assert journal.get("m", request) == reply
        assert journal.get("m2", request) is None
        assert journal.get("m", Request(request.messages, max_tokens=5)) is None
        assert journal.get("m", Request(request.messages, version="2")) is None


def test_a_second_run_pays_for_nothing_and_says_the_same(tmp_path: Path) -> None:
    with Journal(tmp_path / "replies.db") as journal:
        driver = Driver(FAST)
        first, paid = driver.run(Propositions(passages(30), budget=50), Client(), journal=journal)
        again = Client()
        second, free = driver.run(Propositions(passages(30), budget=50), again, journal=journal)
    assert first == second
    assert again.calls == free.calls == free.input_tokens == 0
    assert free.journalled == paid.calls > 3


def test_an_option_of_a_run_that_there_is_not_is_refused_before_anything_is_paid() -> None:
    client = Client()
    with pytest.raises(SettingError, match=r"jurnal='replies\.db': did you mean journal"):
        Driver(FAST).run(Propositions(passages(1)), client, jurnal="replies.db")  # type: ignore[call-arg]
    assert not client.calls


@pytest.mark.parametrize("change", ["model", "prompt"])
def test_another_model_or_prompt_is_asked_anew(tmp_path: Path, change: str) -> None:
    with Journal(tmp_path / "replies.db") as journal:
        driver = Driver(FAST)
        driver.run(Propositions(passages(3)), Client(), journal=journal)
        client = Client("model-2" if change == "model" else "model-1")
        prompt = Prompt("propositions", "2", 'Say it. {"passages": [{"propositions"')
        settings = {"prompt": prompt} if change == "prompt" else {}
        driver.run(Propositions(passages(3), **settings), client, journal=journal)
    assert client.calls == 1


def test_replies_that_failed_are_forgotten_on_demand(tmp_path: Path) -> None:
    def client(request: Request) -> Reply:
        return said("No.") if "Fact 1 " in request.messages[1].text else model(request)

    client.name = "m"  # type: ignore[attr-defined]
    with Journal(tmp_path / "replies.db") as journal:
        driver = Driver(FAST)
        _, report = driver.run(Propositions(passages(3), budget=1, on_failure="keep"), client, journal=journal)
        _, free = driver.run(Propositions(passages(3), budget=1, on_failure="keep"), client, journal=journal)
        assert (len(report.failures), free.calls) == (1, 0)
        assert journal.forget("m", report.failures) == 2
        good = Client("m")
        results, _ = driver.run(Propositions(passages(3), budget=1), good, journal=journal)
    assert good.calls == 1
    assert [each.failure for each in results] == [None] * 3


@pytest.mark.parametrize("entry", DAMAGED)
def test_a_damaged_entry_counts_as_none_and_is_paid_again(entry: bytes, tmp_path: Path) -> None:
    with Journal(tmp_path / "replies.db") as journal:
        driver = Driver(FAST)
        whole, _ = driver.run(Propositions(passages(1)), Client(), journal=journal)
        (key,) = journal.store.keys()
        journal.store.put([(key, entry)])
        again = Client()
        assert driver.run(Propositions(passages(1)), again, journal=journal)[0] == whole
        assert driver.run(Propositions(passages(1)), again, journal=journal)[0] == whole
    assert again.calls == 1


@pytest.mark.parametrize("reply", [Reply(None), Reply(b"{}"), Reply("x", "end"), Reply("x", "stop", 1.5)])  # type: ignore[arg-type]
def test_a_reply_that_cannot_be_read_ends_its_item_and_is_not_journalled(reply: Reply, tmp_path: Path) -> None:
    class Faulty(Client):
        def __call__(self, request: Request) -> Reply:
            super().__call__(request)
            return reply if "Fact 1 " in request.messages[1].text else model(request)

    for way in ("run", "arun"):
        with Journal(tmp_path / f"{way}.db") as journal:
            asked = Propositions(passages(3), budget=1, on_failure="keep")
            results, report = ask(way, asked, Faulty(), journal)
            assert [bool(each.failure) for each in results] == [False, True, False]
            assert "a Reply must have a text that is a str" in report.failures[0].reason
            good = Client()
            results, _ = ask(way, Propositions(passages(3), budget=1), good, journal)
        assert (good.calls, [each.failure for each in results]) == (1, [None] * 3)


@pytest.mark.parametrize("way", ["run", "arun"])
@pytest.mark.parametrize("returned", [None, '{"passages": []}'])
def test_a_client_that_returns_no_reply_ends_the_run(returned: object, way: str) -> None:
    class Wrong(Client):
        def __call__(self, request: Request) -> Reply:
            return returned  # type: ignore[return-value]

    with pytest.raises(SettingError, match=r"a client must return a Reply, got .*: return Reply\(text\)"):
        ask(way, Propositions(passages(1), on_failure="keep"), Wrong(), None)


def test_without_a_name_there_is_no_journal(tmp_path: Path) -> None:
    with Journal(tmp_path / "replies.db") as journal, pytest.raises(SettingError, match="`name`"):
        Driver(FAST).run(Propositions(passages(1)), model, journal=journal)


def test_a_run_that_is_given_up_keeps_what_has_come(tmp_path: Path) -> None:
    class Stops(Client):
        def __call__(self, request: Request) -> Reply:
            if self.calls == 5:
                raise KeyboardInterrupt
            return super().__call__(request)

    one = FAST.__class__(max_concurrency=1)
    with Journal(tmp_path / "replies.db") as journal:
        with pytest.raises(KeyboardInterrupt):
            Driver(one).run(Propositions(passages(9), budget=1), Stops(), journal=journal)
        again = Client()
        results, report = Driver(one).run(Propositions(passages(9), budget=1), again, journal=journal)
    assert len(results) == 9
    assert (again.calls, report.journalled) == (4, 5)


def test_a_reader_that_stops_early_keeps_what_has_come(tmp_path: Path) -> None:
    with Journal(tmp_path / "replies.db") as journal:
        driver = Driver(FAST.__class__(max_concurrency=1))
        stream = driver.stream(Propositions(passages(9), budget=1), Client(), journal=journal)
        next(stream)
        stream.close()  # type: ignore[attr-defined]
        _, report = driver.run(Propositions(passages(9), budget=1), Client(), journal=journal)
    assert report.journalled >= 1
