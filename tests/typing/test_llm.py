"""What a user of `caesura_llm` writes: mypy and pyright check the types that come of it, pytest runs it."""

from __future__ import annotations

from pathlib import Path
from typing import assert_type

from caesura.types import Span
from caesura_llm.conversation import AsyncChat, Chat, Reply, Request
from caesura_llm.driver import Driver
from caesura_llm.journal import Journal
from caesura_llm.passages import Passage
from caesura_llm.propositions import PassageResult, Proposition, Propositions
from caesura_llm.report import Prices, Report

ANSWER = '{"passages": [{"passage": 1, "propositions": [{"text": "Tea is hot.", "sentences": [1]}]}]}'


def chat(request: Request) -> Reply:
    return Reply(ANSWER, "stop", 10, 5)


async def achat(request: Request) -> Reply:
    return Reply(ANSWER)


class Client:
    """A client with a name, which a journal needs."""

    name = "tea-model"

    def __call__(self, request: Request) -> Reply:
        return chat(request)


CLIENTS: list[Chat] = [chat, Client()]
ACLIENT: AsyncChat = achat


def passages() -> Propositions:
    return Propositions([Passage("Tea is hot.", "tea.txt")])


def test_results_and_what_they_cost() -> None:
    for client in CLIENTS:
        results, report = Driver(prices=Prices(1, 2)).run(passages(), client)
        assert_type(results, list[PassageResult])
        assert_type(report, Report)
        (proposition,) = results[0].propositions
        assert_type(proposition, Proposition)
        assert_type(proposition.spans, tuple[Span, ...])
        assert proposition.text == "Tea is hot."


async def test_the_same_awaited() -> None:
    results, _ = await Driver().arun(passages(), ACLIENT)
    assert_type(results, list[PassageResult])
    async for one in Driver().astream(passages(), achat):
        assert_type(one, PassageResult)


def test_a_journal_from_a_path(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "replies.db")
    for one in Driver().stream(passages(), Client(), journal=journal):
        assert_type(one, PassageResult)


def test_what_is_wrong_is_an_error_before_it_runs() -> None:
    def wrong() -> None:
        Driver().run(passages(), achat)  # type: ignore[arg-type]
        Propositions(["Tea is hot."])  # type: ignore[list-item]
        Propositions([], on_failure="ignore")  # type: ignore[arg-type]

    assert callable(wrong)
