"""A table of texts -> megabytes a second, processor seconds, memory: in plain processes, and in Ray Data."""

from __future__ import annotations

import os
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pyarrow as pa
from scale_meter import Meter

from caesura import Limits, OptimalCut, Splitter
from caesura_scale.batch import SplitBatch
from caesura_static import StaticEmbedder

SPLITTER = Splitter(limits=Limits(800), cut=OptimalCut())
BATCH = 500


class Watched:
    """The built-in model, whose process leaves a file with its id."""

    def __init__(self, folder: str) -> None:
        self.embed = StaticEmbedder()
        (Path(folder) / str(os.getpid())).touch()
        self.background = self.embed.background

    def __call__(self, texts: Any) -> Any:
        return self.embed(texts)


class Timed(SplitBatch):
    """Writes into its process's file what each call took: when it began and ended, and its megabytes of text."""

    def __call__(self, rows: pa.Table) -> pa.Table:
        start = time.monotonic()
        made = super().__call__(rows)
        with open(Path(self.load.args[0]) / str(os.getpid()), "a", encoding="ascii") as file:  # type: ignore[attr-defined]
            print(start, time.monotonic(), rows.column("text").nbytes / 1e6, file=file)
        return made


def size(table: pa.Table) -> float:
    """Megabytes of UTF-8 text."""
    return sum(len(text.encode()) for text in table.column("text").to_pylist()) / 1e6


def loop(batch: SplitBatch, table: pa.Table) -> tuple[float, int]:
    """Cuts a table in one process -> megabytes that the process holds at the end, chunks."""
    chunks = sum(batch(table.slice(at, BATCH)).num_rows for at in range(0, len(table), BATCH))
    return psutil.Process().memory_full_info().uss / 1e6, chunks


def plain(table: pa.Table, count: int) -> dict[str, float]:
    """So many processes at once, each with its share; the model is there before."""
    batch = SplitBatch(SPLITTER, StaticEmbedder)
    share = -(-len(table) // count)
    with ProcessPoolExecutor(count) as pool:
        list(pool.map(partial(loop, batch), [table.slice(0, BATCH)] * count))
        with Meter() as meter:
            start = time.monotonic()
            made = list(pool.map(partial(loop, batch), [table.slice(at, share) for at in range(0, len(table), share)]))
            end = time.monotonic()
    return {
        "MB/s": size(table) / (end - start),
        "CPU s a MB": (meter.at(end) - meter.at(start)) / size(table),
        "MB of a worker": max(uss for uss, _ in made),
        "chunks": sum(chunks for _, chunks in made),
    }


def ray_data(table: pa.Table, folder: Path, actors: bool) -> dict[str, float]:
    """Ray Data with two workers: what a megabyte takes while both are at it; and the seconds to the first row."""
    import ray

    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    load = partial(Watched, str(folder))
    step: Any = Timed if actors else Timed(SPLITTER, load)
    settings: dict[str, Any] = {"compute": ray.data.TaskPoolStrategy(size=2)}
    if actors:
        pool = ray.data.ActorPoolStrategy(size=2)
        settings = {"fn_constructor_kwargs": {"splitter": SPLITTER, "load": load}, "compute": pool}
    blocks = [table.slice(at, BATCH) for at in range(0, len(table), BATCH)]
    start, first, chunks, uss = time.monotonic(), 0.0, 0, 0.0
    dataset = ray.data.from_arrow(blocks).map_batches(step, batch_size=BATCH, batch_format="pyarrow", **settings)
    with Meter() as meter:
        for block in dataset.iter_batches(batch_size=None, batch_format="pyarrow"):
            first = first or time.monotonic() - start
            chunks += block.num_rows
            for path in folder.iterdir():
                with suppress(psutil.NoSuchProcess):
                    uss = max(uss, psutil.Process(int(path.name)).memory_full_info().uss / 1e6)
    workers = [np.loadtxt(path, ndmin=2) for path in folder.iterdir() if path.stat().st_size]
    if len(workers) < 2:
        raise SystemExit("one worker had done all before the other began: measure with more --megabytes")
    begun = sorted(calls[0, 0] for calls in workers)[1]
    end = sorted(calls[-1, 1] for calls in workers)[-2]
    starts, ends, megabytes = np.concatenate(workers).T
    within = (np.minimum(ends, end) - np.maximum(starts, begun)).clip(0) / (ends - starts)
    done = float(megabytes @ within)
    return {
        "MB/s": done / (end - begun),
        "CPU s a MB": (meter.at(end) - meter.at(begun)) / done,
        "MB of a worker": uss,
        "chunks": chunks,
        "s to first row": first,
    }
