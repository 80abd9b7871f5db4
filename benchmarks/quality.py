"""The measuring data and embedders -> quality tables, ours beside the peers, as Markdown and JSON: `nox -s quality`."""

from __future__ import annotations

import argparse
import json
import logging
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import quality_code
import quality_contexts
import quality_distractors
import quality_pdf
import quality_pooled
import quality_retrieval
import quality_robustness
import quality_scraps
import quality_segmentation
import quality_splitters
import quality_tables
from embedders import Memo, embedder
from ours import OURS
from published import as_wanted, published
from tables import Row, Table, report

from caesura import Background, Limits, Splitter, calibrate

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Run:
    """An embedder with its key and the name that tables show, its background, and what is measured with it.

    every: which of Choi's documents. sets: of whole retrievers; None: those of the embedder. retrievers: parts of the
    names of those that stand beside ours; None: all.
    """

    key: str
    shown: str
    memo: Memo
    background: Background
    every: int
    sets: list[str] | None
    retrievers: list[str] | None
    say: Say


Measure = Callable[[Run], list[Table]]

EVERY = {"minilm": 4, "static": 1}
"""Which of Choi's documents are measured by default: MiniLM's peers embed every text again and again."""
NAMES = {"minilm": "MiniLM", "static": "built-in model"}


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
    "retrieval": lambda run: quality_retrieval.tables(run.key, run.shown, run.memo, run.sets, run.retrievers, run.say),
    "boundaries": lambda run: [quality_segmentation.kinds(run.key, run.shown, run.memo, run.background, run.say)],
    "splitters": lambda run: quality_splitters.tables(run.key, run.shown, run.memo, run.background, run.say),
    "scraps": lambda run: [quality_scraps.table(run.shown, run.memo, run.background, run.say)],
    "segmentation": lambda run: [
        quality_segmentation.table(run.shown, run.memo, run.background, run.every, run.say),
    ],
    "pdf": lambda run: quality_pdf.tables(run.shown, run.memo, run.retrievers, run.say),
    "tables": lambda run: quality_tables.tables(run.shown, run.memo, run.say),
    "headings": lambda run: quality_retrieval.headings(run.shown, run.memo, run.say),
    "code": lambda run: quality_code.tables(run.shown, run.memo, run.say),
    "context": lambda run: quality_contexts.tables(run.shown, run.memo, run.say),
    "pooled": lambda run: quality_pooled.tables(run.shown, run.memo, run.background, run.say),
    "distractors": lambda run: quality_distractors.tables(run.shown, run.memo, run.say),
    "shown": lambda run: [shown(run.shown, run.memo, run.background)],
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
    parser.add_argument("--sets", nargs="+", default=None, choices=quality_retrieval.KNOWN, help="of whole retrievers")
    parser.add_argument("--retrievers", nargs="+", default=None, help="parts of the names of those beside ours")
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
        run = Run(name, NAMES[name], memo, background, every, options.sets, options.retrievers, say)
        for measure in [each for each in TABLES if each in options.tables]:
            made += TABLES[measure](run)
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
