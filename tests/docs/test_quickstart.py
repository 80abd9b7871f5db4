"""The first command's program: the sample article answers in both frameworks, and so does a user's own file."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.thorough

EXAMPLES = Path(__file__).parents[2] / "examples"


def quickstart(*arguments: str, folder: Path = EXAMPLES) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-X", "utf8", folder / "quickstart.py", *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)


def verdicts(said: str) -> list[str]:
    """What the column `right` says, in the rows of both frameworks."""
    return re.findall(r"│ +(yes|no|–) │", said)


def test_the_sample_article_is_of_the_size_and_kinds_that_the_readme_says() -> None:
    article = (EXAMPLES / "article.md").read_text("utf-8")
    assert 8_000 <= len(article.encode()) <= 15_000
    for kind in ("\n```python\n", "\n$$", "\n> ", "\n|---"):
        assert kind in article


def test_three_questions_find_the_right_chunk_in_both_frameworks() -> None:
    done = quickstart()
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    assert verdicts(done.stdout) == ["yes"] * 6
    assert done.stdout.count("3 of 3 answers are in what was found.") == 2
    assert done.stdout.index("\nllama_index\n") < done.stdout.index("\nlangchain\n")


def test_the_chunks_are_listed_with_their_places() -> None:
    said = quickstart().stdout
    rows = re.findall(r"│ article\.md │ +(\d+) │ +([\d,]+) │ +([\d,]+) │ +([\d,]+) │ (\S.*) │", said)
    count = re.search(r"article\.md: 10,581 characters in (\d+) chunks, the largest of ([\d,]+)\.", said)
    assert count is not None
    assert [int(row[0]) for row in rows] == list(range(1, int(count[1]) + 1))
    article = (EXAMPLES / "article.md").read_text("utf-8")
    for _, *places, beginning in rows:
        start, end, size = (int(place.replace(",", "")) for place in places)
        assert end - start == size
        assert " ".join(article[start:end].split()).startswith(beginning.rstrip().removesuffix("…"))
    assert max((row[3] for row in rows), key=lambda size: int(size.replace(",", ""))) == count[2]


def test_an_answer_that_is_not_in_its_chunk_is_a_failure(tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / "quickstart.py", tmp_path)
    shutil.copy(EXAMPLES / "article.md", tmp_path)
    asked = {"question": "How are puffins counted?", "answer": "goes round once in 40"}
    (tmp_path / "questions.jsonl").write_text(json.dumps(asked), encoding="utf-8")
    done = quickstart(folder=tmp_path)
    assert done.returncode == 1
    assert verdicts(done.stdout) == ["no"] * 2
    assert "an answer is not in the chunks that were found" in done.stderr


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
    assert verdicts(done.stdout) == ["yes"] * 6


def test_questions_of_ones_own_are_put_to_both(tmp_path: Path) -> None:
    path = tmp_path / "own.md"
    path.write_text("# Swifts\n\nSwifts sleep on the wing.\n\n# Clay\n\nClay cracks in the kiln.\n", encoding="utf-8")
    done = quickstart(str(path), "--ask", "Where do swifts sleep?", "--ask", "What cracks?")
    assert done.returncode == 0, done.stderr[-2000:]
    assert verdicts(done.stdout) == ["–"] * 4
    assert done.stdout.count("What cracks?") == 2
    assert done.stdout.count("Swifts sleep on the wing.") >= 2
    assert "answers are in" not in done.stdout


def test_a_file_that_is_not_there_or_no_text_is_named(tmp_path: Path) -> None:
    missing = quickstart(str(tmp_path / "missing.txt"))
    assert missing.returncode == 2
    assert re.search(r"error: \S*missing\.txt: No such file", missing.stderr)
    binary = tmp_path / "picture.png"
    binary.write_bytes(b"\x89PNG\xff\xfe")
    assert re.search(r"error: \S*picture\.png: a picture, no text", quickstart(str(binary)).stderr)


def test_a_blank_file_gives_no_chunks_and_no_failure(tmp_path: Path) -> None:
    path = tmp_path / "blank.txt"
    path.write_text(" \n\n", encoding="utf-8")
    done = quickstart(str(path))
    assert done.returncode == 0, done.stderr[-2000:]
    assert "0 chunks" in done.stdout
    assert quickstart(str(path), "--ask", "Is there anything?").returncode == 0


SECTIONS = {
    "Why clay cracks": (
        "Why does clay crack? A wall that dries faster than its foot shrinks away from it, and the seam opens "
        "in the kiln. The potter covers the rim with a damp cloth for two days. Thin handles are made last, "
        "from softer clay, and dry upside down on felt."
    ),
    "How swifts sleep": (
        "How do swifts sleep? They climb above the town at dusk and doze on the wing, one half of the brain "
        "at a time. They land only to nest and to feed their young, and a young bird may fly for two years "
        "before its feet touch anything at all."
    ),
    "Who pays the rent": (
        "Who pays the rent of the club? The treasurer read out the accounts: dues cover half of it, the "
        "summer fair the rest. Two members asked for the rent to be paid later in the year, after the fair, "
        "and the owner agreed to that in writing."
    ),
}


@pytest.mark.parametrize("asked", [*SECTIONS, "Why does clay crack?", "How do swifts sleep?", "Who pays the rent?"])
def test_a_question_is_answered_with_a_passage_not_with_what_repeats_it(asked: str, tmp_path: Path) -> None:
    path = tmp_path / "own.md"
    path.write_text("\n\n".join(f"## {name}\n\n{text}" for name, text in SECTIONS.items()), encoding="utf-8")
    done = quickstart(str(path), "--ask", asked)
    assert done.returncode == 0, done.stderr[-2000:]
    last = [line.split("│")[-2].split() for line in done.stdout.splitlines() if line.endswith("│")]
    found = " ".join(word for cell in last for word in cell)
    (wanted,) = [text for name, text in SECTIONS.items() if name.split()[1] in asked or name.split()[-1] in asked]
    assert found.count(" ".join(wanted.split()[9:20])) == 2, found
