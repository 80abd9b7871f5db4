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
import time
from pathlib import Path

import pyarrow as pa
from scale_forecast import API_PRICE, API_TOKENS_A_MINUTE, GPU_SENTENCES, TOKENS_A_WORD, forecast
from scale_runs import BATCH, SPLITTER, plain, ray_data, size

os.environ["RAY_ENABLE_UV_RUN_RUNTIME_ENV"] = "0"
ROOT = Path(__file__).parents[1]


def corpus(megabytes: float) -> pa.Table:
    """Choi's documents, each with an id of its own, repeated until they have so many megabytes of UTF-8."""
    paths = sorted((ROOT / "../shared/data/choi").glob("*/*/*.ref"))
    if not paths:
        raise SystemExit("no ../shared/data/choi: this measurement needs the project's measuring data")
    texts = [path.read_text("utf-8", "replace").replace("==========\n", "\n") for path in paths]
    own = sum(len(text.encode()) for text in texts)
    count = max(1, round(megabytes * 1e6 / own * len(texts)))
    return pa.table({"id": list(range(count)), "text": [texts[number % len(texts)] for number in range(count)]})


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
