"""A store's file: another program's, a damaged or a locked one is named and left alone."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from caesura.errors import SettingError
from caesura_store.sqlite_store import Store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


def test_another_programs_file_is_refused_and_left_as_it_was(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE entries (id INTEGER)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(SettingError, match=r"store\.db is a SQLite file of another program"):
        Store(path)
    assert path.read_bytes() == before


def test_what_is_no_sqlite_file_is_refused_and_left_as_it_was(path: Path) -> None:
    path.write_bytes(b"a diary, in plain text\n" * 100)
    with pytest.raises(SettingError, match=r"store\.db is damaged or no SQLite file .*give another path"):
        Store(path)
    assert path.read_bytes() == b"a diary, in plain text\n" * 100


def test_a_damaged_file_is_named_when_it_is_read(path: Path) -> None:
    with Store(path) as store:
        store.put((f"{at:05}", bytes(2000)) for at in range(500))
    content = bytearray(path.read_bytes())
    content[8192:] = b"\xa5" * (len(content) - 8192)
    path.write_bytes(content)
    with Store(path) as store, pytest.raises(SettingError, match=r"store\.db is damaged"):
        store.get([f"{at:05}" for at in range(500)])


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="cannot be opened as a file"):
        Store(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingError, match=r"the folder of .* cannot be made"):
        Store(tmp_path / "file" / "store.db")


def test_a_file_that_cannot_be_written_is_named(path: Path) -> None:
    with Store(path) as store:
        store.run(lambda connection: connection.execute("PRAGMA query_only = 1"))
        with pytest.raises(SettingError, match=r"store\.db cannot be opened as a file to read and write"):
            store.put([("a", b"1")])


@pytest.mark.parametrize("table", ["entries", "Entries", "Über"])
def test_a_store_that_is_there_is_opened_and_read_while_another_writes(path: Path, table: str) -> None:
    with Store(path, table) as store:
        store.put([("a", b"1")])
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with Store(path, table, timeout=0) as store:
        assert store.get(["a"]) == [b"1"]
    other.close()


def test_a_file_locked_for_too_long_is_named(path: Path) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    with Store(path, timeout=0.05) as store:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(sqlite3.OperationalError, match="locked") as caught:
            store.put([("a", b"1")])
        assert "store.db" in caught.value.__notes__[0]
        other.execute("ROLLBACK")
        store.put([("a", b"1")])
    other.close()


def test_a_link_to_a_file_is_the_file_and_has_its_locks(path: Path) -> None:
    Store(path).close()
    link = path.with_name("link.db")
    link.symlink_to(path)
    with Store(link) as store:
        assert store.path == path.resolve()


@pytest.mark.skipif(sys.platform == "win32", reason="a file that is open stays there")
@pytest.mark.parametrize("new", ["none", "file", "folder"])
def test_nothing_is_written_to_a_file_that_is_no_longer_there(path: Path, new: str) -> None:
    """All goes on where the file is put back, and in a store that is opened anew."""
    away = path.with_name("away.db")
    with Store(path) as store:
        store.put([("a", b"1")])
        path.rename(away)
        if new == "file":
            path.write_bytes(away.read_bytes())
        elif new == "folder":
            path.mkdir()
        writes: list[Callable[[], object]] = [
            lambda: store.put([("b", b"2")]),
            lambda: store.delete(["a"]),
            lambda: store.update("a", lambda _: [("a", b"2")]),
        ]
        for write in writes:
            with pytest.raises(SettingError, match=r"store\.db was deleted, moved or replaced .* open it again"):
                write()
        if new == "folder":
            path.rmdir()
        away.replace(path)
        assert store.get(["a", "b"]) == [b"1", None]
        store.put([("b", b"2")])
        path.unlink()
    with Store(path) as store:
        store.put([("c", b"3")])
        assert list(store.keys()) == ["c"]


@pytest.mark.skipif(sys.platform == "win32", reason="a folder of an open file stays there")
def test_nothing_is_written_where_the_folder_is_gone(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    with Store(folder / "store.db") as store:
        folder.rename(tmp_path / "away")
        folder.write_text("")
        with pytest.raises(SettingError, match=r"store\.db was deleted, moved or replaced"):
            store.put([("a", b"1")])
