"""Bytes by key in one SQLite file, for any number of threads and processes. What was put survives a kill.

The journal, the embedding cache and the document stores are built on it.
"""

# ruff: noqa: S608 - what is put into statements is the table's name, which is checked to be one
from __future__ import annotations

import errno
import os
import re
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeAlias, TypeVar
from weakref import WeakSet
from zlib import crc32

from caesura.checks import check_number
from caesura.errors import SettingError

T = TypeVar("T")
Value: TypeAlias = bytes | Sequence[bytes]
"""What is put under a key: bytes, or the pieces of them that may be read apart, at least one."""
APPLICATION = 0x43616573  # SQLite's `application_id` in a file of ours: another's file is refused and not written to
FORK_PATIENCE = 60.0
"""Seconds that a fork waits until other threads have read or written what they are at."""
COLUMNS = "(key BLOB NOT NULL PRIMARY KEY, value BLOB NOT NULL)"
AT_ONCE = 500  # keys per statement: SQLite limits the variables of one
CHECK = 4
"""Bytes of a checksum after each value: SQLite itself does not see that one was changed."""
SOUND = 0x2144DF1C
"""The checksum of any bytes that end in their own checksum."""

CACHE_SIZE = "PRAGMA cache_size = -16384"
"""16 MiB of the file are kept in memory at most: SQLite's own 2 are too few for the documents of a question."""

FURTHER = b"\xff"
"""Behind a key in those of its further pieces, before the number of each. UTF-8 has no such byte."""
NUMBER = 4
"""Bytes of the number of a piece, and of how many there are."""

_forking = threading.RLock()
"""Held while a process forks: nobody opens a store or begins to read or write meanwhile."""
_stores: WeakSet[Store] = WeakSet()
_stopped: set[Store] = set()
"""The stores that are closed for a fork."""
_taken: list[Any] = []
"""The locks of stores that a fork holds, or was about to take."""
_dropped: list[Store] = []
"""Stores that were dropped while a process forks: they are closed before or after, as SQLite is not to be used then."""
_left: list[sqlite3.Connection] = []
"""The parent's connections, which this process may not even close."""
_shut: set[Path] = set()
"""Files that this process may not open, because its parent had them open when it was forked."""


def quote_table(*parts: str) -> str:
    """Returns the name of a table for SQL, another one for any other parts.

    SQLite takes capitals for small letters, and no name of a `Store` has a stroke or a caret.

    >>> quote_table("wiki", "words"), quote_table("Wiki_words")
    ('"wiki/words"', '"^wiki_words"')
    """
    return '"' + re.sub("[A-Z]", lambda capital: f"^{capital[0].lower()}", "/".join(filter(None, parts))) + '"'


def _connect(path: Path | None, table: str, timeout: float) -> sqlite3.Connection:
    """Opens the file. Makes an empty one ours, and refuses another's; several processes may do so at once."""
    if path is None:
        connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        connection.execute(f"CREATE TABLE {quote_table(table)} {COLUMNS}")
        return connection
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingError(f"the folder of {path} cannot be made: {error}") from error
    connection = sqlite3.connect(path, timeout, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("BEGIN")
        mark = connection.execute("PRAGMA application_id").fetchone()[0]
        tables, there = connection.execute(
            f"SELECT count(*), total(name = '{quote_table(table)[1:-1]}') FROM sqlite_master"
        ).fetchone()
        connection.execute("COMMIT")
        if mark != APPLICATION and (mark or tables):
            raise SettingError(f"{path} is a SQLite file of another program: give the store a path of its own")
        _log_ahead(connection, time.monotonic() + timeout)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(CACHE_SIZE)
        if mark != APPLICATION or not there:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(f"CREATE TABLE IF NOT EXISTS {quote_table(table)} {COLUMNS}")
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection


def _log_ahead(connection: sqlite3.Connection, end: float) -> None:
    """Turns on write-ahead logging. Tries again here: SQLite does not wait if two connections turn it on at once."""
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > end:
                raise
            time.sleep(0.01)


@contextmanager
def _named_errors(path: Path, note: str) -> Iterator[None]:
    """Names the file in errors: raises `SettingError` if it is damaged or cannot be opened, `OSError` if the disk is
    full or fails, and adds a note to others."""
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # without its details
        kept = "nothing of this call was written, and all that was written before is kept"
        if code == sqlite3.SQLITE_FULL:
            raise OSError(
                errno.ENOSPC, f"no room on the disk: {kept}; make room, then call again", str(path)
            ) from error
        if code == sqlite3.SQLITE_IOERR:
            raise OSError(errno.EIO, f"{error}: {kept}; see whether the disk is full or fails", str(path)) from error
        if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
            raise SettingError(f"{path} cannot be opened as a file to read and write") from error
        broken = isinstance(error, UnicodeDecodeError) or code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
        broken = broken or str(error).startswith("no such column")  # of a table of ours
        if broken or (code not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) and _is_damaged(path)):
            remedy = "give another path, or restore it from a copy"
            raise SettingError(f"{path} is damaged or no SQLite file ({error}): {remedy}") from error
        error.add_note(note)
        raise


