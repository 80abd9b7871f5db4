"""What the model behind `openai_server.py` says to prompts of the frameworks: an agent's turn, other words for a
question, an order of documents, an answer.

By rule: an agent searches once for the whole question, and answers with the sentence that has most of its words.
"""

from __future__ import annotations

import json
import re
from typing import Any

SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
WORD = re.compile(r"\w{4,}")
ASKED = re.compile(r"(?:Original question: |^Query: )(.+?)\s*(?:Queries:\s*)?\Z", re.MULTILINE)
OTHER_WORDS = {
    "Is there a boat in winter?": ["Does the ferry sail from November to March?", "How does post come in winter?"]
}
"""A question -> the same in other words, as a model would have them."""


def agent_turn(body: dict[str, Any]) -> dict[str, Any] | None:
    """A request -> the message of an agent: a search, or what it answers from what was found; None where no tool of the
    request takes a text alone."""
    tools = [tool["function"] for tool in body.get("tools") or ()]
    searches = [(tool["name"], name) for tool in tools if (name := _only_text(tool.get("parameters") or {}))]
    if not searches:
        return None
    question = next(_text(one) for one in reversed(body["messages"]) if one["role"] == "user")
    found = [_text(one) for one in body["messages"] if one["role"] == "tool"]
    if found:
        from caesura_lab.stand_in import nearest_text  # sessions without the lab have this server too

        return {"content": nearest_text(question, SENTENCE.split("\n".join(found)))}
    name, parameter = searches[0]
    call = {"name": name, "arguments": json.dumps({parameter: question})}
    return {"content": None, "tool_calls": [{"id": "call_1", "type": "function", "function": call}]}


def answer_framework(system: str, user: str) -> str:
    """A prompt of LangChain's or LlamaIndex's -> the reply."""
    if "different versions" in user or "search queries" in user:
        asked = ASKED.search(user)
        return "\n".join(OTHER_WORDS[asked[1]] if asked else ())
    if "Sort the Documents by their relevance" in system:
        texts = [set(WORD.findall(text)) for text in re.findall(r"Document ID: \d+\n```(.*?)```", system, re.DOTALL)]
        order = sorted(range(len(texts)), key=lambda number: -len(texts[number].intersection(WORD.findall(user))))
        return json.dumps({"ranked_document_ids": order})
    from caesura_lab.stand_in import reply

    return reply(system, user)


def _only_text(parameters: dict[str, Any]) -> str | None:
    """The name of the one parameter of a tool, where it is a text."""
    names = [name for name, schema in parameters.get("properties", {}).items() if schema.get("type") == "string"]
    return names[0] if len(names) == len(parameters.get("properties", {})) == 1 else None


def _text(message: dict[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)
