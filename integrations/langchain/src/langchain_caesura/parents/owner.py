"""Owners: the mark of an index in what it writes to stores that others write to as well."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import count
from threading import RLock
from typing import Any, Self
from weakref import ref

from langchain_core.documents import Document
from langchain_core.stores import BaseStore
from langchain_core.vectorstores import VectorStore

from caesura.ids import digest
from caesura_store.sqlite_store import release_in_child
from langchain_caesura.parents.record import RECORDS, read_record
from langchain_caesura.stores import SQLiteDocumentStore
from langchain_caesura.vector_store_quirks import find_store_name, lives_in_memory

_numbers: list[tuple[ref[Any], ref[Any], int]] = []
"""Stores, each with one that it shares with others, and its number among these."""
_guard = RLock()  # a handler of a signal may come here within it
ENOUGH = 100
"""Rows of a record that are asked for, to see whether they are in a vector store."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_guard.acquire, after_in_parent=_guard.release, after_in_child=partial(release_in_child, _guard)
    )


@dataclass(frozen=True, slots=True)
class Owner:
    """The mark of an index in the keys of its records and in the ids of its rows, the same in every process.

    It is made of `id_key` and of the name of the vector store's collection, index or table. Vector stores in memory,
    which have no name, are numbered: see `_vector_number`.
    """

    id_key: str
    in_memory: bool
    """Whether the vector store is in memory, so that it may be gone with all rows while the records stay."""
    name: str
    """What tells it from others that share the document store."""
    prefix: str
    """What the keys of its records begin with."""
    mark: str
    """In its rows: tells them from those that are written beside other document stores."""

    @classmethod
    def of(cls, id_key: str, vectorstore: VectorStore, docstore: BaseStore[str, Document]) -> Self:
        """Returns the owner of what is written with both stores."""

        def prefix(number: int) -> str:
            return f"{RECORDS}{digest(id_key, str(number))}/"

        name, in_memory = f"named {find_store_name(vectorstore)}", lives_in_memory(vectorstore)
        if in_memory:
            name = str(_vector_number(vectorstore, docstore, prefix))
        name = digest(id_key, name)
        return cls(id_key, in_memory, name, f"{RECORDS}{name}/", _document_mark(docstore, vectorstore))


def _document_mark(docstore: BaseStore[str, Document], vectorstore: VectorStore) -> str:
    """A document store's file, or its number among those that are alive over the vector store."""
    if isinstance(docstore, SQLiteDocumentStore):
        return digest(str(_place(docstore)))[:8]
    return str(_number(docstore, vectorstore))


def _vector_number(vectorstore: VectorStore, docstore: BaseStore[str, Document], prefix: Callable[[int], str]) -> int:
    """The number of a vector store in memory among those over one document store.

    It is that of the records whose rows it has, as one that was loaded from a file. Else it is the lowest that no
    other one has that is alive: so a program that is started again finds its number again.
    """
    with suppress(NotImplementedError):  # a store that cannot say what it has
        for number in count():
            key = next(iter(docstore.yield_keys(prefix=prefix(number))), None)
            if key is None:
                break
            record = read_record(docstore.mget([key])[0])
            rows = [] if record is None else list(record.known())[:ENOUGH]
            if rows and vectorstore.get_by_ids(rows):
                return _number(vectorstore, docstore, number)
    return _number(vectorstore, docstore)


def _number(store: object, shared: object, known: int | None = None) -> int:
    """The number of a store among those alive that share another one, which it keeps: the lowest that is free.

    known: the number, if something else says so.
    """
    with _guard:
        alive = [
            (own, number)
            for each, other, number in _numbers
            if (own := each()) is not None and (there := other()) is not None and _place(there) == _place(shared)
        ]
        for own, number in alive:
            if own is store:
                return number
        taken = {number for _, number in alive}
        number = next(number for number in count() if number not in taken) if known is None else known
        _numbers[:] = [row for row in _numbers if row[0]() is not None and row[1]() is not None]
        _numbers.append((ref(store), ref(shared), number))
        return number


def _place(store: object) -> object:
    """What two objects have in common that are one store: a file, a collection's name, or that they are one object."""
    if isinstance(store, SQLiteDocumentStore):
        return f"{store.path.resolve()} {store._store.table}"
    return (isinstance(store, VectorStore) and find_store_name(store)) or id(store)
