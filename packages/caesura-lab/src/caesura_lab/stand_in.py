"""A server on this machine that speaks chat completions and embeddings as OpenAI's does, for examples that run offline.

    with served("gpt-4.1-mini") as model:
        llm = ChatOpenAI(model=model.model, base_url=model.url, api_key=model.key)

It is no model: replies are made by rule (`replies`), rows are those of the embedded model, a token is four characters.
Use it to see what goes where, and never to judge what a model would say.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from caesura import SettingError


def longest(text: str) -> list[str]:
    """The six longest words, in their order."""
    found = dict.fromkeys(re.findall(r"[^\W\d_]{4,}", text.casefold()))
    kept = sorted(found, key=len, reverse=True)[:6]
    return [word for word in found if word in kept]


def nearest(question: str, texts: Iterable[str]) -> str:
    """The first of the texts that have most of a question's longest words, or nothing of none."""
    asked = set(longest(question))
    return max(texts, key=lambda text: len(asked.intersection(re.findall(r"\w+", text.casefold()))), default="")


DOCUMENT = re.compile(r"Document (\d+):\n(.*?)(?=\n\n+Document \d+:|\n\nQuestion:)", re.DOTALL)


def judged(said: str) -> str | None:
    """Returns None for any other prompt. Whether chunks support an answer, or fit the question, it always says YES."""
    if "## Generated Answer" in said:
        given = said.rpartition("## Reference Answer")[2]
        wanted, made = (_words(text) for text in given.split("## Generated Answer"))
        return f"{1 + 4 * len(wanted & made) / max(len(wanted), 1):.1f}\nSo many of the words are there."
    if "relevance score" in said and "Let's try this now" in said:
        asked = _words(said.rpartition("Question:")[2])
        found = DOCUMENT.findall(said.rpartition("Let's try this now")[2])
        ranked = sorted(found, key=lambda document: -len(_words(document[1]) & asked))
        return "\n".join(f"Doc: {number}, Relevance: {max(9 - place, 1)}" for place, (number, _) in enumerate(ranked))
    if "YES" in said and "NO" in said:
        return "YES"
    if context := re.search(r"-{21}\n(.*)\n-{21}\n.*^Query: (.*)\n^Answer:", said, re.DOTALL | re.MULTILINE):
        return nearest(context[2], re.split(r"(?<=[.!?])\s+|\n+", context[1]))
    return None


def _words(text: str) -> set[str]:
    return {word.strip(".") for word in re.findall(r"[\w.]{4,}", text.casefold())}  # a time of day is one


LINE = re.compile(r"^\[(\d+)\] (.*(?:\n    .*)*)", re.MULTILINE)
TOPIC = re.compile(r"^Topic (\d+):\n((?:(?:    |\[\d+\] ).*\n?)*)", re.MULTILINE)


def groups(user: str) -> list[dict[str, Any]]:
    """Each proposition to the topic that it shares most words with; else to a new one, named by its commonest word."""
    head, _, tail = user.partition("Propositions:\n")
    topics = {int(number): set(longest(text)) for number, text in TOPIC.findall(head)}
    said = {int(number): text for number, text in LINE.findall(tail)}
    common = Counter(word for text in said.values() for word in longest(text))
    found: dict[tuple[int, str], list[int]] = {}
    for number, text in said.items():
        own = longest(text) or ["other"]
        best = max(topics, key=lambda topic: len(topics[topic].intersection(own)), default=0)
        known = bool(best and topics[best].intersection(own))
        found.setdefault((best, "") if known else (0, max(own, key=common.__getitem__)), []).append(number)
    return [
        {"topic": topic, "title": word.title(), "summary": f"About {word}." if word else "", "propositions": numbers}
        for (topic, word), numbers in found.items()
    ]


def titles(user: str) -> list[dict[str, Any]]:
    """Each topic, by the two words that are commonest in it."""
    return [{"number": int(number), **_titled(text)} for number, text in TOPIC.findall(user)]


def _titled(text: str) -> dict[str, str]:
    common = Counter(word for _, line in LINE.findall(text) for word in longest(line)).most_common(2)
    title = " and ".join(word for word, _ in common) or "other"
    return {"title": title.title(), "summary": f"About {title}."}


PASSAGE = re.compile(r"^Passage (\d+).*:$", re.MULTILINE)


def reply(system: str, user: str) -> str:
    """A system message, which may be empty, and a user's -> the reply."""
    if '{"' in system:  # a prompt of Caesura shows the form of the reply that it wants
        return json.dumps(_answer(system, user))
    return judged(f"{system}\n{user}") or _sentence(user)


def _sentence(user: str) -> str:
    *given, question = user.rstrip().splitlines()
    return nearest(question, re.split(r"(?<=[.!?])\s+|\n+", "\n".join(given)))


def _answer(system: str, user: str) -> dict[str, Any]:
    if '{"groups"' in system:
        return {"groups": groups(user)}
    if '{"topics"' in system:
        return {"topics": titles(user)}
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
    return [f"What about {', '.join(longest(one)[:4])}?" for one in sentences[::step][:questions] if longest(one)]


class Served(NamedTuple):
    """What a client of OpenAI's is made with: `model`, `url` and `key`."""

    model: str
    url: str
    key: str


@contextmanager
def served(model: str, arguments: Sequence[str] | None = None) -> Iterator[Served]:
    """Gives what to ask until the end of the block: the stand-in, always where there are no arguments.

    arguments: those of a program, `sys.argv[1:]`, that is to have the option ``--openai [MODEL]``. With it a model is
    asked, one of OpenAI's or what serves at OPENAI_BASE_URL. Raises `SettingError` where OPENAI_API_KEY is not set.
    """
    given = list(arguments or ())
    if "--openai" in given:
        named = given[given.index("--openai") + 1 :]
        key = os.environ.get("OPENAI_API_KEY")
        if not key:
            raise SettingError("--openai needs OPENAI_API_KEY in the environment; a server without keys takes any word")
        yield Served(named[0] if named else model, os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1"), key)
        return
    print(f"A stand-in answers, by rule{'' if arguments is None else '; --openai asks a model'}.", file=sys.stderr)
    with stand_in() as url:
        yield Served(model, url, "none")


@contextmanager
def stand_in() -> Iterator[str]:
    """Gives the base URL of a server on 127.0.0.1 that runs until the end of the block."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


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

    def log_message(self, format: str, *_: object) -> None:
        """Says nothing."""


def _embeddings(body: dict[str, Any]) -> dict[str, Any]:
    from caesura_static import StaticEmbedder

    texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
    rows = StaticEmbedder()(texts)
    packed = body.get("encoding_format") == "base64"
    coded = [b64encode(row.tobytes()).decode() if packed else row.tolist() for row in rows]
    data = [{"object": "embedding", "index": index, "embedding": row} for index, row in enumerate(coded)]
    tokens = sum(map(len, texts)) // 4
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
