"""The baselines: chunks until a budget is full, by vectors, by BM25 that another library agrees with, and by both."""

from __future__ import annotations

import numpy as np
import pytest

from caesura_lab.embedders import Embedder, embedder
from caesura_lab.reading import Source
from caesura_lab.retrievers.baselines import RankedChunks, make_analyzer, rank_by_vectors, rank_by_words, rank_equally
from caesura_lab.retrievers.named import make_chunking

TEXTS = [
    "The ferries leave at nine.",
    "Yeast makes bread dough rise.",
    "The night ferry has no bread on board, but tea.",
    "At high tide the sea covers the beach.",
]
CHUNKS = RankedChunks(TEXTS, ["pier.md", "kitchen.md", "pier.md", "beach.md"])


def test_by_words_stands_what_has_the_rarest_words_of_the_question() -> None:
    rank = rank_by_words(CHUNKS)
    assert next(rank("When is the tide high?")) == 3
    assert list(rank("Which ferry has bread?")) == [2, 0, 1]  # both words; then one, in the shorter text first
    assert list(rank("zebra")) == list(rank("?!")) == list(rank("the")) == []


def test_another_library_ranks_by_bm25_alike() -> None:
    bm25s, stems = pytest.importorskip("bm25s"), pytest.importorskip("Stemmer")
    random = np.random.default_rng(1)
    words = [f"{letter}{other}q" for letter in "bcdfgklmnp" for other in "aeiou"]
    texts = [" ".join(random.choice(words[:40], size=int(random.integers(5, 40)))) for _ in range(60)]
    settings = {"stopwords": "en", "stemmer": stems.Stemmer("english"), "show_progress": False}
    theirs = bm25s.BM25(k1=1.2, b=0.75)
    theirs.index(bm25s.tokenize(texts, **settings), show_progress=False)
    rank = rank_by_words(RankedChunks(texts, [""] * len(texts)))
    for _ in range(20):
        question = " ".join(random.choice(words, size=3))
        numbers, scores = theirs.retrieve(bm25s.tokenize(question, **settings), k=5, show_progress=False)
        wanted = {int(number) for number, score in zip(numbers[0], scores[0], strict=True) if score > 0}
        ours = [number for number, _ in zip(rank(question), range(5), strict=False)]
        assert len(wanted & set(ours)) >= 4 or len(wanted) < 4  # a length is rounded in one byte by tantivy


@pytest.mark.parametrize(
    ("language", "text", "terms"),
    [
        ("en", "The ferries, leaving", ["ferri", "leav"]),
        ("de", "Die Fähren und Häfen", ["fahr", "haf"]),
        ("pl", "Promy i porty", ["promy", "i", "porty"]),
        ("tr", "Limanlar", ["liman"]),
        ("zh", "柳湾镇", ["柳湾", "湾镇"]),
    ],
)
def test_words_are_those_of_the_language(language: str, text: str, terms: list[str]) -> None:
    assert make_analyzer(language).analyze(text) == terms


def test_by_vectors_stands_what_is_nearest() -> None:
    rank = rank_by_vectors(CHUNKS, embedder())
    rows = embedder()([*TEXTS, "bread"])
    cosines = rows[:-1] @ rows[-1] / np.linalg.norm(rows[:-1], axis=1)
    assert list(rank("bread")) == np.argsort(-cosines).tolist()


def test_equal_ranks_are_the_sum_of_both() -> None:
    rank = rank_equally([lambda _: iter([0, 1, 2]), lambda _: iter([2, 0])])
    assert list(rank("?")) == [0, 2, 1]  # 1/61 + 1/62, 1/63 + 1/61, 1/62
    assert list(rank_equally([lambda _: iter([3])])("?")) == [3]


def test_chunks_come_until_the_budget_is_full() -> None:
    find = CHUNKS.find(lambda _: iter([2, 0, 1, 3]))
    assert [piece.text for piece in find("?", 47)] == [TEXTS[2]]
    assert [piece.file for piece in find("?", 48)] == ["pier.md", "pier.md"]
    assert len(list(find("?", 10_000))) == 4


def test_chunks_are_the_splitters_and_know_their_file() -> None:
    sources = [Source("a.md", "One two. " * 30), Source("blank.md", " "), Source("b.md", "Three.")]
    chunks = RankedChunks.of(
        sources, make_chunking("fixed", 100, 0), Embedder("none", lambda texts: [[1.0]] * len(texts))
    )
    assert [*chunks.files] == ["a.md"] * 3 + ["b.md"]
    assert chunks.texts[0] == sources[0].text[:100].strip()
    empty = RankedChunks([], [])
    assert list(rank_by_words(empty)("ferry")) == list(rank_by_vectors(empty, embedder())("ferry")) == []
