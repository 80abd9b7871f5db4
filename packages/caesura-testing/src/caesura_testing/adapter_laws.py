"""Laws of an adapter to a framework, and of chunks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from caesura.errors import SettingError
from caesura.sansio import Awaiting, Blocking, Calls, run
from caesura.types import Chunk, Sizer
from caesura_testing.laws import broken_law, shorten, shorten_text
from caesura_testing.texts import odd_texts

REMEDY = "take start and end from caesura.Chunk, and change nothing in its text; a part of a part adds its own start"
MADE_OF = "make it of the document's id, the text and how many equal ones come before, as caesura.ids.chunk_ids"


def check_chunks(
    text: str, chunks: Sequence[Chunk], *, size: Sizer = len, max_size: int | None = None, overlap: bool = False
) -> None:
    """Holds that chunks are rising slices of the text, none blank, none over the limit, and that what lies outside
    them is whitespace.

    max_size: the most that a chunk may measure, in units of `size`. overlap: whether a chunk may begin before the one
    before it ends.
    """
    if max_size is not None and max_size < 1:
        raise SettingError(f"max_size must be at least 1, got {max_size}")
    covered, started = 0, -1
    for number, chunk in enumerate(chunks):
        what = f"chunk {number} of {len(chunks)}, {chunk.start}-{chunk.end}: {shorten(repr(chunk.text))}"
        if not 0 <= chunk.start < chunk.end <= len(text) or text[chunk.start : chunk.end] != chunk.text:
            slice_ = shorten(repr(text[max(chunk.start, 0) : max(chunk.end, 0)]))
            raise broken_law("a chunk is text[start:end]", shorten_text(text), f"{what}; the slice is {slice_}", REMEDY)
        if not chunk.text.strip():
            raise broken_law("no chunk is blank", shorten_text(text), what, "leave blank units out")
        if chunk.start <= started or (not overlap and chunk.start < covered):
            remedy = "return chunks in the order of the text" + ("" if overlap else "; overlap=True allows overlap")
            raise broken_law("chunks rise and do not overlap", shorten_text(text), what, remedy)
        _blank(text, covered, chunk.start)
        if max_size is not None and size(chunk.text) > max_size:
            law = f"no chunk measures over max_size={max_size}"
            remedy = "pass the limit and the sizer to the Splitter, and measure what is returned"
            raise broken_law(law, shorten_text(text), f"{what} measures {size(chunk.text)}", remedy)
        covered, started = max(covered, chunk.end), chunk.start
    _blank(text, covered, len(text))


def _blank(text: str, start: int, end: int) -> None:
    if text[start:end].strip():
        found = f"{shorten(repr(text[start:end]))} at {start}-{end} is in no chunk"
        raise broken_law("every character that is not blank is in a chunk", shorten_text(text), found, "drop nothing")


class Record(NamedTuple):
    """What an adapter made of a chunk, in its framework's form: where it says it is, and the id it gave it, if any."""

    text: str
    start: int
    end: int
    id: str | None = None


async def ask_records(calls: Calls, split: Callable[[list[str]], Any], texts: list[str]) -> list[list[Record]]:
    """Asks for the records of some texts -> a list of them for each. Raises where something else comes."""
    what = f"{len(texts)} texts" + (f", the first {shorten_text(texts[0])}" if texts else "")
    try:
        returned: Any = await calls.call(split, split, list(texts))
    except Exception as error:
        remedy = "a text may be empty, blank, or hold any code point; texts= chooses those that the framework takes"
        raise broken_law("an adapter takes any text", what, f"{type(error).__name__}: {error}", remedy) from error
    if not hasattr(returned, "__len__") or len(returned) != len(texts):
        remedy = "a document without chunks has an empty list; group records by the document that they come from"
        raise broken_law("an adapter returns one list of records per text", what, returned, remedy)
    return [_records(records, text) for text, records in zip(texts, returned, strict=True)]


