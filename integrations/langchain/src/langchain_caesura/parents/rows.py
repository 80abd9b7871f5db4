"""Rows of small texts that are about to be written: embedded after their headings, alone or with their document's
others, with a share of their context's row, and leaned toward what stands around them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from langchain_core.documents import Document
from numpy.typing import NDArray

from caesura.errors import EmbeddingError
from caesura.sansio import Calls
from caesura.vectors import stack_rows
from caesura_retrieval.document_embedders import DocumentEmbedder, chunk_runs, embed_together, share_contexts
from caesura_retrieval.passages import lean
from caesura_retrieval.upkeep import batches
from caesura_retrieval.word_index import AROUND
from langchain_caesura.embeddings import ChunkEmbeddings
from langchain_caesura.parents.records import Family


@dataclass(frozen=True, slots=True, eq=False)
class _Line:
    """What is embedded of the children of a text, in order, or of a view alone. name, context: their document's."""

    name: str
    texts: list[str]
    context: str = ""


@dataclass(frozen=True, slots=True)
class _Span:
    """A row's line, from where to where it leans there, and its number."""

    line: _Line
    low: int
    high: int
    at: int


@dataclass(slots=True)
class RowEmbedder:
    """Embeds the rows that are about to be written, and of their neighbours those that it needs.

    Where the model embeds documents' chunks together, these are all of a run, see `DocumentEmbedder`, and a view is a
    document by itself. share: how far a row leans, see `caesura_retrieval.passages.lean`. batch_size: texts in one call
    of other models.
    """

    calls: Calls
    embeddings: ChunkEmbeddings
    share: float
    batch_size: int
    _lines: dict[str, tuple[_Line, int]] = field(default_factory=dict)
    """The id of each child -> its line, and its number there."""
    _own: dict[Any, NDArray[np.float32]] = field(default_factory=dict)
    """Rows as they were embedded, of the last batch, by text, or by line and number: the next one begins beside it."""
    _contexts: dict[str, NDArray[np.float32]] = field(default_factory=dict)
    """The rows of contexts, each of which is embedded once."""

    def learn(self, families: Iterable[Family]) -> None:
        """Takes in what stands around the children of some texts."""
        for family in families:
            for piece in family.pieces:
                rows = piece.rows[: len(piece.part.starts)]
                above = piece.above or [""] * len(rows)
                texts = [headings + row.page_content for headings, row in zip(above, rows, strict=True)]
                line = _Line(family.name, texts, piece.context)
                self._lines.update((str(row.id), (line, number)) for number, row in enumerate(rows))

    async def rows(self, batch: Sequence[Document]) -> dict[str, list[list[float]]]:
        """Rows to be written -> the vectors of each text, in the order of those that have it."""
        spans = [self._span(row) for row in batch]
        contexts = dict.fromkeys(span.line.context for span in spans)
        missing = [context for context in contexts if context and context not in self._contexts]
        if (model := self.embeddings.together) is not None:
            await self._embed_runs(model, spans)
            found = await self._embed(missing)
        else:
            found = await self._embed_texts(spans, missing)
        self._contexts.update((context, found[context]) for context in missing)
        return await self.calls.compute(self._leaned, batch, spans)

    async def _embed(self, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        rows: dict[str, NDArray[np.float32]] = {}
        for some in batches(texts, self.batch_size):
            embedded = await self.calls.call(self.embeddings.embed_documents, self.embeddings.aembed_documents, some)
            found = await self.calls.compute(stack_rows, embedded, len(some))
            finite = np.isfinite(found).all(axis=1)
            if not finite.all():
                raise EmbeddingError(
                    f"embed_documents() must return finite numbers: it does not for {some[int(finite.argmin())]!r:.80}"
                )
            rows.update(zip(some, found, strict=True))
        return rows

    async def _embed_texts(self, spans: Sequence[_Span], more: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """Returns the rows of what the spans need and of some texts more, in as few calls."""
        texts = dict.fromkeys(text for span in spans for text in span.line.texts[span.low : span.high])
        known = {text: self._own[text] for text in texts if text in self._own}
        known.update(await self._embed([text for text in dict.fromkeys([*texts, *more]) if text not in known]))
        self._own = known
        return known

    async def _embed_runs(self, model: DocumentEmbedder, spans: Sequence[_Span]) -> None:
        runs = await self.calls.compute(_needed_runs, model, spans)
        known = {key: self._own[key] for own in runs for key in own if key in self._own}
        missing = [own for own in runs if own[0] not in known]
        texts = [[line.texts[number] for line, number in own] for own in missing]
        rows = await embed_together(self.calls, model, texts, [own[0][0].name for own in missing])
        for own, made in zip(missing, rows, strict=True):
            known.update(zip(own, made, strict=True))
        self._own = known

    def _span(self, row: Document) -> _Span:
        """A view stands alone."""
        line, at = self._lines.get(str(row.id), (_Line("", [row.page_content]), 0))
        around = AROUND if self.share else 0
        return _Span(line, max(at - around, 0), min(at + around + 1, len(line.texts)), at)

    def _leaned(self, batch: Sequence[Document], spans: Sequence[_Span]) -> dict[str, list[list[float]]]:
        prepared: dict[str, list[list[float]]] = {}
        alone = self.embeddings.together is None
        begun = 0
        while begun < len(batch):  # neighbours that are written together are leaned together
            line, low, high = spans[begun].line, spans[begun].low, spans[begun].high
            end = begun + 1
            while (
                end < len(batch)
                and spans[end].line is line
                and spans[end].low <= high
                and spans[end].at >= spans[end - 1].at
            ):
                high = max(high, spans[end].high)
                end += 1
            rows = np.stack([self._own[line.texts[at] if alone else (line, at)] for at in range(low, high)])
            rows = share_contexts(rows, self._contexts[line.context]) if line.context else rows
            rows = lean(rows, self.share) if self.share else rows
            for row, span in zip(batch[begun:end], spans[begun:end], strict=True):
                prepared.setdefault(row.page_content, []).append(rows[span.at - low].tolist())
            begun = end
        return prepared


def _needed_runs(model: DocumentEmbedder, spans: Sequence[_Span]) -> list[list[tuple[_Line, int]]]:
    """Spans -> the runs that have what they lean to, in order, each as lines and numbers."""
    wanted: dict[_Line, set[int]] = {}
    for span in spans:
        wanted.setdefault(span.line, set()).update(range(span.low, span.high))
    runs: list[list[tuple[_Line, int]]] = []
    for line, numbers in wanted.items():
        edges = accumulate(map(len, chunk_runs(model, line.texts)), initial=0)
        for start, end in pairwise(edges):
            if not numbers.isdisjoint(range(start, end)):
                runs.append([(line, number) for number in range(start, end)])
    return runs
