"""Passages for a question: the best of texts that fit a budget, each with its place and why it was found."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from caesura import SettingError
from caesura.checks import check_int, check_number
from caesura.types import Chunk, Embed, Sizer
from caesura.vectors import normalize
from caesura_documents.chunk_metadata import ROOM, ChunkMetadata
from caesura_documents.outline import Outline, outline
from caesura_lab.embedders import Embedder
from caesura_lab.embedders import embedder as make_embedder
from caesura_lab.inputs import Texts, collect_sources
from caesura_lab.reading import STDIN, Source
from caesura_lab.sizing import Sizing, make_sizing
from caesura_lab.splitters.methods import Cutting, make_method
from caesura_retrieval.leaning import lean
from caesura_retrieval.passages import PackedPassage, PassageSpan, pack
from caesura_retrieval.ranking import FETCHED, Evidence, rank
from caesura_retrieval.shortening import shorten_span
from caesura_retrieval.word_index import (
    MOST_ASKED,
    WordDocument,
    WordHits,
    WordIndex,
    WordText,
    group_texts,
    terms,
)
from caesura_retrieval.words import language_of, matching_words
from caesura_store.sqlite_store import Store

FIELDS = {"text": "", "headings": " in the headings", "title": " in the title", "around": " around it"}
"""Where words of a question may stand, and what is said of it."""
MERGED = 0.5
"""The share of its chunks from which a whole text takes their place, where it fits."""


@dataclass(frozen=True, slots=True)
class FoundChunk:
    """A chunk that a question led to: its characters in the text, and why it was found.

    matching_words: which of the question's words stand in its text, in the headings and the table's header above it,
    in the title, which is the text's path, and which only around it.
    """

    start: int
    end: int
    evidence: Evidence
    matching_words: dict[str, tuple[str, ...]]

    def why(self) -> str:
        """All that in a line."""
        own = self.evidence
        said = [f"{', '.join(words)}{FIELDS[name]}" for name, words in self.matching_words.items()]
        words = f"words {own.words:.2f} ({'; '.join(said) or 'none'})"
        return f"vectors {own.vectors:.2f}, {words}, document {own.document:.2f}"


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A slice of a text that answers a question, with its place and the chunks that led to it.

    start, end: characters of the text from 0. lines, pages: the first and the last, from 1; pages of a PDF only.
    headings: those above it, the outermost first. score: that of its best chunk, at most 1. chunks: the best first.
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


@dataclass(frozen=True, slots=True)
class _IndexedText:
    """A text, its outline and language, its chunks, and what its words are searched in."""

    source: Source
    outline: Outline
    language: str
    spans: Sequence[PassageSpan]
    document: WordDocument
    blocks: Sequence[Sequence[WordText]]
    """The block that each chunk lies in, see `WordIndex`."""

    @classmethod
    def of(cls, name: str, source: Source, cutting: Cutting) -> _IndexedText:
        found = outline(source.text)
        chunks = [Chunk(text, *span) for text, span in zip(cutting.chunks, cutting.spans, strict=True)]
        above = _headings_above(found, source.text, chunks)
        texts = [
            WordText(f"{name} {at}", chunk.text, headings)
            for at, (chunk, headings) in enumerate(zip(chunks, above, strict=True))
        ]
        spans = [PassageSpan(name, chunk.start, chunk.end, at, at) for at, chunk in enumerate(chunks)]
        title = "" if source.path == STDIN else source.path
        blocks = [block for block in group_texts(texts) for _ in block]
        return cls(source, found, language_of(source.text), spans, WordDocument(texts, title), blocks)

    def whole(self) -> PassageSpan:
        """From the first chunk to the end of the last."""
        first, last = self.spans[0], self.spans[-1]
        return PassageSpan(first.document, first.start, last.end, 0, last.last)

    def embedded(self, sizing: Sizing) -> list[str]:
        """What is embedded of each chunk: the headings and the table's header above it, as far as they fit, and it."""
        texts = [each.text for each in self.document.texts]
        chunks = [Chunk(text, span.start, span.end) for text, span in zip(texts, self.spans, strict=True)]
        most = sizing.size // ROOM if isinstance(sizing.size, int) else None
        above = _headings_above(self.outline, self.source.text, chunks, sizing.sizer, most)
        return [headings + text for headings, text in zip(above, texts, strict=True)]

    def matching_words(self, question: str, at: int) -> dict[str, tuple[str, ...]]:
        """The words of a question in each field of a chunk that has any. around: what only its neighbours have."""
        own = self.document.texts[at]
        fields = {
            "text": own.text,
            "headings": own.headings,
            "title": self.document.title,
            "around": "\n".join(each.text for each in self.blocks[at]),
        }
        found = {name: matching_words(question, text, [self.language]) for name, text in fields.items()}
        found["around"] = tuple(word for word in found["around"] if word not in found["text"])
        return {name: words for name, words in found.items() if words}


