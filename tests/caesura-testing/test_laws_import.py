"""The kit is for whoever has numpy and the core alone, and nothing loads it unasked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import caesura
import caesura_testing

SCRIPT = """
import json, sys
before = set(sys.modules)
import caesura
unasked = "caesura_testing" in sys.modules
import caesura_testing
caesura_testing.check_segmenter(caesura.sentences)
caesura_testing.check_cut(caesura.DoublePassCut())
files = {name for name in set(sys.modules) - before if getattr(sys.modules[name], "__file__", None)}
print(json.dumps([unasked, sorted({name.split(".")[0] for name in files})]))
"""


@pytest.mark.thorough
def test_the_kit_needs_numpy_and_the_standard_library_alone() -> None:
    folders = [str(Path(package.__file__).parents[1]) for package in (caesura, caesura_testing)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True)
    unasked, loaded = json.loads(done.stdout)
    assert not unasked
    assert set(loaded) - {"caesura", "caesura_testing", "numpy", *sys.stdlib_module_names} == set()
