"""An adapter to a framework, as a function of texts, in; nothing out, or an AssertionError that says what it breaks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from caesura.asking import Requests, adrive, drive
from caesura.testing.chunks import check_chunks
from caesura.testing.ids import fresh, unique
from caesura.testing.laws import broken
from caesura.testing.records import Record, asked, same
from caesura.testing.texts import odd_texts
from caesura.types import Chunk, Sizer

Split: TypeAlias = Callable[[list[str]], Sequence[Sequence[Record]]]
"""Texts in, the records of each out: a few lines that wrap texts in a framework's documents and read what comes back.
The n-th text is to be the same document every time."""


def check_adapter(
    split: Split,
    texts: Sequence[str] | None = None,
    *,
    size: Sizer = len,
    max_size: int | None = None,
    overlap: bool = False,
) -> None:
    """An adapter -> nothing, or an AssertionError. texts: those to try, by default ``odd_texts(100)``.

    max_size: the limit that it was given, in units of `size`. overlap: whether its chunks may overlap. A host that
    takes no lone surrogates is tried with ``odd_texts(100, surrogates=False)``.
    """
    drive(_laws(texts, size, max_size, overlap, None), split)


async def acheck_adapter(
    asplit: Callable[[list[str]], Awaitable[Sequence[Sequence[Record]]]],
    texts: Sequence[str] | None = None,
    *,
    sync: Split | None = None,
    size: Sizer = len,
    max_size: int | None = None,
    overlap: bool = False,
) -> None:
    """`check_adapter`, for one that is awaited. sync: its other side, which has to return the same records."""
    await adrive(_laws(texts, size, max_size, overlap, sync), asplit)


def _laws(
    texts: Sequence[str] | None, size: Sizer, max_size: int | None, overlap: bool, sync: Split | None
) -> Requests[None]:
    """Asks for records, is sent them, and raises where they break a law."""
    given = list(odd_texts(100) if texts is None else texts)
    found = yield from asked(given)
    for text, records in zip(given, found, strict=True):
        chunks = [Chunk(record.text, record.start, record.end) for record in records]
        check_chunks(text, chunks, size=size, max_size=max_size, overlap=overlap)
    unique(given, found)
    again = yield from asked(given)
    same(given, found, again, "an adapter returns the same records for the same documents", "again")
    if sync is not None:
        other = drive(asked(given), sync)
        same(given, found, other, "async and sync return the same records", "from the sync side")
    for text, records in list(zip(given, found, strict=True))[:: max(len(given) // 10, 1)]:
        (alone,) = yield from asked([text])
        law = "a document is split the same alone as among others"
        same([text], [_bare(records)], [_bare(alone)], law, "alone")
    edited = [_edited(text) for text in given]
    after = yield from asked(edited)
    fresh(found, edited, after)
    nothing = yield from asked([])
    if len(nothing):
        raise broken("no document, no record", "[]", nothing, "return an empty list")


def _bare(records: Sequence[Record]) -> list[Record]:
    return [record._replace(id=None) for record in records]


def _edited(text: str) -> str:
    """A text of the same length with other letters."""
    return text.translate({code: code ^ 1 for code in range(ord("b"), ord("z"))})