def _records(records: Any, text: str) -> list[Record]:
    """What an adapter returned for one text, as records."""
    try:
        return [Record(*record) for record in records]
    except TypeError as error:
        law = "a record is (text, start, end), or (text, start, end, id)"
        raise broken_law(law, shorten_text(text), records, "return caesura_testing.Record(…) for each chunk") from error


def check_same_records(
    texts: Sequence[str], one: Sequence[Sequence[Record]], two: Sequence[Sequence[Record]], law: str, when: str
) -> None:
    """Raises where the same texts have other records. law: the one that is broken then; when: at which call."""
    for text, first, second in zip(texts, one, two, strict=True):
        if list(first) != list(second):
            mine, its = next(
                ((a, b) for a, b in zip(first, second, strict=False) if a != b), (f"{len(first)} records", len(second))
            )
            remedy = "keep nothing between calls that changes what is returned, and make ids of the content"
            raise broken_law(law, shorten_text(text), f"{shorten(mine)}, but {when} {shorten(its)}", remedy)


def check_unique_ids(texts: Sequence[str], found: Sequence[Sequence[Record]]) -> None:
    """No two records have the same id."""
    seen: dict[str, int] = {}
    for number, records in enumerate(found):
        for record in records:
            if record.id is not None and record.id in seen:
                raise broken_law(
                    "no two records have the same id",
                    shorten_text(texts[number]),
                    f"{record.id}, of document {seen[record.id]} and of document {number}",
                    MADE_OF,
                )
            if record.id is not None:
                seen[record.id] = number


def check_fresh_ids(
    found: Sequence[Sequence[Record]], edited: Sequence[str], after: Sequence[Sequence[Record]]
) -> None:
    """No id of a record of an edited text is that of one with another text, from before the texts were edited."""
    named = {record.id: record.text for records in found for record in records if record.id is not None}
    for text, records in zip(edited, after, strict=True):
        for record in records:
            if record.id in named and named[record.id] != record.text:
                raise broken_law(
                    "an id never stands for two texts",
                    shorten_text(text),
                    f"{record.id} for {shorten(repr(named[record.id]))}, then for {shorten(repr(record.text))}",
                    f"{MADE_OF}: else a store that knows the id keeps the stale row",
                )


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
    run(_hold_laws(Blocking(), split, texts, size, max_size, overlap, None))


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
    await _hold_laws(Awaiting(), asplit, texts, size, max_size, overlap, sync)


async def _hold_laws(
    calls: Calls,
    split: Callable[[list[str]], Any],
    texts: Sequence[str] | None,
    size: Sizer,
    max_size: int | None,
    overlap: bool,
    sync: Split | None,
) -> None:
    """Asks for records, and raises where they break a law."""
    given = list(odd_texts(100) if texts is None else texts)
    found = await ask_records(calls, split, given)
    for text, records in zip(given, found, strict=True):
        chunks = [Chunk(record.text, record.start, record.end) for record in records]
        check_chunks(text, chunks, size=size, max_size=max_size, overlap=overlap)
    check_unique_ids(given, found)
    again = await ask_records(calls, split, given)
    check_same_records(given, found, again, "an adapter returns the same records for the same documents", "again")
    if sync is not None:
        other = await ask_records(Blocking(), sync, given)
        check_same_records(given, found, other, "async and sync return the same records", "from the sync side")
    for text, records in list(zip(given, found, strict=True))[:: max(len(given) // 10, 1)]:
        (alone,) = await ask_records(calls, split, [text])
        law = "a document is split the same alone as among others"
        check_same_records([text], [_without_ids(records)], [_without_ids(alone)], law, "alone")
    edited = [_edit(text) for text in given]
    after = await ask_records(calls, split, edited)
    check_fresh_ids(found, edited, after)
    nothing = await ask_records(calls, split, [])
    if len(nothing):
        raise broken_law("no document, no record", "[]", nothing, "return an empty list")


def _without_ids(records: Sequence[Record]) -> list[Record]:
    return [record._replace(id=None) for record in records]


def _edit(text: str) -> str:
    """A text of the same length with other letters."""
    return text.translate({code: code ^ 1 for code in range(ord("b"), ord("z"))})
