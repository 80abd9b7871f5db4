"""What docs/coming-from-agentic-chunker.md says: how often a model is asked, and what comes of odd answers."""

from __future__ import annotations

import asyncio
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import openai
import pytest
from fakes.pages import ROOT, blocks, printed
from fakes.servers.openai_server import OpenAIServer, seeded
from langchain_core.documents import Document
from langchain_openai import ChatOpenAI

from caesura.errors import ReplyError
from caesura_llm.retries import Pace
from langchain_caesura import AgenticSplitter

pytestmark = [pytest.mark.thorough, pytest.mark.enable_socket]

PAGE = ROOT / "docs" / "coming-from-agentic-chunker.md"
SUBJECTS = ("Bees", "Mills", "Tides", "Loaves")
FACTS = [f"{SUBJECTS[number % 4]} have fact {number} of their own." for number in range(200)]
TEXT = " ".join(FACTS)


def splitter(server: OpenAIServer, **settings: Any) -> AgenticSplitter:
    llm = ChatOpenAI(model="m", base_url=server.url, api_key="any")  # type: ignore[arg-type]
    return AgenticSplitter(llm, **{"chunk_size": None, "pace": Pace(base=0.001, cap=0.002, timeout=20), **settings})


def one_by_one(url: str, propositions: list[str]) -> dict[str, list[str]]:
    """The script's way, by a rule in the place of its prompts: find, extract, summarize, entitle, each a call."""
    client = openai.OpenAI(base_url=url, api_key="any")
    held: dict[str, list[str]] = {}

    def ask(text: str) -> None:
        client.chat.completions.create(model="m", messages=[{"role": "user", "content": text}])

    for proposition in propositions:
        if held:
            ask(f"Where does it belong? {[*held]} {proposition}")
            ask("Which of them was that?")
        held.setdefault(proposition.split()[0], []).append(proposition)
        ask(f"Summarize: {proposition}")
        ask(f"Entitle: {proposition}")
    return held


def made(using: AgenticSplitter) -> list[Document]:
    return list(using.transform_documents([Document(TEXT, id="facts")]))


def test_the_blocks_print_topics(tmp_path: Path) -> None:
    with_model, without = (printed(block, tmp_path).splitlines() for block in blocks(PAGE))
    assert with_model[0].count("|") == 2
    assert "calls" in with_model[-1]
    assert len(without) >= 2
    assert all(re.match(r"\d+-\d+", line) for line in without)


def test_one_proposition_at_a_time_takes_four_calls_each_and_ours_a_tenth_of_them_at_most() -> None:
    with OpenAIServer() as server:
        topics = one_by_one(server.url, FACTS)
        theirs = server.calls
    with OpenAIServer() as server:
        ours = made(splitter(server))
        assert 10 * server.calls <= theirs == 4 * len(FACTS) - 2
    assert sorted(topics) == sorted({chunk.page_content.split()[0] for chunk in ours})
    assert len(ours) == len(topics)


def test_what_the_script_imports_is_gone() -> None:
    assert find_spec("langchain_core.pydantic_v1") is None


def test_for_1000_the_page_says_what_four_calls_each_come_to() -> None:
    assert f"{4 * 1000 - 2:,} for 1,000" in PAGE.read_text("utf-8")


def test_every_proposition_is_in_one_topic_with_its_place() -> None:
    with OpenAIServer() as server:
        chunks = made(splitter(server))
    spans = [tuple(map(int, span.split("-"))) for chunk in chunks for span in chunk.metadata["spans"].split()]
    covered = "".join("".join(TEXT[start:end].split()) for start, end in sorted(spans))
    assert covered == "".join(TEXT.split())
    assert all(chunk.metadata["parent_id"] == "facts" and chunk.metadata["topic_title"] for chunk in chunks)


def test_odd_answers_and_failing_calls_change_nothing() -> None:
    with OpenAIServer() as server:
        wanted = made(splitter(server))
    with OpenAIServer(plan=seeded(0.3, 7, ["429", "500", "fenced", "prose", "empty"])) as server:
        assert made(splitter(server)) == wanted
        assert server.served["ok"] < server.calls


def test_answers_that_are_never_right_are_an_error_or_topics_by_embedding() -> None:
    with OpenAIServer(plan=["prose"] * 999) as server, pytest.raises(ReplyError):
        made(splitter(server))
    with OpenAIServer(plan=["prose"] * 999) as server:
        keeping = splitter(server, on_failure="keep")
        chunks = made(keeping)
    assert sum(chunk.page_content.count("fact") for chunk in chunks) == len(FACTS)
    assert keeping.report.failures


def test_the_order_of_replies_does_not_matter_and_requests_go_out_together() -> None:
    with OpenAIServer(latency=0.05) as server:
        waited = asyncio.run(splitter(server).atransform_documents([Document(TEXT, id="facts")]))
        assert server.most_flying > 1
    with OpenAIServer() as server:
        assert list(waited) == made(splitter(server, max_concurrency=1))


def test_a_second_run_is_free(tmp_path: Path) -> None:
    with OpenAIServer() as server:
        first = made(splitter(server, journal=tmp_path / "replies.db"))
        paid = server.calls
        assert made(splitter(server, journal=tmp_path / "replies.db")) == first
        assert server.calls == paid


def test_by_embedding_the_model_makes_propositions_alone() -> None:
    with OpenAIServer() as server:
        chunks = made(splitter(server, grouping="embedding"))
        fewer = server.calls
        assert all("groups" not in request["messages"][0]["content"] for request in server.requests)
    assert all(chunk.metadata["topic_title"] in chunk.page_content for chunk in chunks)
    assert {chunk.metadata["topic_summary"] for chunk in chunks} == {""}
    with OpenAIServer() as server:
        made(splitter(server))
        assert fewer < server.calls


def test_a_large_topic_becomes_several_chunks_of_the_same_title() -> None:
    with OpenAIServer() as server:
        chunks = made(splitter(server, chunk_size=500))
    assert max(len(chunk.page_content) for chunk in chunks) <= 500
    titles = [chunk.metadata["topic_title"] for chunk in chunks]
    assert len(set(titles)) < len(titles)
