"""`caesura questions`: the real client against a server on this machine, whose model errs; and what file comes out."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from fakes.lab import ARTICLE, BREAD, ROOT, TIDE
from fakes.servers.openai_server import OpenAIServer
from openai import OpenAI
from typer.testing import CliRunner, Result

from caesura_lab import Question, read_questions, write_questions
from caesura_lab.cli import app
from caesura_lab.written_questions import repeats_answer
from caesura_llm.openai import openai_chat

pytestmark = [pytest.mark.thorough, pytest.mark.enable_socket]


def ask(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, *arguments: object, key: str = "any", model: str = "m"
) -> Result:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return CliRunner().invoke(app, ["questions", *map(str, arguments), "--model", model])


def says(monkeypatch: pytest.MonkeyPatch, answer: Callable[[str], Any]) -> None:
    """Has the server's model answer the passages of a request: text -> list of (question, answer)."""

    def replied(messages: list[dict[str, Any]]) -> str:
        passages = re.split(r"^Passage \d+:\n", messages[1]["content"], flags=re.MULTILINE)[1:]
        listed = [[{"question": q, "answer": a} for q, a in answer(passage)] for passage in passages]
        return json.dumps({"passages": [{"number": n, "questions": one} for n, one in enumerate(listed, 1)]})

    monkeypatch.setattr("fakes.servers.openai_bodies.answer", replied)


def test_the_file_is_what_compare_and_tune_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out, handbook = tmp_path / "questions.jsonl", ROOT / "examples" / "handbook"
    paths = [ARTICLE, *([handbook] if handbook.is_dir() else [])]
    with OpenAIServer() as server:
        done = ask(server, monkeypatch, *paths, "-o", out, "--count", 12, "--prices", 0.4, 1.6)
        assert done.exit_code == 0, done.stderr
        assert done.stdout == ""
        assert {request["model"] for request in server.requests} == {"m"}
        said = (
            f"{server.calls} calls (0 retries, 0 repairs), 0 replies from the journal, {server.prompt_tokens} tokens in"
        )
        cost = (0.4 * server.prompt_tokens + 1.6 * server.completion_tokens) / 1e6
        assert said in done.stderr
        assert f", {server.completion_tokens} out, cost {cost:.4f}" in done.stderr
        assert done.stderr.startswith("12 questions; passages: ")
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert all(list(row) == ["question", "answer", "corpus"] for row in rows)
    text = ARTICLE.read_text("utf-8")
    assert all(row["answer"] in text for row in rows if row["corpus"] == "article.md")  # slices, line ends and all
    assert any("\n" in row["answer"] for row in rows)
    assert len(read_questions(out, {"elsewhere/article.md": text})) == len(rows) == 12
    for command in (["compare", "-s", "fixed"], ["tune", "-s", "optimal"]):
        done = CliRunner().invoke(app, [*command, str(ARTICLE), "--questions", str(out), "-q"])
        assert done.exit_code == 0, done.stderr


PAIRS = [
    ("What makes dough rise?", "Yeast makes bread\n dough  rise."),
    ("What makes dough rise?", "Flour and yeast make good bread."),  # asked before
    ("What is needed?", "Bread dough needs flour"),
    ("Does bread dough need flour?", "Bread dough need flour."),  # nearly
    ("What is it?", "bread"),  # which of the two?
    ("Is it true that flour and yeast make good bread?", "Flour and yeast make good bread."),
    ("", "Yeast makes bread dough rise."),
    ("What else?", 7),
    ("And what else?", ["Bread dough needs flour."]),
]


def test_only_questions_with_an_answer_of_the_text_are_kept_and_the_others_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = BREAD.replace("Flour and yeast", "Flour and yeast ").replace(" Yeast", "Yeast")
    (tmp_path / "bread.txt").write_text(text)
    says(monkeypatch, lambda passage: PAIRS)
    with OpenAIServer() as server:
        done = ask(server, monkeypatch, tmp_path / "bread.txt", "-o", tmp_path / "q.jsonl", "-n", 9)
    assert done.exit_code == 0, done.stderr
    assert done.stderr.startswith("2 questions of 9 that were wanted, from all passages; passages: 1 of 1 items in ")
    assert "dropped: 1 ambiguous, 1 copied, 1 duplicate, 1 not verbatim\n" in done.stderr
    assert [json.loads(line) for line in (tmp_path / "q.jsonl").read_text().splitlines()] == [
        {"question": "What makes dough rise?", "answer": "Yeast makes bread dough rise.", "corpus": "bread.txt"},
        {"question": "What is needed?", "answer": "Bread dough needs flour", "corpus": "bread.txt"},
    ]


def test_a_question_that_says_its_answer_is_known() -> None:
    assert repeats_answer("Who needs 60,000 litres?", "60,000 litres")
    assert repeats_answer("WHERE does  the cistern hold 60,000 litres?", "the cistern\nhold 60,000 litres")
    assert not repeats_answer("How much does the cistern on Harbour Street hold?", "The cistern holds 60,000 litres.")


