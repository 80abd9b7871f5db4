"""What tests of the lab share: the command, a measurement as a module, and two small documents."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import warnings
from pathlib import Path
from types import ModuleType

import pytest
from typer.testing import CliRunner

from caesura_lab.cli import app

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "benchmarks"
ARTICLE = ROOT / "examples" / "article.md"
KEPT_OUT = ("OPENAI_API_KEY", "FORCE_COLOR")
"""Variables of the environment that no command sees."""
BREAD = "Yeast makes bread dough rise. Flour and yeast make good bread. Bread dough needs flour."
TIDE = "The moon pulls at the sea. So the sea has tides. The tide turns with the moon."


def caesura(
    *arguments: object, given: bytes = b"", cwd: Path | None = None, **more: str
) -> subprocess.CompletedProcess[bytes]:
    """Runs the command within this process, without any API key, and forgets the modules that it found in `cwd`.

    A shell gets the same from `shell`: tests/caesura-lab/commands/test_split.py compares the two.
    """
    known = set(sys.modules)
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)  # as outside of pytest
        patch.chdir(cwd or Path.cwd())
        patch.setattr(sys, "path", [*sys.path])
        environment = {**dict.fromkeys(KEPT_OUT), "COLUMNS": "200", **more}
        words = [*map(str, arguments)]
        done = CliRunner().invoke(app, words, given, environment, catch_exceptions=False)
    for name in set(sys.modules) - known:
        if cwd and Path(getattr(sys.modules[name], "__file__", None) or "/").parent == cwd:
            del sys.modules[name]
    return subprocess.CompletedProcess(words, done.exit_code, done.stdout_bytes, done.stderr_bytes)


def shell(*arguments: object, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Runs the command as a user's shell does, in a process of its own, without any API key."""
    return subprocess.run(
        [sys.executable, "-m", "caesura_lab", *map(str, arguments)],
        input=given,
        capture_output=True,
        check=False,
        env={**{key: value for key, value in os.environ.items() if key not in KEPT_OUT}, "COLUMNS": "200"},
    )


def measurement(name: str) -> ModuleType:
    """A file of benchmarks, imported as Python does that runs it: from its own folder, beside its neighbours."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        before = set(sys.modules)
        found = importlib.import_module(name)
        for other in set(sys.modules) - before:  # short names that another test may want for something else
            if Path(getattr(sys.modules[other], "__file__", None) or "/").parent == BENCHMARKS:
                del sys.modules[other]
    return found
