"""A server on 127.0.0.1 that speaks voyage-context's contextualized embeddings and Jina's late chunking, and fails on
demand.

    with ContextualServer(plan=["429", "shuffled"]) as server:
        client = openai.OpenAI(base_url=server.url, api_key="any")
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from fakes.embedders.document_embedders import document_rows, words_row


class ContextualServer:
    """plan: what to do with each request, in their order, "ok" when it is used up. latency: seconds."""

    def __init__(self, plan: Iterable[str] = (), latency: float = 0.0, retry_after: str = "0.02") -> None:
        self.plan, self.latency, self.retry_after = iter(plan), latency, retry_after
        self.requests: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.keys: list[str] = []
        self.times: list[float] = []
        self.tokens = self.flying = self.most_flying = 0
        self.lock = threading.Lock()

    def __enter__(self) -> Self:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with outer.lock:
                    outer.requests.append(body)
                    outer.paths.append(self.path)
                    outer.keys.append(self.headers["Authorization"])
                    outer.times.append(time.monotonic())
                    outer.flying += 1
                    outer.most_flying = max(outer.most_flying, outer.flying)
                    fault = next(outer.plan, "ok")
                time.sleep(outer.latency)
                try:
                    outer.answer(self, body, fault)
                finally:
                    with outer.lock:
                        outer.flying -= 1

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/v1"

    def answer(self, handler: BaseHTTPRequestHandler, body: dict[str, Any], fault: str) -> None:
        status = int(fault) if fault.isdigit() else 200
        content = self.content(handler.path, body) if status == 200 else {"error": {"message": "no", "type": fault}}
        if status == 200:
            spoil(content, fault)
        data = json.dumps(content).encode()
        data = data[: len(data) // 2] if fault == "truncated" else b"<html>" if fault == "html" else data
        handler.send_response(status)
        handler.send_header("Content-Type", "text/html" if fault == "html" else "application/json")
        handler.send_header("Content-Length", str(len(data)))
        if status == 429:
            handler.send_header("Retry-After", self.retry_after)
        handler.end_headers()
        handler.wfile.write(data)

    def content(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        nested = path == "/v1/contextualizedembeddings"
        assert nested or path == "/v1/embeddings", path
        documents = body["inputs"] if nested else [body["input"]]
        query = "query" in (body["input_type"] if nested else body["task"])
        assert nested or query != body.get("late_chunking", False)
        lists = [[words_row(text) for text in own] if query else document_rows(own) for own in documents]
        tokens = sum(len(text.split()) for own in documents for text in own)
        with self.lock:
            self.tokens += tokens
        data = [
            {
                "object": "list",
                "index": number,
                "data": [
                    {"object": "embedding", "index": place, "embedding": row.tolist()} for place, row in enumerate(rows)
                ],
            }
            for number, rows in enumerate(lists)
        ]
        return {"object": "list", "data": data if nested else data[0]["data"], "usage": {"total_tokens": tokens}}


def spoil(content: dict[str, Any], fault: str) -> None:
    """Makes of a right answer what the fault says."""
    rows = content["data"]
    inner = rows[-1].get("data", rows)
    if fault == "shuffled":
        inner.reverse()
        rows.reverse() if inner is not rows else None
    elif fault == "short":
        inner.pop()
    elif fault == "twice":
        inner[-1]["index"] = 0
    elif fault == "ragged":
        inner[-1]["embedding"].pop()
    elif fault == "nan":
        inner[-1]["embedding"][0] = float("nan")
    elif fault == "null":
        content["data"] = None
