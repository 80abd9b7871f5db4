"""Unit rows in, groups of their indices out: the part of topics that needs no language model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import number, whole
from caesura.types import Vectors
from caesura.vectors import normalised, own_rows

SHOWN = 8
"""Propositions of a topic that a request for its new title shows."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A group of propositions. members: their indices, rising. summary: "" where no language model has written one."""

    title: str
    summary: str
    members: tuple[int, ...]

    def parts(self, sizes: Sequence[int], max_size: int) -> list[tuple[int, ...]]:
        """The members in runs, in order, such that the sizes of each run sum to at most `max_size`, or it is one.

        >>> Topic("Tea", "", (0, 2, 3)).parts([4, 9, 4, 4], 8)
        [(0, 2), (3,)]
        """
        whole("max_size", max_size, 1)
        runs: list[list[int]] = []
        filled = 0
        for member in self.members:
            if not runs or filled + sizes[member] > max_size:
                runs.append([])
                filled = 0
            runs[-1].append(member)
            filled += sizes[member]
        return [tuple(run) for run in runs]


@dataclass(slots=True, eq=False)
class Group:
    """A topic while it grows. total: the sum of its members' rows. named: how many it had when it got its title.
    joined: the one that it turned out to be.
    """

    title: str
    summary: str = ""
    members: list[int] = field(default_factory=list)
    total: NDArray[np.float64] | None = None
    named: int = 0
    joined: Group | None = None

    def add(self, indices: Sequence[int], vectors: Vectors) -> None:
        """Members join; the first ones are those that the title was made for."""
        self.named = self.named or len(indices)
        self.members += indices
        rows = vectors[list(indices)].sum(axis=0, dtype=np.float64)
        self.total = rows if self.total is None else self.total + rows

    def due(self, growth: float) -> bool:
        """Whether it has grown by this share, and by three, since it got its title."""
        return len(self.members) >= max(self.named * (1 + growth), self.named + 3)

    def shown(self) -> list[int]:
        """Members, evenly over all."""
        members = sorted(self.members)
        step = max(1.0, len(members) / SHOWN)
        return [members[int(place * step)] for place in range(min(SHOWN, len(members)))]


def cosines(rows: NDArray[Any], groups: Sequence[Group]) -> NDArray[np.float32]:
    """(n, d) unit rows and k groups -> (n, k) cosines with the groups' means."""
    totals = np.array([group.total for group in groups], np.float32)
    found: NDArray[np.float32] = rows @ normalised(totals).T
    return found


def shortlist(groups: Sequence[Group], rows: Vectors, limit: int) -> list[Group]:
    """At most `limit` groups, in their order: first those nearest to one of the rows, then those next to them."""
    if len(groups) <= limit:
        return list(groups)
    table = cosines(rows, groups)
    best = table.max(axis=0)
    best[np.unique(table.argmax(axis=1))] += 2
    return [groups[index] for index in sorted(np.argsort(-best, kind="stable")[:limit].tolist())]


def join_nearest(index: int, text: str, groups: list[Group], vectors: Vectors, threshold: float) -> None:
    """One proposition joins the group whose mean is nearest, or opens one if none is as near as the threshold."""
    if groups:
        table = cosines(vectors[index : index + 1], groups)[0]
        best = int(table.argmax())
        if table[best] >= threshold:
            groups[best].add([index], vectors)
            return
    groups.append(Group(text))
    groups[-1].add([index], vectors)


def by_embedding(propositions: Sequence[str], vectors: Any, threshold: float = 0.3) -> list[Topic]:
    """Propositions in the order of the document and a row for each -> topics, without a language model.

    Each joins the topic whose mean is nearest, or opens one if none has a cosine of `threshold`. A topic's title is
    the member that is nearest to its mean. Returns topics as `Topics` does. Raises `EmbeddingError` as `own_rows` does.

    >>> rows = [[1, 0], [0, 1], [0.9, 0.1]]
    >>> [topic.members for topic in by_embedding(["Tea is hot.", "Ice is cold.", "Tea is brewed."], rows)]
    [(0, 2), (1,)]
    """
    number("threshold", threshold, -1, 1)
    rows = normalised(own_rows(vectors, len(propositions)))
    groups: list[Group] = []
    for index, text in enumerate(propositions):
        join_nearest(index, text, groups, rows, threshold)
    for group in groups:
        table = cosines(rows[group.members], [group])[:, 0]
        group.title = propositions[group.members[int(table.argmax())]]
    return finished(groups)


def finished(groups: Sequence[Group]) -> list[Topic]:
    """Groups as topics, by their first members."""
    topics = [Topic(group.title, group.summary, tuple(sorted(group.members))) for group in groups if group.members]
    return sorted(topics, key=lambda topic: topic.members)
