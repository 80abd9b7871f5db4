"""Passages for a question: the best of texts that fit a budget, each with its place and why it was found."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np

from caesura import SettingError
from caesura.checks import check_int, check_number
from caesura.types import Chunk, Embed, Sizer
from caesura.vectors import normalize
from caesura_documents.chunk_metadata import ROOM, ChunkMetadata
from caesura_documents.layout import DocumentLayout
from caesura_documents.outline import RULES, HeadingPath, Outline, outline
from caesura_documents.titles import chunk_words, document_words
from caesura_lab.embedders import Embedder
from caesura_lab.embedders import embedder as make_embedder
from caesura_lab.inputs import Texts, collect_sources
from caesura_lab.reading import Source
from caesura_lab.sizing import Sizing, make_sizing
from caesura_lab.splitters.methods import Cutting, make_method
from caesura_retrieval.leaning import lean
from caesura_retrieval.passages import PackedPassage, PassageSpan, pack
from caesura_retrieval.ranking import FETCHED, Evidence, rank
from caesura_retrieval.shortening import shorten_span
from caesura_retrieval.word_index import WordDocument, WordHits, WordIndex, WordText
from caesura_store.sqlite_store import Store

FIELDS = {"text": "", "headings": " in the headings", "title": " in the title"}
"""Where words of a question may stand, and what is said of it."""
ABOVE = ChunkMetadata()
_LINE_END = re.compile("\r\n?|\n")
MERGED = 0.5
"""The share of its chunks from which a whole text takes their place, where it fits."""


@dataclass(frozen=True, slots=True)
class FoundChunk:
    """A chunk that a question led to: its characters in the text, and why it was found. A title is a path."""

    start: int
    end: int
    evidence: Evidence

    def why(self) -> str:
        """The evidence in a line."""
        own = self.evidence
        said = [f"{', '.join(words)}{FIELDS[name]}" for name, words in own.found.items()]
        words = f"words {own.words:.2f} ({'; '.join(said) or 'none'})"
        return f"vectors {own.vectors:.2f}, {words}, document {own.document:.2f}"


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A slice of a text that answers a question, with its place and the chunks that led to it.

    path: of the file, or the name that the text was given with. text: the slice. start, end: characters of the text
    from 0. lines, pages: the first and the last, from 1; pages of a PDF only.
    headings: those above it, the outermost first. score: that of its best chunk, at most 1. chunks: the best first.
    title: of the text, or the name of its file. page_labels: the first and the last page as they are printed, where a
    PDF says so.
    """

    path: str
    text: str
    start: int
    end: int
    lines: tuple[int, int]
    pages: tuple[int, int] | None
    headings: tuple[str, ...]
    score: float
    chunks: tuple[FoundChunk, ...]
    title: str = ""
    page_labels: tuple[str, str] | None = None

    @property
    def place(self) -> str:
        """Its lines or pages in words: pages as they are printed, then as the file counts them where that differs."""
        counted = _range(self.pages or self.lines)
        printed = _range(self.page_labels) if self.page_labels else counted
        said = f"{'page' if self.pages else 'line'}{'s' * ('-' in counted)} {printed}"
        return said if printed == counted else f"{said} ({counted} in the file)"


def _range(ends: tuple[object, object]) -> str:
    return f"{ends[0]}" if ends[0] == ends[1] else f"{ends[0]}-{ends[1]}"


