"""Upkeep of an index over two stores: what a write did, what a store lost, and when to search again."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence, Set
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

import numpy as np

from caesura.errors import SettingError
from caesura.sansio import Blocking, Calls
from caesura.vectors import stack_rows

T = TypeVar("T")

SHORTEST = 1e-12
"""A row that is shorter has no direction that a vector store could compare."""
SEARCHES_AGAIN = 5
"""How often a search is repeated at most, because what it led to was just changed."""


FEW_ROWS = 32
"""Rows that Chroma writes in about 25 ms."""


OF_USER = re.compile(
    "(user|tenant|owner|account|customer|client|company|team|group|department|member|org(ani[sz]ation)?|workspace)"
    "(id|name|key|email)?"
)
"""Metadata, by the letters of their names, that say whose a document is."""


class Changes(NamedTuple):
    """What a write did to an index, in documents."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    deleted: int = 0

    def plus(self, others: Changes) -> Changes:
        """The sum of both."""
        return Changes(*map(sum, zip(self, others, strict=True)))


def batches(items: Iterable[T], size: int) -> list[list[T]]:
    """Returns the items in lists of at most `size`."""
    rest = list(items)
    return [rest[start : start + size] for start in range(0, len(rest), size)]


def divide(documents: Mapping[str, T], sizes: Iterable[int], most: int, characters: int) -> list[dict[str, T]]:
    """Documents by name, and how many characters each has -> those that are cut and written together: at most `most`,
    or as many as have `characters`; one that has more, by itself.

    >>> divide({"a": "tide", "b": "moon", "c": "ebb and flow"}, [4, 4, 12], 5, 10)
    [{'a': 'tide', 'b': 'moon'}, {'c': 'ebb and flow'}]
    """
    found, room = list[dict[str, T]](), 0
    for (name, document), size in zip(documents.items(), sizes, strict=True):
        if not found or len(found[-1]) == most or size > room:
            found.append({})
            room = characters
        found[-1][name] = document
        room -= size
    return found


def rows_per_call(calls: Calls, store: object, most: int) -> int:
    """Returns how many rows a vector store is given, or told to delete, in one call.

    That is `most`; but few where an event loop goes on beside a store that stops all threads of the process while it
    writes, as Chroma does without a server. store: the one of a plugin's framework.
    """
    client = getattr(getattr(store, "_collection", None), "_client", None)
    return most if isinstance(calls, Blocking) or type(client).__name__ != "RustBindingsAPI" else min(most, FEW_ROWS)


def check_gone(known: Iterable[str], given: Collection[str], scope: Mapping[str, Any] | None, remedy: str) -> list[str]:
    """Returns the documents that `mirror` is to delete: those that are known and were not given.

    known: the documents of the scope, or all documents if the scope is None. remedy: how to delete documents on
    purpose. Raises `SettingError` if there are some to delete and nothing was given, which may be the fault of a
    pattern that matches no file.
    """
    kept = set(given)
    gone = [name for name in known if name not in kept]
    if gone and not kept:
        of = "that are indexed" if scope is None else f"of the scope {dict(scope)!r}"
        raise SettingError(
            f"mirror() was given no documents, and would forget all {len(gone)} {of}: check what was to be "
            f"loaded; if they are to be forgotten, {remedy}, with ids such as {gone[:3]}"
        )
    return gone


