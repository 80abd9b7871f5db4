"""docs/scale.md and the examples run as printed, each in a fresh interpreter."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from fakes.pages import blocks

from caesura import Limits, OptimalCut, Splitter
from caesura_scale.batch import SplitBatch
from caesura_static import StaticEmbedder

ROOT = Path(__file__).parents[2]
BLOCKS = blocks(ROOT / "docs" / "scale.md")
EXAMPLES = sorted(path.name for path in (ROOT / "examples").glob("scale_*.py"))


def run(path: Path, folder: Path, cluster: str) -> list[str]:
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8", "RAY_ADDRESS": cluster}
    done = subprocess.run(
        [sys.executable, path],
        capture_output=True,
        encoding="utf-8",
        cwd=folder,
        env=environment,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.strip().splitlines()


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_a_block_copied_into_a_file_runs_and_prints(number: int, tmp_path: Path, cluster: str) -> None:
    (tmp_path / "example.py").write_text(BLOCKS[number], encoding="utf-8")
    assert run(tmp_path / "example.py", tmp_path, cluster)


def test_each_engine_has_an_example() -> None:
    assert EXAMPLES == ["scale_dask.py", "scale_files.py", "scale_ray.py", "scale_spark.py"]


@pytest.mark.filterwarnings("ignore:the built-in model knows English")  # one of the documents is Chinese
@pytest.mark.parametrize("name", EXAMPLES)
def test_all_engines_cut_the_same_chunks(name: str, tmp_path: Path, cluster: str) -> None:
    kinds = [path for path in (ROOT / "examples" / "kinds").iterdir() if path.is_file()]
    batch = SplitBatch(Splitter(limits=Limits(800), cut=OptimalCut()), StaticEmbedder)
    made = batch({"id": [path.name for path in kinds], "text": [path.read_text("utf-8") for path in kinds]})
    said = run(ROOT / "examples" / name, tmp_path, cluster)
    assert any(line.startswith(f"{len(made['id'])} chunks of {len(kinds)} documents") for line in said), said
