"""The real OpenAI-like client against a server that misbehaves: what the user of a transformer gets."""

from __future__ import annotations

from typing import Any

import openai
import pytest
from fakes.llama_index.llms import FORMS, ONE, TEXT, forms, hows, like, made, told, whole
from fakes.llama_index.parsers import content
from fakes.servers.conversations import FAST
from fakes.servers.openai_model import MALFORMED
from fakes.servers.openai_server import OpenAIServer, seeded

from caesura.errors import ReplyError, SettingError
from caesura_llm.retries import Pace
from llama_index.node_parser.caesura import PropositionTransformer

pytestmark = [pytest.mark.thorough, pytest.mark.enable_socket]

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


@pytest.mark.thorough
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


@hows
def test_a_server_that_keeps_saying_too_many_is_told_of_while_it_does(
    how: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("caesura_llm.retries.QUIET", 0.05)  # seconds
    pace = Pace(base=0.02, cap=0.05, max_retries=5)
    with OpenAIServer(plan=["429"] * 20) as server, pytest.raises(ReplyError, match="RateLimitError"):
        made(PropositionTransformer(like(server), pace=pace), how, ONE)
    assert server.calls == 6, "the client's own retries are off"
    assert "at most 5 times a request: RateLimitError" in caplog.text


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
    with (
        OpenAIServer(plan=["refusal"]) as server,
        pytest.raises(ReplyError, match=r"document 'anna' .*failed: the model"),
    ):
        made(PropositionTransformer(like(server)), how, ONE)


@hows
@forms
def test_a_page_of_html_is_one_error_that_quotes_it(form: str, how: str) -> None:
    with (
        OpenAIServer(plan=["page"] * 9) as server,
        pytest.raises(SettingError, match=r"server at 127.0.0.1:\d+ .*<!doctype html>.* base URL"),
    ):
        made(PropositionTransformer(like(server, **FORMS[form]), on_failure="keep"), how, ONE)
    assert server.calls == 1


@hows
def test_what_no_retry_helps_is_the_clients_own_error(how: str) -> None:
    with OpenAIServer(plan=["401"]) as server, pytest.raises(openai.AuthenticationError):
        made(PropositionTransformer(like(server), on_failure="keep"), how, ONE)
    assert server.calls == 1
    with OpenAIServer(plan=["quota"]) as server, pytest.raises(openai.RateLimitError):
        made(PropositionTransformer(like(server), on_failure="keep"), how, ONE)
    assert server.calls == 1


@pytest.mark.thorough
@hows
def test_a_reply_that_does_not_come_in_time_is_asked_for_again(how: str) -> None:
    with OpenAIServer() as server:
        made(PropositionTransformer(like(server)), how, ONE)  # the client is loaded
        server.plan = iter(["timeout"])
        parser = PropositionTransformer(like(server), pace=Pace(base=0.001, timeout=3))
        assert content(made(parser, how, ONE)) == whole()
    assert parser.report is not None
    assert parser.report.retried == {"TimeoutError": 1}


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
