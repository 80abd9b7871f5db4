"""Models that stream, and those of the Responses API: the reply is the same, and what it cost is counted."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.langchain.llms import FAST, documents, llm, made, sync_and_async
from fakes.servers.openai_server import STREAM_FAULTS, OpenAIServer
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda

from langchain_caesura import PropositionTransformer
from langchain_caesura.transformers.client import read_message

pytestmark = [pytest.mark.thorough, pytest.mark.enable_socket]
ONE = documents()[:1]
SETTINGS: dict[str, dict[str, Any]] = {
    "streaming": {"streaming": True},
    "streaming, disabled": {"streaming": True, "disable_streaming": True},
    "streaming, disabled with tools": {"streaming": True, "disable_streaming": "tool_calling"},
    "responses": {"use_responses_api": True},
    "responses, streaming": {"use_responses_api": True, "streaming": True},
}
settings = pytest.mark.parametrize("name", SETTINGS)
ways = pytest.mark.parametrize(
    ("how", "method"), [("sync", None), ("async", None), ("sync", "function_calling"), ("async", False)]
)


@pytest.mark.thorough
@ways
@settings
async def test_the_user_gets_all_and_the_report_equals_the_servers_counts(name: str, method: Any, how: str) -> None:
    """The first reply is cut off."""
    with OpenAIServer(plan=["length"]) as server:
        prices = (0.4, 1.6)
        transformer = PropositionTransformer(llm(server, **SETTINGS[name]), pace=FAST, structured=method, prices=prices)
        found = await made(transformer, ONE, how)
    report = transformer.report
    assert [one.page_content for one in found] == [
        'Anna keeps "dark" bees.',
        "She sells honey; it is good.",
        "The market opens at six.",
    ]
    assert (report.calls, report.retries) == (2, 0)
    assert (report.input_tokens, report.output_tokens) == (server.prompt_tokens, server.completion_tokens)
    assert report.cost == pytest.approx((0.4 * server.prompt_tokens + 1.6 * server.completion_tokens) / 1e6)
    assert bool(server.requests[0].get("stream")) == name.endswith("streaming")


@pytest.mark.thorough
@ways
@pytest.mark.parametrize("name", ["streaming", "responses, streaming"])
@pytest.mark.parametrize("fault", STREAM_FAULTS)
async def test_a_stream_that_ends_in_the_middle_is_asked_for_again(
    fault: str, name: str, method: Any, how: str
) -> None:
    with OpenAIServer(plan=[fault]) as server:
        transformer = PropositionTransformer(llm(server, **SETTINGS[name]), pace=FAST, structured=method)
        found = await made(transformer, ONE, how)
    assert len(found) == 3
    assert (transformer.report.calls, transformer.report.retries, transformer.report.repairs) == (2, 1, 0)
    assert transformer.report.output_tokens == server.completion_tokens // 2  # of the half, nobody says what it cost


@sync_and_async
@pytest.mark.parametrize("name", ["streaming", "responses", "responses, streaming"])
async def test_a_refusal_is_one(name: str, how: str) -> None:
    with OpenAIServer(plan=["refusal"]) as server:
        transformer = PropositionTransformer(llm(server, **SETTINGS[name]), on_failure="keep")
        found = await made(transformer, ONE, how)
    assert [one.reason for one in transformer.report.failures] == ["the model refused: 'I cannot help with that.'"]
    assert all(one.metadata["kept"] for one in found)


async def test_a_stream_is_asked_what_it_costs_unless_the_user_says_no() -> None:
    with OpenAIServer() as server:
        for said, asked in ((None, {"include_usage": True}), (True, {"include_usage": True}), (False, None)):
            model = llm(server, streaming=True, stream_usage=said)
            PropositionTransformer(model).transform_documents(ONE)
            assert server.requests[-1].get("stream_options") == asked
            assert model.stream_usage is said


async def test_within_a_chain_whose_events_are_streamed_it_works_too() -> None:
    with OpenAIServer() as server:
        transformer = PropositionTransformer(llm(server))

        async def index(given: Any) -> Any:
            return await transformer.atransform_documents(given)

        events = [event async for event in RunnableLambda(index).astream_events(ONE, version="v2")]
    ends = [event for event in events if event["event"] == "on_chain_end"]
    assert [one["name"] for one in ends] == ["PropositionTransformer", "index"]
    assert len(ends[-1]["data"]["output"]) == 3
    assert server.requests[0]["stream"] is True
    assert transformer.report.input_tokens == server.prompt_tokens


def test_what_a_library_closed_of_a_reply_that_was_cut_off_is_not_taken_for_whole() -> None:
    args = {"passages": [{"number": 1, "propositions": [{"text": "Tea is h"}]}]}
    call: Any = {"name": "passages", "args": args, "id": "1"}
    cut = read_message(AIMessage("", tool_calls=[call], response_metadata={"finish_reason": "length"}))
    assert cut.text == '{"passages": [{"number": 1, "propositions": [{"text": "Tea is h'
    assert read_message(AIMessage("", tool_calls=[call])).text.endswith('"Tea is h"}]}]}')