@dataclass(frozen=True, slots=True)
class _IndexedText:
    """A text, its outline and its chunks. layout: what a reader of PDF says of its pages and headings."""

    name: str
    source: Source
    outline: Outline
    layout: DocumentLayout
    chunks: Sequence[Chunk]

    @classmethod
    def of(cls, name: str, source: Source, cutting: Cutting) -> _IndexedText:
        chunks = [Chunk(text, *span) for text, span in zip(cutting.chunks, cutting.spans, strict=True)]
        return cls(name, source, outline(source.text), DocumentLayout.of(source.layout_metadata), chunks)

    @property
    def whole(self) -> PassageSpan:
        """All of the text."""
        return PassageSpan(self.name, 0, len(self.source.text), 0, len(self.chunks) - 1)

    def spans(self) -> dict[str, PassageSpan]:
        """The chunks by key."""
        places = ((at, chunk.start, chunk.end) for at, chunk in enumerate(self.chunks))
        return {f"{self.name} {at}": PassageSpan(self.name, start, end, at, at) for at, start, end in places}

    def words(self) -> WordDocument:
        """What words are searched in."""
        metadata = self.source.metadata
        rows = zip(self.spans(), self.chunks, self.said_above(), strict=True)
        texts = [WordText(key, chunk.text, chunk_words(said, document=metadata)) for key, chunk, said in rows]
        return WordDocument(texts, document_words(metadata))

    def headings_above(self, size: Sizer, most: int | None) -> list[str]:
        """The headings above each chunk, and the header of its table, in lines that measure at most `most`."""
        return [ABOVE.headings_text(row, size, most) for row in self.said_above()]

    def said_above(self) -> list[dict[str, Any]]:
        """What metadata would say of what is above each chunk."""
        tables = [self.outline.table_words(self.source.text, chunk.start, chunk.end) for chunk in self.chunks]
        return [
            {"headings": [*path.titles], "table_header": table.header, "table_title": table.title}
            for path, table in zip(self.paths(self.chunks), tables, strict=True)
        ]

    def paths(self, chunks: Sequence[Chunk]) -> list[HeadingPath]:
        """The headings above each chunk: those that its reader found, else those of the text."""
        text = self.source.text
        if self.layout.has_headings:
            return self.layout.paths(text, chunks)
        return [self.outline.path(text, chunk.start, chunk.end) for chunk in chunks]


