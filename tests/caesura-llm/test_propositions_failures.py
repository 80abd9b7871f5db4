"""A reply that cannot be used leads to one repair; then the sentences stand in, or the failure is raised."""

from __future__ import annotations

import json

import pytest
from fakes.servers.conversations import converse, model, passages, said
from fakes.servers.propositions import extracted, one

from caesura.errors import ReplyError
from caesura_llm.conversation import Reply, Request
from caesura_llm.propositions import Propositions


@pytest.mark.parametrize("reply", ["No.", "", json.dumps(one(("All.", [12]))), json.dumps({"passages": []})])
def test_one_repair_request_quotes_the_fault(reply: str) -> None:
    found, conversation, asked = extracted(said(reply), said(one(("Anna keeps bees.", [1]))))
    assert [each.text for each in found.propositions] == ["Anna keeps bees."]
    assert conversation.tally.repairs == 1
    first, repair = (request.messages[1].text for request in asked)
    assert repair.startswith(first)
    assert "An earlier reply could not be used" in repair
    assert asked[0].key != asked[1].key
    assert (asked[0].repair, asked[1].repair) == (False, True)


def test_after_the_repair_its_own_sentences_stand_in_and_are_marked() -> None:
    found, conversation, asked = extracted(said("No."), said("Still 'no'."))
    assert [each.text for each in found.propositions] == [
        "Anna keeps bees.",
        "She sells honey.",
        "The market opens at six.",
    ]
    assert all(each.is_fallback for each in found.propositions)
    assert found.uncovered == ()
    assert found.failure is not None
    assert "Still 'no'." in found.failure.reason
    assert found.failure.keys == tuple(request.key for request in asked)
    assert conversation.tally.failures == [found.failure]


def test_or_the_failure_is_raised_with_the_document_and_the_fault() -> None:
    place = r"item 0 of document 'anna.txt' at character 100 \('Anna .*'\) failed: .*holds no JSON.*'Never'"
    with pytest.raises(ReplyError, match=place) as caught:
        extracted(said("No."), said("Never"), on_failure="raise")
    assert "on_failure='keep'" in str(caught.value)


def test_a_refusal_and_a_rejected_request_fail_without_a_repair() -> None:
    refused, _, asked = extracted(Reply("I must not.", "refused"))
    assert len(asked) == 1
    assert refused.failure is not None
    assert "I must not." in refused.failure.reason
    rejected, _, _ = extracted(ValueError("too long"))
    assert rejected.failure is not None
    assert rejected.failure.reason == "ValueError: too long"
    with pytest.raises(ReplyError) as caught:
        extracted(ValueError("too long"), on_failure="raise")
    assert isinstance(caught.value.__cause__, ValueError)


def test_of_several_only_the_refused_passage_fails() -> None:
    def client(request: Request) -> Reply:
        return Reply("no", "refused") if "Fact 2 " in request.messages[1].text else model(request)

    conversation = Propositions(passages(5), on_failure="keep", budget=10_000)
    results, asked = converse(conversation, client)
    assert [each.failure is not None for each in results] == [False, False, True, False, False]
    assert len(asked) == 6  # all together, then each alone


def test_of_several_those_left_out_are_asked_for_again() -> None:
    def client(request: Request) -> Reply:
        reply = json.loads(model(request).text)
        return said({"passages": [each for each in reply["passages"] if each["number"] != 2]})

    conversation = Propositions(passages(3), budget=10_000)
    results, asked = converse(conversation, client)
    assert [len(each.propositions) for each in results] == [2, 2, 2]
    assert len(asked) == 2
    assert asked[1].messages[1].text.count("Passage") == 1
