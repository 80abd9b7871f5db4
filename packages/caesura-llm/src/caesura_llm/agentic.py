"""Agentic chunking: passages of several documents in, the topics of each out.

It is written once for sync and async hosts, which pass their `Calls`, a function that runs a conversation and one
that embeds.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, chain, pairwise
from typing import Any, TypeAlias, TypeVar

from caesura.background import Background, measure_background
from caesura.sansio import Calls, embed_in_batches
from caesura.text.sentences import sentences
from caesura.types import Segmenter, Vectors
from caesura.vectors import as_rows, unit_rows
from caesura_llm.combined import Combined
from caesura_llm.conversation import Conversation
from caesura_llm.grouping import Topic, by_embedding
from caesura_llm.passages import Passage
from caesura_llm.propositions import PassageResult, Proposition, as_sentences

T = TypeVar("T")
Propose: TypeAlias = Callable[[Iterable[Passage]], Conversation[PassageResult]]
Group: TypeAlias = Callable[[Sequence[Passage], Vectors], Conversation[Topic]]
Converse: TypeAlias = Callable[[Conversation[Any]], Awaitable[list[Any]]]

AT_ONCE = 64
"""Documents whose topics are asked for side by side."""


@dataclass(frozen=True, slots=True)
class DocumentTopics:
    """The propositions and topics of one document. A topic's members are indices of propositions."""

    propositions: tuple[Proposition, ...] = ()
    topics: tuple[Topic, ...] = ()


async def agentic(
    calls: Calls,
    documents: Sequence[Sequence[Passage]],
    converse: Converse,
    embed: Callable[[list[str]], Any],
    propose: Propose | None,
    group: Group | None,
    *,
    background: Background | None = None,
    calibrated: bool = True,
    batch_size: int | None = None,
    threshold: float = 0.3,
    segment: Segmenter = sentences,
    keep_background: Callable[[Background], object] = lambda _: None,
) -> list[DocumentTopics]:
    """Each document's passages -> its topics, one `DocumentTopics` per document.

    converse: awaits all results of a conversation. embed: a function, or an async one where `calls` awaits. propose:
    passages -> a conversation, as `Propositions` is; None: their sentences stand for propositions. group: propositions,
    as passages that say where they stand, and their rows -> a conversation, as `Topics` is; None: by embedding alone.
    background: the embedder's; without one and `calibrated`, it is measured, and given to `keep_background`.
    batch_size: the most texts in a call of `embed`. threshold: as `by_embedding`'s. segment: what sentences are,
    without `propose`.

    Returns topics such that each proposition of a document is in exactly one of its topics.
    """
    passages = [passage for document in documents for passage in document]
    if propose is None:
        results = await calls.compute(as_sentences, passages, segment)
    else:
        results = await converse(await calls.compute(propose, passages))
    waiting = iter(results)
    stated = [_unrepeated(chain.from_iterable(next(waiting).propositions for _ in document)) for document in documents]
    if not any(stated):
        return [DocumentTopics() for _ in documents]
    if background is None and calibrated:
        background = await measure_background(calls, embed, batch_size)
        keep_background(background)
    mean = background.mean if background is not None and calibrated else None
    rows = await embed_in_batches(calls, embed, [one.text for some in stated for one in some], batch_size)
    rows = await calls.compute(as_rows, rows, len(rows))
    grouped: list[DocumentTopics] = []
    taken = 0
    for start in range(0, len(documents), AT_ONCE):
        some = stated[start : start + AT_ONCE]
        texts = [[one.text for one in propositions] for propositions in some]
        ends = [*accumulate(map(len, some), initial=taken)]
        taken = ends[-1]
        parts = [rows[a:b] for a, b in pairwise(ends)]
        vectors = await calls.compute(_apply, partial(unit_rows, background=mean), parts)
        if group is None:
            topics = await calls.compute(_apply, partial(by_embedding, threshold=threshold), texts, vectors)
        else:
            placed = [[_placed(passages[one.passage], one) for one in propositions] for propositions in some]
            conversations = await calls.compute(_apply, group, placed, vectors)
            topics = [[] for _ in some]
            for index, topic in await converse(Combined(conversations)):
                topics[index].append(topic)
        grouped += map(DocumentTopics, some, map(tuple, topics))
    return grouped


def _unrepeated(propositions: Iterable[Proposition]) -> tuple[Proposition, ...]:
    """Leaves out repeated statements about the same sentences, which overlapping passages make."""
    return tuple({(one.text, one.spans): one for one in propositions}.values())


def _placed(passage: Passage, proposition: Proposition) -> Passage:
    """Turns a proposition into a passage that starts where its first sentence does, if that is known."""
    start = None if passage.start is None else proposition.spans[0].start
    return Passage(proposition.text, passage.document_id, start, source=passage.source)


def _apply(function: Callable[..., T], *columns: Sequence[Any]) -> list[T]:
    return [function(*row) for row in zip(*columns, strict=True)]
