"""What a cluster may count on: `nox -s scale` (needs ../shared/data). Writes build/scale/scale.json and prints tables.

Measured on this machine: one plain process, two at once, Ray Data with two actors and with two tasks, all over the same
documents; memory of a worker; seconds to the first row; sentences that MiniLM embeds in a second on one core. On a
machine that others use too, trust the processor seconds more than the clock. Computed from that, by `forecast`: hours
for a corpus, and what a GPU or an API would take.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pyarrow as pa

from caesura import Limits, OptimalCut, Splitter
from caesura.batch import SplitBatch
from caesura_static import StaticEmbedder

os.environ["RAY_ENABLE_UV_RUN_RUNTIME_ENV"] = "0"
ROOT = Path(__file__).parents[1]
SPLITTER = Splitter(limits=Limits(800), cut=OptimalCut())
BATCH = 500
CORPORA = {"1 GB": 1e9, "1 TB": 1e12, "10¹⁰ pages of 5 kB": 5e13}
API_TOKENS_A_MINUTE, API_PRICE = 10e6, 0.02
GPU_SENTENCES = 4_000.0
TOKENS_A_WORD = 1.33


class Watched:
    """The embedded model, whose process leaves a file with its id."""

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


def corpus(megabytes: float) -> pa.Table:
    """Choi's documents, each with an id of its own, repeated until they have so many megabytes of UTF-8."""
    paths = sorted((ROOT / "../shared/data/choi").glob("*/*/*.ref"))
    if not paths:
        raise SystemExit("no ../shared/data/choi: this measurement needs the project's measuring data")
    texts = [path.read_text("utf-8", "replace").replace("==========\n", "\n") for path in paths]
    own = sum(len(text.encode()) for text in texts)
    count = max(1, round(megabytes * 1e6 / own * len(texts)))
    return pa.table({"id": list(range(count)), "text": [texts[number % len(texts)] for number in range(count)]})


def size(table: pa.Table) -> float:
    """Megabytes of UTF-8 text."""
    return sum(len(text.encode()) for text in table.column("text").to_pylist()) / 1e6


def loop(batch: SplitBatch, table: pa.Table) -> tuple[float, int]:
    """Cuts a table in one process -> megabytes that the process holds at the end, chunks."""
    chunks = sum(batch(table.slice(at, BATCH)).num_rows for at in range(0, len(table), BATCH))
    return psutil.Process().memory_full_info().uss / 1e6, chunks


