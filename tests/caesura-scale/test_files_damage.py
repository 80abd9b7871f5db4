"""Parts that are damaged, or of a file that was written to meanwhile, are made again: each is what its name says."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from fakes.documents.split_file import chunks, cutting, pa, pq, wanted
from fakes.splitters.split_batch import BATCH, documents

from caesura import SettingError

fs = pytest.importorskip("pyarrow.fs")


def test_a_part_that_was_cut_off_is_made_again(paths: list[str], tmp_path: Path) -> None:
    parts = [cutting(tmp_path)(path) for path in paths]
    for part, size in zip(parts, (0, 3, 100), strict=False):
        with open(tmp_path / "out" / part.name, "r+b") as file:
            file.truncate(size)
    assert [cutting(tmp_path)(path).made for path in paths] == [True, True, True, False, False]
    assert chunks(tmp_path) == wanted()


@pytest.mark.parametrize("place", [-8, -1])  # in the footer's length, and in the mark
def test_a_part_that_cannot_be_opened_is_made_again(paths: list[str], tmp_path: Path, place: int) -> None:
    part = tmp_path / "out" / cutting(tmp_path)(paths[0]).name
    sound = part.read_bytes()
    damaged = bytearray(sound)
    damaged[place] ^= 255
    part.write_bytes(damaged)
    assert cutting(tmp_path)(paths[0]).made
    assert part.read_bytes() == sound
    assert not cutting(tmp_path)(paths[0]).made


def test_a_reader_finds_a_wrong_byte_in_a_page(paths: list[str], tmp_path: Path) -> None:
    part = tmp_path / "out" / cutting(tmp_path)(paths[0]).name
    damaged = bytearray(part.read_bytes())
    damaged[5_000] ^= 255
    part.write_bytes(damaged)
    with pytest.raises(OSError, match="CRC checksum"):
        pq.read_table(part, page_checksum_verification=True)


def test_a_parquet_file_of_others_under_the_name_of_a_part_is_made_again(paths: list[str], tmp_path: Path) -> None:
    part = cutting(tmp_path)(paths[0])
    pq.write_table(pa.table(documents(3)), tmp_path / "out" / part.name)
    assert cutting(tmp_path)(paths[0]) == part


class Replacing:
    """A `SplitBatch` that cuts as usual, and before that has the file of documents replaced, once or each time."""

    def __init__(self, path: str, by: list[Any], renamed: bool) -> None:
        self.path, self.by, self.renamed = path, by, renamed

    def __call__(self, rows: Any) -> Any:
        if rows.num_rows and self.by:
            table = self.by.pop(0)
            pq.write_table(table, self.path + ".new" if self.renamed else self.path)
            if self.renamed:
                os.replace(self.path + ".new", self.path)
        return BATCH(rows)


@pytest.mark.parametrize("renamed", [False, True])
def test_a_file_that_is_replaced_while_it_is_read_has_the_part_of_what_was_read(
    tmp_path: Path, paths: list[str], renamed: bool
) -> None:
    before, after = (pa.table(documents(5, seed=seed)) for seed in (1, 2))
    pq.write_table(before, paths[0])
    part = cutting(tmp_path, cut=Replacing(paths[0], [after], renamed))(paths[0])
    assert part.made
    read = before if renamed else after  # a file that is open stays what it was where another takes its name
    assert pq.read_table(tmp_path / "out" / part.name)["text"].to_pylist() == BATCH(read)["text"].to_pylist()
    assert [path.name for path in (tmp_path / "out").iterdir()] == [part.name]
    pq.write_table(read, paths[0])
    assert not cutting(tmp_path)(paths[0]).made
    pq.write_table(after if renamed else before, paths[0])
    assert cutting(tmp_path)(paths[0]).made


def test_a_file_that_is_written_to_again_and_again_is_refused(tmp_path: Path, paths: list[str]) -> None:
    changes = [pa.table(documents(5, seed=seed)) for seed in range(1, 9)]
    with pytest.raises(SettingError, match=r"0\.parquet was written to each time that it was read: run again"):
        cutting(tmp_path, cut=Replacing(paths[0], changes, renamed=False))(paths[0])
    assert len(changes) == 5  # after three
    assert list((tmp_path / "out").iterdir()) == []