class PassageIndex:
    """Texts that are cut and embedded once, and asked as often as one likes; all of it in memory.

    It searches as the retrievers of the plugins do by default: chunks of the double-pass splitter, embedded with the
    headings above them, by vectors and by words.

    texts: files or folders, or texts by their names. embedder: a name, or a function of a list of str.

    Raises `SettingError` for texts or an embedder that are none, `ReadingError` for a file that cannot be read, and
    what the embedder raises.

    >>> index = PassageIndex({"pier": "The ferry leaves at nine.", "kitchen": "Yeast makes bread dough rise."})
    >>> [(passage.path, passage.text) for passage in index.find("When does the ferry leave?", budget=30)]
    [('pier', 'The ferry leaves at nine.')]
    """

    def __init__(self, texts: Texts, *, embedder: str | Embed | Embedder = "static") -> None:
        sources, embedder = collect_sources(texts), make_embedder(embedder)
        method = make_method("double-pass", make_sizing())
        texts_of = [source.text for source in sources]
        most = method.sizing.max_size // ROOM
        rooms = [ABOVE.room(source.text, source.layout_metadata, len, most, RULES) for source in sources]
        self._fill(sources, method(texts_of, embedder, rooms), method.sizing, embedder)

    @classmethod
    def of_cuttings(
        cls, sources: Sequence[Source], cuttings: Sequence[Cutting], sizing: Sizing, embedder: Embedder
    ) -> PassageIndex:
        """Texts that are cut already -> an index of their chunks. sizing: the splitter's.

        Raises what the embedder raises.
        """
        index = cls.__new__(cls)
        index._fill(sources, cuttings, sizing, embedder)
        return index

    def _fill(self, sources: Sequence[Source], cuttings: Sequence[Cutting], sizing: Sizing, embedder: Embedder) -> None:
        pairs = enumerate(zip(sources, cuttings, strict=True))
        texts = [_IndexedText.of(str(at), source, cutting) for at, (source, cutting) in pairs]
        self._embedder, self._words = embedder, WordIndex(Store.in_memory())
        self._words.put({each.name: each.words() for each in texts})
        self._texts = {each.name: each for each in texts}
        self._line_ends = dict[str, Sequence[int]]()
        self._spans = {key: span for each in texts for key, span in each.spans().items()}
        self._keys = list(self._spans)
        above = [each.headings_above(sizing.sizer, sizing.max_size // ROOM) for each in texts]
        said = [
            headings + chunk.text
            for each, own in zip(texts, above, strict=True)
            for headings, chunk in zip(own, each.chunks, strict=True)
        ]
        ends = np.cumsum([len(each.chunks) for each in texts])[:-1]
        rows = [lean(own) for own in np.split(embedder(said), ends) if len(own)]
        self._rows = np.concatenate(rows) if rows else np.zeros((0, 0), np.float32)

    def find(self, question: str, *, budget: int = 4000, words: float = 1.0) -> list[FoundPassage]:
        """A question -> passages that together have at most `budget` characters, the best first.

        words: how much words count: 2 is twice as much as by default, 0 is nothing. Raises `SettingError` for a blank
        question, or settings out of range.
        """
        check_question(question)
        check_int("budget", budget, 1)
        check_number("words", words, 0, inf)
        if not self._spans:
            return []
        near = self._nearest(question)
        found = self._words.search(question, [key for key, _ in near], budget=budget) if words else WordHits()
        documents = {key: self._spans[key].document for key in (*found.scores, *(key for key, _ in near))}
        ranking = rank(near, found.scores, documents, words)
        packed = pack(
            [(key, evidence.score) for key, evidence in ranking.items()],
            self._spans,
            budget,
            shorten=lambda span, room: shorten_span(self._texts[span.document].source.text, span, room, len, question),
            parents=lambda keys: [self._texts[self._spans[key].document].whole for key in keys],
            merge_ratio=MERGED,
        )
        keys = [key for passage in packed for key in passage.found]
        words_of = self._words.explain(question, keys) if words else {}
        chunks = {
            key: FoundChunk(
                self._spans[key].start, self._spans[key].end, replace(ranking[key], found=words_of.get(key, {}))
            )
            for key in keys
        }
        return [self._describe(passage, [chunks[key] for key in passage.found]) for passage in packed]

    def _nearest(self, question: str) -> list[tuple[str, float]]:
        """The keys of the chunks that are nearest by vectors, and their cosines."""
        cosines = self._rows @ normalize(self._embedder([question]))[0]
        best = np.argsort(-cosines, kind="stable")[:FETCHED].tolist()
        return [(self._keys[at], float(cosines[at])) for at in best]

    def _describe(self, passage: PackedPassage, chunks: Sequence[FoundChunk]) -> FoundPassage:
        span = passage.span
        own = self._texts[span.document]
        text = own.source.text
        ends = self._line_ends.get(own.name)
        if ends is None:  # read when it is wanted, but not for every passage
            ends = self._line_ends[own.name] = _line_ends(text)
        chunk = Chunk(text[span.start : span.end], span.start, span.end)
        said = {name: values[0] for name, values in own.layout.pages([chunk]).items()}
        return FoundPassage(
            path=own.source.path,
            text=chunk.text,
            start=span.start,
            end=span.end,
            lines=(1 + bisect_right(ends, span.start), 1 + bisect_right(ends, span.end - 1)),
            pages=said["page_start"] and (said["page_start"], said["page_end"]),
            headings=own.paths([chunk])[0].titles,
            score=passage.score,
            chunks=tuple(chunks),
            title=own.source.title,
            page_labels=said["page_label_start"] and (said["page_label_start"], said["page_label_end"]),
        )


def check_question(question: object) -> None:
    """Raises `SettingError` unless it is a str that is not blank."""
    if not isinstance(question, str) or not question.strip():
        raise SettingError(f"a question must be a str that is not blank, got {question!r:.80}")


def _line_ends(text: str) -> Sequence[int]:
    """A text -> where each of its lines ends, the last one aside; a line ends with LF, CR or both."""
    return [found.end() for found in _LINE_END.finditer(text)]
