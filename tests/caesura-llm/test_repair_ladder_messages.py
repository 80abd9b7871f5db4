"""Every message of an item that failed names the document, the place and the first words."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from fakes.servers.conversations import FAST, converse

from caesura.errors import ReplyError
from caesura_llm.conversation import Conversation, Image, Reply, first_words
from caesura_llm.driver import Driver
from caesura_llm.passages import Passage
from caesura_llm.prompts import DESCRIPTION, IMAGE
from caesura_llm.propositions import Propositions
from caesura_llm.report import Report
from caesura_llm.representations import Representations, questions
from caesura_llm.topics import Topics

TEXT = "Tea is hot.\n" + "Ice is cold. " * 20
WORDS = "Tea is hot. Ice is cold. Ice is cold. Ice is cold. Ice is …"
SAID = f"item 1 of document '42' (notes.md) at character 120 ({WORDS!r})"
BOTH = [Passage("Bread is good."), Passage(TEXT, "42", 120, source="notes.md")]
WORK: dict[str, Callable[..., Conversation[Any]]] = {
    "propositions": Propositions,
    "topics": lambda passages, **settings: Topics(passages, np.eye(len(passages)), **settings),
    "summaries": Representations,
    "questions": questions,
    "descriptions": partial(Representations, prompt=DESCRIPTION),
    "images": partial(Representations, prompt=IMAGE),
}


def refuse(request: Any) -> Reply:
    return Reply("I must not.", "refused")


@pytest.mark.parametrize("work", WORK)
def test_the_report_the_log_and_the_error_say_which_item_failed(work: str, caplog: pytest.LogCaptureFixture) -> None:
    report = Report()
    Driver(FAST).run(WORK[work](BOTH, on_failure="keep"), refuse, report=report)
    whole = f"{SAID} failed: the model refused: 'I must not.'"
    assert str(report).splitlines()[2] == whole
    assert [(one.document_id, one.start, one.source) for one in report.failures][1] == ("42", 120, "notes.md")
    warnings = [one.getMessage() for one in caplog.records if one.levelno == logging.WARNING]
    assert f"{whole}; what it says stands in its place" in warnings
    with pytest.raises(ReplyError) as caught:
        converse(WORK[work]([BOTH[1]]), refuse)
    assert str(caught.value).startswith(whole.replace("item 1", "item 0"))


def test_what_is_not_known_is_not_said() -> None:
    for passage in (Passage("", start=None, images=(Image.of(b"1"),)), Passage(" ", start=None, images=(Image("x:"),))):
        with pytest.raises(ReplyError, match=r"^item 0 failed: "):
            converse(Representations([passage], prompt=IMAGE), refuse)


@pytest.mark.parametrize("text", ["", "a", "a" * 60, "a" * 61, "茶" * 900, "Tea. " * 90, "\n\t" * 300 + "a", "a " * 30])
def test_first_words_are_one_short_line_of_the_text(text: str) -> None:
    said = first_words(text)
    assert len(said) <= 60
    assert said.split() == said.split(" ") or not said
    assert " ".join(text.split()).startswith(said.removesuffix(" …"))


def test_a_place_that_is_not_known_counts_in_the_passage() -> None:
    ((found,), _) = converse(Propositions([Passage("Tea is hot.", "d", None)], on_failure="keep"), refuse)
    assert found.propositions[0].spans == ((0, 11),)
    assert found.failure is not None
    assert found.failure.start is None
