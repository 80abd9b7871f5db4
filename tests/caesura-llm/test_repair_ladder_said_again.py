"""A model that says an item, a passage or the prompt's example again: nothing of its answer is lost by that."""

from __future__ import annotations

from typing import Any

from fakes.servers.conversations import converse, in_turn, said

from caesura_llm.conversation import Reply
from caesura_llm.passages import Passage
from caesura_llm.propositions import Propositions
from caesura_llm.representations import ChunkResult, questions

PASSAGE = Passage("Anna keeps bees. She sells honey.", "anna.txt")


def one(*statements: tuple[str, list[int]]) -> list[dict[str, Any]]:
    listed = [{"text": text, "sentences": sentences} for text, sentences in statements]
    return [{"number": 1, "propositions": listed}]


def reply(*passages: dict[str, Any]) -> Reply:
    return said({"passages": passages})


def test_several_items_of_a_passage_are_all_heard() -> None:
    conversation = Propositions([PASSAGE])
    first, second = one(("Anna keeps bees.", [1])), one(("She sells honey.", [2]), ("anna keeps bees.", [1]))
    (found,), asked = converse(conversation, in_turn([reply(*first, *second)]))
    assert [each.text for each in found.propositions] == ["Anna keeps bees.", "She sells honey."]
    assert +conversation.tally.dropped == {"duplicate": 1}
    assert len(asked) == 1


def test_the_prompts_own_example_is_no_proposition() -> None:
    shown = one(("...", [1, 2]))
    (found,), asked = converse(
        Propositions([PASSAGE]), in_turn([reply(*shown), reply(*shown, *one(("Anna sells.", [2])))])
    )
    assert asked[1].repair
    assert [each.text for each in found.propositions] == ["Anna sells."]


def test_several_items_of_a_chunk_are_all_heard_and_the_prompts_example_is_none() -> None:
    shown, *parts = ({"number": 1, "texts": [text]} for text in ("...", "Is tea hot?", "How?"))
    results, asked = converse(questions([PASSAGE], 3), in_turn([reply(shown), reply(shown, *parts)]))
    assert results == [ChunkResult(0, "anna.txt", ("Is tea hot?", "How?"))]
    assert len(asked) == 2
