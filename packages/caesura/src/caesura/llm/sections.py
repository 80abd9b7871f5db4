"""A topic's propositions in, texts of a size with their places out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from caesura.edges import spans as slices
from caesura.llm.grouping import Topic
from caesura.llm.propositions import Proposition
from caesura.llm.spans import union
from caesura.text.refine import refine
from caesura.types import Sizer, Span


@dataclass(frozen=True, slots=True)
class Section:
    """Propositions of one topic, in their order, as one text.

    spans: what they rest on, in the document, rising, without gaps or overlaps between them. kept: whether one of them
    stands in for what failed.
    """

    text: str
    spans: tuple[Span, ...]
    kept: bool = False


def sections(topic: Topic, propositions: Sequence[Proposition], size: Sizer, max_size: int | None) -> list[Section]:
    """A topic, and the propositions that its members are indices of -> its texts.

    Returns sections such that each measures at most `max_size` (None: any size, one section), in the topic's order;
    a proposition that is larger by itself is cut where `refine` cuts.
    """
    made: list[Section] = []
    run: list[Proposition] = []

    def close() -> None:
        if run:
            made.append(
                Section(_text(run), union(span for one in run for span in one.spans), any(one.kept for one in run))
            )
            run.clear()

    for member in topic.members:
        one = propositions[member]
        if run and max_size is not None and size(_text([*run, one])) > max_size:
            close()
        if max_size is not None and size(one.text) > max_size:
            close()
            edges = refine(one.text, np.array([0, len(one.text)]), size, max_size)
            pieces = (one.text[a:b].strip() for a, b in slices(edges))
            made += [Section(piece, one.spans, one.kept) for piece in pieces if piece]
            continue
        run.append(one)
    close()
    return made


def _text(propositions: Iterable[Proposition]) -> str:
    return " ".join(one.text for one in propositions)
