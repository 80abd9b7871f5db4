"""Each proposition is in exactly one topic, in the order of the document, whatever is replied and in which order."""

from __future__ import annotations

import json
import random
import time
from typing import Any

import numpy as np
import pytest
from fakes.growth import assert_time_grows
from fakes.servers.conversations import converse, in_turn, model, said
from fakes.servers.openai_bodies import embedding
from hypothesis import given
from hypothesis import strategies as st

from caesura.errors import EmbeddingError, ReplyError, SettingError
from caesura_llm.conversation import Conversation, Reply, Request
from caesura_llm.grouping import Topic, by_embedding
from caesura_llm.topics import Topics

WORDS = ("Bread", "Tides", "Chess", "Copper", "Violins", "Glaciers", "Orchids")
MANY = [f"{WORDS[k * k % 7]} number {k} was seen." for k in range(120)]


def rows(texts: list[str]) -> Any:
    return np.array([embedding(text) for text in texts])


def groups(*said_of: tuple[int, str, list[Any]]) -> Reply:
    keys = ("topic", "title", "summary", "propositions")
    return said({"groups": [dict(zip(keys, (topic, title, "", of), strict=True)) for topic, title, of in said_of]})


def members(topics: list[Topic]) -> list[int]:
    return sorted(member for topic in topics for member in topic.members)


def test_it_is_a_conversation() -> None:
    assert isinstance(Topics([], []), Conversation)
    assert converse(Topics([], []), model) == ([], [])


def test_propositions_of_one_kind_come_together_in_the_order_of_the_document() -> None:
    topics, asked = converse(Topics(MANY, rows(MANY), batch=10, parallel=2), model)
    assert members(topics) == list(range(120))
    assert all(list(topic.members) == sorted(topic.members) for topic in topics)
    assert [topic.members[0] for topic in topics] == sorted(topic.members[0] for topic in topics)
    assert all(len({MANY[member].split()[0] for member in topic.members}) == 1 for topic in topics)
    assert len(asked) < 30


