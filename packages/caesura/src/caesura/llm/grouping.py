"""Unit rows in, groups of their indices out: the part of topics that needs no language model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from caesura.errors import number, whole
from caesura.llm.growing_topics import Group, cosines, join_nearest
from caesura.vectors import normalised, own_rows


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