class Meter:
    """``with Meter() as meter: …`` -> `meter.at(time)`: processor seconds of this process and all under it until then.

    Looks ten times a second, because engines end processes whose times nobody is told.
    """

    def __enter__(self) -> Meter:
        self._spent: dict[int, float] = {}
        self._looks: list[tuple[float, float]] = []
        self._look()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()
        self._look()

    def at(self, when: float) -> float:
        return float(np.interp(when, *zip(*self._looks, strict=True)))

    def _watch(self) -> None:
        while not self._done.wait(0.1):
            self._look()

    def _look(self) -> None:
        for process in (psutil.Process(), *psutil.Process().children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                self._spent[process.pid] = sum(process.cpu_times()[:2])
        self._looks.append((time.monotonic(), sum(self._spent.values())))


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


def counts(table: pa.Table) -> dict[str, float]:
    """What a megabyte of text has of what is embedded."""
    texts = table.column("text").to_pylist()[:400]
    batch = SPLITTER.prepare(texts)
    words = sum(len(text.split()) for text in batch.texts)
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    return {"sentences a MB": len(batch.texts) / megabytes, "words a MB": words / megabytes}


def neural(table: pa.Table, count: int = 3000) -> float:
    """Sentences that MiniLM embeds in a second of one core."""
    import torch
    from choi import minilm

    torch.set_num_threads(1)
    embed, texts = minilm(), SPLITTER.prepare(table.column("text").to_pylist()[:400]).texts
    embed(texts[:100])
    start = time.process_time()
    embed(texts[:: len(texts) // count][:count])
    return count / (time.process_time() - start)


def table(rows: dict[str, dict[str, float]]) -> str:
    """Rows of figures -> Markdown."""
    names = list(dict.fromkeys(name for row in rows.values() for name in row))
    lines = ["| | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    for title, row in rows.items():
        lines.append(f"| {title} | " + " | ".join(f"{row[name]:,.2f}" if name in row else "" for name in names) + " |")
    return "\n".join(lines)


def forecast(rate: float, each: dict[str, float], sentences: float, nodes: int) -> dict[str, dict[str, float]]:
    """Hours of cores at `rate` MB/s each, and of nodes of 32; of cores that embed so many sentences a second; of a GPU
    and an API at the rates at the head of this file.
    """
    found = {}
    for name, size in CORPORA.items():
        megabytes = size / 1e6
        tokens = megabytes * each["words a MB"] * TOKENS_A_WORD
        found[name] = {
            "core hours": megabytes / rate / 3600,
            f"hours on {nodes} nodes": megabytes / rate / 3600 / (32 * nodes),
            "core hours, MiniLM": megabytes * each["sentences a MB"] / sentences / 3600,
            "GPU hours": megabytes * each["sentences a MB"] / GPU_SENTENCES / 3600,
            "API tokens, 10⁹": tokens / 1e9,
            "API hours": tokens / API_TOKENS_A_MINUTE / 60,
            "API price, $": tokens / 1e6 * API_PRICE,
        }
    return found


def main() -> None:
    """Measures, prints, writes."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--megabytes", type=float, default=160.0)
    reader.add_argument("--rounds", type=int, default=3)
    reader.add_argument("--nodes", type=int, default=32, help="of 32 cores each")
    given = reader.parse_args()
    out = ROOT / "build" / "scale"
    documents = corpus(given.megabytes)
    import ray

    started = time.perf_counter()
    ray.init(
        num_cpus=4,
        include_dashboard=False,
        log_to_driver=False,
        logging_level=logging.ERROR,
        object_store_memory=500_000_000,
    )
    started = time.perf_counter() - started
    ray.data.DataContext.get_current().enable_progress_bars = False
    for actors in (True, False):
        ray_data(documents.slice(0, 4 * BATCH), out / "workers", actors)  # the first of all starts what the others find
    rounds = []
    for number in range(given.rounds):  # in turn, so that what else the machine does falls on all alike
        rounds.append(
            {
                "one plain process": plain(documents, 1),
                "two plain processes": plain(documents, 2),
                "Ray Data, two actors": ray_data(documents, out / "workers", actors=True),
                "Ray Data, two tasks": ray_data(documents, out / "workers", actors=False),
            }
        )
        for row in rounds[-1].values():
            of = rounds[-1]["two plain processes"]
            row["throughput of two plain"] = row["MB/s"] / of["MB/s"]
            row["the same by CPU"] = of["CPU s a MB"] / row["CPU s a MB"]
        print(f"round {number + 1}\n{table(rounds[-1])}\n", flush=True)
    ray.shutdown()
    middle = {
        name: {figure: sorted(one[name][figure] for one in rounds)[len(rounds) // 2] for figure in row}
        for name, row in rounds[0].items()
    }
    each, sentences = counts(documents), neural(documents)
    foreseen = forecast(1 / middle["two plain processes"]["CPU s a MB"], each, sentences, given.nodes)
    print(
        f"{size(documents):.0f} MB; medians of {given.rounds} rounds; Ray started in {started:.0f} s\n{table(middle)}\n"
    )
    print(table({"a MB of text": each}), f"\n\nMiniLM: {sentences:.0f} sentences a second on one core\n")
    print(
        f"{TOKENS_A_WORD} tokens a word, a GPU at {GPU_SENTENCES:,.0f} sentences a second, and an API at "
        f"{API_TOKENS_A_MINUTE:,.0f} tokens a minute "
        f"and ${API_PRICE} per million are assumed; cores are as measured.\n{table(foreseen)}"
    )
    out.mkdir(parents=True, exist_ok=True)
    made = {"rounds": rounds, "each": each, "MiniLM": sentences, "forecast": foreseen}
    (out / "scale.json").write_text(json.dumps(made, indent=1))


if __name__ == "__main__":
    main()
