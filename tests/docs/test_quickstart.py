"""The first command's program: the sample documents answer in both frameworks, and so do a user's own files."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from fakes.documents.pdf import pdf_bytes
from fakes.pages import ROOT

from langchain_caesura import from_pdf

pytestmark = pytest.mark.thorough

EXAMPLES = ROOT / "examples"
SAME = "LlamaIndex finds the same first."


def quickstart(*arguments: str, folder: Path = EXAMPLES, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-X", "utf8", folder / "quickstart.py", *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False, env={**os.environ, **variables})


def test_the_samples_are_of_the_size_and_kinds_that_the_pages_say() -> None:
    article = (EXAMPLES / "article.md").read_text("utf-8")
    assert 8_000 <= len(article.encode()) <= 15_000
    for kind in ("\n```python\n", "\n$$", "\n> ", "\n|---"):
        assert kind in article
    handbook = from_pdf(EXAMPLES / "handbook.pdf")
    assert {entry["page"] for entry in handbook.metadata["caesura_layout"]} == {1, 2, 3}
    assert "| Coastguard | 67 | day and night |" in handbook.page_content


def test_an_answer_has_its_passage_its_page_and_its_reason_in_both_frameworks() -> None:
    done = quickstart(FORCE_COLOR="")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    said = done.stdout
    assert said.startswith("2 files indexed in LangChain and in LlamaIndex in ")
    assert said.count(SAME) == 3
    assert "  handbook.pdf, page 2 > Ternholm Light: handbook for keepers > 3 The fog signal" in said
    assert "Why: words 1.00 (test, fog, signal; fog, signal in the headings), meaning 1.00; 1 is" in said
    shown = (ROOT / "README.md").read_text("utf-8").partition("```text\n")[2].partition("```")[0].splitlines()
    assert " ".join(shown) in " ".join(line.rstrip() for line in said.splitlines())
    assert "  article.md, line 36 > A Year on Ternholm > Kitchen and cistern" in said
    assert re.search(r"through gravel .* holds 60,000 litres\.", said)
    assert "\x1b" not in said


def test_colour_follows_the_terminal_and_no_color() -> None:
    assert "\x1b[1;32m" in quickstart(FORCE_COLOR="1", TERM="xterm").stdout
    assert "\x1b[3" not in quickstart(FORCE_COLOR="1", TERM="xterm", NO_COLOR="1").stdout


def test_a_sample_that_does_not_answer_is_a_failure(tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / "quickstart.py", tmp_path)
    shutil.copy(EXAMPLES / "article.md", tmp_path)
    (tmp_path / "handbook.pdf").write_bytes(pdf_bytes([["The fog signal is out of order."]]))
    done = quickstart(folder=tmp_path)
    assert done.returncode == 1
    assert "not answered: When do I test the fog signal?, How often is the lens cleaned?" in done.stderr


def test_a_folder_of_pdf_and_markdown_answers_as_it_stands(tmp_path: Path) -> None:
    own = tmp_path / "own"
    (own / "deep").mkdir(parents=True)
    (own / "swifts.md").write_text(
        "# Swifts\n\nSwifts sleep on the wing.\n\n# Clay\n\nClay cracks.\n", encoding="utf-8"
    )
    (own / "deep" / "pump.pdf").write_bytes(pdf_bytes([["Contents"], ["Grease the pump every second month."]]))
    (own / "notes.bin").write_bytes(b"\0")
    done = quickstart(str(own), "--ask", "Where do swifts sleep?", "--ask", "When do I grease the pump?")
    assert done.returncode == 0, done.stderr[-2000:]
    assert "swifts.md, line 1 > Swifts" in done.stdout
    assert "pump.pdf, page" in done.stdout
    assert "Grease the pump every second month." in done.stdout
    assert done.stdout.count(SAME) == 2


def test_files_without_a_question_and_what_cannot_be_read_are_told(tmp_path: Path) -> None:
    path = tmp_path / "own.md"
    path.write_text("Clay cracks in the kiln.", encoding="utf-8")
    silent = quickstart(str(path))
    assert silent.returncode == 2
    assert 'ask your files something: --ask "..."' in silent.stderr
    missing = quickstart(str(tmp_path / "missing.txt"), "--ask", "What cracks?")
    assert missing.returncode == 2
    assert re.search(r"error: \S*missing\.txt: there is no such file or folder", missing.stderr)
    picture = tmp_path / "picture.png"
    picture.write_bytes(b"\x89PNG\xff\xfe")
    assert re.search(r"error: \S*picture\.png: a picture, no text", quickstart(str(picture), "--ask", "?").stderr)


def test_a_blank_file_finds_nothing_and_is_no_failure(tmp_path: Path) -> None:
    path = tmp_path / "blank.txt"
    path.write_text(" \n\n", encoding="utf-8")
    done = quickstart(str(path), "--ask", "Is there anything?")
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Nothing was found." in done.stdout
