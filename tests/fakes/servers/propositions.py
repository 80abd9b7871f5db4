"""A passage of three sentences, replies to it, and what propositions make of them."""

from __future__ import annotations

from typing import Any

from fakes.servers.conversations import converse, in_turn

from caesura_llm.conversation import Reply, Request
from caesura_llm.passages import Passage
from caesura_llm.propositions import PassageResult, Propositions

TEXT = "Anna keeps bees. She sells honey.\n\nThe market opens at six."
PASSAGE = Passage(TEXT, "anna.txt", 100, "Bees")


def one(*statements: Any, number: int = 1) -> dict[str, Any]:
    listed = [{"text": text, "sentences": sentences} for text, sentences in statements]
    return {"passages": [{"number": number, "propositions": listed}]}


def extracted(*replies: Reply | BaseException, **settings: Any) -> tuple[PassageResult, Propositions, list[Request]]:
    conversation = Propositions([PASSAGE], **{"on_failure": "keep", **settings})
    (found,), asked = converse(conversation, in_turn(replies))
    return found, conversation, asked
