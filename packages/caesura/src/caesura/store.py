"""Bytes by key in one SQLite file: what was put is there after a kill, for any number of threads and processes.

Not loaded by `import caesura`. Journal, embedding cache and document stores are this file under a name.
"""

# ruff: noqa: S608 - what is put into statements is the table's name, which is checked to be one

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Self

from caesura.errors import SettingError, number
from caesura.sqlite.connection import Connection

AT_ONCE = 500  # keys per statement: SQLite limits the variables of one


class Store:
    """Bytes by key. A call that writes is one transaction: on the disk when it returns, or not there at all.

    path: the file, made with its folders if it is not there; not on a network drive. table: several stores may live in
    one file, each in a table of its own. timeout: seconds to wait while another process writes.

    A key is any str. A pickle of a store holds its path. Threads share one connection; a forked process opens its own.

    Raises `SettingError` for a file that is no store of ours, or damaged.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store(f"{folder}/replies.db") as store:
    ...     store.put([("a", b"1"), ("b", b"2")])
    ...     store.get(["b", "none"]), store.delete(["a"]), list(store.keys())
    ([b'2', None], 1, ['b'])
    """

    def __init__(self, path: str | os.PathLike[str], table: str = "entries", timeout: float = 60.0) -> None:
        number("timeout", timeout, 0, 86_400)
        if not isinstance(path, (str, os.PathLike)) or os.fspath(path) in ("", ":memory:"):
            raise SettingError(f"path must be the path of a file, got {path!r}")
        if not isinstance(table, str) or not table.isidentifier() or table.lower().startswith("sqlite_"):
            raise SettingError(f"table must be a name of letters, digits and underscores, got {table!r}")
        self.path: Path = Path(path).absolute()
        self.table: str = table
        self.timeout: float = timeout
        self._connection = Connection(self.path, table, timeout, repr(self))
        with self._connection.using():
            pass

    def __reduce__(self) -> tuple[type[Store], tuple[str, str, float]]:
        return Store, (str(self.path), self.table, self.timeout)

    def __repr__(self) -> str:
        return f"Store({str(self.path)!r}, {self.table!r})"

    # -- reading ----------------------------------------------------------------------------------------------------

    def get(self, keys: Iterable[str]) -> list[bytes | None]:
        """Returns one value per key, in their order, all of one moment; None where there is none."""
        wanted = _all_encoded(keys)
        found: dict[bytes, bytes] = {}
        with self._connection.using("BEGIN") as connection:
            for start in range(0, len(wanted), AT_ONCE):
                some = wanted[start : start + AT_ONCE]
                marks = ",".join("?" * len(some))
                found.update(connection.execute(f'SELECT key, value FROM "{self.table}" WHERE key IN ({marks})', some))
        return [found.get(key) for key in wanted]

    def keys(self, prefix: str = "") -> Iterator[str]:
        """Yields the keys that begin with `prefix`, in the order of their code points.

        The store may be written to meanwhile: what is put or deleted during the iteration may come or not.
        """
        low, high = _range(prefix)
        while True:
            with self._connection.using() as connection:
                query = f'SELECT key FROM "{self.table}" WHERE key >= ? AND key < ? ORDER BY key LIMIT ?'
                page = connection.execute(query, (low, high, AT_ONCE)).fetchall()
            yield from (key.decode("utf-8", "surrogatepass") for (key,) in page)
            if len(page) < AT_ONCE:
                return
            low = page[-1][0] + b"\0"  # the next key there can be

    def count(self, prefix: str = "") -> int:
        """Returns how many keys begin with `prefix`."""
        with self._connection.using() as connection:
            query = f'SELECT count(*) FROM "{self.table}" WHERE key >= ? AND key < ?'
            return int(connection.execute(query, _range(prefix)).fetchone()[0])

    # -- writing ----------------------------------------------------------------------------------------------------

    def put(self, pairs: Iterable[tuple[str, bytes]]) -> None:
        """Writes all pairs, or none; over the old value where a key is there, the last where one is given twice."""
        rows = [(_encoded(key), _checked(key, value)) for key, value in pairs]
        query = f'INSERT INTO "{self.table}" VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value'
        with self._connection.using("BEGIN IMMEDIATE") as connection:
            connection.executemany(query, rows)

    def delete(self, keys: Iterable[str]) -> int:
        """Deletes all keys that are there, or none -> how many were."""
        gone = [(key,) for key in _all_encoded(keys)]
        with self._connection.using("BEGIN IMMEDIATE") as connection:
            return max(0, connection.executemany(f'DELETE FROM "{self.table}" WHERE key = ?', gone).rowcount)

    def delete_prefix(self, prefix: str) -> int:
        """Deletes all keys that begin with `prefix` -> how many; "" is all of them."""
        with self._connection.using("BEGIN IMMEDIATE") as connection:
            query = f'DELETE FROM "{self.table}" WHERE key >= ? AND key < ?'
            return max(0, connection.execute(query, _range(prefix)).rowcount)

    # -- the end ----------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Lets go of the file. A closed store raises `SettingError` when it is used."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _encoded(key: str) -> bytes:
    if not isinstance(key, str):
        raise SettingError(f"a key must be a str, got {key!r:.80}")
    return key.encode("utf-8", "surrogatepass")


def _all_encoded(keys: Iterable[str]) -> list[bytes]:
    if isinstance(keys, str):
        raise SettingError(f"keys must be a list of str, got one str: pass [{keys!r:.80}]")
    return [_encoded(key) for key in keys]


def _checked(key: str, value: bytes) -> bytes:
    if not isinstance(value, (bytes, bytearray, memoryview)):
        raise SettingError(f"a value must be bytes, got {type(value).__name__} for the key {key!r:.80}")
    return bytes(value)


def _range(prefix: str) -> tuple[bytes, bytes]:
    """A prefix -> the first key that can begin with it, and the first after all that do. UTF-8 has no byte 255."""
    low = _encoded(prefix)
    return low, low[:-1] + bytes([low[-1] + 1]) if low else b"\xff"
