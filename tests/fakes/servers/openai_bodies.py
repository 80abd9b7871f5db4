"""The body of a request -> that of its reply, as OpenAI's API has both; a fault says what is to be wrong with it."""

from __future__ import annotations

import base64
import hashlib
import json
import struct
from typing import Any

from fakes.servers.framework_prompts import agent_turn
from fakes.servers.openai_model import MALFORMED, answer, tokens, wrong_numbers

DIMENSION = 64


def completion(body: dict[str, Any], fault: str) -> dict[str, Any]:
    """A chat completion; over the tokens that may be spent, or by the fault "length", it is cut off."""
    turn = agent_turn(body)
    text, reason = "" if turn else answer(body["messages"]), "stop"
    half = tokens(text) // 2 if fault == "length" else None
    limit = half or body.get("max_completion_tokens") or body.get("max_tokens")
    if fault in MALFORMED:
        text = MALFORMED[fault](text)
    elif fault == "numbers":
        text = wrong_numbers(text)
    elif fault == "null":
        text = ""
    if limit is not None and tokens(text) > limit:
        text, reason = text[: 4 * limit], "length"
    message = {"role": "assistant", "content": None if fault == "null" else text, "refusal": None}
    if fault == "refusal":
        message |= {"content": None, "refusal": "I cannot help with that."}
    elif turn:
        message |= turn
        reason = "tool_calls" if "tool_calls" in turn else reason
    elif body.get("tools"):
        call = {"name": body["tools"][0]["function"]["name"], "arguments": text}
        message |= {"content": None, "tool_calls": [{"id": "call_1", "type": "function", "function": call}]}
        reason = "tool_calls" if reason == "stop" else reason
    choices = [{"index": 0, "message": message, "finish_reason": reason, "logprobs": None}]
    spent, made = prompt_tokens(body), tokens(text)
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "choices": [] if fault == "empty" else choices,
        "usage": {"prompt_tokens": spent, "completion_tokens": made, "total_tokens": spent + made},
    }


def prompt_tokens(body: dict[str, Any]) -> int:
    """Of all messages, 4 for each, 85 for an image; and what the form of the reply takes."""
    found = 0
    for message in body["messages"]:
        content = message["content"]
        parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
        found += 4 + sum(tokens(part["text"] or "") if part["type"] == "text" else 85 for part in parts)
    return found + tokens(json.dumps([body.get("response_format"), body.get("tools")]))


def embeddings(body: dict[str, Any], fault: str) -> tuple[int, dict[str, Any]]:
    """A status and embeddings, or the error of a request that is over OpenAI's limits."""
    texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
    texts = [text if isinstance(text, str) else " ".join(map(str, text)) for text in texts]  # LangChain sends tokens
    sizes = [tokens(text) for text in texts]
    if not texts or len(texts) > 2048 or "" in texts or max(sizes) > 8192 or sum(sizes) > 300_000:
        return 400, error(f"{len(texts)} inputs of {sum(sizes)} tokens, the longest {max(sizes, default=0)}", None)
    rows = [embedding(text, body.get("dimensions") or DIMENSION) for text in texts]
    packed = body.get("encoding_format") == "base64" and fault != "float"
    coded: list[Any] = [_base64(row) for row in rows] if packed else rows
    data = [{"object": "embedding", "index": index, "embedding": row} for index, row in enumerate(coded)]
    data = {"shuffled": data[::-1], "short": data[:-1], "twice": [*data[:-1], data[0]]}.get(fault, data)
    if fault == "no row":
        data[0]["embedding"] = "row"
    usage = {"prompt_tokens": sum(sizes), "total_tokens": sum(sizes)}
    return 200, {"object": "list", "model": body["model"], "data": data, "usage": usage}


def embedding(text: str, dimension: int = DIMENSION) -> list[float]:
    """A text's words, each thrown into one of the dimensions."""
    row = [0.0] * dimension
    for word in text.casefold().split():
        row[hashlib.sha256(word.strip(".,!?").encode("utf-8", "surrogatepass")).digest()[0] % dimension] += 1.0
    return row


def _base64(row: list[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(row)}f", *row)).decode()


def error(text: str, code: str | None) -> dict[str, Any]:
    return {"error": {"message": text, "type": "error", "param": None, "code": code}}
