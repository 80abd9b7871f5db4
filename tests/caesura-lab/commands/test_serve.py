"""`caesura serve` as a shell runs it: the address, files that cannot be read, a port that is taken, Ctrl-C."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path

import pytest
from fakes.lab import BREAD, TIDE
from typer.testing import CliRunner, Result

from caesura_lab.cli import app
from caesura_lab.commands import serve as command
from caesura_lab.embedders import embedder, tell_embedded

pytestmark = pytest.mark.enable_socket


def serve(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["serve", *map(str, arguments)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bread.md").write_text(f"# Bread\n\n{BREAD}\n", encoding="utf-8")
    (tmp_path / "tide.txt").write_text(TIDE, encoding="utf-8")
    return tmp_path


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C comes as soon as the server waits for requests."""

    def interrupt(server: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command.QuestionServer, "serve_forever", interrupt)


@pytest.mark.usefixtures("interrupted")
def test_it_prints_its_address_and_ends_quietly(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(command.webbrowser, "open", opened.append)
    done = serve(folder, "--port", 0)
    assert done.exit_code == 0
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\n", done.stdout)
    assert done.stderr == "2 of 2 files; Ctrl-C ends it\n"
    assert opened == []
    done = serve(folder, "--port", 0, "--open", "--quiet")
    assert (done.exit_code, done.stderr) == (0, "")
    assert opened == [done.stdout.strip()]


@pytest.mark.usefixtures("interrupted")
def test_a_broken_file_is_named_and_left_out(folder: Path) -> None:
    (folder / "bad.txt").write_bytes(b"\xff")
    done = serve(folder, "--port", 0)
    assert done.exit_code == 0
    assert "bad.txt: not utf-8, byte 0 is 0xff" in done.stderr
    assert done.stderr.endswith("2 of 3 files, 1 left out; Ctrl-C ends it\n")


def test_without_a_file_there_is_no_server(folder: Path) -> None:
    (folder / "bad.txt").write_bytes(b"\xff")
    assert serve(folder / "bad.txt", "--port", 0).exit_code == 1
    done = serve(folder / "none.md", "--port", 0)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "there is no such file or folder" in done.stderr


def test_a_port_that_is_taken_is_told_with_the_remedy(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = serve(folder, folder / "none.md", "--port", port)  # no file was read yet
    assert (done.exit_code, done.stdout) == (1, "")
    assert f"error: port {port}: Address already in use: name another with --port, or take any" in done.stderr
    assert "none.md" not in done.stderr


@pytest.mark.parametrize("options", [["--port", "-1"], ["--port", "65536"], ["-e", "foo"], ["--host", "0.0.0.0"]])
def test_wrong_options_are_refused(folder: Path, options: list[str]) -> None:
    done = serve(folder, *options)
    assert (done.exit_code, done.stdout) == (2, "")


def test_the_bar_is_told_of_every_text_and_rows_stay_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caesura_lab.embedders.AT_ONCE", 2)
    told: list[int] = []
    texts = ["Bread.", "The sea.", "Yeast.", "Tides.", "Moon."]
    own = embedder("static")
    watched = tell_embedded(own, told.append)
    assert (watched(texts) == own(texts)).all()
    assert told == [14, 12, 5]
    assert watched.background is own.background


@pytest.mark.thorough
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
def test_a_process_answers_until_it_is_interrupted(folder: Path) -> None:
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"  # though a shell's `&` ignores it
    program = f"{heard}; from caesura_lab.cli import main; main()"
    arguments = [sys.executable, "-c", program, "serve", str(folder), "--port", "0"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        connection = HTTPConnection(address.removeprefix("http://").rstrip("/"), timeout=30)
        connection.request("GET", "/search?question=What+makes+dough+rise")
        assert b"Yeast makes bread dough rise" in connection.getresponse().read()
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=30)
        connection.close()
    assert (process.returncode, rest) == (0, "")
    assert errors == "2 of 2 files; Ctrl-C ends it\n"
