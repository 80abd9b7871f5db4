"""docs/custom.md: the cut is as short as it says, cuts as it says, and without `fit` is told what the page says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from fakes.embedders.static_models import save_model

pytestmark = pytest.mark.thorough

PAGE = (Path(__file__).parents[2] / "docs" / "custom.md").read_text("utf-8")
CUT = re.findall(r"```python\n(.*?)```", PAGE, re.S)[0]


def run(block: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = folder / "block.py"
    path.write_text(block, encoding="utf-8")
    return subprocess.run([sys.executable, path], capture_output=True, encoding="utf-8", check=False)


def test_the_cut_parts_bread_from_tides(tmp_path: Path) -> None:
    bread, tides = run(CUT, tmp_path).stdout.splitlines()
    assert bread.startswith("0 Bread dough")
    assert tides.startswith("116 The moon")


def test_without_fit_the_kit_says_what_the_page_quotes(tmp_path: Path) -> None:
    broken, count = re.subn(r"return fit\(.*", "return np.array(deep, np.intp)", CUT)
    assert count == 1
    done = run(broken, tmp_path)
    assert done.returncode == 1
    (quoted,) = re.findall(r"```text\n(.*?)```", PAGE, re.S)
    assert done.stderr.strip().endswith(f"AssertionError: {quoted.strip()}")


TEXT = "Прилив высок. Хлеб свеж."
LOADING = re.findall(r"```py\n(.*?)```", PAGE, re.S)[0]  # tests/models has the others


def test_a_downloaded_static_model_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    save_model(tmp_path / "models" / "potion-multilingual-128M")
    monkeypatch.chdir(tmp_path)
    exec(LOADING, {})
    assert eval(capsys.readouterr().out) == [TEXT]
