"""Three corpora, 276 questions and an embedder -> the tables of retrieval, our cuts beside the peers'."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from choi import DATA
from embedders import Memo
from numpy.typing import NDArray
from ours import FOR_SEARCH, OURS
from peers import CAPPED, RECURSIVE, located, recursive
from tables import Row, Table, scaled

from caesura import Background, Limits, SettingError, Splitter
from caesura_lab import Question, Scores, evaluate, interpolated, paired_interval, read_questions

CAPS = (800, 1200, 1600)
SIZES = (100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1200, 1400, 1600, 1800, 2000)
"""The sizes of the recursive splitter between which it is interpolated."""
BUDGETS = (1_000, 4_000)
NOTES = f"""\
{{}} questions, {{}} corpora in one index, top 5 by cosine; Δ is the difference to {RECURSIVE} at the same cap with \
its paired bootstrap interval of 95 %, bold where 0 is outside.
Recall at 1,000 and 4,000: of the first so many characters of the ranked chunks, the last one cut short."""
MATCHED_NOTES = f"""\
The recursive splitter is run at {len(SIZES)} sizes from {SIZES[0]} to {SIZES[-1]} characters and interpolated, \
question by question: recall, precision and IoU of the top 5 at the method's mean retrieved characters, recall within \
a budget at its mean chunk size. Paired bootstrap interval of 95 %, bold where 0 is outside.
"all three" is the mean over the caps, question by question.
– where the method's size lies outside of the recursive splitter's."""

Values = NDArray[np.float64]
Pair = tuple[Values, Values]
MEASURES = ("Δ recall", "Δ precision", "Δ IoU", *(f"Δ recall at {budget:,}" for budget in BUDGETS))
Split = Callable[[str], list[str] | NDArray[np.intp]]


@dataclass(slots=True)
class Retrieval:
    """The corpora and the questions, ready to score any splitter."""

    texts: dict[str, str]
    questions: list[Question]
    rows: NDArray[np.float32]
    memo: Memo
    say: Callable[[str], None]

    def scores(self, name: str, split: Split) -> tuple[Scores, float]:
        """The scores of a splitter, and the share of its pieces, in percent, that are not in the text."""
        chunks, lost, pieces = {}, 0, 0
        for corpus, text in self.texts.items():
            made = split(text)
            chunks[corpus], missing = (made, 0) if isinstance(made, np.ndarray) else located(text, made)
            lost, pieces = lost + missing, pieces + len(made)
        vectors = {
            corpus: self.memo([self.texts[corpus][start:end] for start, end in ranges])
            for corpus, ranges in chunks.items()
        }
        found = evaluate(chunks, vectors, self.questions, self.rows, 5, BUDGETS)
        self.say(f"retrieval, {name}: recall {100 * found.recall.mean():.1f}, {found.retrieved.mean():.0f} retrieved")
        return found, 100 * lost / max(pieces, 1)


def prepared(memo: Memo, say: Callable[[str], None]) -> Retrieval:
    """Reads the data and embeds the questions."""
    folder = DATA / "retrieval"
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md"))}
    questions = read_questions(folder / "questions.jsonl", texts)
    return Retrieval(texts, questions, memo([question.question for question in questions]), memo, say)


def tables(name: str, memo: Memo, background: Background, say: Callable[[str], None]) -> list[Table]:
    """One table per cap, against recursive at the same cap, and one against recursive at the same size."""
    data = prepared(memo, say)
    runs = [data.scores(f"{RECURSIVE} {size}", partial(recursive, cap=size))[0] for size in SIZES]
    made: list[Table] = []
    matched = Table(f"Retrieval, {name}, less {RECURSIVE} splitting at the same size: percentage points")
    matched.notes = MATCHED_NOTES.split("\n")
    over: dict[str, list[dict[str, Pair]]] = {}
    for cap in CAPS:
        every = {method: data.scores(f"{method}, {cap}", split) for method, split in _splitters(memo, background, cap)}
        table = Table(f"Retrieval, {name}, no chunk over {cap} characters: percent")
        table.notes = NOTES.format(len(data.questions), len(data.texts)).split("\n")
        baseline = every[RECURSIVE][0]
        for method, (scores, lost) in every.items():
            row: Row = {"method": method}
            table.rows.append(row | _columns(scores, baseline))
            if lost:
                table.notes.append(f"{method}: {lost:.1f} % of its chunks could not be found in the text again.")
            if method != RECURSIVE:
                pairs = _matched(scores, runs)
                over.setdefault(method, []).append(pairs)
                size: Row = {"mean chunk": round(scores.sizes.mean()), "retrieved": round(scores.retrieved.mean())}
                matched.rows.append(row | {"cap": cap} | size | _differences(pairs))
        made.append(table)
    for method, each in over.items():
        matched.rows.append({"method": method, "cap": "all three", **_differences(_over_caps(each))})
    return [*made, matched]


def _splitters(memo: Memo, background: Background, cap: int) -> list[tuple[str, Split]]:
    found: list[tuple[str, Split]] = []
    for name, cut in {**{name: ours.default for name, ours in OURS.items()}, **FOR_SEARCH}.items():
        splitter = Splitter(limits=Limits(cap), cut=cut, background=background)
        found.append((name, partial(spans, splitter, memo)))
    found += [(name, partial(peer, cap=cap, memo=memo)) for name, peer in CAPPED.items()]
    return found


def spans(splitter: Splitter, memo: Memo, text: str) -> NDArray[np.intp]:
    """A text -> the (m, 2) ranges of a splitter's chunks."""
    return np.array([(chunk.start, chunk.end) for chunk in splitter.split(text, memo)], np.intp).reshape(-1, 2)


