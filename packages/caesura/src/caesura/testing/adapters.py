"""An adapter to a framework, as a function of texts, in; nothing out, or an AssertionError that says what it breaks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from caesura.asking import Requests, adrive, drive
from caesura.testing.chunks import check_chunks
from caesura.testing.laws import broken, shown, text_shown
from caesura.testing.texts import odd_texts
from caesura.types import Chunk, Sizer


class Record(NamedTuple):
    """What an adapter made of a chunk, in its framework's form: where it says it is, and the id it gave it, if any."""

    text: str
    start: int
    end: int
    id: str | None = None


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
    found = yield from _asked(given)
    for text, records in zip(given, found, strict=True):
        chunks = [Chunk(record.text, record.start, record.end) for record in records]
        check_chunks(text, chunks, size=size, max_size=max_size, overlap=overlap)
    _ids(given, found)
    again = yield from _asked(given)
    _equal(given, found, again, "an adapter returns the same records for the same documents", "again")
    if sync is not None:
        other = [_records(records, text) for text, records in zip(given, sync(list(given)), strict=True)]
        _equal(given, found, other, "async and sync return the same records", "from the sync side")
    for text, records in list(zip(given, found, strict=True))[:: max(len(given) // 10, 1)]:
        (alone,) = yield from _asked([text])
        law = "a document is split the same alone as among others"
        _equal([text], [_bare(records)], [_bare(alone)], law, "alone")
    edited = [_edited(text) for text in given]
    after = yield from _asked(edited)
    named = {record.id: record.text for records in found for record in records if record.id is not None}
    for text, records in zip(edited, after, strict=True):
        for record in records:
            if record.id in named and named[record.id] != record.text:
                raise broken(
                    "an id never stands for two texts",
                    text_shown(text),
                    f"{record.id} for {shown(repr(named[record.id]))}, then for {shown(repr(record.text))}",
                    "make it of the document's id, the span and the text, as caesura.adapter.chunk_id does: else "
                    "a store that knows the id keeps the stale row",
                )
    nothing = yield from _asked([])
    if len(nothing):
        raise broken("no document, no record", "[]", nothing, "return an empty list")


def _asked(texts: list[str]) -> Requests[list[list[Record]]]:
    what = f"{len(texts)} texts" + (f", the first {text_shown(texts[0])}" if texts else "")
    try:
        returned: Any = yield list(texts)
    except Exception as error:
        remedy = "a text may be empty, blank, or hold any code point; texts= chooses those that the framework takes"
        raise broken("an adapter takes any text", what, f"{type(error).__name__}: {error}", remedy) from error
    if not hasattr(returned, "__len__") or len(returned) != len(texts):
        remedy = "a document without chunks has an empty list; group records by the document that they come from"
        raise broken("an adapter returns one list of records per text", what, returned, remedy)
    return [_records(records, text) for text, records in zip(texts, returned, strict=True)]


def _records(records: Any, text: str) -> list[Record]:
    """What an adapter returned for one text, as records."""
    try:
        return [Record(*record) for record in records]
    except TypeError as error:
        law = "a record is (text, start, end), or (text, start, end, id)"
        raise broken(law, text_shown(text), records, "return caesura.testing.Record(…) for each chunk") from error


def _ids(texts: Sequence[str], found: Sequence[Sequence[Record]]) -> None:
    seen: dict[str, int] = {}
    for number, records in enumerate(found):
        for record in records:
            if record.id is not None and record.id in seen:
                raise broken(
                    "no two records have the same id",
                    text_shown(texts[number]),
                    f"{record.id}, of document {seen[record.id]} and of document {number}",
                    "make it of the document's id, the span and the text, as caesura.adapter.chunk_id does",
                )
            if record.id is not None:
                seen[record.id] = number


def _equal(
    texts: Sequence[str], one: Sequence[Sequence[Record]], two: Sequence[Sequence[Record]], law: str, when: str
) -> None:
    for text, first, second in zip(texts, one, two, strict=True):
        if list(first) != list(second):
            mine, its = next(
                ((a, b) for a, b in zip(first, second, strict=False) if a != b), (f"{len(first)} records", len(second))
            )
            remedy = "keep nothing between calls that changes what is returned, and make ids of the content"
            raise broken(law, text_shown(text), f"{shown(mine)}, but {when} {shown(its)}", remedy)


def _bare(records: Sequence[Record]) -> list[Record]:
    return [record._replace(id=None) for record in records]


def _edited(text: str) -> str:
    """A text of the same length with other letters."""
    return text.translate({code: code ^ 1 for code in range(ord("b"), ord("z"))})
