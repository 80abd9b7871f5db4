"""docs/lab.md shows what its commands print, times aside; its pictures can be drawn again."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
from pathlib import Path

import pytest
from fakes.lab import ARTICLE, ROOT, caesura

from caesura_lab import read_questions

PAGE = ROOT / "docs" / "lab.md"
pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(shutil.which("bash") is None, reason="the commands are a shell's"),
]


def timeless(page: str) -> list[str]:
    page = re.sub(r"│ +\d+\.\d{3,} │", "│ seconds │", page)
    return re.sub(r"│ seconds │ +\d+\.\d+ │", "│ seconds │ milliseconds │", page).splitlines()


def test_every_command_prints_what_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = importlib.util.spec_from_file_location("shown", ROOT / "docs" / "shown.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    page = PAGE.read_text("utf-8")
    assert page.count("\n$ caesura ") >= 8
    assert timeless(module.shown(page, tmp_path)) == timeless(page)
    assert (tmp_path / "article.html").stat().st_size > 30_000
    assert len((tmp_path / "chunks.jsonl").read_text("utf-8").splitlines()) > 5


@pytest.mark.thorough
def test_the_picture_is_the_one_that_the_command_draws(tmp_path: Path) -> None:
    done = caesura("plot", "examples/article.md", "-o", tmp_path / "gaps.svg", "--size", 1200, cwd=ROOT)
    assert done.returncode == 0, done.stderr

    def labels(svg: Path) -> list[str]:  # the shapes of letters differ between versions of matplotlib, these do not
        return re.findall(r"<!-- (.*?) -->", svg.read_text("utf-8"))

    assert labels(tmp_path / "gaps.svg") == labels(ROOT / "docs" / "gaps.svg")
    asked = ["--questions", "benchmarks/manuals/questions.jsonl", "--plot", tmp_path / "recall.svg", "-q"]
    done = caesura("measure", "benchmarks/manuals", *asked, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert labels(tmp_path / "recall.svg") == labels(ROOT / "docs" / "recall.svg")


def test_the_retriever_of_the_page_is_measured(tmp_path: Path) -> None:
    (program,) = re.findall(r"```python title=\"rag\.py\"\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    (command,) = re.findall(r"```sh\ncaesura (measure .*?-r rag:retriever.*?)\n```", PAGE.read_text("utf-8"), re.DOTALL)
    (tmp_path / "rag.py").write_text(program, encoding="utf-8")
    (tmp_path / "benchmarks").symlink_to(ROOT / "benchmarks", target_is_directory=True)
    done = caesura(*command.replace("\\\n", " ").split(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.search(r"│ rag:retriever +│ +\d+\.\d %", done.stdout.decode())
    assert len((tmp_path / "found.csv").read_text("utf-8").splitlines()) == 121


def test_the_two_forms_of_a_question_mean_the_same(tmp_path: Path) -> None:
    (lines,) = re.findall(r"```json\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    (tmp_path / "questions.jsonl").write_text(lines, encoding="utf-8")
    first, second = read_questions(tmp_path / "questions.jsonl", {str(ARTICLE): ARTICLE.read_text("utf-8")})
    assert first == second


def test_the_examples_questions_fit_the_article() -> None:
    questions = ROOT / "examples" / "questions.jsonl"
    found = read_questions(questions, {"article.md": ARTICLE.read_text("utf-8")})
    assert len(found) == len(questions.read_text("utf-8").splitlines()) == 12
    assert all("answer" in json.loads(line) for line in questions.read_text("utf-8").splitlines())
