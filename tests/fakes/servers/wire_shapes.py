"""What other APIs, and streams, make of a chat completion: OpenAI's Responses, Anthropic's messages, Ollama's chat.

A shape turns a request into one of chat completions, and the completion into the body, or the events, of its reply.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

Body = dict[str, Any]


class Shape(NamedTuple):
    """chat: a request -> as chat completions have it. reply: a completion, a request -> the body of the reply. events:
    that body, a request -> the events of a stream. error: of a server that fails while it streams."""

    chat: Callable[[Body], Body]
    reply: Callable[[Body, Body], Body]
    events: Callable[[Body, Body], Iterator[bytes]]
    error: bytes


def shape_of(path: str) -> Shape:
    """The shape of what is asked under a path."""
    return next((shape for end, shape in SHAPES.items() if path.endswith(end)), SHAPES["/chat/completions"])


def _pieces(text: str) -> list[str]:
    return [text[at : at + 24] for at in range(0, len(text), 24)]


def _sse(value: Any, event: str = "") -> bytes:
    said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return (f"event: {event}\n" if event else "").encode() + f"data: {said}\n\n".encode("utf-8", "surrogatepass")


def _ends(completion: Body) -> tuple[Body, str]:
    """The message, and why it ends; of no choices, an empty one."""
    (choice,) = completion["choices"] or [{"message": {"content": ""}, "finish_reason": "stop"}]
    return choice["message"], choice["finish_reason"]


def _cached(usage: Body) -> int:
    return int((usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0))


# -- chat completions --------------------------------------------------------------------------------------------------


def _completion_events(completion: Body, body: Body) -> Iterator[bytes]:
    head = {name: completion[name] for name in ("id", "created", "model")} | {"object": "chat.completion.chunk"}

    def chunk(delta: Body, reason: str | None = None) -> bytes:
        return _sse({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}]})

    for choice in completion["choices"]:
        message = choice["message"]
        yield chunk({"role": "assistant", "content": "", "refusal": None})
        for name in ("content", "refusal"):
            for piece in _pieces(message[name] or ""):
                yield chunk({name: piece})
        for call in message.get("tool_calls", ()):
            called = call["function"]
            yield chunk({"tool_calls": [{"index": 0, **call, "function": {"name": called["name"], "arguments": ""}}]})
            for piece in _pieces(called["arguments"]):
                yield chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
        yield chunk({}, choice["finish_reason"])
    if (body.get("stream_options") or {}).get("include_usage"):
        yield _sse({**head, "choices": [], "usage": completion["usage"]})
    yield _sse("[DONE]")


# -- Responses ---------------------------------------------------------------------------------------------------------


def _responses_chat(body: Body) -> Body:
    given = body["input"] if isinstance(body["input"], list) else [{"role": "user", "content": body["input"]}]
    roles = {"developer": "system"}
    messages = [{"role": roles.get(one["role"], one["role"]), "content": _content(one["content"])} for one in given]
    if body.get("instructions"):
        messages.insert(0, {"role": "system", "content": body["instructions"]})
    tools = [{"type": "function", "function": {"name": tool["name"]}} for tool in body.get("tools") or ()]
    form = (body.get("text") or {}).get("format")
    limit = body.get("max_output_tokens")
    return {"model": body["model"], "messages": messages, "tools": tools, "response_format": form, "max_tokens": limit}


def _content(content: Any) -> Any:
    if isinstance(content, str):
        return content
    text = [{"type": "text", "text": one["text"]} for one in content if one["type"] == "input_text"]
    images = [one["image_url"] for one in content if one["type"] == "input_image"]
    return [*text, *({"type": "image_url", "image_url": {"url": url}} for url in images)]


def _responses_reply(completion: Body, body: Body) -> Body:
    message, reason = _ends(completion)
    usage = completion["usage"]
    ends = "incomplete" if reason == "length" else "completed"
    output: list[Body] = []
    for call in message.get("tool_calls", ()):
        output.append(
            {"type": "function_call", "id": "fc_1", "call_id": call["id"], "status": ends, **call["function"]}
        )
    if not output and completion["choices"]:
        part: Body = {"type": "output_text", "text": message["content"] or "", "annotations": []}
        if message["refusal"]:
            part = {"type": "refusal", "refusal": message["refusal"]}
        output = [{"type": "message", "id": "msg_1", "role": "assistant", "status": ends, "content": [part]}]
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": completion["model"],
        "status": ends,
        "incomplete_details": {"reason": "max_output_tokens"} if reason == "length" else None,
        "error": None,
        "output": output,
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": usage["prompt_tokens"],
            "input_tokens_details": {"cached_tokens": _cached(usage)},
            "output_tokens": usage["completion_tokens"],
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": usage["total_tokens"],
        },
    }


def _responses_events(reply: Body, body: Body) -> Iterator[bytes]:
    begun = {**reply, "status": "in_progress", "incomplete_details": None, "output": [], "usage": None}
    events: list[Body] = [{"type": "response.created", "response": begun}]
    for number, item in enumerate(reply["output"]):
        at = {"item_id": item["id"], "output_index": number}
        bare = {"content": []} if item["type"] == "message" else {"arguments": ""}
        added = {**item, "status": "in_progress", **bare}
        events.append({"type": "response.output_item.added", "output_index": number, "item": added})
        if item["type"] == "function_call":
            name = "response.function_call_arguments"
            events += [{"type": f"{name}.delta", **at, "delta": piece} for piece in _pieces(item["arguments"])]
            events.append({"type": f"{name}.done", **at, "name": item["name"], "arguments": item["arguments"]})
        for index, part in enumerate(item.get("content", ())):
            at["content_index"] = index
            kind, field = part["type"], "text" if part["type"] == "output_text" else "refusal"
            events.append({"type": "response.content_part.added", **at, "part": {**part, field: ""}})
            more = {"logprobs": []} if field == "text" else {}
            for piece in _pieces(part[field]):
                events.append({"type": f"response.{kind}.delta", **at, "delta": piece, **more})
            events.append({"type": f"response.{kind}.done", **at, field: part[field], **more})
            events.append({"type": "response.content_part.done", **at, "part": part})
        events.append({"type": "response.output_item.done", "output_index": number, "item": item})
    events.append({"type": f"response.{reply['status']}", "response": reply})
    return (_sse({**event, "sequence_number": number}, event["type"]) for number, event in enumerate(events))


# -- Anthropic's messages ----------------------------------------------------------------------------------------------


def _anthropic_chat(body: Body) -> Body:
    messages = [{"role": "system", "content": _blocks(body["system"])}] if body.get("system") else []
    messages += [{"role": one["role"], "content": _blocks(one["content"])} for one in body["messages"]]
    tools = [{"type": "function", "function": {"name": tool["name"]}} for tool in body.get("tools") or ()]
    return {"model": body["model"], "messages": messages, "tools": tools, "max_tokens": body["max_tokens"]}


def _blocks(content: Any) -> Any:
    if isinstance(content, str):
        return content
    return [one if one["type"] == "text" else {"type": "image_url"} for one in content]


def _anthropic_reply(completion: Body, body: Body) -> Body:
    message, reason = _ends(completion)
    usage = completion["usage"]
    content: list[Body] = [{"type": "text", "text": message["content"]}] if message["content"] else []
    for call in message.get("tool_calls", ()):
        given, name = _arguments(call["function"]["arguments"]), call["function"]["name"]
        content.append({"type": "tool_use", "id": "toolu_1", "name": name, "input": given})
    if message.get("refusal"):
        reason, content = "refusal", [{"type": "text", "text": message["refusal"]}]
    words = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"}
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": completion["model"],
        "content": content,
        "stop_reason": words.get(reason, reason),
        "stop_sequence": None,
        "usage": {
            "input_tokens": usage["prompt_tokens"] - _cached(usage),
            "output_tokens": usage["completion_tokens"],
            "cache_read_input_tokens": _cached(usage),
            "cache_creation_input_tokens": 0,
        },
    }


def _arguments(text: str) -> Body:
    """What a model calls a tool with; where it is no JSON, as much as these servers make of it: nothing."""
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _anthropic_events(reply: Body, body: Body) -> Iterator[bytes]:
    begun = {**reply, "content": [], "stop_reason": None, "usage": {**reply["usage"], "output_tokens": 1}}
    events: list[Body] = [{"type": "message_start", "message": begun}]
    for number, block in enumerate(reply["content"]):
        field, kind = ("text", "text_delta") if block["type"] == "text" else ("input", "input_json_delta")
        name = "text" if field == "text" else "partial_json"
        said = block["text"] if field == "text" else json.dumps(block["input"], ensure_ascii=False)
        start = {**block, field: "" if field == "text" else {}}
        events.append({"type": "content_block_start", "index": number, "content_block": start})
        for piece in _pieces(said):
            events.append({"type": "content_block_delta", "index": number, "delta": {"type": kind, name: piece}})
        events.append({"type": "content_block_stop", "index": number})
    ends = {"stop_reason": reply["stop_reason"], "stop_sequence": None}
    events.append({"type": "message_delta", "delta": ends, "usage": reply["usage"]})
    events.append({"type": "message_stop"})
    return (_sse(event, event["type"]) for event in events)


# -- Ollama's chat -----------------------------------------------------------------------------------------------------


def _ollama_chat(body: Body) -> Body:
    messages = []
    for one in body["messages"]:
        parts = [{"type": "text", "text": one["content"]}, *({"type": "image_url"} for _ in one.get("images") or ())]
        messages.append({"role": one["role"], "content": parts})
    options = body.get("options") or {}
    asked = {"model": body["model"], "messages": messages, "max_tokens": options.get("num_predict")}
    return {**asked, "tools": body.get("tools"), "response_format": body.get("format")}


def _ollama_reply(completion: Body, body: Body) -> Body:
    message, reason = _ends(completion)
    said: Body = {"role": "assistant", "content": message["content"] or message.get("refusal") or ""}
    for call in message.get("tool_calls", ()):
        called = {"name": call["function"]["name"], "arguments": _arguments(call["function"]["arguments"])}
        said = {**said, "tool_calls": [{"function": called}]}
    return {
        "model": completion["model"],
        "created_at": "2026-01-01T00:00:00Z",
        "message": said,
        "done": True,
        "done_reason": "length" if reason == "length" else "stop",
        "total_duration": 1,
        "prompt_eval_count": completion["usage"]["prompt_tokens"],
        "eval_count": completion["usage"]["completion_tokens"],
    }


def _ollama_events(reply: Body, body: Body) -> Iterator[bytes]:
    head = {name: reply[name] for name in ("model", "created_at")} | {"done": False}
    said = reply["message"]
    for piece in _pieces(said["content"]):
        yield _line({**head, "message": {"role": "assistant", "content": piece}})
    if "tool_calls" in said:
        yield _line({**head, "message": {**said, "content": ""}})
    yield _line({**reply, "message": {"role": "assistant", "content": ""}})


def _line(value: Body) -> bytes:
    return (json.dumps(value, ensure_ascii=False) + "\n").encode("utf-8", "surrogatepass")


_WRONG = {"message": "The server had an error while processing your request", "type": "server_error"}
SHAPES = {
    "/chat/completions": Shape(
        lambda body: body,
        lambda completion, body: completion,
        _completion_events,
        _sse({"error": {**_WRONG, "code": None, "param": None}}),
    ),
    "/responses": Shape(
        _responses_chat,
        _responses_reply,
        _responses_events,
        _sse({**_WRONG, "type": "error", "code": "server_error", "param": None, "sequence_number": 9}, "error"),
    ),
    "/messages": Shape(
        _anthropic_chat,
        _anthropic_reply,
        _anthropic_events,
        _sse({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "error"),
    ),
    "/api/chat": Shape(_ollama_chat, _ollama_reply, _ollama_events, _line({"error": _WRONG["message"]})),
}
"""By what the path ends in. Ollama streams unless it is told not to, the others where they are told to."""
