"""Choi's documents and an embedder -> the table of Pk and WindowDiff, our cuts beside the peers'."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import get_args

import numpy as np
from choi import Document, Embedded, documents
from corpora import named, segmented, shuffled
from embedders import Memo
from languages import nowhere
from numpy.typing import NDArray
from ours import OURS
from peers import FIXED, GIVEN, ON_UNITS, RECURSIVE, OnUnits, located
from tables import Row, Table, scaled
from unordered import Linkage, label_changes

from caesura import Background, Limits
from caesura.types import Breaks, Cut, Vectors
from caesura.vectors import as_rows, unit_rows
from caesura_lab import paired_interval, pk, window_diff

NOTES = f"""\
{{}} documents of sets 1 and 2, {{:.1f}} true segments on average; the file's lines are the units of every method; \
no size limit; window k = half the mean true segment's length.
Difference of Pk to the best peer (not given: {{}}; given: {{}}) with its paired bootstrap interval of 95 %, bold \
where 0 is outside; below 0 is better.
Every method has the same vectors; ours are centred on the embedder's background.
Clusters without order: SciPy's agglomerative clustering, cut where the label changes, the number of clusters \
by the silhouette or the number of segments; for comparison.
{RECURSIVE} and {FIXED} know nothing of where to stop: they are run for a number of segments only."""

KINDS_NOTES = """\
Pk in percent of the cuts at their defaults, no size limit, vectors alone; in brackets the mean number of cuts, beside \
those of people. Units: Choi's sentences, the meetings' turns, ours in articles of XQuAD spliced by a space.
shuffled: the same sentences or turns in any order, which have no boundary: the share of documents that are cut."""
KINDS = {"minilm": ("Choi", "splices, en"), "static": ("",)}
"""What the names of the kinds of documents begin with that are measured with an embedder."""

Find = Callable[[Document, int | None], Breaks]
"""(document, number of chunks or None) -> breaks."""


@dataclass(slots=True)
class Errors:
    """Pk, WindowDiff and the number of chunks of one method, document by document; pieces that were not found again."""

    pk: list[float] = field(default_factory=list)
    window_diff: list[float] = field(default_factory=list)
    chunks: list[int] = field(default_factory=list)

    def add(self, document: Document, breaks: Breaks) -> None:
        units = len(document.sentences)
        self.pk.append(pk(document.breaks, breaks, units))
        self.window_diff.append(window_diff(document.breaks, breaks, units))
        self.chunks.append(len(breaks) + 1)

    @property
    def mean(self) -> float:
        return float(np.mean(self.pk))


def table(name: str, memo: Memo, background: Background, every: int, say: Callable[[str], None]) -> Table:
    """Measures every `every`-th document -> one row per method, the number of segments not given and given."""
    chosen = documents()[::every]
    memo([sentence for document in chosen for sentence in document.sentences])
    lost: dict[str, int] = {}
    found = {
        method: _measured(method, find, chosen, False, say) for method, find in _free(memo, background, lost).items()
    }
    given = {
        method: _measured(method, find, chosen, True, say) for method, find in _told(memo, background, lost).items()
    }
    best = min((method for method in found if method in ON_UNITS), key=lambda method: found[method].mean)
    best_given = min((method for method in given if method in GIVEN), key=lambda method: given[method].mean)
    segments = np.mean([len(document.breaks) + 1 for document in chosen])
    made = Table(f"Topic segmentation, Choi's data, {name}: error in percent, lower is better")
    made.notes = NOTES.format(len(chosen), segments, best, best_given).split("\n")
    made.notes += [f"{method}: {count} pieces could not be found in the text again." for method, count in lost.items()]
    for method in dict.fromkeys([*found, *given]):
        row: Row = {"method": method}
        row |= _columns(found.get(method), found[best], "")
        made.rows.append(row | _columns(given.get(method), given[best_given], ", given"))
    return made


def kinds(embedder: str, name: str, memo: Memo, background: Background, say: Callable[[str], None]) -> Table:
    """Our cuts on documents of every kind, each set with whether a setting was chosen on it."""
    made = Table(f"Where they cut, {name}: error Pk", KINDS_NOTES.split("\n"))
    for kind, chosen in segmented().items():
        if not kind.startswith(KINDS[embedder]):
            continue
        data = _embedded(memo, background, chosen)
        people = np.mean([len(document.breaks) for document in chosen])
        row: Row = {"documents": named(kind), "people": f"{people:.1f}", "no cut": data.pk(nowhere)}
        for cut, ours in OURS.items():
            row[cut] = f"{data.pk(ours.default):.1f} ({data.segments(ours.default) - 1:.1f})"
        made.rows.append(row)
        if not kind.startswith("splices"):
            data = _embedded(memo, background, shuffled(chosen))
            row = {"documents": f"{kind}, shuffled", "people": "0", "no cut": 0.0}
            for cut, ours in OURS.items():
                row[cut] = f"{100 * np.mean([len(breaks) > 0 for breaks in data.breaks(ours.default)]):.0f} %"
            made.rows.append(row)
        say(f"{name}, {kind}")
    return made


def _embedded(memo: Memo, background: Background, chosen: list[Document]) -> Embedded:
    return Embedded.of(chosen, [memo(document.sentences) for document in chosen], background)


def _columns(own: Errors | None, best: Errors, suffix: str) -> Row:
    if own is None:
        return dict.fromkeys((f"Pk{suffix}", f"WindowDiff{suffix}", f"Pk − best peer{suffix}"))
    row: Row = {} if suffix else {"segments": float(np.mean(own.chunks))}
    difference = None if own is best else scaled(paired_interval(own.pk, best.pk))
    return row | {
        f"Pk{suffix}": 100 * own.mean,
        f"WindowDiff{suffix}": 100 * float(np.mean(own.window_diff)),
        f"Pk − best peer{suffix}": difference,
    }


def _measured(method: str, find: Find, chosen: list[Document], given: bool, say: Callable[[str], None]) -> Errors:
    errors = Errors()
    for document in chosen:
        errors.add(document, find(document, len(document.breaks) + 1 if given else None))
    say(f"Choi, {method}{', given' * given}: Pk {100 * errors.mean:.1f}")
    return errors


def _free(memo: Memo, background: Background, lost: dict[str, int]) -> dict[str, Find]:
    """The methods that find the number of segments themselves."""
    found = {name: _ours(memo, background, partial(_same, ours.default)) for name, ours in OURS.items()}
    found["no cut at all"] = lambda document, count: np.zeros(0, np.intp)
    found |= _unordered(memo, background)
    return found | {name: _peer(name, split, memo, lost) for name, split in ON_UNITS.items()}


def _told(memo: Memo, background: Background, lost: dict[str, int]) -> dict[str, Find]:
    """The methods that can be told the number of segments."""
    found = {name: _ours(memo, background, ours.given) for name, ours in OURS.items() if ours.given}
    found |= _unordered(memo, background)
    return found | {name: _peer(name, split, memo, lost) for name, split in GIVEN.items()}


def _same(cut: Cut, count: int) -> Cut:
    return cut


def _rows(memo: Memo, background: Background, document: Document) -> Vectors:
    return unit_rows(as_rows(memo(document.sentences), len(document.sentences)), background.mean, background.weight)


def _unordered(memo: Memo, background: Background) -> dict[str, Find]:
    """Clustering that does not know the order of the sentences, as it is published."""

    def clustered(linkage: Linkage) -> Find:
        return lambda document, count: label_changes(_rows(memo, background, document), linkage, count)

    return {f"clusters without order, {linkage}": clustered(linkage) for linkage in get_args(Linkage)}


def _ours(memo: Memo, background: Background, cut: Callable[[int], Cut]) -> Find:
    def find(document: Document, count: int | None) -> Breaks:
        rows = _rows(memo, background, document)
        sizes = np.array([len(sentence) + 1 for sentence in document.sentences], np.intp)
        return cut(count or 1)(rows, sizes, Limits())

    return find


def _peer(name: str, split: OnUnits, memo: Memo, lost: dict[str, int]) -> Find:
    def find(document: Document, count: int | None) -> Breaks:
        text = "\n".join(document.sentences)
        ranges, missing = located(text, split(text, count, memo))
        if missing:
            lost[name] = lost.get(name, 0) + missing
        return _first_units(document, ranges)

    return find


def _first_units(document: Document, ranges: NDArray[np.intp]) -> Breaks:
    """The units in which chunks start, the text's first left out."""
    starts = np.cumsum([0, *(len(sentence) + 1 for sentence in document.sentences[:-1])])
    units = np.unique(np.searchsorted(starts, ranges[:, 0], side="right") - 1)
    return units[units > 0]
