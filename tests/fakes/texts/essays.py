"""Essays as they were written, which lie beside the repository: the name of one in, its text out."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

ESSAYS = Path(__file__).parents[4] / "shared" / "data" / "essays"

every_essay = pytest.mark.parametrize("name", ["mit", "superlinear", "worked"])


@cache
def essay(name: str) -> str:
    """Skips the test where they are not there."""
    path = ESSAYS / f"{name}.txt"
    if not path.is_file():
        pytest.skip("needs the essays in ../shared/data/essays, beside the repository")
    return path.read_text(encoding="utf-8").strip()
