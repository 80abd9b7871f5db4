"""Topics by embedding: unit rows in, groups of their indices out. Also the texts of a topic's propositions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.checks import check_number
from caesura.edges import spans as slices
from caesura.text.refine import refine
from caesura.types import Sizer, Span, Vectors
from caesura.vectors import as_rows, normalize
from caesura_llm.propositions import Proposition
from caesura_llm.spans import union


@dataclass(frozen=True, slots=True)
class Topic:
    """A group of propositions. title: a few words. members: their indices, rising. summary: "" where no language model
    has written one."""

    title: str
    summary: str
    members: tuple[int, ...]


def by_embedding(propositions: Sequence[str], vectors: Any, threshold: float = 0.3) -> list[Topic]:
    """Propositions in the order of the document and a row for each -> topics, without a language model.

    Each joins the topic whose mean is nearest, or opens one if none has a cosine of `threshold`. A zero row is similar
    to nothing, and is a topic by itself. A topic's title is the member that is nearest to its mean. Returns topics as
    `Topics` does. Time grows with propositions times topics, those of zero rows aside: 4,000 that have nothing in
    common take 5 s, 8,000 take 18 s.

    Raises `SettingError` for a threshold outside of -1 to 1, `EmbeddingError` if there is not one finite row for each
    proposition.

    >>> rows = [[1, 0], [0, 1], [0.9, 0.1]]
    >>> [topic.members for topic in by_embedding(["Tea is hot.", "Ice is cold.", "Tea is brewed."], rows)]
    [(0, 2), (1,)]
    """
    check_number("threshold", threshold, -1, 1)
    rows = normalize(as_rows(vectors, len(propositions)))
    zero = ~rows.any(axis=1)
    topics: list[TopicBuilder] = []
    for index in np.flatnonzero(~zero).tolist():
        join_nearest_topic(index, propositions[index], topics, rows, threshold)
    for topic in topics:
        table = cosines(rows[topic.members], [topic])[:, 0]
        topic.title = propositions[topic.members[int(table.argmax())]]
    alone = [TopicBuilder(propositions[index], members=[index]) for index in np.flatnonzero(zero).tolist()]
    return finish_topics([*topics, *alone])


@dataclass(slots=True, eq=False)
class TopicBuilder:
    """A topic while it grows. total: the sum of its members' rows. titled_size: how many it had when it got its title.
    merged_into: the one that it turned out to be.
    """

    title: str
    summary: str = ""
    members: list[int] = field(default_factory=list)
    total: NDArray[np.float64] | None = None
    titled_size: int = 0
    merged_into: TopicBuilder | None = None

    def add(self, indices: Sequence[int], vectors: Vectors) -> None:
        """Adds members. The title was made for the first ones."""
        self.titled_size = self.titled_size or len(indices)
        self.members += indices
        rows = vectors[list(indices)].sum(axis=0, dtype=np.float64)
        self.total = rows if self.total is None else self.total + rows

    def mean(self) -> NDArray[np.float32]:
        """The direction of its members' mean: a unit row, (d,)."""
        unit: NDArray[np.float32] = normalize(np.array([self.total], np.float32))[0]
        return unit


def finish_topics(builders: Sequence[TopicBuilder]) -> list[Topic]:
    """Topics that grew -> those that have members, in the order of their first members."""
    topics = [Topic(one.title, one.summary, tuple(sorted(one.members))) for one in builders if one.members]
    return sorted(topics, key=lambda topic: topic.members)


def join_nearest_topic(index: int, text: str, topics: list[TopicBuilder], vectors: Vectors, threshold: float) -> None:
    """Adds a proposition to the nearest topic, or opens a new one if none reaches the threshold."""
    topic = nearest_topic(vectors[index], topics, threshold)
    if topic is None:
        topic = TopicBuilder(text)
        topics.append(topic)
    topic.add([index], vectors)


def nearest_topic(row: NDArray[Any], topics: Sequence[TopicBuilder], threshold: float) -> TopicBuilder | None:
    """The topic whose mean is nearest to a unit row (d,), if their cosine is at least the threshold."""
    if not topics:
        return None
    table = cosines(row[None], topics)[0]
    best = int(table.argmax())
    return topics[best] if table[best] >= threshold else None


def shortlist(topics: Sequence[TopicBuilder], rows: Vectors, limit: int) -> list[TopicBuilder]:
    """At most `limit` topics, in their order: first those nearest to one of the rows, then those next to them."""
    if len(topics) <= limit:
        return list(topics)
    table = cosines(rows, topics)
    best = table.max(axis=0)
    best[np.unique(table.argmax(axis=1))] += 2
    return [topics[index] for index in sorted(np.argsort(-best, kind="stable")[:limit].tolist())]


def cosines(rows: NDArray[Any], topics: Sequence[TopicBuilder]) -> NDArray[np.float32]:
    """(n, d) unit rows and k topics -> (n, k) cosines with the topics' means."""
    totals = np.array([topic.total for topic in topics], np.float32)
    table: NDArray[np.float32] = rows @ normalize(totals).T
    return table


# -- texts of a topic --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Section:
    """Propositions of one topic, in their order, as one text.

    spans: what they rest on, in the document, rising, without gaps or overlaps between them. is_fallback: whether one
    of them stands in for what failed.
    """

    text: str
    spans: tuple[Span, ...]
    is_fallback: bool = False


def topic_sections(
    topic: Topic, propositions: Sequence[Proposition], size: Sizer, max_size: int | None
) -> list[Section]:
    """A topic, and the propositions that its members are indices of -> its texts.

    Returns sections such that each measures at most `max_size` (None: any size, one section), in the topic's order;
    a proposition that is larger by itself is cut where `refine` cuts.
    """
    result: list[Section] = []
    run: list[Proposition] = []

    def close() -> None:
        if run:
            places = union(span for one in run for span in one.spans)
            result.append(Section(_join(run), places, any(one.is_fallback for one in run)))
            run.clear()

    for member in topic.members:
        proposition = propositions[member]
        if run and max_size is not None and size(_join([*run, proposition])) > max_size:
            close()
        if max_size is not None and size(proposition.text) > max_size:
            close()
            edges = refine(proposition.text, np.array([0, len(proposition.text)]), size, max_size)
            pieces = (proposition.text[a:b].strip() for a, b in slices(edges))
            result += [Section(piece, proposition.spans, proposition.is_fallback) for piece in pieces if piece]
            continue
        run.append(proposition)
    close()
    return result


def _join(propositions: Iterable[Proposition]) -> str:
    return " ".join(one.text for one in propositions)
