"""A Parquet file of documents -> a Parquet file of their chunks: whole or not at all, and not twice.

Needs ``pip install "caesura-scale[parquet]"``. The folder alone shows what is done: a run that was killed, at any
point, is started again, and does the rest.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple
from uuid import uuid4

from caesura.checks import check_callable, check_int
from caesura.errors import SettingError
from caesura_scale.batch import SplitBatch
from caesura_scale.stream import windows

GROUP = 1 << 26
"""Bytes of chunks that are held before they are written as one row group."""
BLOCK = 1 << 20
TRIES = 3
"""How often a file is begun that is written to meanwhile."""
OURS = re.compile(r"part-[0-9a-f]{32}\.parquet|\.part-[0-9a-f]{32}\.parquet\.[0-9a-f]{32}")
"""The names of parts, whole and unfinished."""


class Account(NamedTuple):
    """How many documents a file of chunks is of, how many chunks it has, and how many documents failed."""

    documents: int
    chunks: int
    failed: int


def write(source: Any, system: Any, path: str, cut: Callable[[Any], Any], rows: int) -> Account:
    """An open file of documents -> a file of their chunks on a file system, `rows` documents at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    documents = chunks = failed = 0

    def tables() -> Iterator[Any]:
        nonlocal documents, chunks, failed
        for batch in file.iter_batches(rows):
            made = cut(pa.Table.from_batches([batch]))
            wrong = made.num_rows - made.column("error").null_count if "error" in made.column_names else 0
            documents, chunks, failed = documents + batch.num_rows, chunks + made.num_rows - wrong, failed + wrong
            yield made

    file = pq.ParquetFile(source)
    schema = cut(file.schema_arrow.empty_table()).schema
    with system.open_output_stream(path) as sink, pq.ParquetWriter(sink, schema, write_page_checksum=True) as writer:
        for group in windows(tables(), GROUP, lambda table: int(table.nbytes)):
            writer.write_table(pa.concat_tables(group))
        writer.add_key_value_metadata({"caesura.documents": str(documents), "caesura.failed": str(failed)})
    return Account(documents, chunks, failed)


def read_account(system: Any, path: str) -> Account | None:
    """A part's own account of itself. Returns None if there is no part, or if it cannot be read and has to be made."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with system.open_input_file(path) as stream:
            about = pq.read_metadata(stream)
        documents, failed = (int(about.metadata[f"caesura.{key}".encode()]) for key in ("documents", "failed"))
    except (FileNotFoundError, pa.ArrowInvalid, OSError, KeyError, TypeError):
        return None
    return Account(documents, about.num_rows - failed, failed)


class Part(NamedTuple):
    """What became of one file. name: of its part in the folder. failed: documents with an error. made: by this run."""

    source: str
    name: str
    documents: int
    chunks: int
    failed: int
    made: bool


@dataclass(frozen=True, slots=True)
class SplitFile:
    """The path of a Parquet file of documents -> its `Part`: a Parquet file of their chunks in a folder.

    cut: what becomes of the rows. folder: a path, or a URI that pyarrow knows, such as ``s3://bucket/chunks``; all
    workers must see the same. version: names settings and model; change it when you change them. rows: how many
    documents are read at a time.

    A part's name is made of what the file holds and of the version, so that a file that was changed is done again, and
    one that was not, or was only moved, is not. A part is written under another name and then renamed: it is there
    whole or not at all, and two workers that make the same one do no harm. Files of equal content have one part. A part
    that cannot be opened is made again. Its pages carry Parquet's own checksums: readers check them on request, such as
    ``pyarrow.parquet.read_table(path, page_checksum_verification=True)``.

    Pickles as `SplitBatch` does: give it to any engine's or pool's `map` with the paths. Raises what `cut` raises, with
    the path; no part is there then. Raises `SettingError` for a file that is written to whenever it is read.
    """

    cut: SplitBatch
    folder: str | os.PathLike[str]
    version: str
    rows: int = 256

    def __post_init__(self) -> None:
        check_int("rows", self.rows, 1)
        check_callable(self, "cut")
        if not isinstance(self.version, str) or not self.version:
            raise SettingError(f"version must name settings and model, as 'optimal-800-static-1', got {self.version!r}")
        object.__setattr__(self, "folder", _absolute_path(self.folder))

    def __call__(self, path: str | os.PathLike[str]) -> Part:
        source = _absolute_path(path)
        system, root = _file_system(str(self.folder))
        own, path_there = _file_system(source)
        if own.equals(system) and path_there.rpartition("/")[0] == root:
            raise SettingError(f"folder must be another than that of the documents, got {self.folder} for {source}")
        for _ in range(TRIES):
            with own.open_input_file(path_there) as documents:
                part = self._part(source, documents, system, root)
            if part is not None:
                return part
        raise SettingError(f"{source} was written to each time that it was read: run again when it is complete")

    def prune(self, parts: Iterable[Part]) -> list[str]:
        """Deletes from the folder what is none of these parts -> their names: what a killed run left unfinished, and
        parts of files that have been changed or deleted, or of another version.

        To be called where no run is under way, with the parts of all files that there are.
        """
        import pyarrow.fs as fs

        system, root = _file_system(str(self.folder))
        kept = {part.name for part in parts}
        there = [one.base_name for one in system.get_file_info(fs.FileSelector(root, allow_not_found=True))]
        ours = [name for name in there if OURS.fullmatch(name) and name not in kept]
        for name in ours:
            system.delete_file(f"{root}/{name}")
        return sorted(ours)

    def _part(self, source: str, documents: Any, system: Any, root: str) -> Part | None:
        """The part of an open file, which is made where it is not there; None where the file changed meanwhile."""
        name = self._name(documents)
        account = read_account(system, f"{root}/{name}")
        if account is not None:
            return Part(source, name, *account, made=False)
        system.create_dir(root, recursive=True)
        unfinished = f"{root}/.{name}.{uuid4().hex}"
        try:
            account = write(documents, system, unfinished, self.cut, self.rows)
            same = self._name(documents) == name
            if same:
                system.move(unfinished, f"{root}/{name}")
        except BaseException as error:
            error.add_note(f"raised for {source}, of which no part was written")
            _delete_file(system, unfinished)
            raise
        if same:
            return Part(source, name, *account, made=True)
        _delete_file(system, unfinished)
        return None

    def _name(self, documents: Any) -> str:
        """An open file of documents -> the name of its part."""
        digest = sha256(f"{len(self.version)}:{self.version}".encode())
        documents.seek(0)
        while block := documents.read(BLOCK):
            digest.update(block)
        return f"part-{digest.hexdigest()[:32]}.parquet"


def _delete_file(system: Any, path: str) -> None:
    with suppress(OSError):  # it was not begun
        system.delete_file(path)


def _absolute_path(path: str | os.PathLike[str]) -> str:
    """A path -> an absolute one; a URI as it is."""
    named = os.fspath(path)
    return named if "://" in named else os.path.abspath(named)


def _file_system(path: str) -> tuple[Any, str]:
    """A path or URI -> the file system that it is in, and its path there."""
    import pyarrow.fs as fs

    if "://" in path:
        system, place = fs.FileSystem.from_uri(path)
        return system, place.rstrip("/")
    return fs.LocalFileSystem(), path.replace(os.sep, "/")
