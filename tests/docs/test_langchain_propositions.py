"""The LangChain example of language-model work: doors to chunks, a free second run, topics; at its own server."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_each_step_of_the_example_says_what_a_reader_expects() -> None:
    command = [sys.executable, str(ROOT / "examples" / "langchain_propositions.py")]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    doors, rest = done.stdout.split("How are the nests of terns counted?")
    found, rest = rest.split("again: ")
    again, topics = rest.split("chunks by topic")
    assert re.search(r"15 chunks, \d\d\d doors to them", doors)
    assert re.search(r"propositions: 15 of 15 items in [\d.]+ s: 3 calls \(0 retries, 0 repairs\)", doors)
    assert "cost 0.00" in doors
    assert "rests on article.md, 0-" in doors
    assert "lead to the chunk at 4974: ## Counting birds" in found
    assert "0 calls (0 retries, 0 repairs), 3 replies from the journal, 0 tokens in, 0 out, cost 0.0000" in again
    assert re.search(r"from \d+ places between \d+ and \d+", topics)