class PassageIndex:
    """Texts that are cut and embedded once, and asked as often as one likes; all of it in memory.

    It searches as the retrievers of the plugins do by default: chunks of the double-pass splitter, embedded with the
    headings above them, by vectors and by words.

    >>> index = PassageIndex({"pier": "The ferry leaves at nine.", "kitchen": "Yeast makes bread dough rise."})
    >>> [(passage.path, passage.text) for passage in index.find("When does the ferry leave?", budget=30)]
    [('pier', 'The ferry leaves at nine.')]
    """

    def __init__(self, texts: Texts, *, embedder: str | Embed | Embedder = "static") -> None:
        """Raises `SettingError`, `ReadingError`, and what the embedder raises."""
        sources, embedder = collect_sources(texts), make_embedder(embedder)
        method = make_method("double-pass", make_sizing())
        cuttings = method([source.text for source in sources], embedder)
        self._fill(sources, cuttings, method.sizing, embedder)

    @classmethod
    def of_cuttings(
        cls, sources: Sequence[Source], cuttings: Sequence[Cutting], sizing: Sizing, embedder: Embedder
    ) -> PassageIndex:
        """Texts that are cut already -> an index of their chunks. sizing: the splitter's."""
        index = cls.__new__(cls)
        index._fill(sources, cuttings, sizing, embedder)
        return index

    def _fill(self, sources: Sequence[Source], cuttings: Sequence[Cutting], sizing: Sizing, embedder: Embedder) -> None:
        given = zip(sources, cuttings, strict=True)
        self._embedder, self._words = embedder, WordIndex(Store.in_memory())
        self._texts = {str(at): _IndexedText.of(str(at), *each) for at, each in enumerate(given)}
        self._words.put({name: each.document for name, each in self._texts.items()})
        held = [each for each in self._texts.values() if each.spans]
        self._spans = {
            text.key: span for each in held for text, span in zip(each.document.texts, each.spans, strict=True)
        }
        self._keys = list(self._spans)
        said = [each.embedded(sizing) for each in held]
        ends = np.cumsum([len(own) for own in said])[:-1]
        rows = np.split(embedder([text for own in said for text in own]), ends) if held else []
        self._rows = np.concatenate([lean(own) for own in rows]) if held else np.zeros((0, 0), np.float32)

    def find(self, question: str, *, budget: int = 4000, words: float = 1.0) -> list[FoundPassage]:
        """A question -> passages that together have at most `budget` characters, the best first.

        words: scales what the words of the question count beside its vector; 0: nothing. Raises `SettingError` for a
        blank question, or settings out of range.
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
        asked = terms(question, MOST_ASKED)
        packed = pack(
            [(key, evidence.score) for key, evidence in ranking.items()],
            self._spans,
            budget,
            shorten=lambda span, room: shorten_span(self._texts[span.document].source.text, span, room, len, asked),
            parents=lambda key: [self._texts[self._spans[key].document].whole()],
            merge_ratio=MERGED,
        )
        return [self._describe(question, passage, ranking) for passage in packed]

    def _nearest(self, question: str) -> list[tuple[str, float]]:
        """The keys of the chunks that are nearest by vectors, and their cosines."""
        cosines = self._rows @ normalize(self._embedder([question]))[0]
        best = np.argsort(-cosines, kind="stable")[:FETCHED].tolist()
        return [(self._keys[at], float(cosines[at])) for at in best]

    def _describe(self, question: str, passage: PackedPassage, ranking: Mapping[str, Evidence]) -> FoundPassage:
        span = passage.span
        own = self._texts[span.document]
        text, pages = own.source.text, own.source.pages
        chunks = [(self._spans[key], ranking[key]) for key in passage.found]
        return FoundPassage(
            path=own.source.path,
            text=text[span.start : span.end],
            start=span.start,
            end=span.end,
            lines=(_line(text, span.start), _line(text, span.end - 1)),
            pages=(bisect_right(pages, span.start), bisect_left(pages, span.end)) if pages else None,
            headings=own.outline.path(text, span.start, span.end).titles,
            score=passage.score,
            chunks=tuple(
                FoundChunk(chunk.start, chunk.end, evidence, own.matching_words(question, chunk.first))
                for chunk, evidence in chunks
            ),
        )


def check_question(question: object) -> None:
    """Raises `SettingError` unless it is a str that is not blank."""
    if not isinstance(question, str) or not question.strip():
        raise SettingError(f"a question must be a str that is not blank, got {question!r:.80}")


def _headings_above(
    found: Outline, text: str, chunks: Sequence[Chunk], size: Sizer = len, most: int | None = None
) -> list[str]:
    """The headings above each chunk of a text, and the header of its table, in lines that measure at most `most`."""
    said = zip(*found.above_chunks(text, chunks), strict=True)
    rows = [{"headings": path.titles, "table_header": header} for path, header in said]
    return [ChunkMetadata().headings_text(row, size, most) for row in rows]


def _line(text: str, place: int) -> int:
    """The number of the line that a place is in, from 1; a line ends with LF, CR or both."""
    return 1 + text.count("\n", 0, place) + text.count("\r", 0, place) - text.count("\r\n", 0, place)
