"""The measuring data and embedders -> quality tables, ours beside the peers, as Markdown and JSON: `nox -s quality`."""

from __future__ import annotations

import argparse
import json
import logging
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import quality_contexts
import quality_passages
import quality_pooled
import quality_retrieval
import quality_robustness
import quality_scraps
import quality_segmentation
from embedders import Memo, embedder
from ours import OURS
from published import as_wanted, published
from tables import Row, Table, report

from caesura import Background, Limits, Splitter, calibrate

Say = Callable[[str], None]
Measure = Callable[[str, Memo, Background, int, Say], list[Table]]
"""(key of the embedder, itself, its background, which of Choi's documents, progress) -> tables."""

EVERY = {"minilm": 4, "static": 1}
"""Which of Choi's documents are measured by default: MiniLM's peers embed every text again and again."""
NAMES = {"minilm": "MiniLM", "static": "embedded model"}


def shown(name: str, memo: Memo, background: Background) -> Table:
    """What the authors of double-pass merging show, on texts of our own: which come out as wanted."""
    texts, made = published(), Table(f"Three subjects, three chunks; one algorithm, one chunk, {name}")
    for cut, ours in OURS.items():
        found = as_wanted(Splitter(limits=Limits(2000), background=background, cut=ours.default), memo, texts)
        others = ", ".join(text.name for text in texts if text.name not in found)
        row: Row = {"cut": cut, "as wanted": f"{len(found)} of {len(texts)}", "not": others}
        made.rows.append(row)
    made.notes = ["The texts are in tests/golden/published; chunks of up to 2,000 characters, defaults."]
    return made


TABLES: dict[str, Measure] = {
    "boundaries": lambda key, memo, own, every, say: [quality_segmentation.kinds(key, NAMES[key], memo, own, say)],
    "retrieval": lambda key, memo, own, every, say: quality_retrieval.tables(key, NAMES[key], memo, own, say),
    "scraps": lambda key, memo, own, every, say: [quality_scraps.table(NAMES[key], memo, own, say)],
    "segmentation": lambda key, memo, own, every, say: [quality_segmentation.table(NAMES[key], memo, own, every, say)],
    "passages": lambda key, memo, own, every, say: quality_passages.tables(key, NAMES[key], memo, say),
    "headings": lambda key, memo, own, every, say: quality_passages.headings(NAMES[key], memo, say),
    "context": lambda key, memo, own, every, say: quality_contexts.tables(NAMES[key], memo, say),
    "pooled": lambda key, memo, own, every, say: quality_pooled.tables(NAMES[key], memo, own, say),
    "shown": lambda key, memo, own, every, say: [shown(NAMES[key], memo, own)],
}
"""What is measured with each embedder, in this order."""
ROBUSTNESS = "robustness"
"""And once, over several embedders."""


def main() -> None:
    """Measures, prints the page and writes it as quality.md and quality.json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/quality"), help="folder of quality.md and quality.json")
    parser.add_argument("--cache", type=Path, default=None, help="folder in which MiniLM's vectors are kept")
    parser.add_argument("--embedders", nargs="+", default=list(NAMES), choices=list(NAMES))
    parser.add_argument("--tables", nargs="+", default=[*TABLES, ROBUSTNESS], choices=[*TABLES, ROBUSTNESS])
    parser.add_argument("--every", type=int, default=None, help=f"every n-th of Choi's documents, else {EVERY}")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # the peers' own; what counts is in the tables
    logging.disable(logging.WARNING)
    started = time.monotonic()

    def say(text: str) -> None:
        print(f"{time.monotonic() - started:6.0f} s  {text}", file=sys.stderr, flush=True)

    made: list[Table] = []
    for name in options.embedders:
        memo = embedder(name, options.cache)
        background, every = calibrate(memo), options.every or EVERY[name]
        for measure in [each for each in TABLES if each in options.tables]:
            made += TABLES[measure](name, memo, background, every, say)
            write(made, options.out)  # a run that is cut short keeps what it has
    if ROBUSTNESS in options.tables:
        made += quality_robustness.tables(options.embedders, options.cache, say)
        write(made, options.out)
    print(report(made, "Quality"))
    say(f"written to {options.out}")


def write(tables: list[Table], folder: Path) -> None:
    """The tables made so far, to both files."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "quality.md").write_text(report(tables, "Quality"), encoding="utf-8")
    plain = json.dumps([table.plain() for table in tables], ensure_ascii=False, indent=1)
    (folder / "quality.json").write_text(plain + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
