"""What the model behind `openai_server.py` says to prompts of the frameworks: an agent's turn, a choice, questions for
tools, other words for a question, an order of documents, an answer.

By rule: an agent searches once for the whole question, and answers as the stand-in of the lab does.
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
        from caesura_lab.stand_in import quote_nearest  # sessions without the lab have this server too

        return {"content": quote_nearest(question, "\n\n".join(found))}
    name, parameter = searches[0]
    call = {"name": name, "arguments": json.dumps({parameter: question})}
    return {"content": None, "tool_calls": [{"id": "call_1", "type": "function", "function": call}]}


def answer_framework(system: str, user: str) -> str:
    """A prompt of LangChain's or LlamaIndex's -> the reply."""
    if "different versions" in user or "search queries" in user:
        asked = ASKED.search(user)
        return "\n".join(OTHER_WORDS[asked[1]] if asked else ())
    if "Action Input:" in system:
        return _react(system, user)
    if choices := re.search(r"(?s)numbered list.*?-{9,}\n(.*?)\n-{9,}.*question: '(.*?)'", user):
        wanted, texts = {*WORD.findall(choices[2])}, re.findall(r"(?m)^\(\d+\) (.*)", choices[1])
        best = max(range(len(texts)), key=lambda number: len(wanted.intersection(WORD.findall(texts[number]))))
        return json.dumps([{"choice": best + 1, "reason": "It has most of the words."}])
    if task := re.search(r"(?s)# Example 2.*?```json\n(.*?)```.*<User Question>\n(.*?)\n", user):
        return json.dumps({"items": [{"sub_question": task[2], "tool_name": name} for name in json.loads(task[1])]})
    if "Sort the Documents by their relevance" in system:
        texts = [set(WORD.findall(text)) for text in re.findall(r"Document ID: \d+\n```(.*?)```", system, re.DOTALL)]
        order = sorted(range(len(texts)), key=lambda number: -len(texts[number].intersection(WORD.findall(user))))
        return json.dumps({"ranked_document_ids": order})
    from caesura_lab.stand_in import reply

    return reply(system, user)


def _react(system: str, user: str) -> str:
    """A turn of an agent that has no calls of tools: a search, or an answer from what was found."""
    question, _, found = user.partition("Observation:")
    if not found:
        (name, *_), asked = re.findall(r"Tool Name: (\S+)", system), json.dumps({"input": question})
        return f"Thought: I need a tool.\nAction: {name}\nAction Input: {asked}"
    from caesura_lab.stand_in import nearest_text

    return f"Thought: I can answer now.\nAnswer: {nearest_text(question, SENTENCE.split(found))}"


def _only_text(parameters: dict[str, Any]) -> str | None:
    """The name of the one parameter of a tool, where it is a text."""
    names = [name for name, schema in parameters.get("properties", {}).items() if schema.get("type") == "string"]
    return names[0] if len(names) == len(parameters.get("properties", {})) == 1 else None


def _text(message: dict[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)
