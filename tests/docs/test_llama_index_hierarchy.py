"""The LlamaIndex example of small and large nodes: indexes, changes and deletes on disk, and answers accordingly."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).parents[2]


def test_each_step_of_the_example_says_what_a_reader_expects(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "examples" / "llama_index_hierarchy.py"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    indexed, again, changed, deleted = done.stdout.strip().split("\n\n")
    assert indexed.startswith("Changes(added=2, updated=0, unchanged=0, deleted=0)")
    assert "leaves at nine" in indexed
    assert again.startswith("Changes(added=0, updated=0, unchanged=2, deleted=0)")
    assert re.search(r"counted\?\n +1\.00  article.md, \d+-\d+, children: \d: ## Counting birds", again)
    assert changed.startswith("Changes(added=0, updated=1, unchanged=1, deleted=0)")
    assert "does not sail from November to March" in changed
    assert "leaves at nine" not in changed
    assert deleted.startswith("Changes(added=0, updated=0, unchanged=1, deleted=1)")
    assert "  article.md, " in deleted
    assert "  ferry.md, " not in deleted
    assert (tmp_path / "nodes.db").exists()
    assert (tmp_path / "chroma").is_dir()
