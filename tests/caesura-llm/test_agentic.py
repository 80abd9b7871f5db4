"""Documents' passages become topics, each document's its own, whoever answers what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from fakes.servers.conversations import converse, model
from fakes.servers.openai_bodies import embedding

from caesura.background import TEXTS, Background
from caesura.sansio import Blocking, run
from caesura_llm.agentic import AT_ONCE, DocumentTopics, agentic
from caesura_llm.driver import bar
from caesura_llm.passages import Passage
from caesura_llm.propositions import Propositions, as_sentences
from caesura_llm.topics import Topics

WORDS = ("Bread", "Tides", "Chess")


def documents(count: int) -> list[list[Passage]]:
    made = []
    for number in range(count):
        texts = [f"{WORDS[k % 3]} number {k} of {number} was seen. {WORDS[k % 3]} is good." for k in range(number % 4)]
        made.append([Passage(text, f"d{number}", 100 * k) for k, text in enumerate(texts)])
    return made


def group(propositions: Sequence[Passage], rows: Any) -> Topics:
    return Topics(propositions, rows)


def answered(documents: list[list[Passage]], propose: Any, group: Any, asked: list[Any], **settings: Any) -> Any:
    async def ask(conversation: Any) -> list[Any]:
        asked.append(conversation)
        return converse(conversation, model)[0]

    def embed(texts: list[str]) -> list[list[float]]:
        asked.append(texts)
        return [embedding(text) for text in texts]

    return run(agentic(Blocking(), documents, ask, embed, propose, group, **settings))


@pytest.mark.parametrize("propose", [None, Propositions])
@pytest.mark.parametrize("topics", [None, group])
def test_each_proposition_of_each_document_is_in_one_of_its_own_topics(propose: Any, topics: Any) -> None:
    given = documents(AT_ONCE + 9)
    asked: list[Any] = []
    made = answered(given, propose, topics, asked)
    assert len(made) == len(given)
    for passages, grouped in zip(given, made, strict=True):
        members = sorted(member for topic in grouped.topics for member in topic.members)
        assert members == list(range(len(grouped.propositions)))
        assert len(grouped.propositions) == 2 * len(passages)
        assert {one.document_id for one in grouped.propositions} <= {one.document_id for one in passages}
        firsts = [
            [grouped.propositions[member].text.split()[0] for member in topic.members] for topic in grouped.topics
        ]
        assert topics is None or all(len(set(some)) == 1 for some in firsts)
    texts = [step for step in asked if isinstance(step, list)]
    assert texts[0] == list(TEXTS)  # the embedder's background, once
    assert len(texts) == 2  # and every text of every document, once


def test_a_known_background_is_not_asked_for_and_a_new_one_is_told() -> None:
    told: list[Background] = []
    answered(documents(3), None, None, [], keep_background=told.append)
    for settings in ({"background": told[0]}, {"calibrated": False}):
        asked: list[Any] = []
        answered(documents(3), None, None, asked, **settings)
        assert len(asked) == 1


@pytest.mark.parametrize("given", [[], [[]], [[], [Passage(" \n")]]])
def test_nothing_is_asked_about_nothing(given: list[list[Passage]]) -> None:
    asked: list[Any] = []
    assert answered(given, None, group, asked) == [DocumentTopics()] * len(given)
    assert asked == []


def test_passages_that_overlap_say_it_once() -> None:
    text = "Tea is hot. Ice is cold. Both are sold."
    given = [[Passage(text[:24], "d"), Passage(text[12:], "d", 12)]]
    (grouped,) = answered(given, Propositions, None, [])
    assert [one.text for one in grouped.propositions] == ["Tea is hot.", "Ice is cold.", "Both are sold."]


def test_sentences_stand_for_propositions_at_their_places() -> None:
    text = "  Tea is hot.\n\nIce is cold. "
    (found,) = as_sentences([Passage(text, "d", 10)])
    assert [one.text for one in found.propositions] == ["Tea is hot.", "Ice is cold."]
    assert all(text[a - 10 : b - 10] == one.text for one in found.propositions for a, b in one.spans)
    assert (found.uncovered, any(one.is_fallback for one in found.propositions)) == ((), False)


def test_a_failed_placing_is_listed_under_its_document() -> None:
    stated = [Passage("Tea is hot.", "tea.txt"), Passage("Ice is cold.", "tea.txt", 12)]
    conversation = Topics(stated, np.eye(2), on_failure="keep")
    converse(conversation, lambda request: ValueError("no"))
    assert {failure.document_id for failure in conversation.tally.failures} == {"tea.txt"}
    assert {failure.start for failure in conversation.tally.failures} == {0, 12}


def test_a_bar_shows_what_is_finished(capsys: Any, monkeypatch: Any) -> None:
    def show() -> str:
        with bar("Reading") as tell:
            for finished in range(4):
                tell(finished, 3)
        return str(capsys.readouterr().err)

    assert "Reading: 100%" in show()
    monkeypatch.setitem(__import__("sys").modules, "tqdm.auto", None)
    assert show().endswith("\rReading: 3 of 3\n")
