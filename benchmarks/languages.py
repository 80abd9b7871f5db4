"""Paragraphs on 30 subjects in four languages -> documents spliced from them, with their true boundaries.

    python benchmarks/languages.py        the error Pk of our cuts per language, with the built-in model

Of `languages/{language}.txt`: a paragraph per block, a sentence per line, so that no splitter is trusted with them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from choi import Document, Embedded
from ours import OURS
from tables import Row, Table

from caesura import Background, sentences
from caesura.types import Breaks, Limits, Sizes, Vectors
from caesura_static import StaticEmbedder

FOLDER = Path(__file__).parent / "languages"
LANGUAGES = ("en", "de", "zh", "ar")
UNSPACED = ("zh",)
SEGMENTS, LEAST, MOST = 10, 3, 9


def paragraphs(language: str) -> list[list[str]]:
    """A language -> its paragraphs, each a list of sentences; the n-th is on the same subject in every language."""
    blocks = (FOLDER / f"{language}.txt").read_text(encoding="utf-8").strip().split("\n\n")
    return [block.split("\n") for block in blocks]


def spliced(language: str, count: int = 40, seed: int = 0) -> list[Document]:
    """A language -> `count` documents of 10 segments, each of 3 to 9 neighbouring sentences of another paragraph.

    Paragraphs are dealt like cards, shuffled anew when they run out, so that all serve equally often. The same seed
    gives the same documents, and the same subjects in the same order in every language.
    """
    texts = paragraphs(language)
    decks, lengths = np.random.default_rng((seed, 0)), np.random.default_rng((seed, 1))
    deals = len(texts) // SEGMENTS
    made: list[Document] = []
    while len(made) < count:
        for subjects in decks.permutation(len(texts))[: deals * SEGMENTS].reshape(deals, SEGMENTS):
            segments = [_part(texts[subject], lengths) for subject in subjects]
            breaks = np.cumsum([len(segment) for segment in segments])[:-1]
            flat = [sentence for segment in segments for sentence in segment]
            made.append(Document(f"{language}/{len(made)}", flat, breaks.astype(np.intp)))
    return made[:count]


def _part(paragraph: list[str], random: np.random.Generator) -> list[str]:
    """Neighbouring sentences of a paragraph, from LEAST to MOST of them."""
    length = int(random.integers(LEAST, min(MOST, len(paragraph)) + 1))
    start = int(random.integers(len(paragraph) - length + 1))
    return paragraph[start : start + length]


def nowhere(vectors: Vectors, sizes: Sizes, limits: Limits) -> Breaks:
    """No cut at all: what a method has to beat."""
    return np.zeros(0, np.intp)


def edges_found(language: str) -> float:
    """The share of the edges inside paragraphs, in per cent, that our sentence rules put between the same sentences."""
    right = wanted = 0
    joint = "" if language in UNSPACED else " "
    for paragraph in paragraphs(language):
        edges = np.cumsum([len(sentence) + len(joint) for sentence in paragraph])[:-1]
        right += len(np.intersect1d(edges, sentences(joint.join(paragraph))))
        wanted += len(edges)
    return 100 * right / wanted


def embedded(language: str, embed: StaticEmbedder, count: int = 40) -> Embedded:
    """A language's documents with their centred rows."""
    documents = spliced(language, count)
    return Embedded.of(documents, [embed(one.sentences) for one in documents], Background(embed.background))


def main() -> None:
    """Prints a row per language and cut."""
    embed = StaticEmbedder()
    table = Table("Documents spliced from paragraphs, built-in model: Pk in percent, lower is better")
    table.notes = [
        "40 documents of 10 segments per language, the same subjects in each; the files' sentences are the units.",
        "sentences: the true sentence edges that our own rules find, in percent.",
    ]
    for language in LANGUAGES:
        data = embedded(language, embed)
        row: Row = {"language": language, "sentences": edges_found(language), "no cut at all": data.pk(nowhere)}
        for name, ours in OURS.items():
            row[name] = data.pk(ours.default)
            row[f"{name}, segments"] = data.segments(ours.default)
            if ours.given is not None:
                row[f"{name}, told {SEGMENTS}"] = data.pk(ours.given(SEGMENTS))
        table.rows.append(row)
    print(table.markdown())


if __name__ == "__main__":
    main()
