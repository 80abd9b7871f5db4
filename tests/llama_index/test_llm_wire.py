"""The real OpenAI-like client against a server that misbehaves: what the user of a transformer gets."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import openai
import pytest
from llama_index.core import Document, Settings
from llama_index.core.llms import MockLLM
from llama_index.core.utils import get_tokenizer
from llama_index.llms.openai_like import OpenAILike
from llama_index_fakes import content
from llama_index_llm_fakes import FORMS, OwnWay, Plain, like, made, told
from llm_fakes import FAST
from openai_model import MALFORMED
from openai_server import OpenAIServer, seeded
from pydantic import ValidationError

from caesura.errors import ReplyError
from caesura.llm.schedule import Pace
from llama_index.node_parser.caesura import PropositionTransformer, SummaryTransformer

pytestmark = pytest.mark.enable_socket
TEXT = 'Anna keeps {dark} "bees". She sells honey; it is good.\nThe market opens at {{six}}.'
ONE = [Document(text=TEXT, id_="anna")]
hows = pytest.mark.parametrize("how", ["sync", "async"])
forms = pytest.mark.parametrize("form", FORMS)

EXPECTED: dict[str, dict[str, Any]] = {
    "429": {"calls": 2, "retried": {"RateLimitError": 1}},
    "500": {"calls": 2, "retried": {"InternalServerError": 1}},
    "drop": {"calls": 2, "retried": {"APIConnectionError": 1}},
    "length": {"calls": 2},
    "empty": {"calls": 2, "repairs": 1},
    "null": {"calls": 2, "repairs": 1},
    "numbers": {"calls": 2, "repairs": 1, "dropped": {"numbers": 3}},
    "prose": {"calls": 2, "repairs": 1},
    "truncated": {"calls": 2},
    **{fault: {"calls": 1} for fault in MALFORMED if fault not in ("prose", "truncated")},
}


def whole() -> list[dict[str, Any]]:
    with OpenAIServer() as server:
        return content(PropositionTransformer(like(server))(ONE))


@hows
@forms
@pytest.mark.parametrize("fault", EXPECTED)
def test_after_one_fault_the_user_gets_all_and_the_report_says_what_it_took(fault: str, form: str, how: str) -> None:
    with OpenAIServer(plan=[fault]) as server:
        parser = PropositionTransformer(like(server, **FORMS[form]), pace=FAST)
        nodes = made(parser, how, ONE)
    report = parser.report
    assert report is not None
    wanted = {"retried": {}, "repairs": 0, "dropped": {}, "failures": [], **EXPECTED[fault]}
    assert {name: getattr(report, name) for name in wanted} == wanted
    assert content(nodes) == whole()
    assert [node.text for node in nodes] == TEXT.replace("\n", " ").replace(". ", ".|").split("|")
    assert server.calls == report.calls
    assert server.connections == (2 if fault == "drop" else 1)  # kept alive, else
    if not report.retried and fault != "empty":
        assert (report.input_tokens, report.output_tokens) == (server.prompt_tokens, server.completion_tokens)


@forms
def test_the_form_is_asked_for_in_the_llms_own_way(form: str) -> None:
    if not FORMS[form].keys() <= OpenAILike.model_fields.keys():
        pytest.skip(f"this version of OpenAILike has no {form}")
    with OpenAIServer() as server:
        PropositionTransformer(like(server, **FORMS[form]))(ONE)
        PropositionTransformer(like(server, **FORMS[form]), structured=False)(ONE)
    asked, plain = server.requests
    assert ("tools" in asked, "response_format" in asked) == (form == "function", form == "schema")
    assert not {"tools", "response_format"} & plain.keys()
    if form == "schema":
        schema = asked["response_format"]["json_schema"]
        assert (schema["strict"], schema["schema"]["required"]) == (True, ["passages"])


@hows
def test_a_refusal_fails_its_passage_alone_and_says_why(how: str) -> None:
    with OpenAIServer(plan=["refusal"]) as server:
        parser = PropositionTransformer(like(server), on_failure="keep")
        nodes = made(parser, how, ONE)
    assert parser.report is not None
    assert [one.reason for one in parser.report.failures] == ["the model refused: 'I cannot help with that.'"]
    assert [one.document_id for one in parser.report.failures] == ["anna"]
    assert all(node.metadata["kept"] for node in nodes)
    assert [node.metadata["spans"] for node in nodes] == [one["metadata"]["spans"] for one in whole()]
    with OpenAIServer(plan=["refusal"]) as server, pytest.raises(ReplyError, match="document 'anna' failed: the model"):
        made(PropositionTransformer(like(server)), how, ONE)


@hows
def test_what_no_retry_helps_is_the_clients_own_error(how: str) -> None:
    with OpenAIServer(plan=["401"]) as server, pytest.raises(openai.AuthenticationError):
        made(PropositionTransformer(like(server), on_failure="keep"), how, ONE)
    assert server.calls == 1
    with OpenAIServer(plan=["quota"]) as server, pytest.raises(openai.RateLimitError):
        made(PropositionTransformer(like(server), on_failure="keep"), how, ONE)
    assert server.calls == 1


@hows
def test_a_reply_that_does_not_come_in_time_is_asked_for_again(how: str) -> None:
    with OpenAIServer() as server:
        made(PropositionTransformer(like(server)), how, ONE)  # the client is loaded
        server.plan = iter(["timeout"])
        parser = PropositionTransformer(like(server), pace=Pace(base=0.001, timeout=1.0))
        assert content(made(parser, how, ONE)) == whole()
    assert parser.report is not None
    assert parser.report.retried == {"TimeoutError": 1}


@hows
def test_a_client_of_ones_own_is_told_not_to_retry_and_stays_open(how: str) -> None:
    with OpenAIServer(plan=["500"]) as server:
        options: dict[str, Any] = {"base_url": server.url, "api_key": "k", "max_retries": 5}
        with openai.OpenAI(**options) as own:
            llm = like(server, openai_client=own)
            parser = PropositionTransformer(llm, pace=FAST)
            parser(ONE)
            parser(ONE)
            assert not own.is_closed()
    assert server.calls == 3
    assert parser.report is not None
    assert parser.report.calls == 1
    assert (llm.max_retries, own.max_retries) == (3, 5)  # the user's are as they were


@hows
def test_one_reply_in_ten_is_faulty_and_nothing_is_lost(how: str) -> None:
    plan = seeded(0.1, 5, ["429", "500", "drop", "length", "refusal", "empty", "null", "numbers", *MALFORMED])
    with OpenAIServer(plan=plan) as server:
        parser = PropositionTransformer(like(server), budget=1, on_failure="keep", pace=FAST)
        nodes = made(parser, how, told(100))
    report = parser.report
    assert report is not None
    assert [node.ref_doc_id for node in nodes] == [f"d{n}" for n in range(100) for _ in range(4)]
    assert {node.ref_doc_id for node in nodes if node.metadata["kept"]} == {one.document_id for one in report.failures}
    assert parser.uncovered == {}
    assert sum(count for fault, count in server.served.items() if fault != "ok") >= 5
    assert server.has_seen(report.calls)
    assert report.calls <= 1.3 * 100


@hows
def test_so_many_are_in_flight_at_once_over_one_llm(how: str) -> None:
    with OpenAIServer(latency=0.3) as server:
        made(SummaryTransformer(like(server), budget=1, max_concurrency=5), how, told(40))
    assert server.most_flying == server.connections == 5


@hows
@forms
def test_the_llms_system_prompt_comes_first_and_once(form: str, how: str) -> None:
    with OpenAIServer() as server:
        made(PropositionTransformer(like(server, system_prompt="Be brief.", **FORMS[form])), how, ONE)
    said = [(one["role"], str(one["content"])) for one in server.requests[0]["messages"]]
    assert [role for role, _ in said] == ["system", "system", "user"]
    assert said[0][1] == "Be brief."


@hows
def test_settings_llm_is_asked_where_none_is_given(how: str) -> None:
    parser = PropositionTransformer()
    with OpenAIServer() as server:
        Settings.llm = like(server)
        assert content(made(parser, how, ONE)) == whole()
    assert server.calls == 1


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
            assert freed.wait(20)
            return super().complete(prompt)

    freed = threading.Event()
    task = asyncio.create_task(PropositionTransformer(Waits()).acall(ONE))
    await asyncio.sleep(0.05)
    freed.set()  # which the loop could not come to
    assert content(await task) == whole()


@hows
def test_an_error_of_the_llms_own_making_ends_the_run_as_it_is(how: str) -> None:
    class Broken(Plain):
        def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        made(PropositionTransformer(Broken(), on_failure="keep"), how, ONE)


def test_in_a_running_loop_the_sync_way_works() -> None:
    with OpenAIServer() as server:

        async def main() -> Any:
            return PropositionTransformer(like(server))(ONE)

        assert content(asyncio.run(main())) == whole()


@pytest.mark.parametrize("llm", ["gpt-4.1", OpenAIServer, MockLLM().as_structured_llm(Document)])
def test_another_object_is_no_llm(llm: Any) -> None:
    with pytest.raises(ValidationError, match="llm must be an LLM of LlamaIndex"):
        PropositionTransformer(llm)
