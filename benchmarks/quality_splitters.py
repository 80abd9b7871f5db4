"""Texts with questions and an embedder -> tables of flat chunks found: our splitters, as plugins have them, and the
peers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from corpora import Asked, asked, named
from embedders import Memo
from numpy.typing import NDArray
from ours import OURS
from peers import AS_USED, RECURSIVE, located, recursive
from tables import Row, Table, scaled

from caesura import Background, SettingError, Splitter
from caesura.host.settings import chunk_limits
from caesura_lab import Interval, Question, Scores, evaluate, interpolated, paired_interval

SETS = {
    "static": ("papers", "corpora", "meetings", "en", "de", "zh", "ru", "ar"),
    "minilm": ("corpora", "en"),
}
SIZES = {
    "static": (150, 250, 300, 400, 500, 600, 800, 1000, 1300, 1700, 2200),
    "minilm": (300, 400, 500, 600, 1000),
}
"""The sizes of the recursive splitter between which it is interpolated."""
TARGETS = (250, 600, 1000)
"""Further targets of the default splitter, in characters."""
DEFAULT = "DoublePassCut"
NOTES = f"""\
{{}} questions, {{}} texts in one index, chunks by cosine. Recall: the share of the answer in the first so many \
characters of the ranked chunks, the last one cut short; whoever is compared has the same retrieved characters.
Ours as the plugins have them: chunk_size 800, target_size 400, all else at its default.
Δ recursive: less LangChain's RecursiveCharacterTextSplitter of the same mean chunk, interpolated between sizes, \
question by question; Δ ours: less {DEFAULT} at its default. Paired bootstrap interval of 95 %, bold where 0 is \
outside."""

Split = Callable[[str], "list[str] | NDArray[np.intp]"]


@dataclass(slots=True)
class Retrieval:
    """A set and its questions' rows, ready to score any splitter."""

    asked: Asked
    questions: list[Question]
    rows: NDArray[np.float32]
    memo: Memo
    say: Callable[[str], None]

    def scores(self, name: str, split: Split) -> Scores:
        """The scores of a splitter."""
        ranges, lost = {}, 0
        for text, content in self.asked.texts.items():
            made = split(content)
            ranges[text], missing = (made, 0) if isinstance(made, np.ndarray) else located(content, made)
            lost += missing
        vectors = {
            text: self.memo([self.asked.texts[text][start:end] for start, end in own]) for text, own in ranges.items()
        }
        found = evaluate(ranges, vectors, self.questions, self.rows, 5, self.asked.budgets)
        shares = " / ".join(f"{100 * row.mean():.1f}" for row in found.budgets.values())
        without = f", {lost} of its pieces are not in the text" * bool(lost)
        self.say(f"  {name}: {found.sizes.mean():.0f} characters, recall {shares}{without}")
        return found


def prepared(name: str, memo: Memo, say: Callable[[str], None]) -> Retrieval:
    """Reads a set and embeds its questions."""
    own = asked(name)
    return Retrieval(own, own.in_one_text(), memo([question.question for question in own.questions]), memo, say)


def tables(embedder: str, shown: str, memo: Memo, background: Background, say: Callable[[str], None]) -> list[Table]:
    """A table per set, and one of the leads over all of them."""
    leads = Table(f"Flat chunks, {shown}, less recursive splitting at the same mean chunk: percentage points")
    leads.notes = [
        "Recall within the first and the second budget: 1,000 and 4,000 characters, in meetings 4,000 and 16,000."
    ]
    leads.notes += ["?: 0 is inside the interval, which the set's own table has."]
    made = [leads]
    for name in SETS[embedder]:
        say(f"splitters, {shown}, {name}")
        data = prepared(name, memo, say)
        baseline = [data.scores(f"{RECURSIVE} {size}", partial(recursive, size=size)) for size in SIZES[embedder]]
        found = {method: data.scores(method, split) for method, split in _ours(embedder, memo, background).items()}
        every = dict(found)
        every |= {f"{RECURSIVE} {size}": run for size, run in zip(SIZES[embedder], baseline, strict=True)}
        every |= {method: data.scores(method, partial(peer, memo=memo)) for method, peer in AS_USED.items()}
        table = Table(f"Flat chunks, {shown}, {named(name)}: percent")
        table.notes = NOTES.format(len(data.asked.questions), len(data.asked.texts)).split("\n")
        for method, own in every.items():
            row: Row = {"splitter": method, "mean chunk": round(own.sizes.mean())}
            for budget in data.asked.budgets:
                row[f"recall at {budget:,}"] = 100 * float(own.budgets[budget].mean())
                row[f"Δ recursive at {budget:,}"] = None if own in baseline else _lead(own, baseline, budget)
                row[f"Δ ours at {budget:,}"] = None if own is found[DEFAULT] else _less(own, found[DEFAULT], budget)
            table.rows.append(row)
        made.append(table)
        row = {"set": named(name)}
        for method, own in found.items():
            row[method] = " / ".join(_brief(_lead(own, baseline, budget)) for budget in data.asked.budgets)
        leads.rows.append(row)
    return made


def _ours(embedder: str, memo: Memo, background: Background) -> dict[str, Split]:
    limits = chunk_limits()
    chosen = {name: (limits, ours.default) for name, ours in OURS.items()}
    if embedder == "static":
        for target in TARGETS:
            chosen[f"{DEFAULT}, target {target}"] = (chunk_limits(target_size=target), OURS[DEFAULT].default)
    return {
        name: partial(spans, Splitter(limits=own, cut=cut, background=background), memo)
        for name, (own, cut) in chosen.items()
    }


def spans(splitter: Splitter, memo: Memo, text: str) -> NDArray[np.intp]:
    """A text -> the (m, 2) ranges of a splitter's chunks."""
    return np.array([(chunk.start, chunk.end) for chunk in splitter.split(text, memo)], np.intp).reshape(-1, 2)


def _less(own: Scores, other: Scores, budget: int) -> Interval:
    return scaled(paired_interval(own.budgets[budget], other.budgets[budget]))


def _lead(own: Scores, baseline: Sequence[Scores], budget: int) -> Interval | None:
    """Ours less the recursive splitter's at the same mean chunk; none where it has no such size."""
    sizes = [float(run.sizes.mean()) for run in baseline]
    try:
        theirs = interpolated(float(own.sizes.mean()), sizes, [run.budgets[budget] for run in baseline])
    except SettingError:
        return None
    return scaled(paired_interval(own.budgets[budget], theirs))


def _brief(lead: Interval | None) -> str:
    return "–" if lead is None else f"{lead.difference:+.1f}{'' if lead.clear else '?'}"
