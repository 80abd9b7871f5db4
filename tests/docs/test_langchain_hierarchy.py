"""The LangChain example of small and large texts: indexes, changes and deletes on disk, and answers accordingly."""

from __future__ import annotations

import subprocess
from pathlib import Path

from fakes.warm_python import warm_python

ROOT = Path(__file__).parents[2]


def test_each_step_of_the_example_says_what_a_reader_expects(tmp_path: Path) -> None:
    command = [warm_python(), str(ROOT / "examples" / "langchain_hierarchy.py"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    indexed, again, changed, deleted = done.stdout.strip().split("\n\n")
    count = int(indexed.split()[1])
    assert indexed.startswith("indexed: ")
    assert "107 characters, found at ferry.md" in indexed
    assert "leaves at nine" in indexed
    assert again == indexed.replace("indexed", "indexed again", 1)
    assert "does not sail from November to March" in changed
    assert "leaves at nine" not in changed
    assert deleted.startswith(f"ferry.md deleted: {count - 1} small")
    assert "found at ferry.md" not in deleted
    assert "621 characters, found at article.md, 9434-9661" in deleted  # the small one is searched, the large returned
    assert (tmp_path / "large.db").exists()
    assert (tmp_path / "chroma").is_dir()
