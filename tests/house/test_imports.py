"""What `import caesura` loads, and what it leaves for who needs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from house.sources import CORE, ROOT

LOADED = """
import json, sys
before = set(sys.modules)
import caesura
loaded = {name: getattr(module, "__file__", None) for name, module in sys.modules.items() if name not in before}
print(json.dumps(loaded))
"""


@pytest.fixture(scope="module")
def loaded() -> dict[str, str | None]:
    """The modules that `import caesura` loads in a fresh interpreter, and their files."""
    environment = {**os.environ, "PYTHONPATH": str(CORE.parent)}
    run = subprocess.run([sys.executable, "-c", LOADED], env=environment, capture_output=True, text=True, check=True)
    found: dict[str, str | None] = json.loads(run.stdout)
    assert "caesura.splitter" in found
    return found


def test_the_core_imports_numpy_and_the_standard_library_alone(loaded: dict[str, str | None]) -> None:
    allowed = {"caesura", "numpy", "cython_runtime", *sys.stdlib_module_names}  # the third is numpy 1's
    found = {name.split(".")[0] for name in loaded if not name.startswith("_cython_")}
    assert found - allowed == set()


def test_what_few_need_is_not_loaded(loaded: dict[str, str | None]) -> None:
    unasked = {f"caesura.{name}" for name in ("hierarchy", "ids", "host")}
    assert loaded.keys() & {*unasked, "sqlite3"} == set()


def test_the_llama_index_namespaces_are_nobodys() -> None:
    namespace = ROOT / "integrations" / "llama-index" / "src" / "llama_index"
    assert not (namespace / "__init__.py").exists()
    assert not (namespace / "node_parser" / "__init__.py").exists()
