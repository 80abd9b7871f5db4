"""What ours is measured against: chunks ranked by vectors, by BM25, or by both with equal ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
import tantivy
from tantivy import Filter, Occur, Query, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from caesura.vectors import normalize
from caesura_lab.embedders import Embedder
from caesura_lab.reading import Source
from caesura_lab.retrievers.found import Find, FoundText
from caesura_lab.splitters.methods import Method
from caesura_retrieval.words import language_of

Ranking: TypeAlias = "Callable[[str], Iterator[int]]"
"""A question -> the numbers of chunks, the best first."""

RANK = 60
"""What is added to a rank before it divides 1, as Cormack and others (2009) have it, and LangChain and LlamaIndex."""
FUSED = 100
"""How many of the best by vectors, and by words, equal ranks are given to."""
SAMPLE = 5000
"""How many characters of the texts tell their language."""
HEAP = 15_000_000
"""Bytes that tantivy fills in memory before it writes them, the least that it takes."""
LANGUAGES = {
    "ar": "arabic", "da": "danish", "nl": "dutch", "en": "english", "fi": "finnish", "fr": "french", "de": "german",
    "el": "greek", "hu": "hungarian", "it": "italian", "no": "norwegian", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "es": "spanish", "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip
"""Those that tantivy has stems of."""
NO_STOP_WORDS = frozenset({"ar", "el", "ro", "ta", "tr"})
NO_SPACES = frozenset({"zh", "ja", "ko", "th", "lo", "km", "my"})
"""Languages of which each pair of characters is a word."""


@dataclass(frozen=True, slots=True)
class RankedChunks:
    """Chunks of texts: their own texts, and the file of each. ``find(ranking)`` gives as many as fill a budget."""

    texts: Sequence[str]
    files: Sequence[str]

    @classmethod
    def of(cls, sources: Sequence[Source], method: Method, embedder: Embedder) -> RankedChunks:
        """Texts, and the splitter that cuts them."""
        files = [source.path for source in sources]
        cuttings = method([source.text for source in sources], embedder, files=files)
        chunks = [(chunk, file) for file, cutting in zip(files, cuttings, strict=True) for chunk in cutting.chunks]
        return cls([chunk for chunk, _ in chunks], [file for _, file in chunks])

    def find(self, ranking: Ranking) -> Find:
        """An order of the chunks for a question -> what returns the best of them until a budget is full."""

        def find(question: str, budget: int) -> Iterator[FoundText]:
            for number in ranking(question):
                yield FoundText(self.texts[number], self.files[number])
                budget -= len(self.texts[number])
                if budget <= 0:
                    return

        return find


def rank_by_vectors(chunks: RankedChunks, embedder: Embedder) -> Ranking:
    """All chunks by the cosine of their own and the question's vector."""
    rows = normalize(embedder(list(chunks.texts)))

    def rank(question: str) -> Iterator[int]:
        cosines = rows @ normalize(embedder([question]))[0]
        yield from np.argsort(-cosines, kind="stable").tolist()

    return rank if len(rows) else lambda question: iter(())


def rank_by_words(chunks: RankedChunks) -> Ranking:
    """The chunks that have a word of the question, by BM25 as tantivy has it, with the language's stems and stop words.

    The language is that of most texts. Where it writes no spaces, each pair of characters is a word.
    """
    analyzer = make_analyzer(language_of(_sample(chunks.texts)))
    fields = tantivy.SchemaBuilder()
    fields.add_text_field("text", tokenizer_name="words", index_option="freq")
    fields.add_unsigned_field("number", stored=True)
    schema = fields.build()
    index = tantivy.Index(schema)
    index.register_tokenizer("words", analyzer)
    writer = index.writer(HEAP, 1)
    for number, text in enumerate(chunks.texts):
        document = tantivy.Document(text=text.encode("utf-8", "replace").decode())
        document.add_unsigned("number", number)
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher: Any = index.searcher()

    def rank(question: str) -> Iterator[int]:
        asked = dict.fromkeys(analyzer.analyze(question.encode("utf-8", "replace").decode()))
        clauses = [(Occur.Should, Query.term_query(schema, "text", term)) for term in asked]
        hits = searcher.search(Query.boolean_query(clauses), max(len(chunks.texts), 1)).hits if clauses else []
        for _, address in hits:
            yield int(searcher.doc(address)["number"][0])

    return rank


def rank_equally(rankings: Sequence[Ranking]) -> Ranking:
    """Several orders -> one: a chunk counts 1 / (60 + its rank) in each, the sum decides (reciprocal rank fusion)."""

    def rank(question: str) -> Iterator[int]:
        scores: dict[int, float] = {}
        for ranking in rankings:
            for place, number in enumerate(islice(ranking(question), FUSED), 1):
                scores[number] = scores.get(number, 0.0) + 1 / (RANK + place)
        yield from sorted(scores, key=scores.__getitem__, reverse=True)

    return rank


def make_analyzer(language: str) -> TextAnalyzer:
    """The code of a language -> what makes terms of a text: words without case, their stems, no stop words."""
    if language in NO_SPACES:
        return TextAnalyzerBuilder(Tokenizer.ngram(2, 2, False)).filter(Filter.lowercase()).build()
    made = TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.lowercase())
    if name := LANGUAGES.get(language):
        made = made if language in NO_STOP_WORDS else made.filter(Filter.stopword(name))
        made = made.filter(Filter.stemmer(name))
    return made.build()


def _sample(texts: Sequence[str]) -> str:
    """About `SAMPLE` characters from all over the texts."""
    step = max(1, sum(map(len, texts)) // SAMPLE)
    return "\n".join(texts[::step])[: 2 * SAMPLE]
