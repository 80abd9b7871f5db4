"""Contextual embedders that keep books: a row says its chunk, its place, and all chunks of its run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

WIDTH = 64


def words_row(text: str) -> NDArray[np.float32]:
    """How often each word occurs, by its hash."""
    row = np.zeros(WIDTH, np.float32)
    for word in text.lower().split():
        row[crc32(word.strip(".,?").encode()) % WIDTH] += 1
    return row


def document_row(chunks: Sequence[str], place: int) -> NDArray[np.float32]:
    """The slow, obvious row of a chunk among others: its own words, and a little of the first and of all others."""
    row = words_row(chunks[place]) + np.float32(0.25) * words_row(chunks[0])
    for other in chunks:
        row = row + np.float32(0.05) * words_row(other)
    return row


def document_rows(chunks: Sequence[str]) -> NDArray[np.float32]:
    return np.stack([document_row(chunks, place) for place in range(len(chunks))])


@dataclass(eq=False)
class Together:
    """A core embedder. window: chunks in a run; None: all. documents: every list of chunks that it was asked for."""

    window: int | None = None
    documents: list[list[str]] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)

    def embed_document(self, chunks: list[str]) -> object:
        self.documents.append(list(chunks))
        return document_rows(chunks)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        self.questions.append(text)
        return words_row(text)

    def runs(self, chunks: list[str]) -> list[list[str]]:
        rest = iter(chunks)
        return list(iter(lambda: list(islice(rest, self.window)), []))

    def __call__(self, texts: list[str]) -> object:
        return np.stack([document_rows([text])[0] for text in texts])

    @property
    def several(self) -> list[list[str]]:
        """Those of more than one chunk."""
        return [chunks for chunks in self.documents if len(chunks) > 1]
