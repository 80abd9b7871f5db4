"""The first command's script: the sample article answers in both frameworks, and so does a user's own file."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def quickstart(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "examples" / "quickstart.py", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_the_sample_article_is_of_the_size_and_kinds_that_the_readme_says() -> None:
    article = (ROOT / "examples" / "article.md").read_text("utf-8")
    assert 8_000 <= len(article.encode()) <= 15_000
    for kind in ("\n```python\n", "\n$$", "\n> ", "\n|---"):
        assert kind in article


def test_three_questions_find_the_right_chunk_in_both_frameworks() -> None:
    done = quickstart()
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    assert done.stdout.count("\n  right  ") == 6
    assert len(json.loads((ROOT / "examples" / "questions.json").read_text("utf-8"))) == 3


def test_a_file_of_ones_own_is_cut_and_answers_with_its_own_sentences(tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_text(
        "The potter centres the clay with wet hands. A wall that is too thin will crack in the kiln.\n\n"
        "Swifts sleep on the wing, high above the town. They land only to nest and to feed their young.\n\n"
        "The treasurer read out the accounts of the club. Two members asked for the rent to be paid later.\n",
        encoding="utf-8",
    )
    done = quickstart(str(path))
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.count("\n  right  ") == 6


def test_a_question_of_ones_own_is_put_to_both(tmp_path: Path) -> None:
    path = tmp_path / "own.md"
    path.write_text("# Swifts\n\nSwifts sleep on the wing.\n\n# Clay\n\nClay cracks in the kiln.\n", encoding="utf-8")
    done = quickstart(str(path), "--ask", "Where do swifts sleep?")
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.count("Where do swifts sleep?") == 2
    assert "right" not in done.stdout
    assert "WRONG" not in done.stdout


def test_a_file_that_is_not_there_or_no_text_is_named(tmp_path: Path) -> None:
    missing = quickstart(str(tmp_path / "missing.txt"))
    assert missing.returncode != 0
    assert "missing.txt" in missing.stderr
    binary = tmp_path / "picture.png"
    binary.write_bytes(b"\x89PNG\xff\xfe")
    assert "picture.png" in quickstart(str(binary)).stderr


def test_a_blank_file_gives_no_chunks_and_no_failure(tmp_path: Path) -> None:
    path = tmp_path / "blank.txt"
    path.write_text(" \n\n", encoding="utf-8")
    done = quickstart(str(path))
    assert done.returncode == 0, done.stderr[-2000:]
    assert "0 chunks" in done.stdout