def test_no_more_passages_are_sent_than_are_needed_and_another_seed_draws_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = {f"{number}.txt": f"Harbour{number} has {number} boats." for number in range(40)}
    with OpenAIServer() as server:
        chat = openai_chat(OpenAI(base_url=server.url, api_key="any"), "m")
        first, again = write_questions(texts, chat, 6), write_questions(texts, chat, 6)
        other = write_questions(texts, chat, 6, seed=1)
        assert server.calls == first.report.calls + again.report.calls + other.report.calls
    assert first.questions == again.questions != other.questions
    assert first.report.calls == len(first.questions) == 6
    assert [one.corpus for one in first.questions] == sorted(
        (one.corpus for one in first.questions), key=list(texts).index
    )
    assert all(isinstance(one, Question) for one in first.questions)


def test_a_server_that_fails_and_a_model_that_cannot_write_json_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with OpenAIServer() as server:
        assert ask(server, monkeypatch, ARTICLE, "-o", tmp_path / "good.jsonl", "-n", 8).exit_code == 0
    with OpenAIServer(plan=["429", "prose", "500", "drop", "commas", "429", "fenced"]) as server:
        done = ask(server, monkeypatch, ARTICLE, "-o", tmp_path / "q.jsonl", "-n", 8)
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / "q.jsonl").read_text() == (tmp_path / "good.jsonl").read_text()
    assert re.search(r"\((?!0)\d+ retries, (?!0)\d+ repairs\)", done.stderr)


def test_a_run_that_was_stopped_goes_on_from_its_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out, numbers = tmp_path / "q.jsonl", count()

    def plan(_said: str, _before: int) -> str:
        if next(numbers) != 2:
            return "ok"
        time.sleep(1)  # till the replies before it have arrived, also on a busy machine
        return "401"

    with OpenAIServer(plan=plan) as server:
        done = ask(server, monkeypatch, ARTICLE, "-o", out, "-n", 30)
        answered = server.served["ok"]
        assert done.exit_code == 1
        assert done.stderr.startswith("error: model 'm': Error code: 401")
        assert done.stderr.count("\n") == 1
        assert not out.exists()
    with OpenAIServer() as server:
        done = ask(server, monkeypatch, ARTICLE, "-o", out, "-n", 30)
        assert done.exit_code == 0
        kept = int(re.findall(r"(\d+) replies from the journal", done.stderr)[0])
        assert 1 <= kept <= answered  # a reply that comes with the 401 may be lost
        first, calls = out.read_text(), server.calls
        assert ask(server, monkeypatch, ARTICLE, "-o", out, "-n", 30, "-q").stderr == ""
        assert (out.read_text(), server.calls) == (first, calls)  # all of it is there


@pytest.mark.parametrize(
    ("environment", "options", "code", "said"),
    [
        (
            {},
            [],
            2,
            "error: model 'm' needs the environment variable OPENAI_API_KEY, which is not set; a server of your",
        ),
        ({"OPENAI_API_KEY": "a b"}, [], 2, "error: OPENAI_API_KEY must be ASCII without white space"),
        ({}, ["--base-url", "http://127.0.0.1:9/v1"], 1, "error: model 'm': Connection error."),
        (
            {},
            ["--base-url", "nonsense"],
            2,
            "error: the base URL of a server must begin with http:// or https://, got ",
        ),
        ({"OPENAI_API_KEY": "wrong"}, [], 1, "error: model 'm': Error code: 401"),
    ],
)
def test_without_a_key_or_a_server_it_says_what_to_set(
    environment: dict[str, str],
    options: list[str],
    code: int,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with OpenAIServer() as server:
        if environment.get("OPENAI_API_KEY") == "wrong":
            environment = {**environment, "OPENAI_BASE_URL": server.url}
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        arguments = ["questions", str(ARTICLE), "-o", str(tmp_path / "q.jsonl"), "-m", "m", *options]
        done = CliRunner().invoke(app, arguments)
    assert (done.exit_code, done.stdout) == (code, "")
    assert done.stderr.startswith(said)
    assert done.stderr.count("\n") == 1
    assert "wrong" not in done.stderr


def test_a_server_of_ones_own_needs_no_key_and_no_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    (tmp_path / "tide.txt").write_text(TIDE)
    with OpenAIServer() as server:
        arguments = ["questions", str(tmp_path), "-o", "-", "-m", "m", "--base-url", server.url, "-n", "2", "-q"]
        done = CliRunner().invoke(app, arguments)
        assert done.exit_code == 0, done.stderr
        assert "response_format" not in server.requests[0]
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 2
    assert list(tmp_path.iterdir()) == [tmp_path / "tide.txt"]  # no journal of what goes to standard output


def test_nothing_that_can_be_used_is_an_error_and_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tide.txt").write_text(TIDE)
    says(monkeypatch, lambda passage: [])
    with OpenAIServer() as server:
        done = ask(server, monkeypatch, tmp_path / "tide.txt", "-o", tmp_path / "q.jsonl", "-q")
    assert (done.exit_code, (tmp_path / "q.jsonl").exists()) == (1, False)
    assert done.stderr.startswith("0 questions of 50 that were wanted")
