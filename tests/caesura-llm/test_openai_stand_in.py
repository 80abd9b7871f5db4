"""The stand-in server itself: openai's client reads of its streams, and of its Responses API, what it says whole."""

from __future__ import annotations

from typing import Any

import httpx
import openai
import pytest
from fakes.servers.conversations import passages
from fakes.servers.openai_server import STREAM_FAULTS, OpenAIServer

from caesura_llm.clients import message_dict
from caesura_llm.propositions import Propositions

pytestmark = pytest.mark.enable_socket
REQUEST = Propositions(passages(2)).pending()[0]
MESSAGES: Any = [message_dict(one) for one in REQUEST.messages]
assert REQUEST.schema is not None
FORM = {"name": REQUEST.schema.name, "schema": REQUEST.schema.value, "strict": True}
TOOL = {"type": "function", "name": "passages", "parameters": REQUEST.schema.value, "strict": True}


def client(server: OpenAIServer) -> Any:
    return openai.OpenAI(base_url=server.url, api_key="any", max_retries=0)


def said(server: OpenAIServer) -> str:
    return str(client(server).chat.completions.create(model="m", messages=MESSAGES).choices[0].message.content)


def test_a_streamed_completion_says_what_a_whole_one_does_and_counts_where_it_is_asked_to() -> None:
    with OpenAIServer() as server:
        whole = said(server)
        before = server.prompt_tokens, server.completion_tokens
        create = client(server).chat.completions.create
        chunks = list(create(model="m", messages=MESSAGES, stream=True, stream_options={"include_usage": True}))
        silent = list(create(model="m", messages=MESSAGES, stream=True))
        form = {"type": "json_schema", "json_schema": FORM}
        with client(server).chat.completions.stream(model="m", messages=MESSAGES, response_format=form) as stream:
            formed = stream.get_final_completion()
    assert "".join(one.choices[0].delta.content or "" for one in chunks if one.choices) == whole
    assert len(chunks) > 10
    assert (chunks[-1].usage.prompt_tokens, chunks[-1].usage.completion_tokens) == before
    assert [one.usage for one in silent] == [None] * len(silent)
    assert formed.choices[0].message.content == whole
    assert server.requests[1]["stream_options"] == {"include_usage": True}


def test_the_responses_api_says_it_too_in_a_form_by_a_tool_and_as_a_stream() -> None:
    with OpenAIServer() as server:
        whole, create = said(server), client(server).responses.create
        server.prompt_tokens = server.completion_tokens = 0
        formed = create(model="m", input=MESSAGES, text={"format": {"type": "json_schema", **FORM}})
        counted = server.prompt_tokens, server.completion_tokens
        called = create(model="m", input=MESSAGES, tools=[TOOL])
        with client(server).responses.stream(model="m", input=MESSAGES) as stream:
            kinds = [event.type for event in stream]
            streamed = stream.get_final_response()
        with client(server).responses.stream(model="m", input=MESSAGES, tools=[TOOL]) as stream:
            called_in_stream = stream.get_final_response()
    assert (formed.output_text, formed.status) == (whole, "completed")
    assert (formed.usage.input_tokens, formed.usage.output_tokens) == counted
    assert [one.output[0].arguments for one in (called, called_in_stream)] == [whole, whole]
    assert streamed.output_text == whole
    assert (kinds[0], kinds[-1]) == ("response.created", "response.completed")
    assert kinds.count("response.output_text.delta") > 5


@pytest.mark.parametrize("stream", [False, True])
def test_it_says_that_a_reply_was_cut_off_or_refused(stream: bool) -> None:
    with OpenAIServer(plan=["ok", "refusal"]) as server:
        cut, refused = (
            client(server).responses.create(model="m", input=MESSAGES, stream=stream, max_output_tokens=5)
            for _ in range(2)
        )
        if stream:
            cut, refused = (list(one)[-1].response for one in (cut, refused))
    assert (cut.status, cut.incomplete_details.reason, cut.usage.output_tokens) == (
        "incomplete",
        "max_output_tokens",
        5,
    )
    assert refused.output[0].content[0].refusal == "I cannot help with that."


@pytest.mark.parametrize("api", ["completions", "responses"])
@pytest.mark.parametrize("fault", ["429", "500", *STREAM_FAULTS])
def test_its_faults_are_those_of_a_stream(fault: str, api: str) -> None:
    with OpenAIServer(plan=[fault]) as server:
        if api == "responses":
            ask = lambda: list(client(server).responses.create(model="m", input=MESSAGES, stream=True))  # noqa: E731
        else:
            ask = lambda: list(client(server).chat.completions.create(model="m", messages=MESSAGES, stream=True))  # noqa: E731
        errors = {"429": openai.RateLimitError, "500": openai.InternalServerError, "drop": httpx.RemoteProtocolError}
        if fault in errors:
            with pytest.raises(errors[fault]):
                ask()
        elif fault == "broken" and api == "completions":
            with pytest.raises(openai.APIError, match="The server had an error"):
                ask()
        else:  # the client says nothing of it: who reads must look how it ends
            last = ask()[-1]
            assert getattr(last, "type", "") == ("error" if fault == "broken" else "response.output_text.delta") or (
                last.choices[0].finish_reason is None
            )
