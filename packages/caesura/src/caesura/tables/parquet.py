"""A Parquet file of documents, and what cuts tables -> a Parquet file of chunks, which says itself what it is of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from caesura.windows import windows

GROUP = 1 << 26
"""Bytes of chunks that are held before they are written as one row group."""


class Account(NamedTuple):
    """How many documents a file of chunks is of, how many chunks it has, and how many documents failed."""

    documents: int
    chunks: int
    failed: int


def write(source: Any, system: Any, path: str, cut: Callable[[Any], Any], rows: int) -> None:
    """An open file of documents -> a file of their chunks on a file system, `rows` documents at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    documents = failed = 0

    def tables() -> Iterator[Any]:
        nonlocal documents, failed
        for batch in file.iter_batches(rows):
            made = cut(pa.Table.from_batches([batch]))
            documents += batch.num_rows
            if "error" in made.column_names:
                failed += made.num_rows - made.column("error").null_count
            yield made

    file = pq.ParquetFile(source)
    schema = cut(file.schema_arrow.empty_table()).schema
    with system.open_output_stream(path) as sink, pq.ParquetWriter(sink, schema) as writer:
        for group in windows(tables(), GROUP, lambda table: int(table.nbytes)):
            writer.write_table(pa.concat_tables(group))
        writer.add_key_value_metadata({"caesura.documents": str(documents), "caesura.failed": str(failed)})


def read(system: Any, path: str) -> Account | None:
    """A file's own account of itself; None where it is not there, or damaged and to be made again."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with system.open_input_file(path) as stream:
            about = pq.read_metadata(stream)
    except (FileNotFoundError, pa.ArrowInvalid):
        return None
    documents, failed = (int(about.metadata[f"caesura.{key}".encode()]) for key in ("documents", "failed"))
    return Account(documents, about.num_rows - failed, failed)
