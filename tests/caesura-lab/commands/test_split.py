"""`caesura split` as a shell runs it: what comes out, what is said where, and with which exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import pypdf
import pytest
from fakes.documents.pdf import pdf_bytes
from fakes.lab import ARTICLE, BREAD, TIDE, caesura, shell
from typer.testing import CliRunner

from caesura_lab.cli import app

runner = CliRunner()


def rows(out: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.decode("utf-8").splitlines()]


def test_a_line_per_chunk_has_path_number_place_size_and_text() -> None:
    done = caesura("split", ARTICLE, "--size", 900)
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""
    text, found = ARTICLE.read_text("utf-8"), rows(done.stdout)
    assert [row["chunk"] for row in found] == list(range(1, len(found) + 1))
    for row in found:
        assert list(row) == ["path", "chunk", "start", "end", "size", "text"]
        assert row["path"] == str(ARTICLE)
        assert text[row["start"] : row["end"]] == row["text"]
        assert row["size"] == len(row["text"]) <= 900


@pytest.mark.thorough
def test_standard_input_is_a_dash_and_keeps_its_line_ends() -> None:
    text = "Yeast 🌊 rises.\r\nDough and yeast rise.\r\nThe moon pulls.\r\n"
    found = rows(caesura("split", "-", given=text.encode()).stdout)
    assert {row["path"] for row in found} == {"-"}
    assert all(text[row["start"] : row["end"]] == row["text"] for row in found)
    assert any("\r\n" in row["text"] for row in found)
    assert found[-1]["end"] == len(text.rstrip())


@pytest.mark.thorough
def test_tokens_are_counted_by_the_tokenizer_that_is_named() -> None:
    found = rows(caesura("split", ARTICLE, "--unit", "tokens", "--size", 100).stdout)
    assert max(row["size"] for row in found) <= 100 < max(len(row["text"]) for row in found)
    done = caesura("split", ARTICLE, "--unit", "tokens", "--tokenizer", "words")
    assert done.returncode == 2
    assert b"tokenizer must be one of wordpiece, tiktoken:ENCODING, got 'words'" in done.stderr


@pytest.mark.thorough
def test_settings_go_with_the_splitters_name() -> None:
    number = len(rows(caesura("split", ARTICLE, "-s", "optimal:n_chunks=7").stdout))
    assert number == 7
    overlapping = rows(caesura("split", ARTICLE, "-s", "double-pass:size=700", "--overlap", 120).stdout)
    assert any(one["start"] < before["end"] for before, one in pairwise(overlapping))


@pytest.mark.thorough
def test_text_and_pages_come_out_too(tmp_path: Path) -> None:
    done = caesura("split", "-", "--format", "text", given=BREAD.encode())
    assert done.stdout.decode() == f"--- - [1] 0-{len(BREAD)}, {len(BREAD)}\n{BREAD}\n\n"
    page = tmp_path / "page.html"
    assert caesura("split", ARTICLE, "-f", "html", "-o", page).returncode == 0
    assert page.read_text("utf-8").startswith("<!doctype html>")


@pytest.mark.thorough
@pytest.mark.parametrize("form", ["jsonl", "text", "html"])
def test_the_output_dash_is_standard_output_as_in_the_other_commands(form: str, tmp_path: Path) -> None:
    done = caesura("split", ARTICLE, "-f", form, "-o", "-", cwd=tmp_path)
    assert done.stdout == caesura("split", ARTICLE, "-f", form).stdout != b""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.thorough
def test_a_folder_gives_its_texts_in_order_and_no_hidden_or_foreign_file(tmp_path: Path) -> None:
    for name in ("b.md", "a.txt", "sub/c.MD", ".hidden.md", ".git/d.md", "data.bin"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(BREAD, encoding="utf-8")
    found = rows(caesura("split", ".", cwd=tmp_path).stdout)
    assert [row["path"] for row in found] == ["a.txt", "b.md", str(Path("sub/c.MD"))]
    twice = rows(caesura("split", "a.txt", ".", "./a.txt", cwd=tmp_path).stdout)
    assert len(twice) == 3


@pytest.mark.thorough
def test_thousands_of_files_survive_one_that_cannot_be_read(tmp_path: Path) -> None:
    count = 2_000
    for number in range(count):
        folder = tmp_path / f"{number // 500:02}"
        folder.mkdir(exist_ok=True)
        (folder / f"{number:05}.txt").write_bytes(b"Yeast rises. The tide turns.")
    bad = tmp_path / "01" / "00570.txt"
    bad.write_bytes(b"fine until \xff here")
    done = caesura("split", tmp_path)
    assert done.returncode == 1
    found = rows(done.stdout)
    assert len({row["path"] for row in found}) == count - 1
    said = done.stderr.decode()
    assert f"error: {bad}: not utf-8, byte 11 is 0xff: convert it, or name its encoding" in said
    assert said.count("\n") == 2  # no progress bar where nobody sees it move
    assert said.rstrip().endswith(f"1 of {count} could not be read")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("held", "options"),
    [
        (b"\xef\xbb\xbf" + "Brot größer.".encode(), ()),
        ("\ufeffBrot größer.".encode("utf-16-le"), ()),
        ("\ufeffBrot größer.".encode("utf-16-be"), ()),
        ("\ufeffBrot größer.".encode("utf-32-le"), ()),
        ("Brot größer.".encode("cp1252"), ("--encoding", "cp1252")),
    ],
)
def test_a_byte_order_mark_or_an_encoding_is_heeded(tmp_path: Path, held: bytes, options: tuple[str, ...]) -> None:
    path = tmp_path / "brot.txt"
    path.write_bytes(held)
    (row,) = rows(caesura("split", path, *options).stdout)
    assert (row["text"], row["start"], row["end"]) == ("Brot größer.", 0, 12)


def test_a_path_that_is_not_there_or_not_readable_is_told_and_the_rest_is_cut(tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text(TIDE, encoding="utf-8")
    (tmp_path / "loop.txt").symlink_to("loop.txt")
    done = caesura("split", tmp_path / "none.txt", tmp_path / "loop.txt", tmp_path / "good.txt")
    assert done.returncode == 1
    assert {row["path"] for row in rows(done.stdout)} == {str(tmp_path / "good.txt")}
    assert b"none.txt: there is no such file or folder" in done.stderr
    assert b"loop.txt: Too many levels of symbolic links" in done.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--splitter", "foo"], "there is no splitter 'foo': choose from double-pass, optimal"),
        (["--splitter", "dubble-pass"], "there is no splitter 'dubble-pass': did you mean double-pass?"),
        (
            ["--splitter", "double-pass:traget_size=3"],
            "splitter 'double-pass' has no setting traget_size=3: did you mean target_size?",
        ),
        (["--splitter", "optimal:penalty"], "key=value, with commas between, got 'penalty'"),
        (
            ["--splitter", "optimal:zoom=1"],
            "splitter 'optimal' has no setting zoom=1: it has calibrated, confidence, half_weight, min_size, n_chunks",
        ),
        (["--splitter", "optimal:penalty=-1"], "penalty must be a finite number"),
        (["--splitter", "double-pass:calibrated=2"], "calibrated must be true or false"),
        (["--size", "10", "--overlap", "10"], "--overlap 10 must be at most half of --size 10: "),
        (
            ["--size", "9", "--min-size", "9", "--overlap", "1"],
            "--size 9 must have room for --min-size 9 and --overlap 1",
        ),
        (["--overlap", "900"], "error: --overlap 900 must be at most half of size=800: what is new needs the rest"),
        (
            ["--size", "20", "-s", "optimal:size=10,overlap=10"],
            "overlap=10 must be at most half of size=10",
        ),
        (
            ["--size", "300", "-s", "optimal:target_size=900"],
            "target_size=900 must not be over --size 300: raise --size",
        ),
        (
            ["--size", "10", "--overlap", "20", "-s", "recursive"],
            "does not take --size 10 and --overlap 20: ",
        ),
        (
            ["-s", "optimal:n_chunks=3,target_size=90"],
            "a number of chunks, 3, and target_size=90 exclude one another",
        ),
        (["--embedder", "foo"], "embedder must be one of static, openai:MODEL"),
        (["--embedder", "openai:text-embedding-3-small"], "OPENAI_API_KEY, which is not set"),
        (["--embedder", "spacy:no_such_pipeline"], "spaCy has no pipeline 'no_such_pipeline'"),
    ],
)
def test_a_wrong_option_is_told_in_a_line_with_exit_code_2(
    options: list[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    done = runner.invoke(app, ["split", "-", *options], input="One. Two.")
    assert done.exit_code == 2
    assert done.stdout == ""
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.thorough
@pytest.mark.parametrize(
    "arguments",
    [
        ["split", "long.txt", "--size", "100"],
        ["split", "long.txt", "--format", "html", "-s", "fixed"],
        ["view", "long.txt", "-o", "-", "-s", "fixed"],
        ["compare", "long.txt", "-s", "fixed", "-q"],
        ["compare", "long.txt", "-s", "fixed", "-q", "--csv", "-"],
        ["ask", "long.txt", "Why are there tides?"],
    ],
)
def test_a_reader_that_leaves_early_is_no_fault(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text(TIDE * 2_000, encoding="utf-8")
    reading, writing = os.pipe()
    os.close(reading)  # it has left before the first line
    command = [sys.executable, "-m", "caesura_lab", *arguments]
    with subprocess.Popen(command, stdout=writing, stderr=subprocess.PIPE, cwd=tmp_path) as running:
        os.close(writing)
        assert running.stderr is not None
        assert running.stderr.read() == b""
        assert running.wait() == 0


@pytest.mark.thorough
def test_an_empty_file_has_no_chunks_and_nul_and_odd_characters_pass(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_bytes(b"")
    assert caesura("split", tmp_path / "empty.txt").stdout == b""
    odd = "A\0B \u2028 e\u0301 \U0001f600 </script>."
    (row,) = rows(caesura("split", "-", given=odd.encode()).stdout.replace(b"\xe2\x80\xa8", b"\\u2028"))
    assert row["text"] == odd


@pytest.mark.thorough
def test_a_lone_surrogate_in_a_path_is_written_as_ascii(tmp_path: Path) -> None:
    path = bytes(tmp_path) + b"/caf\xe9.txt"
    try:
        with open(path, "wb") as file:
            file.write(BREAD.encode())
    except OSError:
        pytest.skip("this file system takes no such name")
    done = caesura("split", tmp_path)
    assert done.returncode == 0, done.stderr
    assert rows(done.stdout)[0]["path"].endswith("caf\udce9.txt")


def test_the_bare_command_and_help_tell_what_there_is() -> None:
    for arguments in ([], ["--help"]):
        said = runner.invoke(app, arguments).output
        assert all(name in said for name in ("split", "ask", "compare", "view", "plot", "questions", "tune"))
    for command in ("split", "ask", "compare", "view", "plot", "questions", "tune"):
        done = runner.invoke(app, [command, "--help"])
        assert done.exit_code == 0
        assert f"\n  caesura {command} " in done.output  # examples, on lines of their own
    assert runner.invoke(app, ["--version"]).output.startswith("caesura-lab 0.")
    assert runner.invoke(app, ["split", "-", "--size", "0"]).exit_code == 2


@pytest.mark.parametrize(
    ("options", "code"), [(["--size", "900"], 0), pytest.param(["--size", "x"], 2, marks=pytest.mark.thorough)]
)
def test_a_shell_gets_what_these_tests_do(options: list[str], code: int) -> None:
    done, ours = shell("split", ARTICLE, *options), caesura("split", ARTICLE, *options)
    assert (done.returncode, ours.returncode) == (code, code)
    assert (done.stdout, done.stderr[-40:]) == (ours.stdout, ours.stderr[-40:])


@pytest.mark.parametrize("command", ["split", "view", "plot", "compare"])
def test_a_file_that_is_read_is_never_written_over(command: str, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(BREAD, encoding="utf-8")
    (tmp_path / "link.svg").symlink_to("notes.txt")
    option = "--csv" if command == "compare" else "-o"
    for output in (path, tmp_path / "link.svg"):
        done = runner.invoke(app, [command, str(path), option, str(output)])
        assert done.exit_code == 2
        assert "is read, and would be written over" in done.stderr
    assert path.read_text("utf-8") == BREAD


@pytest.mark.parametrize(
    ("command", "option"), [("measure", "--by-question"), ("measure", "--csv"), ("compare", "--csv")]
)
def test_the_questions_are_never_written_over(command: str, option: str, tmp_path: Path) -> None:
    path, asked = tmp_path / "notes.txt", tmp_path / "questions.jsonl"
    path.write_text(BREAD, encoding="utf-8")
    asked.write_text('{"question": "?"}', encoding="utf-8")
    done = runner.invoke(app, [command, str(path), "--questions", str(asked), option, str(asked)])
    assert done.exit_code == 2
    assert "is read, and would be written over" in done.stderr
    assert asked.read_text("utf-8") == '{"question": "?"}'


def test_two_outputs_are_two_files_however_they_are_named(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(BREAD, encoding="utf-8")
    done = runner.invoke(app, ["compare", str(path), "--csv", f"{tmp_path}/t", "--json", f"{tmp_path}/./t"])
    assert done.exit_code == 2
    assert "each output needs a file of its own" in done.stderr


@pytest.mark.thorough
def test_what_a_folder_has_and_is_not_read_is_named(tmp_path: Path) -> None:
    for name in ("a.md", "b.docx", "c.csv", "d.docx", "e.csv", ".hidden"):
        (tmp_path / name).write_text(BREAD)
    (tmp_path / "linked").symlink_to(tmp_path)
    done = caesura("split", tmp_path, cwd=tmp_path)
    linked, skipped = done.stderr.decode().splitlines()
    assert done.returncode == 0
    assert linked == f"skipped 1: {tmp_path / 'linked'}; links to folders are not followed"
    named = ", ".join(str(tmp_path / name) for name in ("b.docx", "c.csv", "d.docx"))
    assert skipped.startswith(f"skipped 4: {named}, …; of a folder, only text, Markdown, HTML, PDF, ")
    assert caesura("split", tmp_path, "-q").stderr == b""


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"PK\x03\x04\x14\x00", "a ZIP archive, as .docx"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "an Office document"),
        (b"{\\rtf1\\ansi", "rich text"),
        (b"\x89PNG\r\n", "a picture"),
    ],
)
def test_a_file_of_another_kind_is_told_by_its_kind_and_not_by_an_encoding(
    data: bytes, kind: str, tmp_path: Path
) -> None:
    (tmp_path / "file").write_bytes(data)
    for encoding in ([], ["--encoding", "latin-1"]):
        done = runner.invoke(app, ["split", str(tmp_path / "file"), *encoding])
        assert done.exit_code == 1
        assert f"file: {kind}" in done.stderr
        assert "no text: extract its text into a file" in done.stderr


def test_a_folder_without_texts_is_told(tmp_path: Path) -> None:
    done = runner.invoke(app, ["split", str(tmp_path)])
    assert (done.exit_code, f"there is nothing to read in {tmp_path}" in done.stderr) == (2, True)


@pytest.mark.thorough
@pytest.mark.parametrize("command", ["split", "plot", "tune"])
def test_a_tokenizer_that_would_count_nothing_is_refused(command: str, tmp_path: Path) -> None:
    more = {"split": [], "plot": ["-o", tmp_path / "gaps.png"], "tune": ["--questions", ARTICLE]}[command]
    done = caesura(command, ARTICLE, "--tokenizer", "wordpiece", *more)
    assert done.returncode == 2
    assert b"tokenizer='wordpiece' counts nothing where sizes are in characters" in done.stderr


@pytest.mark.thorough
@pytest.mark.parametrize(
    "option", ["--size", "--min-size", "--overlap", "-s optimal:n_chunks=", "-s double-pass:look_ahead="]
)
def test_a_number_that_no_array_holds_is_refused(option: str) -> None:
    number = "99999999999999999999"
    done = caesura("split", ARTICLE, *([f"{option}{number}".split()] if "=" in option else [[option, number]])[0])
    assert done.returncode == 2
    assert b"must be a whole number of at most 9223372036854775807, got 99999999999999999999" in done.stderr
    assert b"Traceback" not in done.stderr


def test_chunks_of_a_pdf_with_labels_say_the_pages_that_are_printed(tmp_path: Path) -> None:
    writer = pypdf.PdfWriter(clone_from=BytesIO(pdf_bytes([[BREAD], [TIDE]])))
    writer.set_page_label(0, 1, style="/D", start=7)
    writer.write(tmp_path / "bread.pdf")
    (row,) = rows(caesura("split", tmp_path / "bread.pdf", "--size", 4000).stdout)
    assert (row["page_start"], row["page_end"], row["page_label_start"], row["page_label_end"]) == (1, 2, "7", "8")
