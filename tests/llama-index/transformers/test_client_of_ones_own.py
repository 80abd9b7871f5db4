"""An LLM of one's own is heard as a server is: what it counts, what it cannot read, what it raises."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from fakes.llama_index.llms import ONE, TEXT, OwnWay, Plain, hows, made, whole
from fakes.llama_index.parsers import content
from llama_index.core.utils import get_tokenizer

from llama_index.node_parser.caesura import PropositionTransformer

pytestmark = pytest.mark.enable_socket


@hows
@pytest.mark.parametrize("kind", [Plain, OwnWay])
def test_an_llm_that_counts_no_tokens_has_them_counted(kind: Any, how: str) -> None:
    parser = PropositionTransformer(kind())
    assert content(made(parser, how, ONE)) == whole()
    assert parser.report is not None
    assert 100 < parser.report.input_tokens < 300
    assert parser.report.output_tokens > len(get_tokenizer()(TEXT))


@hows
def test_a_reply_that_an_llm_itself_could_not_read_is_asked_for_again(how: str) -> None:
    class Careless(OwnWay):
        _asked: int = 0

        def said(self, messages: Any) -> str:
            self._asked += 1
            good = super().said(messages)
            return ("No.", good[:-1], good)[min(self._asked, 3) - 1]

    parser = PropositionTransformer(Careless(), on_failure="keep")
    assert content(made(parser, how, ONE)) == whole()
    assert parser.report is not None
    assert (parser.report.calls, parser.report.repairs) == (2, 1)  # what only lacks its last bracket is read


@hows
def test_an_llm_that_completes_is_heard_where_it_is_asked_for_a_form(how: str) -> None:
    class Prose(Plain):
        _asked: int = 0

        def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
            self._asked += 1
            found = super().complete(prompt)
            found.raw = {"usage": {"input_tokens": 7, "output_tokens": 3}}
            return found if self._asked > 1 else found.model_copy(update={"text": "No."})

    parser = PropositionTransformer(Prose(), structured=True)
    assert content(made(parser, how, ONE)) == whole()
    assert parser.report is not None
    assert (parser.report.calls, parser.report.repairs) == (2, 1)
    assert (parser.report.input_tokens, parser.report.output_tokens) == (14, 6)


async def test_an_llm_in_this_process_does_not_stop_the_event_loop() -> None:
    class Waits(Plain):
        def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
            asked.set()
            assert freed.wait(600)
            return super().complete(prompt)

    asked, freed = threading.Event(), threading.Event()
    task = asyncio.create_task(PropositionTransformer(Waits()).acall(ONE))
    assert await asyncio.to_thread(asked.wait, 20)
    freed.set()  # which the loop could not come to
    assert content(await task) == whole()


@hows
def test_an_error_of_the_llms_own_making_ends_the_run_as_it_is(how: str) -> None:
    class Broken(Plain):
        def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        made(PropositionTransformer(Broken(), on_failure="keep"), how, ONE)
