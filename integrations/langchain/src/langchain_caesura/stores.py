"""Documents by key on disk: a LangChain document store in one SQLite file, which survives a kill."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Self

from langchain_core.documents import Document
from langchain_core.stores import BaseStore

from caesura.store import Store
from langchain_caesura.encoding import decoded, encoded


class SQLiteDocumentStore(BaseStore[str, Document]):
    """Documents by key in one SQLite file: what was set is there after a kill, for many threads and processes.

    path: the file, made with its folders if it is not there; not on a network drive. table: several stores may live in
    one file. timeout: seconds to wait while another process writes.

    Text and id come back as they were, lone surrogates too, and so does metadata of str, numbers, bool, None, dict,
    list, tuple, set, bytes, datetime, date, Decimal, UUID and paths, however nested. Each call to `mset` or `mdelete`
    is done whole or not at all. Raises `SettingError` (a ValueError) for any other value, and for a file that is none
    of ours.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, SQLiteDocumentStore(f"{folder}/parents.db") as store:
    ...     store.mset([("a", Document("The tide turns.", metadata={"page": 3}))])
    ...     store.mget(["a", "none"]), list(store.yield_keys())
    ([Document(metadata={'page': 3}, page_content='The tide turns.'), None], ['a'])
    """

    def __init__(self, path: str | os.PathLike[str], table: str = "documents", timeout: float = 60.0) -> None:
        self._store = Store(path, table, timeout)

    @property
    def path(self) -> Path:
        """The file."""
        return self._store.path

    def mget(self, keys: Sequence[str]) -> list[Document | None]:
        """Returns one document per key, each a new one; None where there is none."""
        return [None if value is None else decoded(value) for value in self._store.get(keys)]

    def mset(self, key_value_pairs: Sequence[tuple[str, Document]]) -> None:
        """Writes all documents, over old ones, or none."""
        self._store.put([(key, encoded(document)) for key, document in key_value_pairs])

    def mdelete(self, keys: Sequence[str]) -> None:
        """Deletes what is there of these keys."""
        self._store.delete(keys)

    def yield_keys(self, *, prefix: str | None = None) -> Iterator[str]:
        """Yields the keys that begin with `prefix`, in order; the store may be written to meanwhile."""
        yield from self._store.keys(prefix or "")

    def close(self) -> None:
        """Lets go of the file."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"SQLiteDocumentStore({str(self.path)!r})"
