"""`openai_vectors`, with the real client: within the API's limits, in order, again after a fault, counted."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import openai
import pytest
from fakes.servers.conversations import FAST
from fakes.servers.openai_bodies import embedding
from fakes.servers.openai_server import UNREADABLE, OpenAIServer

from caesura import Limits, Splitter
from caesura.errors import EmbeddingError, SettingError
from caesura_llm.openai import async_openai_vectors, openai_vectors
from caesura_llm.report import Prices
from caesura_llm.retries import Pace
from caesura_store.embedding_cache import async_cached, cached

pytestmark = pytest.mark.enable_socket
TEXTS = [f"Tea {number} is hot." for number in range(50)]


def vectors(server: OpenAIServer, how: str, texts: list[str], **settings: Any) -> tuple[Any, Any]:
    settings = {"pace": FAST, **settings}
    if how == "sync":
        embed = openai_vectors(openai.OpenAI(base_url=server.url, api_key="any"), "embedder", **settings)
        return embed(texts), embed

    async def main() -> tuple[Any, Any]:
        async with openai.AsyncOpenAI(base_url=server.url, api_key="any") as client:
            embed = async_openai_vectors(client, "embedder", **settings)
            return await embed(texts), embed

    return asyncio.run(main())


@pytest.mark.thorough
@pytest.mark.parametrize("how", ["sync", "async"])
@pytest.mark.parametrize("fault", ["ok", "429", "500", "drop", "shuffled", "float"])
def test_there_is_a_row_for_each_text_in_its_place(fault: str, how: str) -> None:
    with OpenAIServer(plan=[fault]) as server:
        rows, embed = vectors(server, how, TEXTS, max_inputs=7, prices=Prices(0.02))
    assert rows.dtype == np.float32
    assert rows.tolist() == [embedding(text) for text in TEXTS]
    assert embed.report.calls == server.calls
    assert embed.report.retries == (fault in ("429", "500", "drop"))
    if fault != "drop":
        assert embed.report.input_tokens == server.prompt_tokens
        assert embed.report.cost == pytest.approx(server.prompt_tokens * 0.02 / 1e6)


@pytest.mark.parametrize("how", ["sync", "async"])
def test_a_cache_keeps_what_came_before_a_request_that_fails(how: str, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"pace": Pace(max_concurrency=1), "max_inputs": 5}
    with OpenAIServer(plan=["ok"] * 6 + ["400"]) as server:

        async def waiting() -> Any:
            async with openai.AsyncOpenAI(base_url=server.url, api_key="any") as client:
                embed = async_openai_vectors(client, "embedder", **settings)
                return await async_cached(embed, tmp_path / "rows.db", "embedder")(TEXTS)

        def ask() -> Any:
            if how == "async":
                return asyncio.run(waiting())
            embed = openai_vectors(openai.OpenAI(base_url=server.url, api_key="any"), "embedder", **settings)
            return cached(embed, tmp_path / "rows.db", "embedder")(TEXTS)

        with pytest.raises(openai.BadRequestError):
            ask()
        assert ask().tolist() == [embedding(text) for text in TEXTS]
        assert [text for request in server.requests[7:] for text in request["input"]] == TEXTS[30:]


def test_a_text_that_utf_8_cannot_say_is_sent_without_what_is_wrong() -> None:
    with OpenAIServer() as server:
        rows, _ = vectors(server, "sync", ["Tea \ud800 is \ud83d\ude00 hot.", "Ice."])
    assert rows.shape == (2, 64)
    assert server.requests[0]["input"] == ["Tea \ufffd is \U0001f600 hot.", "Ice."]


@pytest.mark.parametrize("texts", ["tea", [None], ["tea", 5]])
def test_what_is_no_list_of_texts_is_refused_by_name(texts: Any) -> None:
    with OpenAIServer() as server, pytest.raises(SettingError, match="texts must be a list of str"):
        vectors(server, "sync", texts)


@pytest.mark.thorough
@pytest.mark.parametrize("how", ["sync", "async"])
def test_requests_keep_to_the_limits_and_fly_together(how: str) -> None:
    texts = [f"{number} " + "tea " * 400 for number in range(400)] + ["a"] * 3000
    with OpenAIServer(latency=0.6) as server:
        rows, _ = vectors(server, how, texts)
    assert rows.shape == (3400, 64)
    assert all(len(request["input"]) <= 2048 for request in server.requests)
    assert all(sum(map(len, request["input"])) <= 300_000 for request in server.requests)
    assert server.calls >= 3
    assert server.most_flying >= 2


def test_dimensions_are_asked_for_and_base64_too() -> None:
    with OpenAIServer() as server:
        rows, _ = vectors(server, "sync", TEXTS, dimensions=16)
    assert rows.shape == (50, 16)
    assert server.requests[0]["dimensions"] == 16
    assert server.requests[0]["encoding_format"] == "base64"


def test_a_text_that_is_too_long_is_refused_before_anything_is_sent() -> None:
    with OpenAIServer() as server:
        with pytest.raises(SettingError, match=r"text 1 has 9000 tokens, over the 8191 that the API takes"):
            vectors(server, "sync", ["tea", "x" * 9000], count=len)
        assert server.calls == 0
        with pytest.raises(openai.BadRequestError) as caught:
            vectors(server, "sync", ["tea", "x" * 40_000])
    assert "raised for texts 0 to 1 of 2" in caught.value.__notes__


def test_blank_texts_are_not_sent() -> None:
    with OpenAIServer() as server:
        rows, _ = vectors(server, "sync", ["", "tea", " \n"])
        assert rows.any(axis=1).tolist() == [False, True, False]
        assert server.requests[0]["input"] == ["tea"]
        assert len(vectors(server, "sync", [])[0]) == 0
        assert len(vectors(server, "sync", [""])[0]) == 1
    assert server.calls == 1


@pytest.mark.parametrize("how", ["sync", "async"])
def test_rows_that_are_missing_are_an_error(how: str) -> None:
    with OpenAIServer(plan=["short"]) as server, pytest.raises(EmbeddingError, match="expected 50, got 49"):
        vectors(server, how, TEXTS)


def test_an_index_that_comes_twice_is_named() -> None:
    with OpenAIServer(plan=["twice"]) as server, pytest.raises(EmbeddingError, match=r"from 0 to 2, got \[0, 1, 0\]"):
        vectors(server, "sync", TEXTS[:3])


def test_what_is_no_row_is_quoted() -> None:
    with OpenAIServer(plan=["no row"]) as server, pytest.raises(EmbeddingError, match="list of numbers, got 'row'"):
        vectors(server, "sync", TEXTS[:3])


@pytest.mark.parametrize("how", ["sync", "async"])
def test_a_page_of_html_is_one_error_that_names_the_url(how: str) -> None:
    with (
        OpenAIServer(plan=["page"] * 9) as server,
        pytest.raises(SettingError, match=r"server at 127.0.0.1:\d+ .*'<!doctype html>.* base URL"),
    ):
        vectors(server, how, TEXTS[:3])
    assert server.calls == 1


@pytest.mark.parametrize("how", ["sync", "async"])
@pytest.mark.parametrize("fault", UNREADABLE)
def test_an_answer_that_cannot_be_read_is_asked_for_again(fault: str, how: str) -> None:
    with OpenAIServer(plan=[fault]) as server:
        rows, _ = vectors(server, how, TEXTS[:3])
    assert rows.tolist() == [embedding(text) for text in TEXTS[:3]]


def test_a_wrong_key_is_the_clients_own_error() -> None:
    with OpenAIServer(plan=["401"]) as server, pytest.raises(openai.AuthenticationError):
        vectors(server, "sync", TEXTS)


def test_the_splitter_takes_it() -> None:
    with OpenAIServer() as server:
        embed = openai_vectors(openai.OpenAI(base_url=server.url, api_key="any"), "embedder")
        chunks = Splitter(limits=Limits(max_size=60)).split("Tea is hot. Tea is brewed. The moon is far. " * 3, embed)
    assert server.calls == 1
    assert len(chunks) > 2
    assert embed.report.items > 4


def test_what_it_is_given_is_checked() -> None:
    client = openai.OpenAI(api_key="any")
    with pytest.raises(SettingError, match=r"must be an openai\.AsyncOpenAI"):
        async_openai_vectors(client, "m")  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="dimensions"):
        openai_vectors(client, "m", dimensions=0)
    with pytest.raises(SettingError, match="max_concurrency"):
        openai_vectors(client, "m", pace=Pace(max_concurrency=0))


def test_what_to_install_is_said_where_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    client = openai.OpenAI(api_key="any")
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(ImportError, match=r'pip install "caesura-llm\[openai\]"'):
        openai_vectors(client, "m")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("module", "unloaded"),
    [
        ("caesura", "caesura_llm"),
        ("caesura", "caesura_store.sqlite_store"),
        ("caesura_llm.driver, caesura_llm.topics, caesura_llm.representations", "openai"),
        ("caesura_llm.openai, caesura_llm.openai", "openai"),
    ],
)
def test_an_import_loads_no_more_than_it_says(module: str, unloaded: str) -> None:
    program = f"import sys, {module}; sys.exit({unloaded!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
