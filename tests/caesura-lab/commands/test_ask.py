"""`caesura ask` as a shell runs it: passages with their place, reasons, JSON, and what is said of what goes wrong."""

from __future__ import annotations

import json
import re
from io import BytesIO
from pathlib import Path
from typing import Any

import pypdf
import pytest
from fakes.documents.pdf import pdf_bytes
from fakes.lab import ARTICLE, BREAD, TIDE, caesura
from typer.testing import CliRunner, Result

from caesura_lab.cli import app

CISTERN = "How many litres of rain does the cistern hold?"


def ask(*arguments: object, given: str | None = None) -> Result:
    return CliRunner().invoke(app, ["ask", *map(str, arguments)], input=given)


def rows(done: Result) -> list[dict[str, Any]]:
    assert done.exit_code == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bread.md").write_text(f"# Bread\n\n{BREAD}\n", encoding="utf-8")
    (tmp_path / "tide.txt").write_text(TIDE, encoding="utf-8")
    return tmp_path


def test_passages_are_printed_with_their_place_the_best_first() -> None:
    done = ask(ARTICLE, CISTERN, "--budget", 900)
    assert (done.exit_code, done.stderr) == (0, "")
    heads = re.findall(r"^--- (.*), lines? (\d+)(?:-\d+)?, (.*), (\d\.\d\d)$", done.stdout, re.MULTILINE)
    assert [float(head[3]) for head in heads] == sorted((float(head[3]) for head in heads), reverse=True)
    assert heads[0][:3] == (str(ARTICLE), "36", "A Year on Ternholm > Kitchen and cistern")
    first = done.stdout.split("\n---")[0]
    assert "a cistern that holds 60,000 litres" in first
    assert first.split("\n", 1)[1].strip() in ARTICLE.read_text("utf-8")
    assert "words" not in first


def test_why_adds_a_line_for_each_chunk_that_was_found() -> None:
    plain, reasoned = (ask(ARTICLE, CISTERN, "--budget", 900, *more).stdout for more in ([], ["--why"]))
    why = re.compile(r"^    \d+-\d+: vectors \d\.\d\d, words \d\.\d\d \(.*\), document \d\.\d\d\n", re.MULTILINE)
    reasons = why.findall(reasoned)
    assert len(reasons) >= plain.count("\n--- ")
    assert "(litres, rain, cistern, hold; cistern in the headings)" in reasons[0]
    assert why.sub("", reasoned) == plain


def test_no_word_of_the_question_is_said_where_there_is_none(folder: Path) -> None:
    done = ask(folder, "Xyzzy?", "--why", "--budget", 200)
    assert done.exit_code == 0
    assert "words 0.00 (none)" in done.stdout


def test_json_lines_have_each_passage_with_place_and_reasons() -> None:
    text, found = ARTICLE.read_text("utf-8"), rows(ask(ARTICLE, CISTERN, "--budget", 900, "--json"))
    assert sum(len(row["text"]) for row in found) <= 900
    for row in found:
        names = ["path", "title", "start", "end", "line_start", "line_end", "headings", "score", "text", "chunks"]
        assert list(row) == names
        assert row["text"] == text[row["start"] : row["end"]]
        for chunk in row["chunks"]:
            assert list(chunk) == ["start", "end", "score", "vectors", "words", "document", "found"]
    assert found[0]["chunks"][0]["found"]["headings"] == ["cistern"]
    assert found[0]["headings"] == ["A Year on Ternholm", "Kitchen and cistern"]


def test_a_folder_and_standard_input_are_searched_together(folder: Path) -> None:
    found = rows(ask(folder, "-", "What leaves at nine?", "--json", given="The ferry leaves at nine."))
    assert found[0]["path"] == "-"
    assert {row["path"] for row in found} == {"-", str(folder / "bread.md"), str(folder / "tide.txt")}


def test_standard_input_that_is_named_twice_is_read_once() -> None:
    assert rows(ask("-", "-", "What leaves at nine?", "--json", given="The ferry leaves at nine."))[0]["path"] == "-"