def check_scope(scope: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Returns a scope. Raises `SettingError` for one that says nothing."""
    if scope is not None and (not isinstance(scope, Mapping) or not scope):
        raise SettingError(f'scope must be metadata such as {{"user": "anna"}}, got {scope!r}; leave it out for all')
    return scope


def is_in_scope(metadata: Mapping[str, Any], scope: Mapping[str, Any] | None) -> bool:
    """Whether a document's metadata have all that a scope says, if there is one.

    >>> is_in_scope({"user": "anna", "page": 3}, {"user": "anna"})
    True
    """
    return all(key in metadata and metadata[key] == value for key, value in (scope or {}).items())


@lru_cache(maxsize=1024)
def is_of_user(key: object) -> bool:
    """Whether a key of metadata names whose a document is."""
    return OF_USER.fullmatch(re.sub("[^a-z]", "", str(key).lower())) is not None


def check_same_user(name: str, metadata: Mapping[str, Any], before: Mapping[str, Any]) -> None:
    """Raises `SettingError` for a document that would take the place of another user's that has the same id.

    name: the id. metadata: of the document. before: of the one that it would take the place of.
    """
    now, was = ({key: data[key] for key in filter(is_of_user, data)} for data in (metadata, before))
    shared = [key for key in now if key in was]
    differs = next((key for key in shared if _as_stored(now[key]) != _as_stored(was[key])), None)
    if differs is None and (shared or not now or not was):
        return
    key, other = (next(iter(now)), next(iter(was))) if differs is None else (differs, differs)
    raise SettingError(
        f"the document {name!r} with the metadata {key!r}: {now[key]!r:.80} would take the place of one with "
        f"{'' if key == other else f'{other!r}: '}{was[other]!r:.80}: give them ids that differ, such as "
        f"f'{{user}}/{{name}}'; if it is the same document and now another's, delete {name!r} first"
    )


def _as_stored(value: Any) -> str:
    """Returns what a document store writes of a value, which it may read as another: a tuple as a list."""
    try:
        return json.dumps(value, default=repr)
    except (TypeError, ValueError):  # keys that JSON has not, and what holds itself
        return repr(value)


def find_unusable_rows(rows: Any, texts: Sequence[str], warn: Callable[[str], object]) -> set[int]:
    """Returns the numbers of the rows that no vector store may be given: zeros, and those that are not finite.

    A store that divides by lengths returns NaN for such a row, which disorders the ranking of all others. rows: (n, d);
    an array was checked before. texts: what was embedded. warn: is called with the first of these texts and the remedy.

    >>> find_unusable_rows([[0.6, 0.8], [3.0, 4.0]], ["tide", "moon"], print)
    set()
    """
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.linalg.norm(rows if isinstance(rows, np.ndarray) else stack_rows(rows, len(texts)), axis=1)
        unusable = np.flatnonzero(~((lengths >= SHORTEST) & (lengths < np.inf))).tolist()
    if unusable:
        warn(
            f"the embedder returned {len(unusable)} of {len(texts)} rows that are zeros or not finite, the first for "
            f"the text {texts[unusable[0]][:60]!r}: they are kept out of the vector store, and words alone find these "
            f"texts; take an embedder that has a row for them, or leave them out"
        )
    return set(unusable)


async def find_present(
    fetch: Callable[[list[str]], Awaitable[Collection[str | None]]], ids: Sequence[str], batch_size: int
) -> set[str] | None:
    """Returns the ids of the rows that a vector store has; None if it cannot say, or returns rows under other ids.

    fetch: some ids -> the ids of the rows that the store returns for them, None for a row without one.
    """
    present: set[str] = set()
    for some in batches(ids, batch_size):
        try:
            fetched = await fetch(some)
        except NotImplementedError:
            return None
        found = {name for name in fetched if name is not None}.intersection(some)
        if fetched and not found:
            return None
        present |= found
    return present


def find_lost(last_rows: Mapping[str, str], present: Set[str] | None) -> set[str]:
    """Returns the documents whose rows a vector store lost.

    last_rows: of each document the row that was written last. present: see `find_present`. A store that is new, was
    emptied or is an older copy lacks the last row. To ask for all rows would read the whole store at every call.
    """
    return set() if present is None else {name for name, row in last_rows.items() if row not in present}


async def search_until_whole(
    search: Callable[[Set[str]], Awaitable[tuple[T, Set[str]]]], missing: Set[str] = frozenset()
) -> tuple[T, Set[str]]:
    """Searches until nothing is missing that was not missing in the search before.

    A writer may come between a search and the look into the document store: then what the search led to is gone, and
    the next search finds the new version. search: what was missing before -> what it found, and what is missing now.
    missing: what an earlier search missed. Returns what the last search found, and what the one before it missed: what
    both missed is lost.
    """
    for _ in range(1 + SEARCHES_AGAIN):
        before = missing
        found, missing = await search(before)
        if missing <= before:
            break
    return found, before
