"""A full disk and a damaged file: the error names the file and the remedy, and what was written before is kept."""

from __future__ import annotations

import errno
import random
import sqlite3
import sys
from pathlib import Path

import pytest

from caesura.errors import SettingError
from caesura_store.sqlite_store import Store

MANY = [(f"k{number}", b"%d" % number * 50) for number in range(300)]


def test_a_full_disk_is_named_and_costs_no_more_than_the_call(tmp_path: Path) -> None:
    with Store(tmp_path / "store.db") as store:
        store.put([("a", b"1")])
        [pages] = store.run(lambda held: held.execute("PRAGMA page_count").fetchone())
        store.run(lambda held: held.execute(f"PRAGMA max_page_count = {pages + 2}"))
        with pytest.raises(OSError, match=r"no room on the disk: nothing of this call.*make room.*store\.db") as caught:
            store.put([("a", b"2"), ("b", bytes(100_000))])
        assert caught.value.errno == errno.ENOSPC
        assert store.get(["a", "b"]) == [b"1", None]
        store.run(lambda held: held.execute("PRAGMA max_page_count = 10000"))
        store.put([("a", b"2"), ("b", bytes(100_000))])
        assert store.get(["a", "b"]) == [b"2", bytes(100_000)]


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process")
def test_a_file_that_cannot_grow_is_named_and_has_what_was_written(tmp_path: Path) -> None:
    import resource

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Store(tmp_path / "store.db") as store:
        store.put([("a", b"1")])
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, limits[1]))
            with pytest.raises(OSError, match=r"nothing of this call was written.*store\.db"):
                store.put([("a", b"2"), ("b", bytes(10**6))])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert store.get(["a", "b"]) == [b"1", None]
        store.put([("c", b"3")])
    with Store(tmp_path / "store.db") as again:
        assert again.get(["a", "b", "c"]) == [b"1", None, b"3"]


@pytest.mark.parametrize("tries", [20, pytest.param(2000, marks=pytest.mark.thorough)])
def test_a_damaged_file_is_read_or_named(tries: int, tmp_path: Path) -> None:
    """Bytes are changed, zeroed or cut off. No value is returned that was not written, and no error is SQLite's own,
    without the file's name."""
    with Store(tmp_path / "sound.db") as store:
        store.put(MANY)
    sound, rng = (tmp_path / "sound.db").read_bytes(), random.Random(3)
    for number in range(tries):
        path, content = tmp_path / f"{number}.db", bytearray(sound)
        start = rng.randrange(len(content))
        if number % 3 == 0:
            del content[start:]
        elif number % 3 == 1:
            content[start : start + 5000] = bytes(min(5000, len(content) - start))
        else:
            for _ in range(rng.choice([1, 20, 200])):
                content[rng.randrange(len(content))] = rng.randrange(256)
        path.write_bytes(content)
        try:
            with Store(path) as store:
                read = store.get([key for key, _ in MANY])
                assert all(value in (own, None) for value, (_, own) in zip(read, MANY, strict=True))
                store.put([("new", b"1"), ("k3", b"2")])
        except (SettingError, OSError) as error:
            assert str(path) in str(error)  # noqa: PT017 - any of two, or none
        except sqlite3.Error as error:
            pytest.fail(f"{number}: {error}")
        path.unlink()
