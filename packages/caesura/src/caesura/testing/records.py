"""Texts in, the records that an adapter makes of each out, asked for and compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from caesura.asking import Requests
from caesura.testing.laws import broken, shown, text_shown


class Record(NamedTuple):
    """What an adapter made of a chunk, in its framework's form: where it says it is, and the id it gave it, if any."""

    text: str
    start: int
    end: int
    id: str | None = None


def asked(texts: list[str]) -> Requests[list[list[Record]]]:
    """Asks for the records of some texts -> a list of them for each. Raises where something else comes."""
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


def same(
    texts: Sequence[str], one: Sequence[Sequence[Record]], two: Sequence[Sequence[Record]], law: str, when: str
) -> None:
    """Raises where the same texts have other records. law: the one that is broken then; when: at which call."""
    for text, first, second in zip(texts, one, two, strict=True):
        if list(first) != list(second):
            mine, its = next(
                ((a, b) for a, b in zip(first, second, strict=False) if a != b), (f"{len(first)} records", len(second))
            )
            remedy = "keep nothing between calls that changes what is returned, and make ids of the content"
            raise broken(law, text_shown(text), f"{shown(mine)}, but {when} {shown(its)}", remedy)
