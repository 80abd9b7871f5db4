"""The example that judges answers: each splitter's, with and without a reranker, four figures for each."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from caesura_lab.stand_in import stand_in

pytestmark = pytest.mark.thorough

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = [f"{name}{more}" for name in ("sentence", "double-pass", "optimal") for more in ("", ", reranked")]


def judged(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-X", "utf8", str(EXAMPLES / "judged_answers.py"), *arguments]
    environment = {**os.environ, "COLUMNS": "160", "NO_PROXY": "127.0.0.1", **variables}
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    return done


@pytest.mark.enable_socket
def test_each_splitter_is_judged_with_and_without_a_reranker_by_the_stand_in_or_a_server_of_ones_own() -> None:
    done = judged()
    assert "A stand-in answers, by rule" in done.stderr
    rows = dict(re.findall(r"│ ([\w-]+(?:, reranked)?) +│(.*)│", done.stdout))
    assert list(rows) == NAMES
    for name, row in rows.items():
        correctness, faithful, relevant, similarity, *lead = (cell.strip() for cell in row.split("│"))
        assert 1 < float(correctness) <= 5
        assert (float(faithful), float(relevant)) == (1.0, 1.0)
        assert 0 < float(similarity) <= 1
        assert (lead == ["–"] * 3) == (name == "sentence")
    assert len({row.split("│")[0] for row in rows.values()}) > 1
    assert "4 items; the lead is over sentence" in done.stdout
    with stand_in() as url:
        own = judged("--openai", "qwen3:8b", OPENAI_BASE_URL=url, OPENAI_API_KEY="any")
    assert own.stdout == done.stdout
    assert "A stand-in" not in own.stderr


def test_an_answer_needs_both_documents() -> None:
    ferry, island = ((EXAMPLES / "judged" / f"{name}.md").read_text("utf-8") for name in ("ferry", "island"))
    assert "four florins" in ferry
    assert "six florins" in island
    assert "six florins" not in ferry
    assert "four florins" not in island
