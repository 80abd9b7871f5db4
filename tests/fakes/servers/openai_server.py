"""A server on 127.0.0.1 that speaks as OpenAI's does, counts, and misbehaves on demand: chat completions, the Responses
API and embeddings; whole, or as a stream. Beside these, the chats of Anthropic and Ollama, at `root`.

    with OpenAIServer(plan=["429", "500", "ok"]) as server:
        client = openai.OpenAI(base_url=server.url, api_key="any")

As a process of its own, in the folder tests: ``python -m fakes.servers.openai_server [latency]`` prints its URL; GET
/counts returns its counts.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, Self

from fakes.servers.openai_bodies import completion, embedding, embeddings, error
from fakes.servers.openai_model import MALFORMED
from fakes.servers.prompt_cache import PromptCache
from fakes.servers.wire_shapes import shape_of

FAULTS = ("429", "500", "timeout", "drop", "drip", "length", "refusal", "empty", "null", "numbers", *MALFORMED)

STREAM_FAULTS = ("drop", "eof", "broken")
"""Half of a stream, and then: a connection that is cut, an end, the error of a server that fails."""
UNREADABLE = {"no UTF-8": b'{"choices": "\xff\xfe"}', "deep": b"[" * 200_000}
"""Whole bodies, sent with status 200, that no client can read."""

PAGE = b"<!doctype html><title>Sign in</title>"
"""The whole body for the fault "page": HTML, with status 200, as a URL that is not the API's has."""


def seeded(share: float, seed: int, faults: Iterable[str] = FAULTS) -> Callable[[str, int], str]:
    """A plan by chance: of what a request says, and how often it was asked before; not of the order of arrival."""
    kinds = list(faults)

    def plan(said: str, before: int) -> str:
        dice = random.Random(f"{seed} {before} {said}")
        return dice.choice(kinds) if dice.random() < share else "ok"

    return plan


