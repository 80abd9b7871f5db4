"""Passages of several documents in, the topics of each out: what an agentic splitter does between its host's calls.

A generator that asks its host: it yields a conversation and is sent the results, or yields texts and is sent a row for
each. Sync and async hosts differ in how they answer.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias, TypeVar

from caesura.background import TEXTS, Background
from caesura.sansio import requests
from caesura.text.sentences import sentences
from caesura.types import Segmenter, Vectors
from caesura.vectors import as_rows, unit_rows
from caesura_llm.conversation import Conversation, Together
from caesura_llm.grouping import Topic, by_embedding
from caesura_llm.passages import Passage
from caesura_llm.propositions import Extracted, Proposition, as_sentences

T = TypeVar("T")
Asking: TypeAlias = Generator["Conversation[Any] | list[str]", Any, T]
Propose: TypeAlias = Callable[[Iterable[Passage]], Conversation[Extracted]]
Group: TypeAlias = Callable[[Sequence[str], Vectors, str], Conversation[Topic]]

AT_ONCE = 64
"""Documents whose topics are asked for side by side."""


@dataclass(frozen=True, slots=True)
class Grouped:
    """What came of one document. A topic's members are indices of propositions."""

    propositions: tuple[Proposition, ...] = ()
    topics: tuple[Topic, ...] = ()


def agentic(
    documents: Sequence[Sequence[Passage]],
    propose: Propose | None,
    group: Group | None,
    *,
    background: Background | None = None,
    calibrated: bool = True,
    batch_size: int | None = None,
    threshold: float = 0.3,
    segment: Segmenter = sentences,
    learnt: Callable[[Background], object] = lambda _: None,
) -> Asking[list[Grouped]]:
    """Each document's passages -> its topics, one `Grouped` per document.

    propose: passages -> a conversation, as `Propositions` is; None: their sentences stand for propositions. group:
    texts, their rows and the document's id -> a conversation, as `Topics` is; None: by embedding alone. background: the
    embedder's; without one and `calibrated`, it is asked for, and `learnt` is told. batch_size: the most texts that it
    is asked to embed at once. threshold: as `by_embedding`'s. segment: what sentences are, without `propose`.

    Returns topics such that each proposition of a document is in exactly one of its topics.
    """
    passages = [passage for document in documents for passage in document]
    extracted: list[Extracted] = as_sentences(passages, segment) if propose is None else (yield propose(passages))
    waiting = iter(extracted)
    stated = [_once(chain.from_iterable(next(waiting).propositions for _ in document)) for document in documents]
    if not any(stated):
        return [Grouped() for _ in documents]
    if background is None and calibrated:
        background = Background.of((yield from requests(TEXTS, batch_size)))
        learnt(background)
    rows = yield from requests([one.text for some in stated for one in some], batch_size)
    rows = as_rows(rows, len(rows))
    mean = background.mean if background is not None and calibrated else None
    made: list[Grouped] = []
    done = 0
    for start in range(0, len(documents), AT_ONCE):
        texts: list[list[str]] = []
        vectors: list[Vectors] = []
        some = stated[start : start + AT_ONCE]
        for propositions in some:
            texts.append([one.text for one in propositions])
            vectors.append(unit_rows(rows[done : done + len(propositions)], mean))
            done += len(propositions)
        if group is None:
            topics = [by_embedding(*pair, threshold) for pair in zip(texts, vectors, strict=True)]
        else:
            ids = [propositions[0].document_id if propositions else "" for propositions in some]
            topics = [[] for _ in some]
            for index, topic in (yield Together([group(*one) for one in zip(texts, vectors, ids, strict=True)])):
                topics[index].append(topic)
        made += [Grouped(*pair) for pair in zip(some, map(tuple, topics), strict=True)]
    return made


def _once(propositions: Iterable[Proposition]) -> tuple[Proposition, ...]:
    """Each statement about the same sentences once: passages that overlap say it twice."""
    return tuple({(one.text, one.spans): one for one in propositions}.values())
