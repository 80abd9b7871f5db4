"""Stands in for OpenAI in the examples: chat completions by rule and embeddings, on this machine, free of charge.

Its rules: every sentence is a proposition, a topic is a word that propositions share, a summary is the first sentence,
a question asks about the longest words, and is answered by the sentence that has most of its words. Rows are those of
the embedded model. Good enough to see what goes where; `--openai` asks a real model instead.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

PASSAGE = re.compile(r"^Passage (\d+).*:$", re.MULTILINE)
LINE = re.compile(r"^\[(\d+)\] (.*(?:\n    .*)*)", re.MULTILINE)
TOPIC = re.compile(r"^Topic (\d+):\n((?:(?:    |\[\d+\] ).*\n?)*)", re.MULTILINE)


class Served(NamedTuple):
    """What a client of OpenAI's is made with: `model`, `url` and `key`."""

    model: str
    url: str
    key: str


@contextmanager
def served(model: str) -> Iterator[Served]:
    """Gives what to ask until the end of the block: OpenAI with ``--openai [MODEL]`` on the command line, else us."""
    if "--openai" in sys.argv:
        named = sys.argv[sys.argv.index("--openai") + 1 :]
        yield Served(named[0] if named else model, "https://api.openai.com/v1", os.environ["OPENAI_API_KEY"])
        return
    with local_model() as url:
        yield Served(model, url, "none")


@contextmanager
def local_model() -> Iterator[str]:
    """Gives the base URL of a server that runs until the end of the block."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


def reply(system: str, user: str) -> str:
    """What is asked -> what is said: as JSON where a prompt of Caesura asks, else a sentence of what was given."""
    if '{"' in system:
        return json.dumps(answer(system, user))
    question = set(_words(user.rstrip().splitlines()[-1]))
    sentences = re.split(r"(?<=[.!?])\s+|\n+", "\n".join(user.rstrip().splitlines()[:-1]))
    return max(sentences, key=lambda one: len(question.intersection(re.findall(r"\w+", one.casefold()))))


def answer(system: str, user: str) -> dict[str, Any]:
    """What is asked -> what it says. The prompts of Caesura show the form of the reply that they want."""
    if '{"groups"' in system:
        return {"groups": _groups(user)}
    if '{"topics"' in system:
        return {"topics": [{"number": int(n), **_titled(text)} for n, text in TOPIC.findall(user)]}
    marks = list(PASSAGE.finditer(user))
    ends = [*(mark.start() for mark in marks[1:]), len(user)]
    texts = [(int(mark[1]), user[mark.end() : end]) for mark, end in zip(marks, ends, strict=True)]
    if '"propositions"' in system:
        return {"passages": [{"number": n, "propositions": _propositions(text)} for n, text in texts]}
    wanted = re.search(r"Write (\d+) different questions", system)
    return {"passages": [{"number": n, "texts": _about(text, int(wanted[1]) if wanted else 0)} for n, text in texts]}


def _propositions(text: str) -> list[dict[str, Any]]:
    return [{"text": " ".join(line.split()), "sentences": [int(k)]} for k, line in LINE.findall(text)]


def _about(text: str, questions: int) -> list[str]:
    sentences = re.split(r"(?<=[.!?]) ", " ".join(text.split()))
    if not questions:
        return [sentences[0]]
    step = max(1, len(sentences) // questions)
    return [f"What about {', '.join(_words(one)[:4])}?" for one in sentences[::step][:questions] if _words(one)]


def _words(text: str) -> list[str]:
    """The longest words, in their order."""
    found = dict.fromkeys(re.findall(r"[^\W\d_]{4,}", text.casefold()))
    longest = sorted(found, key=len, reverse=True)[:6]
    return [word for word in found if word in longest]


def _groups(user: str) -> list[dict[str, Any]]:
    """Each proposition to the topic that it shares most words with; else to a new one, named by its commonest word."""
    head, _, tail = user.partition("Propositions:\n")
    topics = {int(number): set(_words(text)) for number, text in TOPIC.findall(head)}
    said = {int(number): text for number, text in LINE.findall(tail)}
    common = Counter(word for text in said.values() for word in _words(text))
    groups: dict[tuple[int, str], list[int]] = {}
    for number, text in said.items():
        own = _words(text) or ["other"]
        best = max(topics, key=lambda topic: len(topics[topic].intersection(own)), default=0)
        known = bool(best and topics[best].intersection(own))
        groups.setdefault((best, "") if known else (0, max(own, key=common.__getitem__)), []).append(number)
    return [
        {"topic": topic, "title": word.title(), "summary": f"About {word}." if word else "", "propositions": numbers}
        for (topic, word), numbers in groups.items()
    ]


def _titled(text: str) -> dict[str, str]:
    common = Counter(word for _, line in LINE.findall(text) for word in _words(line)).most_common(2)
    title = " and ".join(word for word, _ in common) or "other"
    return {"title": title.title(), "summary": f"About {title}."}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        found = _embeddings(body) if self.path.endswith("/embeddings") else _completion(body)
        data = json.dumps({**found, "model": body["model"]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


def _embeddings(body: dict[str, Any]) -> dict[str, Any]:
    from caesura_static import StaticEmbedder

    rows = StaticEmbedder()(body["input"])
    packed = body.get("encoding_format") == "base64"
    coded = [b64encode(row.tobytes()).decode() if packed else row.tolist() for row in rows]
    data = [{"object": "embedding", "index": index, "embedding": row} for index, row in enumerate(coded)]
    tokens = sum(len(text) for text in body["input"]) // 4  # a token is four characters
    return {"object": "list", "data": data, "usage": {"prompt_tokens": tokens, "total_tokens": tokens}}


def _completion(body: dict[str, Any]) -> dict[str, Any]:
    said = {message["role"]: _text(message["content"]) for message in body["messages"]}
    text = reply(said.get("system", ""), said["user"])
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if body.get("tools"):
        function = {"name": body["tools"][0]["function"]["name"], "arguments": text}
        message |= {"content": None, "tool_calls": [{"id": "call", "type": "function", "function": function}]}
    into, out = len(json.dumps(body["messages"])) // 4, len(text) // 4
    usage = {"prompt_tokens": into, "completion_tokens": out, "total_tokens": into + out}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {"id": "1", "object": "chat.completion", "created": 1, "choices": [choice], "usage": usage}


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)