def test_a_passage_of_a_pdf_says_its_page(folder: Path) -> None:
    (folder / "ferry.pdf").write_bytes(pdf_bytes([[BREAD], [TIDE], ["The ferry leaves at nine."]]))
    done = ask(folder / "ferry.pdf", "When does the ferry leave?", "--budget", 30)
    assert done.stdout.startswith(f"--- {folder / 'ferry.pdf'}, page 3, 1.00\nThe ferry leaves at nine.\n")
    (row,) = rows(ask(folder / "ferry.pdf", "When does the ferry leave?", "--budget", 30, "--json"))
    assert (row["page_start"], row["page_end"]) == (3, 3)


def test_a_passage_of_a_pdf_with_labels_says_the_page_that_is_printed(folder: Path) -> None:
    writer = pypdf.PdfWriter(clone_from=BytesIO(pdf_bytes([[BREAD], [TIDE], ["The ferry leaves at nine."]])))
    writer.set_page_label(0, 0, style="/r")
    writer.set_page_label(1, 2, style="/D", start=7)
    writer.write(folder / "ferry.pdf")
    done = ask(folder / "ferry.pdf", "When does the ferry leave?", "--budget", 30)
    assert done.stdout.startswith(f"--- {folder / 'ferry.pdf'}, page 8 (3 in the file), 1.00\n")
    (row,) = rows(ask(folder / "ferry.pdf", "When does the ferry leave?", "--budget", 30, "--json"))
    assert (row["page_start"], row["page_label_start"], row["page_label_end"]) == (3, "8", "8")
    (row,) = rows(ask(folder / "ferry.pdf", "When does bread rise, and the tide?", "--budget", 4000, "--json"))
    assert (row["page_start"], row["page_end"], row["page_label_start"], row["page_label_end"]) == (1, 3, "i", "8")


def test_blank_files_hold_nothing_that_could_be_found(folder: Path) -> None:
    for text in ("", " \n\t\n"):
        (folder / "blank.txt").write_text(text)
        done = ask(folder / "blank.txt", "What rises?")
        assert (done.exit_code, done.stdout, done.stderr) == (0, "", "nothing was found within --budget 4000\n")
        assert ask(folder / "blank.txt", "What rises?", "--quiet").stderr == ""
    assert rows(ask(folder, "What makes dough rise?", "--json"))[0]["path"] == str(folder / "bread.md")


def test_what_cannot_be_read_is_named_and_the_rest_is_searched(folder: Path) -> None:
    (folder / "bad.txt").write_bytes(b"\xff")
    done = ask(folder, folder / "none.md", "Why are there tides?")
    assert done.exit_code == 1
    assert "bad.txt: not utf-8, byte 0 is 0xff" in done.stderr
    assert "none.md: there is no such file or folder" in done.stderr
    assert "2 of 4 could not be read" in done.stderr
    assert TIDE in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([ARTICLE], "Missing argument 'PATH'"),
        ([ARTICLE, " "], "a question must be a str that is not blank, got ' '"),
        ([ARTICLE, CISTERN, "--budget", "0"], "0 is not in the range x>=1"),
        ([ARTICLE, CISTERN, "--words", "-1"], "-1.0 is not in the range x>=0"),
        ([ARTICLE, CISTERN, "--words", "nan"], "words must be a finite number"),
        ([ARTICLE, CISTERN, "-e", "foo"], "embedder must be one of static, openai:MODEL"),
        (["no-such-folder/", CISTERN], "no-such-folder/: there is no such file or folder"),
    ],
    ids=range(7),
)
def test_what_is_wrong_is_told_in_a_line(arguments: list[object], said: str) -> None:
    done = ask(*arguments)
    assert done.exit_code == (1 if "no such" in said else 2)
    assert done.stdout == ""
    assert said in done.stderr


@pytest.mark.parametrize("question", ["' OR 1=1 --", '"(NEAR* text:^', "-- --json", "\x1b[2J", "北京", "?!"])
def test_a_hostile_question_is_a_question(folder: Path, question: str) -> None:
    done = ask("--json", "--", folder, question)
    assert {row["path"] for row in rows(done)} <= {str(folder / "bread.md"), str(folder / "tide.txt")}
    assert done.stderr == ""


@pytest.mark.thorough
def test_a_process_prints_what_the_runner_does() -> None:
    done = caesura("ask", ARTICLE, CISTERN, "--why", "--budget", 1000)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == ask(ARTICLE, CISTERN, "--why", "--budget", 1000).stdout_bytes
