"""Plan of rows: which small texts an edit embeds, and the vector that the store is given for each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import EmbeddingError
from caesura.sansio import Calls
from caesura.vectors import as_rows
from caesura_retrieval.document_embedders import DocumentEmbedder, chunk_runs, embed_together, run_keys
from caesura_retrieval.leaning import AROUND, lean, share_contexts


@dataclass(frozen=True, slots=True, eq=False)
class RowLine:
    """Small texts of one document in its order, whose rows lean toward each other.

    name: what errors call the document. texts: what is embedded of each. contexts: the context that each row has a
    share of, "" for none. share: how far a row leans toward those around it, see `lean`; 0: not at all. rows: the
    embeddings that are known already, by number.
    """

    name: str
    texts: Sequence[str]
    contexts: Sequence[str]
    share: float = 0.0
    rows: Mapping[int, Sequence[float]] = field(default_factory=dict)

    @property
    def reach(self) -> int:
        """How many neighbours on either side a row leans toward."""
        return AROUND if self.share else 0


def sign_rows(line: RowLine, contents: Sequence[str], model: DocumentEmbedder | None) -> list[str]:
    """Returns for each row of a line a string that changes with anything that its vector is made of.

    contents: what tells each text and its headings from others. model: what embeds the line's texts together, if
    anything does.
    """
    if model is not None:
        contents = [content + key for content, key in zip(contents, run_keys(model, line.texts), strict=True)]
    pairs = zip(contents, line.contexts, strict=True)
    contents = [f"{content}\0{context}" if context else content for content, context in pairs]
    windows = ("".join(contents[max(at - line.reach, 0) : at + line.reach + 1]) for at in range(len(contents)))
    return [sha256(f"{line.share} {window}".encode("utf-8", "surrogatepass")).hexdigest() for window in windows]


_Key: TypeAlias = tuple[RowLine, int]
"""A line, and the number of a row there."""


class _Stretch(NamedTuple):
    """Rows of a line that are wanted, in a range that also holds those that they lean toward."""

    line: RowLine
    range: range
    numbers: list[int]


@dataclass(slots=True)
class RowEmbedder:
    """Embeds the rows that are written, and of their neighbours those that they lean toward.

    embed: texts -> one row for each. model: what embeds the texts of a line together; None: `embed` does, each by
    itself. The embeddings of the last call are kept, since the next batch begins beside it, and those of all contexts.
    """

    calls: Calls
    embed: Callable[[list[str]], Awaitable[Sequence[Any] | NDArray[Any]]]
    model: DocumentEmbedder | None = None
    _rows: dict[Any, Any] = field(default_factory=dict)
    _contexts: dict[str, Any] = field(default_factory=dict)

    async def vectors(self, wanted: Sequence[tuple[RowLine, Sequence[int]]]) -> list[list[list[float]]]:
        """Returns the vectors of some rows of each line. They are given by their numbers, which rise.

        Raises `EmbeddingError` where there is not one row for each text, or rows that lean differ in length.
        """
        stretches, new, runs, known = await self.calls.compute(self._plan, wanted)
        if self.model is None:
            known.update(await self._embed([text for text in dict.fromkeys([*runs[0], *new]) if text not in known]))
            for context in new:
                self._contexts[context] = known[context]
        else:
            known.update(await self._embed_runs(self.model, [run for run in runs if not known.keys() >= {*run}]))
            self._contexts.update(await self._embed(new))
        self._rows = known
        return await self.calls.compute(self._lean, wanted, stretches)

    def _plan(
        self, wanted: Sequence[tuple[RowLine, Sequence[int]]]
    ) -> tuple[list[_Stretch], list[str], list[list[Any]], dict[Any, Any]]:
        """Returns the stretches that are wanted, the contexts in them that were not embedded before, the keys of what
        is embedded together, or of all in one run, and the embeddings that need not be made."""
        stretches = [stretch for line, numbers in wanted for stretch in _stretches(line, numbers)]
        contexts = {line.contexts[at] for line, span, _ in stretches for at in span if at not in line.rows}
        new = sorted(contexts - self._contexts.keys() - {""})
        if self.model is None:
            runs = [[self._key(line, at) for line, span, _ in stretches for at in span]]
        else:
            runs = _needed_runs(self.model, stretches)
        return stretches, new, runs, self._known(stretches, [key for run in runs for key in run])

    def _key(self, line: RowLine, at: int) -> Any:
        """What a row's embedding is kept under."""
        return line.texts[at] if self.model is None and at not in line.rows else (line, at)

    def _known(self, stretches: Sequence[_Stretch], keys: Sequence[Any]) -> dict[Any, Any]:
        """Returns the embeddings that need not be made: those of the last call, and those that the lines have."""
        known = {key: self._rows[key] for key in keys if key in self._rows}
        known.update(((line, at), row) for line, *_ in stretches for at, row in line.rows.items())
        return known

    async def _embed(self, texts: list[str]) -> dict[Any, Any]:
        rows = await self.embed(texts) if texts else ()
        if len(rows) != len(texts):
            raise EmbeddingError(f"embed() must return one row per text: expected {len(texts)} rows, got {len(rows)}")
        return dict(zip(texts, rows, strict=True))

    async def _embed_runs(self, model: DocumentEmbedder, runs: Sequence[Sequence[_Key]]) -> dict[Any, Any]:
        texts = [[line.texts[at] for line, at in run] for run in runs]
        rows = await embed_together(self.calls, model, texts, [run[0][0].name for run in runs])
        return {key: row for run, own in zip(runs, rows, strict=True) for key, row in zip(run, own, strict=True)}

    def _lean(
        self, wanted: Sequence[tuple[RowLine, Sequence[int]]], stretches: Sequence[_Stretch]
    ) -> list[list[list[float]]]:
        """Adds to each row the shares of its context and of its neighbours."""
        vectors: dict[RowLine, dict[int, list[float]]] = {line: {} for line, _ in wanted}
        for line, span, numbers in stretches:
            rows = [self._rows[self._key(line, at)] for at in span]
            with_context = [at for at in span if line.contexts[at] and at not in line.rows]
            if with_context:
                own = as_rows([rows[at - span.start] for at in with_context], len(with_context))
                contexts = as_rows([self._contexts[line.contexts[at]] for at in with_context], len(with_context))
                for at, row in zip(with_context, share_contexts(own, contexts), strict=True):
                    rows[at - span.start] = row
            if line.share:
                rows = [*lean(as_rows(rows, len(rows)), line.share)]
            vectors[line].update((at, np.asarray(rows[at - span.start]).tolist()) for at in numbers)
        return [[*map(vectors[line].__getitem__, numbers)] for line, numbers in wanted]


def _stretches(line: RowLine, numbers: Sequence[int]) -> list[_Stretch]:
    """Joins the numbers whose neighbours meet: rows that are written together are leaned together."""
    stretches: list[_Stretch] = []
    for at in numbers:
        start, stop = max(at - line.reach, 0), min(at + line.reach + 1, len(line.texts))
        if stretches and start <= stretches[-1].range.stop:
            before = stretches[-1]
            before.numbers.append(at)
            stretches[-1] = before._replace(range=range(before.range.start, stop))
        else:
            stretches.append(_Stretch(line, range(start, stop), [at]))
    return stretches


def _needed_runs(model: DocumentEmbedder, stretches: Sequence[_Stretch]) -> list[list[_Key]]:
    """Returns the runs that hold a row of the stretches, in their order."""
    needed: dict[RowLine, set[int]] = {}
    for line, span, _ in stretches:
        needed.setdefault(line, set()).update(span)
    return [
        [(line, at) for at in range(start, end)]
        for line, numbers in needed.items()
        for start, end in pairwise(accumulate(map(len, chunk_runs(model, line.texts)), initial=0))
        if not numbers.isdisjoint(range(start, end))
    ]
