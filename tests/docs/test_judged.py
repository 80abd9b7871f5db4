"""The example that judges answers, against a server on this machine whose model reads what it is sent."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "examples" / "judged_answers.py"


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9.]{4,}", text.casefold()))


def after(label: str, said: str) -> str:
    """What follows a label in a prompt, to the next label or the end."""
    return re.split(r"\n\s*(?:##|---------------------|Answer:|Query:|Existing Answer)", said.split(label, 1)[1])[0]


def model(said: str) -> tuple[str, str]:
    """A prompt -> what is asked for, and a reply: a judge of words, and a reader that quotes the nearest sentences."""
    if "## Generated Answer" in said:
        wanted, given = words(after("## Reference Answer", said)), words(after("## Generated Answer", said))
        return "correctness", f"{1 + 4 * len(wanted & given) / len(wanted):.1f}\nIt has some of the words."
    if "Relevance:" in said or "relevance score" in said.casefold():
        question = words(said.rsplit("Question:", 1)[1])
        given = said.rsplit("Let's try this now", 1)[1]
        documents = re.findall(r"Document (\d+):\n(.*?)(?=\n\n+Document \d+:|\n\nQuestion:)", given, re.DOTALL)
        ranked = sorted(documents, key=lambda one: -len(words(one[1]) & question))
        return "rerank", "\n".join(f"Doc: {number}, Relevance: {9 - place}" for place, (number, _) in enumerate(ranked))
    if "YES" in said and "NO" in said:
        kind = "faithfulness" if "supported by the context" in said or "piece of information" in said else "relevancy"
        return kind, "YES"
    question = words(said.rsplit("Query:", 1)[1])
    context = said.split("---------------------")[1]
    sentences = sorted(re.split(r"(?<=[.])\s+", context), key=lambda one: -len(words(one) & question))
    return "answer", " ".join(sentences[:2])


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        kind, text = model("\n".join(str(message["content"]) for message in body["messages"]))
        self.server.kinds[kind] += 1  # type: ignore[attr-defined]
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        reply = {"id": "1", "object": "chat.completion", "created": 1, "model": body["model"]}
        reply |= {"choices": [choice], "usage": usage}
        held = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(held)))
        self.end_headers()
        self.wfile.write(held)

    def log_message(self, *_: Any) -> None:
        """Says nothing."""


@pytest.fixture
def server() -> Iterator[Any]:
    made = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.kinds = Counter()  # type: ignore[attr-defined]
    Thread(target=made.serve_forever, daemon=True).start()
    yield made
    made.shutdown()
    made.server_close()


@pytest.mark.enable_socket
def test_each_splitter_is_judged_with_and_without_a_reranker(server: Any) -> None:
    address = f"http://127.0.0.1:{server.server_address[1]}/v1"
    command = [sys.executable, "-X", "utf8", str(SCRIPT), "--base-url", address, "--model", "reader"]
    environment = {**os.environ, "COLUMNS": "160", "NO_PROXY": "127.0.0.1"}
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=180, check=False, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    rows = dict(re.findall(r"│ ([\w-]+(?:, reranked)?) +│(.*)│", done.stdout))
    assert list(rows) == [
        f"{name}{more}" for name in ("sentence", "double-pass", "optimal") for more in ("", ", reranked")
    ]
    for name, row in rows.items():
        correctness, faithful, relevant, similarity, lead = (cell.strip() for cell in row.split("│"))
        assert 1 < float(correctness) <= 5
        assert (float(faithful), float(relevant)) == (1.0, 1.0)
        assert 0 < float(similarity) <= 1
        assert (lead == "–") == (name == "sentence")
    assert len({row.split("│")[0] for row in rows.values()}) > 1
    questions = json.loads((ROOT / "examples" / "judged" / "questions.json").read_text("utf-8"))
    asked = 6 * len(questions)
    assert server.kinds["answer"] == server.kinds["correctness"] == asked
    assert server.kinds["rerank"] == asked / 2
    assert server.kinds["faithfulness"] >= asked <= server.kinds["relevancy"]


def test_an_answer_needs_both_documents() -> None:
    folder = ROOT / "examples" / "judged"
    ferry, island = ((folder / f"{name}.md").read_text("utf-8") for name in ("ferry", "island"))
    assert "four florins" in ferry
    assert "six florins" in island
    assert "six florins" not in ferry
    assert "four florins" not in island
