"""A path and a table -> a connection to a SQLite file of ours, new or old, or an error that says what is there."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from caesura.errors import SettingError

APPLICATION = 0x43616573  # SQLite's `application_id` in a file of ours: another's file is refused and not written to


def opened(path: Path, table: str, timeout: float) -> sqlite3.Connection:
    """Opens the file. Makes an empty one ours, and refuses another's; several processes may do so at once."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingError(f"the folder of {path} cannot be made: {error}") from error
    connection = sqlite3.connect(path, timeout, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("BEGIN")
        mark = connection.execute("PRAGMA application_id").fetchone()[0]
        tables, there = connection.execute(
            "SELECT count(*), total(name = ? COLLATE NOCASE) FROM sqlite_master", (table,)
        ).fetchone()
        connection.execute("COMMIT")
        if mark != APPLICATION and (mark or tables):
            raise SettingError(f"{path} is a SQLite file of another program: give the store a path of its own")
        _log_ahead(connection, time.monotonic() + timeout)
        connection.execute("PRAGMA synchronous = FULL")
        if mark != APPLICATION or not there:
            connection.execute("BEGIN IMMEDIATE")
            columns = "(key BLOB NOT NULL PRIMARY KEY, value BLOB NOT NULL)"
            connection.execute(f'CREATE TABLE IF NOT EXISTS "{table}" {columns}')
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection


def _log_ahead(connection: sqlite3.Connection, end: float) -> None:
    """SQLite does not wait for its busy timeout where two connections turn to write-ahead logging at once."""
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > end:
                raise
            time.sleep(0.01)


@contextmanager
def told(path: Path, note: str) -> Iterator[None]:
    """Says which file is meant: `SettingError` where it is damaged or none of ours, a note on any other fault."""
    try:
        yield
    except sqlite3.Error as error:
        if "not a database" in str(error) or "malformed" in str(error):
            remedy = "give another path, or restore it from a copy"
            raise SettingError(f"{path} is damaged or no SQLite file ({error}): {remedy}") from error
        if "unable to open" in str(error):
            raise SettingError(f"{path} cannot be opened as a file to read and write") from error
        error.add_note(note)
        raise
