"""Essays and embedders -> what splitting costs beside the peers, as Markdown and JSON: `nox -s bench`."""

from __future__ import annotations

import argparse
import json
import logging
import os
import platform
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from bench_scaling import scaling
from choi import DATA, documents, minilm
from contestants import Counting, NearFree, Split, core, equal_core, equal_cores, peers, plugins
from corpora import LANGUAGES, asked
from first_use import first_use, sentences
from peers import CHONKIE, LANGCHAIN
from tables import Row, Table, report
from timing import Timed, digits, timed

from caesura_static import StaticEmbedder

ROUNDS = 15
FIRST = 500_000
HEAD = Path(__file__).with_name("performance.md")
"""What the page says before the tables."""
LC = LANGCHAIN.format("percentile")
ESSAY = DATA / "essays" / "worked.txt"
Say = Callable[[str], None]


def own_time(say: Say) -> Table:
    """(a) What is not embedding."""
    text, embed = ESSAY.read_text("utf-8"), NearFree()
    title, contestants = f"Own time: {len(text):,} characters, an embedder that costs almost nothing", core(embed)
    contestants |= equal_cores(embed) | plugins(embed) | plugins(embed, lists=True) | peers(embed)
    table = _timed(title, contestants, [text], say, ROUNDS)
    table.notes.append(
        "The embedder has 4,096 random rows of 384 numbers, and returns one of them for each text. Our splitters and "
        "Chonkie get arrays. The splitters of LangChain and LlamaIndex get lists of Python's numbers from an embedder "
        'of their framework. In the rows "rows as lists", ours get such lists too. The lists are made before the clock '
        "starts."
    )
    return table


def with_static(say: Say) -> Table:
    """(b) From text to chunks, with the built-in model."""
    text = ESSAY.read_text("utf-8")
    return _table(f"Built-in model: {len(text):,} characters to chunks", text, StaticEmbedder(), say)


def with_minilm(say: Say) -> Table:
    """(c) The same with MiniLM."""
    text, model = ESSAY.read_text("utf-8")[:20_000], minilm()

    class Embed:
        dimension = 384

        def __call__(self, texts: Any) -> Any:
            return model(texts)

    return _table(f"MiniLM on this processor: {len(text):,} characters to chunks", text, Embed(), say, rounds=3)


def embedded(say: Say) -> Table:
    """(d) What is sent to the embedder."""
    text, table = ESSAY.read_text("utf-8"), Table("What is embedded of one text")
    for make in (core, plugins, peers):
        for name in make(NearFree()):
            embed = Counting(NearFree())
            split = make(embed)[name]
            embed.calls = embed.characters = 0
            split([text])
            row: Row = {"splitter": name, "characters embedded per character": round(embed.characters / len(text), 2)}
            table.rows.append(row | {"calls": embed.calls})
    table.notes = [
        "When our splitters first meet an embedder, they embed 64 short texts ([the background](calibration.md))."
    ]
    return table


def small_documents(say: Say) -> Table:
    """(e) A thousand small documents."""
    lines = [" ".join(document.sentences) for document in documents()]
    texts = [line[start : start + 1_000] for line in lines for start in range(0, len(line) - 999, 1_000)][:1_000]
    embed = StaticEmbedder()
    title = f"{len(texts):,} documents of 1,000 characters, built-in model"
    return _timed(title, _contestants(embed), texts, say, rounds=5)


def embedder_speed(say: Say) -> Table:
    """The built-in model alone, over sentences: what it has not met yet, and what it has."""
    kinds = {"essays": "\n\n".join(path.read_text("utf-8") for path in sorted((DATA / "essays").glob("*.txt")))}
    kinds |= {name: "\n\n".join(asked(name).texts.values()) for name in ("papers", "manuals")}
    kinds |= {f"Wikipedia, {name}": "\n\n".join(asked(name).texts.values()) for name in LANGUAGES}
    embed, table = StaticEmbedder(), Table("The built-in model alone, on one core")
    for name, text in kinds.items():
        head = text.encode()[:FIRST].decode(errors="ignore")
        size = len(head.encode()) / 1e6
        fresh = Timed(np.array([first_use(head) for _ in range(ROUNDS // 3)]))
        warm = timed({name: partial(embed, sentences(head))}, ROUNDS)[name]
        row: Row = {"text": name, "MB": round(size, 2), "MB/s in a fresh process": digits(size / fresh.median)}
        table.rows.append(row | {"MB/s, warm": digits(size / warm.median)})
        say(f"built-in model: {name}")
    table.notes = [
        "Each text is at most the first 500 kB of its source, as UTF-8.",
        "In a fresh process, the model is loaded before the clock starts. Each word is new and is split into parts.",
        "Warm, it reads the same texts again and remembers their words. A large corpus has a speed between the two.",
    ]
    return table


def _contestants(embed: Any) -> dict[str, Split]:
    return core(embed) | equal_cores(embed) | plugins(embed) | peers(embed)


def _table(title: str, text: str, embed: Any, say: Say, rounds: int = ROUNDS) -> Table:
    return _timed(title, _contestants(embed), [text], say, rounds)


def _timed(title: str, contestants: Mapping[str, Split], texts: list[str], say: Say, rounds: int) -> Table:
    found: dict[str, Timed] = timed({name: partial(split, texts) for name, split in contestants.items()}, rounds)
    table, size = Table(title), sum(len(text.encode()) for text in texts) / 1e6
    for name, own in found.items():
        row: Row = {"splitter": name, "ms": own.shown(), "MB/s": digits(size / own.median)}
        row |= {"of Chonkie's": own.over(found[CHONKIE]), "of LangChain's": own.over(found[LC])}
        equal = equal_core(name)
        table.rows.append(row | {"of the core's": own.over(found[equal]) if equal else None})
        say(f"{title}: {name}: {own.shown()} ms")
    table.notes = [
        f"Processor time: the median of {rounds} rounds, with the middle half in brackets.",
        "Each round runs all splitters in turn. A ratio compares two times of one round.",
    ]
    return table


MEASURES: dict[str, Callable[[Say], Table]] = {
    "own": own_time,
    "static": with_static,
    "minilm": with_minilm,
    "embedded": embedded,
    "small": small_documents,
    "embedder": embedder_speed,
    "scaling": scaling,
}


def main() -> None:
    """Measures, prints the page and writes it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/bench"), help="folder of bench.md and bench.json")
    parser.add_argument("--page", type=Path, default=None, help="a Markdown page to write too")
    parser.add_argument("--tables", nargs="+", default=list(MEASURES), choices=list(MEASURES))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    started = time.monotonic()

    def say(text: str) -> None:
        print(f"{time.monotonic() - started:6.0f} s  {text}", file=sys.stderr, flush=True)

    options.out.mkdir(parents=True, exist_ok=True)
    made: list[Table] = []
    for name in options.tables:
        made.append(MEASURES[name](say))
        heading = f"Speed, Python {platform.python_version()}, numpy {np.__version__}, {os.cpu_count()} cores"
        (options.out / "bench.md").write_text(report(made, heading), encoding="utf-8")
        plain = json.dumps([table.plain() for table in made], ensure_ascii=False, indent=1)
        (options.out / "bench.json").write_text(plain + "\n", encoding="utf-8")
    page = (options.out / "bench.md").read_text("utf-8")
    print(page)
    if options.page:
        tables = page.replace("\n## ", "\n### ").replace("# Speed", "## Speed", 1)
        options.page.write_text(HEAD.read_text("utf-8") + tables, encoding="utf-8")


if __name__ == "__main__":
    main()