@pytest.mark.thorough
@given(st.integers(0, 9), st.integers(1, 50), st.integers(1, 5), st.integers(1, 9))
def test_the_order_of_replies_changes_nothing(seed: int, batch: int, parallel: int, shortlist: int) -> None:
    """Nor where a third of them is refused, rejected, unreadable or cut off."""

    def client(request: Request) -> Reply | BaseException:
        dice = random.Random(f"{seed} {request.key}")
        fault = dice.choice(["", "", "", "", "refused", "error", "prose", "cut", "part"])
        reply = model(request)
        if fault == "part":
            value = json.loads(reply.text)
            name = next(iter(value))
            return said({name: value[name][:1]})
        return {
            "refused": Reply("no", "refused"),
            "error": ValueError("no"),
            "prose": Reply("Well."),
            "cut": Reply(reply.text[: len(reply.text) // 2], "length"),
        }.get(fault, reply)

    found = []
    for choose in (lambda pending: pending[0], lambda pending: pending[-1], random.Random(seed).choice):
        settings: dict[str, Any] = {"batch": batch, "parallel": parallel, "shortlist": shortlist}
        conversation = Topics(MANY, rows(MANY), on_failure="keep", **settings)
        topics, asked = converse(conversation, client, choose)
        failures = sorted(conversation.tally.failures, key=lambda each: each.item)
        found.append((topics, sorted(request.key for request in asked), failures, +conversation.tally.dropped))
    assert members(found[0][0]) == list(range(120))
    assert found[0] == found[1] == found[2]


def test_only_topics_near_the_propositions_are_listed() -> None:
    texts = [f"{word} here." for word in WORDS] + ["Chess again.", "Copper again."]
    topics, asked = converse(Topics(texts, rows(texts), batch=7, shortlist=2), model)
    assert "There are no topics yet." in asked[0].messages[1].text
    listed = asked[1].messages[1].text.split("Propositions:")[0]
    assert listed.count("Topic ") == 2
    assert "Chess" in listed
    assert "Copper" in listed
    assert [topic.members for topic in topics if len(topic.members) > 1] == [(2, 7), (3, 8)]


def test_a_title_is_renewed_only_when_the_topic_has_grown() -> None:
    texts = ["Tea one."] * 4 + ["Tea two."] + ["Tea three."] * 3
    replies = [
        groups((0, "Tea", [1, 2, 3, 4])),
        groups((1, "", [1])),
        groups((1, "", [1])),
        groups((1, "", [1])),
        said({"topics": [{"number": 1, "title": "Teas", "summary": "Many."}]}),
        groups((1, "", [1])),
    ]
    conversation = Topics(texts, np.ones((8, 2)), batch=4, parallel=1)
    conversation.batch = 4
    pending = conversation.pending()
    conversation.accept(pending[0], replies[0])
    conversation.batch = 1
    topics, asked = converse(conversation, in_turn(replies[1:]))
    assert topics == [Topic("Teas", "Many.", tuple(range(8)))]
    assert [request.version.split("/")[0] for request in asked] == ["topics"] * 3 + ["titles", "topics"]


def test_a_title_that_cannot_be_renewed_stays() -> None:
    replies = [groups((0, "Tea", [1])), groups((1, "", [1, 2, 3])), said("No.")]
    conversation = Topics(["Tea."] * 4, np.ones((4, 2)), batch=3, parallel=1)
    conversation.batch = 1
    conversation.accept(conversation.pending()[0], replies[0])
    conversation.batch = 3
    topics, _ = converse(conversation, in_turn(replies[1:]))
    assert topics == [Topic("Tea", "", (0, 1, 2, 3))]
    assert conversation.tally.dropped["titles"] == 1


def test_two_requests_of_a_round_that_open_one_topic_open_it_once() -> None:
    texts = ["Salt.", "Tea a.", "Chess.", "Tea b.", "Chess."]
    conversation = Topics(texts, rows(texts), batch=2, parallel=2)
    conversation.batch = 1
    conversation.accept(conversation.pending()[0], groups((0, "Salt", [1])))
    conversation.batch = 2
    first, second = conversation.pending()
    conversation.accept(second, groups((0, "tea", [1]), (0, "The game", [2])))
    conversation.accept(first, groups((0, "Tea", [1]), (0, "Chess", [2])))
    assert conversation.finished() == [Topic("Salt", "", (0,)), Topic("Tea", "", (1, 3)), Topic("Chess", "", (2, 4))]


def test_numbers_and_topics_that_do_not_exist_are_dropped_and_asked_for_again() -> None:
    replies = [groups((0, "Tea", [1, 1, 9, "2"]), (4, "", [3]), (0, "", [4])), groups((1, "", [1]), (0, "Ice", [2]))]
    conversation = Topics(["a", "b", "c", "d"], np.eye(4))
    topics, asked = converse(conversation, in_turn(replies))
    assert topics == [Topic("Tea", "", (0, 1, 2)), Topic("Ice", "", (3,))]
    assert conversation.tally.dropped == {"numbers": 2, "topics": 2}
    assert "2 propositions were in no group" in asked[1].messages[1].text


def test_what_no_reply_places_is_placed_by_its_vector_and_listed() -> None:
    replies = [
        groups((0, "Tea", [1])),
        said("No."),
    ]
    conversation = Topics(["Tea.", "More tea.", "Ice."], [[1, 0], [0.9, 0.1], [0, 1]], on_failure="keep")
    topics, _ = converse(conversation, in_turn(replies))
    assert topics == [Topic("Tea", "", (0, 1)), Topic("Ice.", "", (2,))]
    assert [failure.item for failure in conversation.tally.failures] == [1, 2]
    with pytest.raises(ReplyError, match=r"item 1 \('More tea.'\) failed"):
        converse(Topics(["Tea.", "More tea."], np.eye(2)), in_turn(replies))


def test_one_refused_proposition_is_found_by_halves() -> None:
    def client(request: Request) -> Reply:
        return Reply("no", "refused") if "number 33 " in request.messages[1].text else model(request)

    conversation = Topics(MANY, rows(MANY), on_failure="keep")
    topics, asked = converse(conversation, client)
    assert members(topics) == list(range(120))
    assert [failure.item for failure in conversation.tally.failures] == [33]
    assert len(asked) < 30


def test_without_a_model_the_nearest_mean_decides() -> None:
    topics = by_embedding(MANY, rows(MANY), 0.5)
    assert members(topics) == list(range(120))
    assert all(topic.title in MANY and topic.summary == "" for topic in topics)
    assert by_embedding([], []) == []
    assert [topic.members for topic in by_embedding(["a", "b"], [[0, 0], [0, 0]])] == [(0,), (1,)]


def test_zero_rows_are_topics_by_themselves_and_time_grows_with_their_number() -> None:
    """Eight times as many take less than 20 times as long: with their square it would be 64 times."""
    texts, unit_or_zero = ["- a", "Tea is hot."] * 8000, np.array([[0, 0], [1, 0]])
    for threshold in (-1, 0.3):
        topics = by_embedding(texts[:6], np.tile(unit_or_zero, (3, 1)), threshold)
        assert [topic.members for topic in topics] == [(0,), (1, 3, 5), (2,), (4,)]

    def seconds(count: int) -> float:
        begun = time.process_time()
        by_embedding(texts[:count], np.tile(unit_or_zero, (count // 2, 1)))
        return time.process_time() - begun

    assert_time_grows(seconds, 2000, 16_000, 20)


def test_settings_are_checked_at_the_door() -> None:
    with pytest.raises(EmbeddingError, match=r"expected \(2, d\)"):
        Topics(["a", "b"], [[1.0]])
    for name in ("batch", "shortlist", "parallel", "max_tokens"):
        with pytest.raises(SettingError, match=name):
            Topics([], [], **{name: 0})  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="threshold"):
        by_embedding([], [], 2)