def _identify(path: Path) -> tuple[int, int] | None:
    """What tells the file that is there now from any other one; None where there is none."""
    try:
        return (status := os.stat(path)).st_dev, status.st_ino
    except (FileNotFoundError, NotADirectoryError):
        return None


def _is_damaged(path: Path) -> bool:
    try:
        with closing(sqlite3.connect(path)) as connection:
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok")
    except (sqlite3.Error, UnicodeDecodeError) as error:
        return getattr(error, "sqlite_errorcode", 0) & 0xFF not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _stop_for_fork() -> None:
    """Before a fork: waits until no thread reads or writes, lets none begin, and closes the files.

    SQLite counts the locks of a process in memory. A child inherits the counts without the locks: it would wait for
    ever for a write of its parent, and another process would delete the log that it writes to.
    """
    end = time.monotonic() + FORK_PATIENCE
    for store in set(_stores) - _stopped:
        if store._thread == threading.get_ident():  # its own transaction forks
            continue
        _taken.append(store._lock)  # first: a signal may come between any two lines
        if store._lock.acquire(timeout=max(0.0, end - time.monotonic())):
            if store._file is not None:
                store._disconnect()
            _stopped.add(store)
    _close_dropped()


def _close_dropped() -> None:
    while _dropped:
        _dropped.pop().close()


def _go_on_after_fork() -> None:
    _close_dropped()
    while _taken:
        with suppress(RuntimeError):  # it was not taken
            _taken[-1].release()
        _taken.pop()
    _stopped.clear()


def _reset_after_fork() -> None:
    """In a forked child: no lock is held, and the parent's connections are left alone."""
    for store in [*_stores, *_dropped]:
        if store._file is not None and store not in _stopped:
            _shut.add(store._file)
        if store._connection is not None:
            _left.append(store._connection)
        store._connection, store._lock, store._thread = None, threading.RLock(), 0
    _taken.clear()
    _stopped.clear()
    _dropped.clear()
    release_in_child(_forking)


def release_in_child(guard: Any) -> None:
    """Releases, in a forked child, an RLock that was taken before the fork.

    A signal may have kept it from being taken: then another thread of the parent may have it, which is not here.
    """
    try:
        guard.release()
    except RuntimeError:
        guard._at_fork_reinit()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_stop_for_fork, after_in_parent=_go_on_after_fork, after_in_child=_reset_after_fork)
    os.register_at_fork(before=_stop_for_fork, after_in_parent=_go_on_after_fork)  # where a signal came into the first
    os.register_at_fork(before=_forking.acquire, after_in_parent=_forking.release)


class Pieces(NamedTuple):
    """Some of the pieces of a value, by number from 0, and what tells the value from any other under its key."""

    total: int
    """How many pieces the value has."""
    stamp: bytes
    found: Mapping[int, bytes]


