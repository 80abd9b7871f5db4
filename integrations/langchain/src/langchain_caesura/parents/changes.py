"""A family of documents and the record of what is stored for it in, all that is to be written and deleted out."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Self

from langchain_core.documents import Document

from langchain_caesura.parents.records import Family, Record


@dataclass(frozen=True, slots=True)
class Change:
    """What makes of that which was stored for a family that which is to be."""

    begun: Record
    """Of all that is and will be there; what is kept of the old children first, then new ones, as they are written."""
    parents: list[tuple[str, Document]]
    children: list[Document]
    old_children: list[str]
    old_parents: list[str]
    done: Record
    """Of what is there at the end."""

    @classmethod
    def of(cls, family: Family, was: Record | None, found: Set[str] | None, force: bool) -> Self:
        """A family without parents is away at the end, with its record.

        was: None where nothing is known of it. found: which children of an incomplete record there are; None where that
        cannot be told. force: whether what is there is written anew.
        """
        was = was or Record(family.name, "", True, [], [])
        surely = set(was.children) if was.complete else found or ()
        perhaps = was.children if was.complete or found is None else [key for key in was.children if key in found]
        rows = {key: row for key, row in family.children.items() if force or key not in surely}
        children = [*(key for key in was.children if key not in rows), *rows]
        stored = set(was.parents) if was.complete and not force else ()
        there = [key for key in children if key in family.children]
        return cls(
            Record(family.name, family.fingerprint, False, _union(was.parents, family.parents), children),
            [(key, one) for key, one in family.parents.items() if key not in stored],
            list(rows.values()),
            [key for key in perhaps if key not in family.children],
            [key for key in was.parents if key not in family.parents],
            Record(family.name, family.fingerprint, True, [*family.parents], there),
        )


def _union(first: Sequence[str], second: dict[str, Document]) -> list[str]:
    return list(dict.fromkeys((*first, *second)))
