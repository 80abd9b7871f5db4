"""What tests of the core ask for by name: data of other libraries in a form that they read."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def nltk_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """nltk refuses data that an installer has hard-linked: a copy is read instead."""
    found = find_spec("llama_index.core") if find_spec("llama_index") else None
    data = Path(found.origin).parent / "_static" / "nltk_cache" if found and found.origin else Path("missing")
    with pytest.MonkeyPatch.context() as patch:
        if any(path.stat().st_nlink > 1 for path in data.rglob("*") if path.is_file()):
            copy = shutil.copytree(data, tmp_path_factory.mktemp("nltk") / "data")
            patch.setenv("NLTK_DATA", str(copy))
            patch.setattr(pytest.importorskip("nltk").data, "path", [str(copy)])
        yield