class Store:
    """Bytes by key. A call that writes is one transaction: on the disk when it returns, or not there at all.

    path: the file, made with its folders if it is not there; not on a network drive. table: several stores may live in
    one file, each in a table of its own. timeout: seconds to wait while another process writes.

    A key is any str. A value that is put as a list of pieces is one value, but `get_pieces` reads some of them alone. A
    pickle of a store holds its path. Threads share one connection. A fork waits until none of them
    reads or writes, and parent and child open the file again. Beside it, `key_locks` has a folder ``….db-locks``.

    Raises `SettingError` for a file that is no store of ours, damaged, or gone when it is written to, and `OSError` if
    the disk is full or fails.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store(f"{folder}/replies.db") as store:
    ...     store.put([("a", b"1"), ("b", b"2")])
    ...     store.get(["b", "none"]), store.delete(["a"]), list(store.keys())
    ([b'2', None], 1, ['b'])
    """

    def __init__(self, path: str | os.PathLike[str], table: str = "entries", timeout: float = 60.0) -> None:
        check_number("timeout", timeout, 0, 86_400)
        if not isinstance(path, (str, os.PathLike)) or os.fspath(path) in ("", ":memory:"):
            remedy = ": for a store in memory take InMemoryStore of LangChain, or SimpleDocumentStore of LlamaIndex"
            raise SettingError(f"path must be the path of a file, got {path!r}{remedy if path else ''}")
        if not isinstance(table, str) or not table.isidentifier() or table.lower().startswith("sqlite_"):
            raise SettingError(f"table must be a name of letters, digits and underscores, got {table!r}")
        try:
            resolved = Path(path).resolve()  # so that a link to a file has its locks
            os.fsencode(resolved)
        except (ValueError, RuntimeError, OSError) as error:
            raise SettingError(f"path must be the path of a file, got {path!r}: {error}") from error
        self._open(resolved, table, timeout)

    @classmethod
    def in_memory(cls) -> Self:
        """A store without a file, for this process alone; in a forked one it holds nothing."""
        store = cls.__new__(cls)
        store._open(None, "entries", 0.0)
        return store

    def _open(self, path: Path | None, table: str, timeout: float) -> None:
        self.path: Path = path or Path(":memory:")
        self.table: str = table
        self._name = quote_table(table)
        self.timeout: float = timeout
        self._file = path
        self._lock = threading.RLock()  # a handler of a signal may come here within a call
        self._connection: sqlite3.Connection | None = None
        self._identity: tuple[int, int] | None = None  # of the file that it is connected to
        self._thread = 0  # that reads or writes
        self._closed = False
        with _forking:
            _stores.add(self)
        self.run(lambda _: None)

    def __reduce__(self) -> tuple[type[Store], tuple[str, str, float]]:
        return Store, (str(self.path), self.table, self.timeout)  # of a store in memory: refused when it is unpickled

    def __repr__(self) -> str:
        return f"Store({str(self.path)!r}, {self.table!r})"

    def run(self, work: Callable[[sqlite3.Connection], T], begin: str = "") -> T:
        """Returns ``work(connection)``. One thread at a time; in a transaction if `begin` starts one.

        An exception at any point, also by Ctrl-C or a signal, rolls the transaction back.
        """
        with _forking:
            pass
        with self._lock, _named_errors(self.path, f"in {self!r}, after up to {self.timeout:g} s"):
            if self._thread == threading.get_ident():
                raise SettingError(
                    f"{self!r} is in the middle of a call of this thread: a handler of a signal, or another function "
                    f"that is called within it, may close the store or raise an exception, and use it afterwards"
                )
            connection: sqlite3.Connection | None = None
            try:
                self._thread = threading.get_ident()
                connection = self._get_connection()
                if begin:
                    connection.execute(begin)
                result = work(connection)
                if begin:
                    self._check_file(begin)
                    self._get_connection().execute("COMMIT")
                return result
            finally:
                try:
                    self._end(connection)
                finally:
                    self._end(connection)  # where a signal came into the first

    def _get_connection(self) -> sqlite3.Connection:
        if self._closed:
            raise SettingError(f"{self!r} is closed: open another one")
        if self.path in _shut:
            raise SettingError(
                f"{self.path} cannot be used in this process, which was forked while its parent wrote there: start it "
                f"by spawn, or fork it outside of Store.run()"
            )
        if self._connection is None:
            self._connection = _connect(self._file, self.table, self.timeout)
            self._identity = _identify(self.path)
        return self._connection

    def _check_file(self, begin: str) -> None:
        """Raises `SettingError` where a call that writes would write to a file that is no longer there."""
        if begin != "BEGIN" and self._file is not None and _identify(self._file) != self._identity:
            raise SettingError(
                f"{self._file} was deleted, moved or replaced while it was open: nothing of this call was written; put "
                f"the file back in its place, or close {self!r} and open it again, which makes a file or takes the new "
                f"one, and write again"
            )

    def _end(self, connection: sqlite3.Connection | None) -> None:
        """Rolls back what was not committed, but for a transaction of the process that this one was forked from."""
        if connection is not None and connection is self._connection and connection.in_transaction:
            connection.execute("ROLLBACK")
        self._thread = 0
        if self._closed:
            self._disconnect()

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    # -- reading ----------------------------------------------------------------------------------------------------

    def get(self, keys: Iterable[str]) -> list[bytes | None]:
        """Returns one value per key, in their order, None if a key is not there. All are read at one moment."""
        wanted = _encode_all(keys)
        return self.run(lambda connection: self._read(connection, wanted), "BEGIN")

    def get_pieces(self, numbers: Mapping[str, Iterable[int]]) -> dict[str, Pieces]:
        """Returns the first and some further pieces of each value that is there. All are read at one moment.

        numbers: of the further pieces, for each key. A number that a value does not have is passed over.
        """
        wanted = {_encode(key): own for key, own in numbers.items()}

        def read(connection: sqlite3.Connection) -> dict[str, Pieces]:
            heads = self._read_heads(connection, [*wanted])
            long = {key: [n for n in wanted[key] if 0 < n < own.total] for key, own in heads.items() if own.total > 1}
            for key, found in self._read_further(connection, heads, long).items():
                heads[key] = heads[key]._replace(found={**heads[key].found, **found})
            return {_decode(key): head for key, head in heads.items()}

        return self.run(read, "BEGIN")

    def _read(self, connection: sqlite3.Connection, wanted: Sequence[bytes]) -> list[bytes | None]:
        """Returns whole values."""
        values, heads = dict[bytes, bytes](), dict[bytes, Pieces]()
        for key, stored in self._select(connection, "key, value", wanted):
            if _is_whole(key, stored):  # as nearly all are
                values[key] = stored[:-CHECK]
            else:
                heads[key] = self._read_first(key, stored)
        long = {key: range(1, head.total) for key, head in heads.items()}
        for key, pieces in self._read_further(connection, heads, long).items():
            values[key] = b"".join([heads[key].found[0], *(pieces[number] for number in long[key])])
        return [values.get(key) for key in wanted]

    def _read_heads(self, connection: sqlite3.Connection, wanted: Sequence[bytes]) -> dict[bytes, Pieces]:
        """Returns the first piece of each value that is there."""
        return {
            key: Pieces(1, stored[-CHECK:], {0: stored[:-CHECK]})
            if _is_whole(key, stored)
            else self._read_first(key, stored)
            for key, stored in self._select(connection, "key, value", wanted)
        }

    def _read_first(self, key: Any, stored: Any) -> Pieces:
        """What the file has as a key and under it -> the first of several pieces. Raises `SettingError` for others."""
        content = self._check(key, stored, FURTHER)
        count = int.from_bytes(content[-CHECK - NUMBER : -CHECK], "little")
        return Pieces(count, content[-CHECK:], {0: content[: -CHECK - NUMBER]})

    def _read_further(
        self, connection: sqlite3.Connection, heads: Mapping[bytes, Pieces], numbers: Mapping[bytes, Iterable[int]]
    ) -> dict[bytes, dict[int, bytes]]:
        """Returns pieces behind the first by their numbers, for each key."""
        names = {_piece_key(key, number): (key, number) for key, own in numbers.items() for number in own}
        stored = dict(self._select(connection, "key, value", [*names]))
        found: dict[bytes, dict[int, bytes]] = {key: {} for key in numbers}
        for name, (key, number) in names.items():
            found[key][number] = self._check(name, stored.get(name), heads[key].stamp)
        return found

    def _check(self, key: Any, stored: Any, beside: bytes) -> bytes:
        """What the file has as a key and under it -> the value. Raises `SettingError` if it is not what was written.

        beside: what its checksum is of, beside key and value.
        """
        if not (isinstance(key, bytes) and isinstance(stored, bytes)) or crc32(stored, crc32(key + beside)) != SOUND:
            name = key.partition(FURTHER)[0].decode("utf-8", "backslashreplace") if isinstance(key, bytes) else key
            raise SettingError(
                f"{self.path} is damaged, the value of {name!r:.80} is not as it was written: restore the file from a "
                f"copy, or write the value again"
            )
        return stored[:-CHECK]

    def present(self, keys: Iterable[str]) -> set[str]:
        """Returns those of the keys that are there, without reading their values."""
        names = keys if isinstance(keys, str) else list(keys)
        wanted = _encode_all(names)
        rows = self.run(lambda connection: self._select(connection, "key", wanted), "BEGIN")
        found = {key for (key,) in rows}
        return {name for name, key in zip(names, wanted, strict=True) if key in found}

    def _select(self, connection: sqlite3.Connection, columns: str, wanted: Sequence[bytes]) -> list[Any]:
        """Returns columns of the rows of some keys."""
        rows: list[Any] = []
        for start in range(0, len(wanted), AT_ONCE):
            some = wanted[start : start + AT_ONCE]
            marks = ",".join("?" * len(some))
            rows += connection.execute(f"SELECT {columns} FROM {self._name} WHERE key IN ({marks})", some)
        return rows

    def keys(self, prefix: str = "") -> Iterator[str]:
        """Yields the keys that begin with `prefix`, in the order of their code points.

        The store may be written to meanwhile: what is put or deleted during the iteration may come or not.
        """
        low, high = _range(prefix)
        while True:
            query = (
                f"SELECT key FROM {self._name} WHERE key >= ? AND key < ? AND NOT instr(key, ?) ORDER BY key LIMIT ?"
            )
            bounds = low, high, FURTHER, AT_ONCE
            page = self.run(lambda connection: [_decode(key) for (key,) in connection.execute(query, bounds)])  # noqa: B023
            yield from page
            if len(page) < AT_ONCE:
                return
            low = _encode(page[-1]) + b"\0"  # the next possible key

    # -- writing ----------------------------------------------------------------------------------------------------

    def put(self, pairs: Iterable[tuple[str, Value]]) -> None:
        """Writes all pairs, or none. A value, whole or in pieces, replaces the old one of its key, and an earlier one
        of the same call."""
        rows = _to_rows(pairs)
        self.run(lambda connection: self._write(connection, rows, []), "BEGIN IMMEDIATE")

    def delete(self, keys: Iterable[str]) -> int:
        """Deletes the given keys, all or none. Returns how many were there."""
        gone = _encode_all(keys)
        return self.run(lambda connection: self._write(connection, [], gone), "BEGIN IMMEDIATE")

    def update(
        self,
        key: str,
        change: Callable[[bytes | None], Iterable[tuple[str, Value]]],
        pairs: Iterable[tuple[str, Value]] = (),
        gone: Iterable[str] = (),
    ) -> None:
        """Writes pairs and what is made of the value of a key, and deletes keys, all or none.

        change: the value of the key, None if it is not there, -> further pairs. Nobody writes between.
        """
        rows, deleted = _to_rows(pairs), _encode_all(gone)

        def work(connection: sqlite3.Connection) -> None:
            made = _to_rows(change(*self._read(connection, [_encode(key)])))
            self._write(connection, rows + made, deleted)

        self.run(work, "BEGIN IMMEDIATE")

    def _write(self, connection: sqlite3.Connection, rows: list[tuple[bytes, bytes]], gone: list[bytes]) -> int:
        """Deletes keys, and puts rows. Returns how many of the keys were there."""
        delete = f"DELETE FROM {self._name} WHERE key = ?"
        count = max(0, connection.executemany(delete, [(key,) for key in gone]).rowcount)
        old = [key for key in (*gone, *(key for key, _ in rows)) if FURTHER not in key]
        between = f"DELETE FROM {self._name} WHERE key > ? AND key < ?"
        connection.executemany(between, [(key + FURTHER, key + FURTHER + b"\xff" * (NUMBER + 1)) for key in old])
        query = f"INSERT INTO {self._name} VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
        connection.executemany(query, rows)
        return count

    # -- the end ----------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Lets go of the file, for good. A closed store raises `SettingError` when it is used.

        A call that this thread is in the middle of, as where the handler of a signal closes, is rolled back.
        """
        with self._lock:
            self._closed = True
            if self._thread != threading.get_ident():
                self._disconnect()

    def __del__(self) -> None:
        if getattr(self, "_connection", None) is None:  # its settings were refused
            return
        try:
            if _forking.acquire(blocking=False):
                self.close()
            else:
                _dropped.append(self)
        finally:
            try:  # noqa: SIM105 - no call before this one, at which a signal could come
                _forking.release()
            except RuntimeError:  # another thread has it
                pass

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _is_whole(key: Any, stored: Any) -> bool:
    """Whether what the file has under a key is a sound value in one piece."""
    return isinstance(key, bytes) and isinstance(stored, bytes) and crc32(stored, crc32(key)) == SOUND


def _encode(key: str) -> bytes:
    if not isinstance(key, str):
        raise SettingError(f"a key must be a str, got {key!r:.80}")
    return key.encode("utf-8", "surrogatepass")


def _decode(key: bytes) -> str:
    return key.decode("utf-8", "surrogatepass")


def _encode_all(keys: Iterable[str]) -> list[bytes]:
    if isinstance(keys, str):
        raise SettingError(f"keys must be a list of str, got one str: pass [{keys!r:.80}]")
    return [_encode(key) for key in keys]


def _to_rows(pairs: Iterable[tuple[str, Value]]) -> list[tuple[bytes, bytes]]:
    """Keys and values -> rows of the table: each piece is followed by a checksum, the first one of several by how many
    there are before. Of a key that is there twice, the last."""
    rows: dict[bytes, list[tuple[bytes, bytes]]] = {}
    for key, value in pairs:
        encoded = _encode(key)
        pieces: list[bytes] = []
        for piece in value if isinstance(value, (list, tuple)) and value else [value]:
            if not isinstance(piece, (bytes, bytearray, memoryview)):
                raise SettingError(f"a value must be bytes, got {type(piece).__name__} for the key {key!r:.80}")
            pieces.append(bytes(piece))
        first, *rest = pieces
        if not rest:
            rows[encoded] = [(encoded, _with_check(first, encoded))]
            continue
        stamp = crc32(first, len(rest))
        for piece in rest:
            stamp = crc32(piece, stamp)
        said = stamp.to_bytes(CHECK, "little")
        head = _with_check(first + (1 + len(rest)).to_bytes(NUMBER, "little") + said, encoded + FURTHER)
        names = [_piece_key(encoded, number) for number in range(1, len(pieces))]
        further = [(name, _with_check(piece, name + said)) for name, piece in zip(names, rest, strict=True)]
        rows[encoded] = [(encoded, head), *further]
    return [row for own in rows.values() for row in own]


def _with_check(content: bytes, beside: bytes) -> bytes:
    return content + crc32(content, crc32(beside)).to_bytes(CHECK, "little")


def _piece_key(key: bytes, number: int) -> bytes:
    """The key of a piece behind the first."""
    return key + FURTHER + number.to_bytes(NUMBER, "big")


def _range(prefix: str) -> tuple[bytes, bytes]:
    """A prefix -> the first key that can begin with it, and the first after all that do. UTF-8 has no byte 255."""
    low = _encode(prefix)
    return low, low[:-1] + bytes([low[-1] + 1]) if low else b"\xff"
