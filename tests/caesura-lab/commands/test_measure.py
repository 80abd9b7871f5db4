"""`caesura measure` as a shell runs it: the table, the files, a retriever of one's own, and what is wrong."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from fakes.lab import ARTICLE, ROOT, caesura

QUESTIONS = ROOT / "examples" / "questions.jsonl"
OWN = """\
from pathlib import Path

lines = Path({article!r}).read_text("utf-8").split("\\n\\n")

def search(question):
    words = set(question.lower().split())
    return sorted(lines, key=lambda line: -len(words & set(line.lower().split())))

def broken(question):
    raise ValueError("no index")
"""


def test_the_table_the_files_and_the_picture_are_written(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    (tmp_path / "my_search.py").write_text(OWN.format(article=str(ARTICLE)), encoding="utf-8")
    asked = ["measure", ARTICLE, "--questions", QUESTIONS, "-r", "ours", "-r", "my_search:search", "--budget", 600]
    outputs = ["--json", "t.json", "--html", "t.html", "--by-question", "q.csv", "--plot", "p.svg"]
    done = caesura(*asked, *outputs, "-q", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    said = done.stdout.decode()
    assert "Retrievers measured" in said
    assert "12 questions, 1 text, embedder static." in said
    rows = json.loads((tmp_path / "t.json").read_text("utf-8"))["rows"]
    assert {row["retriever"] for row in rows} == {"ours", "my_search:search"}
    assert all(0.3 < row["recall_600"] <= 1 for row in rows)
    assert "Retrievers measured" in (tmp_path / "t.html").read_text("utf-8")
    with open(tmp_path / "q.csv", encoding="utf-8", newline="") as file:
        by_question = list(csv.DictReader(file))
    assert len(by_question) == 12
    (ours,) = [row["recall_600"] for row in rows if row["retriever"] == "ours"]
    assert sum(float(row["ours_600"]) for row in by_question) / 12 == pytest.approx(ours)
    assert (tmp_path / "p.svg").read_text("utf-8").startswith("<?xml")


def test_one_that_fails_is_told_and_the_others_are_shown(tmp_path: Path) -> None:
    (tmp_path / "my_search.py").write_text(OWN.format(article=str(ARTICLE)), encoding="utf-8")
    asked = ["measure", ARTICLE, "--questions", QUESTIONS, "-r", "my_search:broken", "-r", "my_search:search"]
    done = caesura(*asked, "--csv", "-", cwd=tmp_path)
    assert done.returncode == 1
    assert b"error: my_search:broken: RetrieverError: it failed on " in done.stderr
    assert [line.split(",")[0] for line in done.stdout.decode().splitlines()] == [
        "retriever", "my_search:search", "my_search:broken",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-r", "bm26"], b"error: there is no retriever 'bm26': did you mean bm25?\n"),
        (["-r", "none:find"], b"error: retriever 'none:find' cannot be imported: ModuleNotFoundError: No module"),
        (["--plot", "a.gif"], b"error: a picture must be one of .png, .svg, .pdf, got 'a.gif'\n"),
        (["--csv", "-", "--json", "-"], b"error: each output needs a file of its own, got -, -\n"),
    ],
)
def test_what_is_wrong_is_told_before_the_work(options: list[str], said: bytes, tmp_path: Path) -> None:
    done = caesura("measure", ARTICLE, "--questions", QUESTIONS, *options, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(said)
