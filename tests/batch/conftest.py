"""Files of documents for SplitFile."""

from __future__ import annotations

from pathlib import Path

import pytest
from batch_fakes import documents


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
