"""`--embedder openai:MODEL`: the real client against a server on this machine, its key and its faults."""

from __future__ import annotations

import json
import threading
import traceback
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from fakes.lab import ARTICLE, BREAD
from fakes.servers.openai_bodies import embedding
from fakes.servers.openai_server import OpenAIServer
from typer.testing import CliRunner

from caesura import EmbeddingError, SettingError
from caesura_lab.cli import app
from caesura_lab.embedders import embedder
from caesura_llm.openai import openai_vectors
from caesura_llm.retries import Pace

pytestmark = pytest.mark.enable_socket


def at(server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, key: str = "any") -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def test_rows_come_from_the_server_by_the_models_name(monkeypatch: pytest.MonkeyPatch) -> None:
    with OpenAIServer() as server:
        at(server, monkeypatch)
        found = embedder("openai:text-embedding-3-small")([BREAD, "The tide."])
        np.testing.assert_allclose(found, [embedding(BREAD), embedding("The tide.")])
        assert {request["model"] for request in server.requests} == {"text-embedding-3-small"}


def test_the_command_embeds_there_and_counts_what_that_costs(monkeypatch: pytest.MonkeyPatch) -> None:
    with OpenAIServer() as server:
        at(server, monkeypatch)
        names = ["-s", "double-pass", "-s", "fixed", "--size", "900", "--price", "0.02", "--json", "-"]
        done = CliRunner().invoke(app, ["compare", str(ARTICLE), "--embedder", "openai:small", *names])
        assert done.exit_code == 0, done.output
        ours, fixed = json.loads(done.stdout)["rows"]
        assert ours["embedding_calls"] == 1
        assert ours["cost"] > fixed["cost"] > 0
        assert server.calls == 2  # the background once, and the sentences once


@pytest.mark.parametrize("key", ["wrong"])
def test_a_key_that_is_refused_is_told_in_a_line(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with OpenAIServer() as server:
        at(server, monkeypatch, key)
        done = CliRunner().invoke(app, ["split", str(ARTICLE), "--embedder", "openai:small"])
        assert done.exit_code == 1
        assert done.stderr.startswith("error: openai:small: ")
        assert "Incorrect API key" in done.stderr
        with pytest.raises(EmbeddingError, match="openai:small"):
            embedder("openai:small")([BREAD])


def test_a_key_that_the_server_repeats_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(401)
            self.end_headers()
            self.wfile.write(b'{"error": {"message": "no: ' + self.headers["Authorization"].encode() + b'"}}')

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.server_port}/v1")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        done = CliRunner().invoke(app, ["compare", str(ARTICLE), "-s", "optimal", "-s", "fixed", "-e", "openai:small"])
        with pytest.raises(EmbeddingError, match="no: Bearer …") as told:
            embedder("openai:small")([BREAD])
        server.shutdown()
    assert done.exit_code == 1
    assert "no: Bearer …" in done.stderr
    assert "sk-secret" not in done.output + "".join(traceback.format_exception(told.value))


def test_no_server_is_told_with_its_cause_and_a_key_that_is_none_is_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    impatient = partial(openai_vectors, pace=Pace(base=0.001, cap=0.001))  # it would be asked for 20 seconds
    monkeypatch.setattr("caesura_llm.openai.openai_vectors", impatient)
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    monkeypatch.setenv("OPENAI_BASE_URL", "nonsense")
    with pytest.raises(EmbeddingError, match="missing an 'http://' or 'https://' protocol"):
        embedder("openai:small")([BREAD])
    for key in ("sk-é", "sk\nsk", "sk sk"):
        monkeypatch.setenv("OPENAI_API_KEY", key)
        with pytest.raises(SettingError, match="OPENAI_API_KEY must be ASCII without white space"):
            embedder("openai:small")


def test_no_key_is_a_setting_and_nothing_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(SettingError, match="needs the environment variable OPENAI_API_KEY"):
        embedder("openai:small")