class OpenAIServer:
    """plan: what to do with each request, in the order in which they come ("ok" when it is used up), or a function of
    (what it says, how often that was asked before). latency: seconds before a reply. retry_after: what 429 asks for.
    cache: a prompt cache, whose tokens are in the usage that it reports.
    """

    def __init__(
        self,
        plan: Iterable[str] | Callable[[str, int], str] = (),
        latency: float = 0.0,
        retry_after: str | None = "0.02",
        port: int = 0,
        keep: bool = True,
        cache: PromptCache | None = None,
    ) -> None:
        self.plan: Any = plan if callable(plan) else iter(plan)
        self.latency, self.retry_after, self.keep, self.port = latency, retry_after, keep, port
        self.cache = cache
        self.calls = self.prompt_tokens = self.completion_tokens = self.cached_tokens = self.connections = 0
        self.flying = self.most_flying = 0
        self.seen: Counter[str] = Counter()
        self.served: Counter[str] = Counter()
        self.done: Counter[str] = Counter()
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self._loop = asyncio.new_event_loop()
        self.ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self.ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def has_seen(self, calls: int) -> bool:
        """Whether a client that counts so many calls has made those that came: one more may be lost with a connection
        that was dropped, before it comes here."""
        return self.calls <= calls <= self.calls + self.served["drop"]

    @property
    def url(self) -> str:
        return f"{self.root}/v1"

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def _run(self) -> None:
        self._loop.run_until_complete(self._serve())

    async def _serve(self) -> None:
        self._stop = asyncio.Event()
        server = await asyncio.start_server(self._connection, "127.0.0.1", self.port)
        self.port = server.sockets[0].getsockname()[1]
        self.ready.set()
        await self._stop.wait()
        server.close()
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # -- HTTP --------------------------------------------------------------------------------------------------------

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while await self._exchange(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        line = await reader.readline()
        if not line:
            return False
        method, path, _ = line.decode().split()
        path = path.partition("?")[0]  # Azure's has a version behind it
        headers = {}
        while (row := (await reader.readline()).decode().strip()) != "":
            name, _, value = row.partition(":")
            headers[name.lower()] = value.strip()
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        if path.endswith("/api/show"):  # what Ollama's clients want to know of a model first
            return await self._send(writer, 200, {"model_info": {"m.context_length": 8192}})
        if method == "GET":
            return await self._send(writer, 200, self._counts())
        self.flying += 1
        self.most_flying = max(self.most_flying, self.flying)
        try:
            return await self._reply(path, headers, json.loads(body), writer)
        finally:
            self.flying -= 1

    async def _send(
        self, writer: asyncio.StreamWriter, status: int, value: Any, headers: str = "", fault: str = "ok"
    ) -> bool:
        odd = PAGE if fault == "page" else UNREADABLE.get(fault)
        content = odd or json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
        kind = "text/html" if fault == "page" else "application/json"
        head = f"HTTP/1.1 {status} Said\r\nContent-Type: {kind}\r\nContent-Length: {len(content)}\r\n{headers}"
        data = f"{head}\r\n".encode() + content
        if fault == "drop":
            writer.write(data[: len(data) - len(content) // 2])
            await writer.drain()
            return False
        if fault == "drip":
            for at in range(0, len(data), 8):
                writer.write(data[at : at + 8])
                await writer.drain()
                await asyncio.sleep(0.05)
            return True
        writer.write(data)
        await writer.drain()
        return True

    async def _stream(self, writer: asyncio.StreamWriter, events: Iterable[bytes], fault: str, error: bytes) -> bool:
        """Sends each event as a chunk of its own."""
        writer.write(b"HTTP/1.1 200 Said\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        held = list(events)
        if fault in STREAM_FAULTS:
            held = held[: len(held) // 2] + [error] * (fault == "broken")
        for event in held:
            writer.write(b"%x\r\n%b\r\n" % (len(event), event))
            if fault == "drip":
                await writer.drain()
                await asyncio.sleep(0.05)
        if fault == "drop":
            await writer.drain()
            return False
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    def _counts(self) -> dict[str, Any]:
        names = ("calls", "prompt_tokens", "completion_tokens", "connections", "most_flying")
        again = sum(count - 1 for count in self.done.values())
        return {name: getattr(self, name) for name in names} | {"answered twice": again, "asked": len(self.seen)}

    # -- the API -----------------------------------------------------------------------------------------------------

    async def _reply(
        self, path: str, headers: dict[str, str], body: dict[str, Any], writer: asyncio.StreamWriter
    ) -> bool:
        said = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
        fault = self.plan(said, self.seen[said]) if callable(self.plan) else next(self.plan, "ok")
        self.calls += 1
        self.seen[said] += 1
        self.served[fault] += 1
        if self.keep:
            self.requests.append(body)
            self.headers.append(headers)
        cached = 0 if self.cache is None else self.cache.serve(body)
        if self.latency:
            await asyncio.sleep(self.latency)
        if fault == "timeout":
            await asyncio.sleep(3600)
        if fault == "429":
            asked = "" if self.retry_after is None else f"Retry-After: {self.retry_after}\r\n"
            return await self._send(writer, 429, error("Rate limit reached", "rate_limit_exceeded"), asked)
        if fault == "quota":
            return await self._send(writer, 429, error("It went wrong", "insufficient_quota"))
        if fault.isdigit():
            return await self._send(writer, int(fault), error("It went wrong", None))
        if headers.get("authorization") == "Bearer wrong":
            return await self._send(writer, 401, error("Incorrect API key provided", "invalid_api_key"))
        if path.endswith("/api/embed"):  # Ollama's
            rows = [embedding(text) for text in body["input"]]
            return await self._send(writer, 200, {"model": body["model"], "embeddings": rows}, fault=fault)
        if path.endswith("/embeddings"):
            status, value = embeddings(body, fault)
            self._count(value.get("usage", {}))
            return await self._send(writer, status, value, fault=fault)
        shape = shape_of(path)
        value = completion(shape.chat(body), fault)
        self.done[said] += 1
        if self.cache is not None:
            value["usage"]["prompt_tokens_details"] = {"cached_tokens": cached}
            self.cached_tokens += cached
            self.cache.add(body)
        self._count(value["usage"])
        reply = shape.reply(value, body)
        if body.get("stream", path.endswith("/api/chat")):
            return await self._stream(writer, shape.events(reply, body), fault, shape.error)
        return await self._send(writer, 200, reply, fault=fault)

    def _count(self, usage: dict[str, int]) -> None:
        self.prompt_tokens += usage.get("prompt_tokens", 0)
        self.completion_tokens += usage.get("completion_tokens", 0)


if __name__ == "__main__":
    with OpenAIServer(latency=float((sys.argv[1:] or ["0"])[0]), keep=False) as running:
        print(running.url, flush=True)
        running._thread.join()
