"""What tests of the lab share: the command as a real process, a measurement as a module, and two small documents."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "benchmarks"
ARTICLE = ROOT / "examples" / "article.md"
BREAD = "Yeast makes bread dough rise. Flour and yeast make good bread. Bread dough needs flour."
TIDE = "The moon pulls at the sea. So the sea has tides. The tide turns with the moon."


def caesura(
    *arguments: object, given: bytes = b"", cwd: Path | None = None, **more: str
) -> subprocess.CompletedProcess[bytes]:
    """Runs the command as a user's shell does, without any API key."""
    environment = {key: value for key, value in os.environ.items() if key not in ("OPENAI_API_KEY", "FORCE_COLOR")}
    return subprocess.run(
        [sys.executable, "-m", "caesura_lab", *map(str, arguments)],
        input=given,
        capture_output=True,
        cwd=cwd,
        check=False,
        env={**environment, "COLUMNS": "200", **more},
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
