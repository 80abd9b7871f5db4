"""Files of JSON records: a text for each, with its title; what is no such list is read as it stands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fakes.lab import BREAD, TIDE, caesura

from caesura_lab import compare, read_questions, read_texts, split
from caesura_lab.reading import Source, load_sources
from caesura_lab.records import extract_records

ROWS = [{"id": 1, "title": "Bread", "text": BREAD}, {"id": 2, "metadata": {"title": "Tide"}, "text": TIDE}]
WANTED = [(BREAD, "Bread"), (TIDE, "Tide")]


@pytest.mark.parametrize(
    "written",
    [json.dumps(ROWS), json.dumps(ROWS, indent=2), "\n".join(map(json.dumps, ROWS)) + "\n\n"],
)
def test_an_array_or_lines_are_a_text_for_each_record(written: str, tmp_path: Path) -> None:
    assert extract_records(written) == WANTED
    for name in ("notes.json", "notes.jsonl"):
        path = tmp_path / name
        path.write_text(written, encoding="utf-8")
        assert load_sources(str(path)) == [
            Source(f"{path}#{number}", text, own_title=title) for number, (text, title) in enumerate(WANTED, 1)
        ]


@pytest.mark.parametrize(
    "written",
    [
        "[]",
        "",
        "{}",
        "[1, 2]",
        '{"text": "one"',
        "[" * 100_000,
        json.dumps([ROWS[0], {"title": "no text"}]),
        json.dumps([ROWS[0], {"text": 3}]),
        json.dumps([{"role": "user", "content": "When?"}, {"role": "assistant", "content": "At nine."}]),
        json.dumps({"text": [1]}),
        "no JSON at all",
    ],
)
def test_what_is_no_list_of_records_is_read_as_it_stands(written: str, tmp_path: Path) -> None:
    assert extract_records(written) == []
    path = tmp_path / "notes.json"
    path.write_text(written, encoding="utf-8")
    assert load_sources(str(path)) == [Source(str(path), written)]


def test_records_are_cut_asked_and_measured_as_files_are(tmp_path: Path) -> None:
    path, asked = tmp_path / "notes.json", tmp_path / "questions.json"
    path.write_text(json.dumps(ROWS), encoding="utf-8")
    rows: list[dict[str, Any]] = [{"question": "What has tides?", "answer": "So the sea has tides."}]
    asked.write_text(json.dumps([*rows, {**rows[0], "corpus": "notes.json#2"}], indent=1), encoding="utf-8")
    texts = read_texts([path])
    assert read_texts(path) == read_texts(str(path)) == texts
    assert [question.corpus for question in read_questions(asked, texts)] == [f"{path}#2"] * 2
    assert {row["path"] for row in split([path])} == set(texts) == {f"{path}#1", f"{path}#2"}
    (row,) = compare(path, ["double-pass"], asked)
    assert row["recall"] == 1.0
    done = caesura("ask", path, "Why has the sea tides?", "--budget", 80)
    assert f"{path}#2, line 1, Tide".encode() in done.stdout


def test_source_code_of_a_folder_is_read(tmp_path: Path) -> None:
    (tmp_path / "bake.py").write_text('def bake():\n    """Bakes bread."""\n', encoding="utf-8")
    (tmp_path / "data.json").write_text(json.dumps(ROWS), encoding="utf-8")
    done = caesura("split", tmp_path)
    assert [json.loads(line)["path"] for line in done.stdout.splitlines()] == [str(tmp_path / "bake.py")]
    assert b"data.json; of a folder, only text, Markdown, HTML, PDF, mail, transcripts and source code" in done.stderr
