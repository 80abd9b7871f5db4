"""A server on this machine that speaks chat completions and embeddings as OpenAI's does, for examples that run offline.

    with served("gpt-4.1-mini") as model:
        llm = ChatOpenAI(model=model.model, base_url=model.url, api_key=model.key)

It is no model: replies are made by rule (`replies`), rows are those of the embedded model, a token is four characters.
Use it to see what goes where, and never to judge what a model would say.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from caesura import SettingError
from caesura_lab.stand_in.replies import reply


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
