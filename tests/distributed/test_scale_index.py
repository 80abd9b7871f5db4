"""`benchmarks/scale_index.py`: a run that is killed goes on where it was."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("lancedb", reason="the session `distributed` installs it")
from fakes.lab import BENCHMARKS
from fakes.texts.articles import article

PARTS = 8
PROBE = 1
"""Texts that a process embeds once before it writes to an index that has rows: it knows the model again by them."""


def command(folder: Path, corpus: Path) -> list[str]:
    """What stores all parts in a folder."""
    step = ["--folder", folder, "--corpus", corpus, "--step", "index", "--until", PARTS]
    return [*map(str, [sys.executable, "-W", "ignore", BENCHMARKS / "scale_index.py", *step])]


def journal(folder: Path) -> list[dict[str, Any]]:
    path = folder / "parts.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def rows(folder: Path) -> list[str]:
    import lancedb

    table = lancedb.connect(folder / "rows").open_table("vectorstore").to_arrow()
    return sorted(map(str, table.select(["text", "vector"]).to_pylist()))


def test_a_run_killed_at_half_goes_on_and_embeds_nothing_again_that_was_stored(tmp_path: Path) -> None:
    corpus, whole, killed = (tmp_path / name for name in ("corpus", "whole", "killed"))
    for folder in (corpus, whole, killed):
        folder.mkdir()
    for number in range(PARTS):
        texts = {f"{number}-{one}": article(40, 100 * number + one) for one in range(20)}
        (corpus / f"{number:05}.json").write_text(json.dumps(texts), "utf-8")
    subprocess.run(command(whole, corpus), check=True, capture_output=True)
    with subprocess.Popen(command(killed, corpus), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        while len(journal(killed)) < PARTS // 2:
            assert process.poll() is None
            time.sleep(0.005)
        process.kill()
    before = journal(killed)
    assert len(before) < PARTS
    said = subprocess.run(command(killed, corpus), check=True, capture_output=True, text=True).stderr
    after, wanted = journal(killed), [part["embedded"] for part in journal(whole)]
    assert after[: len(before)] == before
    embedded = [part["embedded"] for part in after]
    assert embedded[: len(before)] + embedded[len(before) + 1 :] == wanted[: len(before)] + wanted[len(before) + 1 :]
    assert embedded[len(before)] <= wanted[len(before)] + PROBE
    assert f"part {len(before) + 1} of {PARTS}" in said
    assert f"part {len(before)} of {PARTS}" not in said
    assert rows(killed) == rows(whole)
