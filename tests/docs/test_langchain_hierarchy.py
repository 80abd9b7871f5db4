"""The LangChain example of passages within a budget: indexes, changes and deletes on disk, and answers accordingly."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).parents[2]


def test_each_step_of_the_example_says_what_a_reader_expects(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "examples" / "langchain_hierarchy.py"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    indexed, again, changed, deleted = done.stdout.strip().split("\n\n")
    count = int(indexed.split()[1])
    assert indexed.startswith("indexed: ")
    assert "107 characters of ferry.md, 0-107: " in indexed
    assert "leaves at nine" in indexed
    assert again == indexed.replace("indexed", "indexed again", 1)
    assert "does not sail from November to March" in changed
    assert "leaves at nine" not in changed
    assert deleted.startswith(f"ferry.md gone: {count - 1} small")
    assert "of ferry.md" not in deleted
    for step in (indexed, again, changed, deleted):
        assert 0 < sum(int(size) for size in re.findall(r"(\d+) characters of", step)) <= 700
    assert (tmp_path / "texts.db").exists()
    assert (tmp_path / "chroma").is_dir()