def _columns(scores: Scores, baseline: Scores) -> Row:
    row: Row = {
        "chunks": len(scores.sizes),
        "mean chunk": round(scores.sizes.mean()),
        "retrieved": round(scores.retrieved.mean()),
    }
    for name, own, other in (
        ("recall", scores.recall, baseline.recall),
        ("precision", scores.precision, None),
        ("IoU", scores.iou, baseline.iou),
        ("precision-omega", scores.precision_omega, None),
        *((f"recall at {budget:,}", row, baseline.budgets[budget]) for budget, row in scores.budgets.items()),
    ):
        row[name] = 100 * float(own.mean())
        if other is not None:
            row[f"Δ {name}"] = None if scores is baseline else scaled(paired_interval(own, other))
    return row


def _matched(scores: Scores, runs: Sequence[Scores]) -> dict[str, Pair]:
    """For each measure our values and the recursive splitter's at the same size; none where it has no such size."""
    retrieved = [float(run.retrieved.mean()) for run in runs]
    sizes = [float(run.sizes.mean()) for run in runs]
    found: dict[str, Pair] = {}

    def add(name: str, at: float, places: list[float], own: Values, others: list[Values]) -> None:
        try:
            found[name] = own, interpolated(at, places, others)
        except SettingError:
            return

    for name, field in (("recall", "recall"), ("precision", "precision"), ("IoU", "iou")):
        others = [getattr(run, field) for run in runs]
        add(f"Δ {name}", float(scores.retrieved.mean()), retrieved, getattr(scores, field), others)
    for budget in BUDGETS:
        others = [run.budgets[budget] for run in runs]
        add(f"Δ recall at {budget:,}", float(scores.sizes.mean()), sizes, scores.budgets[budget], others)
    return found


def _differences(pairs: dict[str, Pair]) -> Row:
    return {name: scaled(paired_interval(*pairs[name])) if name in pairs else None for name in MEASURES}


def _over_caps(every: list[dict[str, Pair]]) -> dict[str, Pair]:
    """The mean over caps, question by question, where every cap has a value."""
    return {
        name: (
            np.mean([pairs[name][0] for pairs in every], axis=0),
            np.mean([pairs[name][1] for pairs in every], axis=0),
        )
        for name in MEASURES
        if all(name in pairs for pairs in every)
    }
