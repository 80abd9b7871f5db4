"""So many documents as a dataset of Ray Data, through tasks or actors; and what comes out, as rows."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.splitters.split_batch import SPLITTER, documents, rows

from caesura_scale.batch import SplitBatch
from caesura_static import StaticEmbedder

pa = pytest.importorskip("pyarrow")
ray = pytest.importorskip("ray")


def wanted(count: int, **settings: Any) -> list[tuple[Any, ...]]:
    return sorted(rows(SplitBatch(SPLITTER, settings.pop("load", StaticEmbedder), **settings)(documents(count))))


def given(count: int, blocks: int = 10) -> Any:
    return ray.data.from_arrow(
        [pa.table(documents(count)).slice(at, count // blocks) for at in range(0, count, count // blocks)]
    )


def found(dataset: Any) -> list[tuple[Any, ...]]:
    return sorted(tuple(row.values()) for row in dataset.take_all())


def in_actors(dataset: Any, load: Any, batch_size: int = 50, **settings: Any) -> Any:
    arguments = {"splitter": SPLITTER, "load": load, **settings}
    form: dict[str, Any] = {"batch_size": batch_size, "batch_format": "pyarrow"}
    pool = ray.data.ActorPoolStrategy(size=2)
    return dataset.map_batches(SplitBatch, fn_constructor_kwargs=arguments, compute=pool, **form)
