"""What an unfriendly user gives: pipes in folders, full disks, settings that break a splitter, odd questions."""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from pathlib import Path

import pytest
from fakes.lab import ARTICLE, BREAD, TIDE, caesura, shell

from caesura import SettingError
from caesura_lab import QuestionsError, Table, compare, read_questions, split, view
from caesura_lab.sizing import Sizing


@pytest.mark.thorough
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_in_a_folder_is_told_and_not_waited_for_and_a_named_one_is_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.txt")
    (tmp_path / "b.txt").write_text(BREAD, encoding="utf-8")
    done = caesura("split", tmp_path)
    assert done.returncode == 1
    assert b"a.txt: a pipe or a device, no file" in done.stderr
    assert b"b.txt" in done.stdout
    assert shell("split", "/dev/stdin", given=BREAD.encode()).stdout.count(b"\n") >= 1


@pytest.mark.thorough
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
def test_a_full_disk_behind_standard_output_is_told_in_a_line() -> None:
    import subprocess

    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "caesura_lab", "split", str(ARTICLE)],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (done.returncode, done.stderr.strip()) == (1, b"error: No space left on device")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("command", "outputs", "said"),
    [
        ("split", ["-o", "."], b"cannot write .: it is a folder"),
        ("view", ["-o", "."], b"cannot write .: it is a folder"),
        ("compare", ["--json", "-", "--csv", "-"], b"each output needs a file of its own, got -, -"),
        ("plot", ["-o", "a.jpg"], b"a picture must be one of .png, .svg, .pdf, got 'a.jpg'"),
    ],
)
def test_what_cannot_be_written_is_told_before_the_work(
    command: str, outputs: list[str], said: bytes, tmp_path: Path
) -> None:
    done = caesura(command, ARTICLE, *outputs, "-e", "spacy:none" if command == "plot" else "static", cwd=tmp_path)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr


@pytest.mark.thorough
def test_a_setting_that_breaks_anothers_splitter_is_told_in_a_line() -> None:
    pytest.importorskip("langchain_text_splitters")
    for command in ("split", "compare"):
        done = caesura(command, ARTICLE, "-q", "-s", "recursive:separators=1")
        assert done.returncode == 1
        assert done.stderr.startswith(b"error: splitter 'recursive' failed: TypeError: ")
    done = caesura("split", ARTICLE, "-s", "recursive:size=abc")
    assert (done.returncode, done.stderr) == (2, b"error: size must be a whole number of at least 1, got 'abc'\n")


def test_an_encoding_that_decodes_nothing_is_told_in_a_line() -> None:
    done = caesura("split", ARTICLE, "--encoding", "undefined")
    assert done.returncode == 1
    assert b"article.md: not undefined: " in done.stderr


def test_no_size_is_taken_for_the_default() -> None:
    for call in (lambda: compare(BREAD, ["fixed"], size=0), lambda: view(BREAD, ["fixed"], size=0)):
        with pytest.raises(SettingError, match="size must be a whole number of at least 1, got 0"):
            call()
    with pytest.raises(SettingError, match="overlap must be a whole number"):
        Sizing(100, overlap=-1)


@pytest.mark.parametrize("line", ["[" * 100_000, '{"question": "x", "spans": [[0, ' + "9" * 5_000 + "]]}"])
def test_a_question_beyond_all_measure_is_told_with_its_line(line: str, tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text(line, encoding="utf-8")
    with pytest.raises(QuestionsError, match="line 1: "):
        read_questions(tmp_path / "q.jsonl", {"a": TIDE})


def test_small_costs_are_written_out() -> None:
    table = compare(f"{BREAD} {TIDE}", ["fixed"], price=0.02)
    assert "e-" not in table.format_value("cost", table.rows[0]["cost"])
    assert table.format_value("cost", 0.0000526) == "0.000053"
    shown = [table.format_value("seconds", time) for time in (0.0, 0.0000426, 0.00096, 0.0123456, 1234.5)]
    assert shown == ["0.000", "0.00004", "0.001", "0.012", "1,234.500"]
    assert [table.format_value("milliseconds", time) for time in (0.024, 12.34)] == ["0.02", "12.3"]


def test_a_table_in_a_page_can_be_scrolled_by_keys_and_names_its_rows() -> None:
    page = compare(BREAD, ["fixed"]).to_html()
    assert '<div role="region" tabindex="0" aria-label="Splitters compared"><table>' in page
    assert '<th scope="row">fixed</th>' in page


ODD_NAMES = ["\x1b]0;title\x1b\\\x1b[2Jx.md", "\x9b2Jx.md", "x\x07\x08.md"]


@pytest.mark.thorough
@pytest.mark.skipif(os.name == "nt", reason="no such file names")
@pytest.mark.parametrize("name", ODD_NAMES)
@pytest.mark.parametrize("options", [("split",), ("split", "--format", "text"), ("compare", "-s", "recursive")])
def test_no_file_name_says_anything_to_the_terminal(options: tuple[str, ...], name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"\xff")
    (tmp_path / f"whole {name}").write_text(BREAD, encoding="utf-8")
    (tmp_path / f"whole {name[:-3]}.txt").write_text(TIDE, encoding="utf-8")
    done = caesura(*options, tmp_path, tmp_path / f"none {name}")
    assert done.returncode == 1
    assert obeyed(done.stderr) == obeyed(done.stdout) == []
    for letter in filter(lambda letter: not letter.isprintable(), name):
        assert f"\\x{ord(letter):02x}" in done.stderr.decode()


@pytest.mark.thorough
@pytest.mark.skipif(os.name == "nt", reason="no such file names")
@pytest.mark.parametrize(
    "arguments",
    [
        ("split", "whole", "--encoding", "none"),
        ("split", "whole", "--none"),
        ("compare", "whole", "--questions", "none"),
        ("compare", "whole", "--questions", "bad"),
        ("view", "bad"),
        ("view", "whole", "-o", "none/page.html"),
        ("plot", "bad", "-o", "gaps.png"),
        ("plot", "whole", "-o", "none/gaps.png"),
        ("plot", "whole", "whole", "-o", "gaps.png"),
        ("tune", "whole", "--questions", "bad"),
    ],
    ids=" ".join,
)
def test_no_message_says_a_file_name_to_the_terminal(arguments: tuple[str, ...], tmp_path: Path) -> None:
    for kind, content in {"bad": b"\xff", "whole": BREAD.encode()}.items():
        (tmp_path / f"{kind}{ODD_NAMES[0]}").write_bytes(content)
    named = [re.sub("bad|whole|none", rf"\g<0>{re.escape(ODD_NAMES[0])}", part) for part in arguments]
    done = caesura(*[part if part[0] == "-" or "\x1b" not in part else tmp_path / part for part in named])
    assert done.returncode
    assert done.stderr
    assert obeyed(done.stderr) == obeyed(done.stdout) == []


@pytest.mark.parametrize("name", ODD_NAMES)
def test_no_cell_title_or_note_of_a_table_says_anything_to_the_terminal(name: str) -> None:
    from rich.console import Console

    screen = Console(width=100)
    with screen.capture() as captured:
        screen.print(split({name: f"{BREAD} {name}"}))
        screen.print(Table(({"path": name},), f"Chunks of {name}", (name,)))
    assert obeyed(captured.get().encode()) == []
    assert captured.get().count("\\x") >= 4


def obeyed(out: bytes) -> list[str]:
    """The control characters in it, line ends aside."""
    return [letter for letter in out.decode() if letter != "\n" and unicodedata.category(letter) == "Cc"]
