"""Files of documents, a SplitFile that cuts them, and the chunks in its folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fakes.splitters.split_batch import BATCH, documents, rows

from caesura_scale.files import SplitFile

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def cutting(tmp_path: Path, **settings: Any) -> SplitFile:
    return SplitFile(settings.pop("cut", BATCH), tmp_path / "out", settings.pop("version", "1"), **settings)


def chunks(tmp_path: Path) -> list[tuple[Any, ...]]:
    found = pq.read_table(tmp_path / "out").to_pydict()
    return sorted(zip(*found.values(), strict=True))


def wanted() -> list[tuple[Any, ...]]:
    return sorted(rows(BATCH(documents(200))))
