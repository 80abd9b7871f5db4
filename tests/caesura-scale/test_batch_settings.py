"""Settings that a SplitBatch refuses."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.splitters.split_batch import SPLITTER

from caesura import SettingError
from caesura.hierarchy import Hierarchy, by_sizes
from caesura_scale.batch import SplitBatch
from caesura_static import StaticEmbedder


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"splitter": Hierarchy(by_sizes(100, 50))}, "splitter must be a Splitter"),
        ({"load": StaticEmbedder()}, "load must make the embedder, called without arguments"),
        ({"load": "static"}, "load must make the embedder"),
        ({"on_failure": "drop"}, r"on_failure must be one of \['raise', 'keep'\], got 'drop'"),
        ({"overlap": -1}, "overlap must be a whole number"),
        ({"window": 0}, "window must be a whole number"),
        ({"batch_size": 0}, "batch_size must be a whole number"),
        ({"id_column": "chunk"}, "must be two columns, and none of"),
        ({"id_column": "text"}, "must be two columns, and none of"),
        ({"vectors": True, "text_column": "vector"}, "must be two columns, and none of"),
    ],
)
def test_a_setting_that_cannot_work_is_refused(settings: Any, said: str) -> None:
    with pytest.raises(SettingError, match=said):
        SplitBatch(**{"splitter": SPLITTER, "load": StaticEmbedder, **settings})
