"""docs/spacy.md: blocks marked python run as they stand; the others run with a stand-in for the model's download."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fakes.pages import outdented

pytest.importorskip("spacy.language")

import spacy
from fakes.embedders.spacy_pipelines import ARTICLE, PARTS, with_vectors

pytestmark = pytest.mark.thorough

PAGE = (Path(__file__).parents[2] / "docs" / "spacy.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    found = re.findall(rf"^( *)```{language}\n(.*?)^\1```", PAGE, re.S | re.M)
    return [outdented(block, by) for by, block in found]


@pytest.mark.parametrize("block", blocks("python"))
def test_a_block_copied_into_a_file_runs_and_prints(block: str, tmp_path: Path) -> None:
    path = tmp_path / "example.py"
    path.write_text(block, encoding="utf-8")
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip()


@pytest.mark.parametrize("number", range(len(blocks("py"))))
def test_a_block_for_the_model_runs_on_another(number: int, tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    def load(name: str) -> Any:
        assert name == "en_core_web_md"
        return with_vectors()

    (tmp_path / "article.txt").write_text(ARTICLE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(spacy, "load", load)
    exec(compile(blocks("py")[number], "docs/spacy.md", "exec"), {"__name__": "example"})
    printed = capsys.readouterr().out
    assert all(part in printed for part in PARTS)
    if "like_double_merging" not in blocks("py")[number]:
        assert re.findall(r"^\d+", printed, re.M) == [str(ARTICLE.index(part)) for part in PARTS]
