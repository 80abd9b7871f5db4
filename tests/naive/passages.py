"""What `caesura_retrieval.leaning` and `caesura_retrieval.passages` compute, as plainly as it can be said."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import sqrt

from caesura.text.sentences import sentences
from caesura_retrieval.passages import PassageSpan


def unit(row: Sequence[float]) -> list[float]:
    length = sqrt(sum(value * value for value in row))
    return [value / length if length > 1e-12 else 0.0 for value in row]


def leaning(rows: Sequence[Sequence[float]], share: float) -> list[list[float]]:
    own = [unit(row) for row in rows]
    result = []
    for place, row in enumerate(own):
        near = own[max(place - 4, 0) : place + 5]
        around = unit([sum(column) for column in zip(*near, strict=True)])
        moved = [value + share * other for value, other in zip(row, around, strict=True)]
        result.append(unit(moved) if any(row) else row)
    return result


def packed(
    ranking: Sequence[tuple[str, float]],
    spans: Mapping[str, PassageSpan],
    size: Callable[[PassageSpan], int],
    budget: int,
    most: int | None,
    allows: Callable[[PassageSpan], bool] = lambda span: True,
) -> list[PassageSpan]:
    """Of names in their order, each that fits beside all before it: the runs of small texts that they make, by document
    and place. A neighbour that fits, but not with the space between, is a run of its own."""
    runs: list[PassageSpan] = []
    rest = [spans[name] for name, _ in ranking]
    count = -1
    while len(rest) != count and (most is not None or count < 0):
        count, waiting = len(rest), rest
        rest = []
        for span in waiting:
            same = [run for run in runs if run.document == span.document]
            near = [run for run in same if _touch(run, span)] or [run for run in same if _overlap(run, span)]
            whole = _union([span, *near])
            inside = [run for run in same if _overlap(run, whole)]
            whole = _union([whole, *inside])
            others = [run for run in runs if run not in near and run not in inside]
            apart = all(run.end <= span.start or span.end <= run.start for run in [*near, *inside])
            more = most is None or len(runs) < most
            if (near or more) and allows(whole) and sum(map(size, [*others, whole])) <= budget:
                runs = [*others, whole]
            elif near and apart and more and allows(span) and sum(map(size, [*runs, span])) <= budget:
                runs = [*runs, span]
            else:
                rest.append(span)
    return sorted(runs, key=lambda run: (run.document, run.first))


def _union(spans: list[PassageSpan]) -> PassageSpan:
    start, end = min(each.start for each in spans), max(each.end for each in spans)
    return PassageSpan(
        spans[0].document, start, end, min(each.first for each in spans), max(each.last for each in spans)
    )


def _touch(run: PassageSpan, span: PassageSpan) -> bool:
    return run.first <= span.last + 1 and span.first <= run.last + 1


def _overlap(run: PassageSpan, whole: PassageSpan) -> bool:
    return whole.start < run.end and run.start < whole.end


def shortened(text: str, room: int, size: Callable[[str], int], words: Sequence[str]) -> tuple[int, int] | None:
    """Where the run of sentences is that fits and has most of the words, by their letters less two; at least 2."""
    edges = sentences(text).tolist()
    best: tuple[int, int, int, int] | None = None
    for at, start in enumerate(edges[:-1]):
        for end in edges[at + 1 :]:
            piece = text[start:end].strip()
            weight = sum(len(word) - 2 for word in words if word[:4] in piece)
            first = start + len(text[start:end]) - len(text[start:end].lstrip())
            if weight >= 2 and size(piece) <= room and (best is None or (weight, len(piece)) > best[:2]):
                best = weight, len(piece), first, first + len(piece)
    return None if best is None else best[2:]
