"""The LangChain example of small and large texts: indexes, changes and deletes on disk, and answers accordingly."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_each_step_of_the_example_says_what_a_reader_expects(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "examples" / "langchain_parents.py"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    indexed, rest = done.stdout.split("indexed again")
    again, rest = rest.split("ferry.md changed")
    changed, deleted = rest.split("all of article.md")
    assert "ferry.md, 148 characters" in indexed
    assert "leaves at nine" in indexed
    assert "0 more; nothing was embedded" in again
    assert "does not sail from November to March" in changed
    assert "leaves at nine" not in changed
    assert "article.md" in deleted
    assert "ferry.md" not in deleted
    assert (tmp_path / "large.db").exists()
    assert (tmp_path / "chroma").is_dir()
