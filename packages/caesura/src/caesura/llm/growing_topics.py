"""Topics while they grow: unit rows of propositions in, the groups that they join out. No language model is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.types import Vectors
from caesura.vectors import normalised


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

    def mean(self) -> NDArray[np.float32]:
        """The direction of its members' mean: a unit row, (d,)."""
        unit: NDArray[np.float32] = normalised(np.array([self.total], np.float32))[0]
        return unit


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


def nearest(row: NDArray[Any], groups: Sequence[Group], threshold: float) -> Group | None:
    """The group whose mean is nearest to a unit row (d,), if their cosine is at least the threshold."""
    if not groups:
        return None
    table = cosines(row[None], groups)[0]
    best = int(table.argmax())
    return groups[best] if table[best] >= threshold else None


def join_nearest(index: int, text: str, groups: list[Group], vectors: Vectors, threshold: float) -> None:
    """One proposition joins the group that is nearest, or opens one if none is as near as the threshold."""
    group = nearest(vectors[index], groups, threshold)
    if group is None:
        group = Group(text)
        groups.append(group)
    group.add([index], vectors)
