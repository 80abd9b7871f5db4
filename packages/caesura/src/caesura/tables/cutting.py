"""Rows of documents, a splitter and an embedder -> what became of each: its chunks, or what it failed of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.asking import drive, requests
from caesura.llm.failures import OnFailure
from caesura.splitter import Splitter
from caesura.types import Chunk, Embed

LONGEST = 2000
"""Characters of an error that a cell keeps: some quote all that they were given."""


class Row(NamedTuple):
    """A document of a table: the number of its row, its id and its text."""

    number: int
    id: str
    text: str


class Cutting(NamedTuple):
    """What became of one row: its chunks and, where they are wanted, (k, d) vectors; or what it failed of."""

    row: int
    id: str
    chunks: list[Chunk]
    vectors: NDArray[np.float32] | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Cutter:
    """The settings of a `SplitBatch`, and the embedder of this process: a list of rows -> their cuttings, in order.

    Where failures are kept, a list that fails is halved until the rows that fail are alone.
    """

    splitter: Splitter
    embed: Embed
    batch_size: int | None
    overlap: int
    vectors: bool
    on_failure: OnFailure

    def __call__(self, rows: list[Row]) -> list[Cutting]:
        try:
            batch = self.splitter.prepare([row.text for row in rows])
            made = self.splitter.finish(batch, drive(requests(batch.texts, self.batch_size), self.embed))
            return [
                Cutting(row.number, row.id, one.chunks(self.overlap), one.vectors() if self.vectors else None)
                for row, one in zip(rows, made, strict=True)
            ]
        except Exception as error:
            if self.on_failure == "raise":
                error.add_note(f"raised for the documents {rows[0].id!r} to {rows[-1].id!r}, {len(rows)} in all")
                raise
            if len(rows) == 1:
                return [Cutting(rows[0].number, rows[0].id, [], error=told(error))]
        half = len(rows) // 2
        return self(rows[:half]) + self(rows[half:])


def told(error: Exception) -> str:
    """An exception -> its name and what it says, in characters that every form of table can hold."""
    try:
        said = f"{type(error).__name__}: {error}"
    except Exception:
        said = type(error).__name__
    return said[:LONGEST].encode("utf-8", "backslashreplace").decode()
