"""Every proposition rests on sentences of the document, whatever is packed together or replied first."""

from __future__ import annotations

import random

import pytest
from fakes.servers.conversations import converse, model, passages, said
from fakes.servers.propositions import TEXT, extracted, one
from hypothesis import given
from hypothesis import strategies as st

from caesura_llm.conversation import Conversation, Reply, Request
from caesura_llm.passages import Passage
from caesura_llm.propositions import Proposition, Propositions


def test_it_is_a_conversation() -> None:
    assert isinstance(Propositions([]), Conversation)


def test_a_proposition_carries_the_spans_of_the_document_that_it_rests_on() -> None:
    found, conversation, _ = extracted(said(one(("Anna sells honey.", [1, 2]), ("Six and bees.", [3, 1]))))
    assert found.propositions == (
        Proposition("Anna sells honey.", (1, 2), ((100, 133),), 0, "anna.txt"),
        Proposition("Six and bees.", (1, 3), ((100, 116), (135, 159)), 0, "anna.txt"),
    )
    assert found.uncovered == ()
    assert TEXT[35:59] == "The market opens at six."
    assert conversation.tally.finished == 1


def test_sentences_that_no_proposition_rests_on_are_listed() -> None:
    found, _, asked = extracted(said(one(("Anna sells honey.", [2]))))
    assert found.uncovered == ((100, 116), (135, 159))
    assert len(asked) == 1


def test_what_cannot_be_used_is_dropped_and_counted() -> None:
    reply = one(
        ("Anna keeps bees.", [1, 9, 0, -1, "2"]),
        ("", [1]),
        ("anna  keeps bees", [3]),
        ("The moon is cheese.", [77]),
        (5, [1]),
    )
    reply["passages"].append({"number": 8, "propositions": []})
    found, conversation, _ = extracted(said(reply))
    assert [(each.text, each.sentences) for each in found.propositions] == [("Anna keeps bees.", (1, 2, 3))]
    assert conversation.tally.dropped == {"numbers": 4, "empty": 2, "duplicate": 1, "unsupported": 1}
    assert conversation.tally.failures == []


def test_a_passage_may_say_nothing() -> None:
    found, _, asked = extracted(said(one()))
    assert found.propositions == ()
    assert len(found.uncovered) == 3
    assert len(asked) == 1


@pytest.mark.parametrize("at", range(60, 420, 20))
def test_a_reply_that_is_cut_off_is_gone_on_with_and_says_the_same_in_the_end(at: int) -> None:
    def client(request: Request) -> Reply:
        text = model(request).text
        return Reply(text[:at], "length") if len(text) > at else Reply(text)

    whole, _ = converse(Propositions(passages(4, 3), budget=10_000), model)
    conversation = Propositions(passages(4, 3), budget=10_000, on_failure="keep")
    results, asked = converse(conversation, client)
    texts = [[each.text for each in one.propositions] for one in results]
    assert texts == [[each.text for each in one.propositions] for one in whole]
    assert len(asked) > 1
    if at >= 140:  # room for one statement
        assert results == whole


def test_blank_passages_are_not_asked_about_and_keep_their_place() -> None:
    held = [Passage(""), passages(1)[0], Passage(" \n "), Passage("\ufeff")]
    results, asked = converse(Propositions(held), model)
    assert [each.passage for each in results] == [0, 1, 2, 3]
    assert [len(each.propositions) for each in results] == [0, 2, 0, 1]
    assert len(asked) == 1
    assert converse(Propositions([Passage(" ")] * 2000), model)[1] == []


@pytest.mark.thorough
@given(st.integers(1, 400), st.integers(0, 5), st.integers(1, 20))
def test_results_depend_neither_on_packing_nor_on_the_order_of_replies(budget: int, seed: int, window: int) -> None:
    held = [*passages(12), Passage(""), *passages(3, 5)]
    plain, _ = converse(Propositions(held, budget=10**6), model)
    conversation = Propositions(held, budget=budget, window=window)
    assert converse(conversation, model, random.Random(seed).choice)[0] == plain
