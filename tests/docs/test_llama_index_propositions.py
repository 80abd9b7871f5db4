"""The LlamaIndex example of work with a language model: statements, questions, a free second run, a graph."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_each_step_of_the_example_says_what_a_reader_expects() -> None:
    command = [sys.executable, str(ROOT / "examples" / "llama_index_propositions.py")]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    small, rest = done.stdout.split("\nquestions: ")
    questions, rest = rest.split("again: ")
    again, graph = rest.split("mentions of")
    assert re.search(r"propositions: 17 of 17 items in [\d.]+ s: 3 calls \(0 retries, 0 repairs\)", small)
    assert re.search(r"How are puffins counted\?\n +0\.\d\d  4974-\d+: ## Counting birds", small)
    assert "leads to the chunk: ## Counting birds" in questions
    assert "0 calls (0 retries, 0 repairs), 3 replies from the journal, 0 tokens in, 0 out, cost 0.0000" in again
    article = (ROOT / "examples" / "article.md").read_text("utf-8")
    places = re.findall(r"Dr\. Runa Haldorsen: (\d+)-(\d+)", graph)
    assert places
    assert all("Dr. Runa Haldorsen" in article[int(start) : int(end)] for start, end in places)
