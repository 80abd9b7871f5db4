"""Files of documents for SplitFile, and a SplitBatch whose models leave their mark."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from fakes.splitters.split_batch import SPLITTER, Told, documents

from caesura_scale.batch import SplitBatch


@pytest.fixture
def paths(tmp_path: Path) -> list[str]:
    """Four files of 50 documents each, and one of none."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    whole = pa.table(documents(200))
    (tmp_path / "in").mkdir()
    found = [str(tmp_path / "in" / f"{number}.parquet") for number in range(5)]
    for number, path in enumerate(found):
        pq.write_table(whole.slice(50 * number, 50), path)
    return found


@pytest.fixture
def batch(tmp_path: Path) -> SplitBatch:
    """Its processes and models are those that `processes(tmp_path)` tells."""
    return SplitBatch(SPLITTER, partial(Told, str(tmp_path)))
