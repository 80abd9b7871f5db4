"""What stands on the screen: a progress bar is gone before anything else is said, and `-q` shows nothing."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
import unicodedata
from io import BytesIO, StringIO
from pathlib import Path

import pytest
from fakes.lab import BREAD, TIDE
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from typer.main import get_command

from caesura_lab.cli import app
from caesura_lab.commands.console import embedding_bar, progress_bar, report_errors, write_output
from caesura_lab.reading import escape_controls

pty = pytest.importorskip("pty", reason="a terminal of POSIX")
BAR = "━"
ANSWERS = [
    "Yeast makes bread dough rise.",
    "Flour and yeast make good bread.",
    "The moon pulls at the sea.",
    "The tide turns",
]


def screen(folder: Path, *arguments: str, stdout: str | None = None, **environment: str) -> tuple[int, str]:
    """Runs the command on a terminal -> exit code, and all that the terminal gets. stdout: a file for it instead."""
    master, slave = pty.openpty()
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "OPENAI_API_KEY")}
    with open(folder / stdout if stdout else os.devnull, "wb") as file:
        running = subprocess.Popen(
            [sys.executable, "-m", "caesura_lab", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=file if stdout else slave,
            stderr=slave,
            cwd=folder,
            env={**kept, "TERM": "xterm", "COLUMNS": "120", **environment},
        )
        os.close(slave)
        said = b""
        try:
            while part := os.read(master, 65536):
                said += part
        except OSError:  # how Linux says that the other end is closed
            pass
        os.close(master)
        return running.wait(), said.decode()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("a.txt", BREAD), ("b.txt", TIDE), ("data.bin", "0")):
        (tmp_path / name).write_text(text)
    (tmp_path / "questions.jsonl").write_text("".join(f'{{"question": "q?", "answer": "{one}"}}\n' for one in ANSWERS))
    return tmp_path


class Screen(StringIO):
    """Standard output as a terminal, or not as one, and the bytes that it gets."""

    def __init__(self, is_terminal: bool) -> None:
        super().__init__()
        self.is_terminal, self.buffer = is_terminal, BytesIO()

    def isatty(self) -> bool:
        return self.is_terminal


@given(st.text(st.sampled_from("\x00\x07\b\t\n\r\x1b[2Ja]0;\x7f\x84\x9b\xa0é字")))
def test_a_terminal_is_sent_nothing_of_a_document_that_it_obeys(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for is_terminal in (True, False):
            patch.setattr(sys, "stdout", shown := Screen(is_terminal))
            write_output(text)
            said = shown.buffer.getvalue().decode()
            if not is_terminal:
                assert said == text
                continue
            assert said == escape_controls(text)
            assert not any(unicodedata.category(mark) == "Cc" for mark in re.sub(r"\r?\n|\t", "", said))


def test_the_styles_of_a_table_are_ours_and_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", shown := Screen(True))
    write_output("\x1b[1mbold\x1b[0m", styled=True)
    assert shown.buffer.getvalue() == b"\x1b[1mbold\x1b[0m"


@pytest.mark.thorough
@pytest.mark.parametrize(
    "arguments",
    [
        ["split", "-f", "text"],
        ["split"],
        ["compare", "-s", "fixed"],
        ["view", "-s", "fixed", "-o", "-"],
        ["ask", "Why tides?"],
    ],
    ids=" ".join,
)
def test_no_command_sends_a_documents_sequences_to_the_terminal(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "a\x1b]0;owned\x07.txt").write_text(f"{BREAD}\x1b[2J\x9b2J\x1b]0;owned\x07\n{TIDE}", "utf-8")
    (tmp_path / "b\x1b[2J.pdf").write_bytes(b"%PDF-1.7")
    command, *options = arguments
    code, said = screen(tmp_path, command, ".", *options)
    assert (code, "cannot be read" in said) == (1, True)
    assert not re.search(r"\x1b\[2J|\x1b\]|\x07|\x9b", said)


@pytest.mark.thorough
def test_chunks_on_the_screen_have_no_bar_before_or_behind_them(folder: Path) -> None:
    code, said = screen(folder, "split", "a.txt", "b.txt", "--size", "60", "-f", "text")
    assert code == 0
    assert said.startswith("--- a.txt [1] 0-")
    assert BAR not in said


@pytest.mark.thorough
def test_a_bar_shows_where_chunks_go_into_a_file_and_is_gone_at_the_end(folder: Path) -> None:
    for to_file in ({"stdout": "chunks.jsonl"}, {}):
        more = [] if to_file else ["-o", "chunks.jsonl"]
        code, said = screen(folder, "split", "a.txt", "b.txt", *more, **to_file)
        assert code == 0
        assert BAR in said
        assert said.endswith("\x1b[1A\x1b[2K")  # up, and the line is empty
        assert len((folder / "chunks.jsonl").read_text().splitlines()) == 2


@pytest.mark.thorough
def test_a_bar_is_gone_before_an_error_of_what_is_done_with_the_texts(folder: Path) -> None:
    nowhere = {"OPENAI_API_KEY": "any", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "NO_PROXY": "127.0.0.1"}
    (folder / "a.txt").write_text(f"{TIDE}\n" * 6_000)  # so large that it is cut before the next is read
    arguments = ["split", "a.txt", "b.txt", "-e", "openai:m", "-o", "chunks.jsonl"]
    code, said = screen(folder, *arguments, **nowhere)
    before, error, after = said.partition("error: openai:m: Connection error.")
    assert (code, error != "") == (1, True), said
    assert BAR in before
    assert before.endswith("\x1b[1A\x1b[2K")
    assert BAR not in after


def test_a_progress_bar_is_gone_at_its_end() -> None:
    console = Console(file=StringIO(), force_terminal=True, width=80, _environ={"TERM": "xterm"})
    with progress_bar(console, False) as progress:
        progress.add_task("splitters", total=2)
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "0/2" in shown
    assert shown.endswith("\x1b[1A\x1b[2K")  # up, and the line is empty


def test_a_server_that_is_waited_for_is_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    retries = logging.getLogger("caesura_llm.retries")
    with report_errors():
        retries.warning("no reply for 2 s: too many\x1b[2J requests")
        retries.error("no server takes connections")
    retries.warning("no reply for 2 s: after the command")
    assert capsys.readouterr().err.splitlines() == ["waiting: no reply for 2 s: too many\\x1b[2J requests"]


def test_every_command_has_quiet() -> None:
    commands = get_command(app).commands  # type: ignore[attr-defined]
    assert len(commands) == 9
    for name, command in commands.items():
        assert any({"-q", "--quiet"} <= {*option.opts} for option in command.params), name


@pytest.mark.thorough
@pytest.mark.parametrize(
    "arguments",
    [
        ["split", "."],
        ["split", ".", "-f", "html"],
        ["compare", ".", "--unit", "tokens"],  # of which a splitter is left out
        ["view", ".", "-s", "fixed", "-o", "page.html"],
        ["plot", "a.txt", "-o", "a.svg"],
        ["tune", ".", "-s", "optimal", "--questions", "questions.jsonl"],
        ["ask", ".", "Why are there tides?"],
    ],
    ids=" ".join,
)
def test_quiet_says_nothing_beside_the_output(arguments: list[str], folder: Path) -> None:
    assert screen(folder, *arguments, "-q", stdout="out") == (0, "")


@pytest.mark.parametrize(("is_terminal", "hidden"), [(True, False), (True, True), (False, False)])
def test_a_bar_moves_with_what_is_embedded_and_on_a_terminal_alone(is_terminal: bool, hidden: bool) -> None:
    console = Console(file=StringIO(), force_terminal=is_terminal, width=80, _environ={"TERM": "xterm"})
    with embedding_bar(console, hidden, "static", 20) as watched:
        assert watched(["Bread.", "The sea."]).shape[0] == 2
        assert watched([]).shape[0] == 0
    said = console.file.getvalue()  # type: ignore[attr-defined]
    assert ("characters embedded" in said, "14/20" in said) == (is_terminal and not hidden,) * 2
