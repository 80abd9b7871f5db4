"""The chunks of texts as a table: where each lies, what it measures, and what it says."""

from __future__ import annotations

from collections.abc import Iterator

from caesura.types import Chunk, Embed, Sizer
from caesura_documents.layout import OF_PAGES, DocumentLayout
from caesura_lab.embedders import Embedder
from caesura_lab.embedders import embedder as make_embedder
from caesura_lab.inputs import Texts, collect_sources
from caesura_lab.reading import Source
from caesura_lab.sizing import make_sizing
from caesura_lab.splitters.methods import AnySplitter, Cutting, make_method
from caesura_lab.tables import Row, Table


def split(
    texts: Texts,
    splitter: AnySplitter = "double-pass",
    *,
    embedder: str | Embed | Embedder = "static",
    size: int | None = None,
    min_size: int = 0,
    overlap: int = 0,
    unit: str = "characters",
    tokenizer: str | None = None,
) -> Table:
    """Texts and a splitter -> a `Table` with a row per chunk, as the command `caesura split` writes them.

    chunk counts from 1 in each text; start and end are characters of the text from 0, size is in `unit`. Raises
    `SettingError`, `ReadingError`, and what a splitter raises.
    """
    sources = collect_sources(texts)
    method = make_method(splitter, make_sizing(size, min_size, overlap, unit, tokenizer))
    rows: list[Row] = []
    notes: list[str] = []
    cuttings = method(
        [source.text for source in sources], make_embedder(embedder), files=[source.path for source in sources]
    )
    for source, cutting in zip(sources, cuttings, strict=True):
        chunks = list(chunk_rows(source, cutting, method.sizing.sizer))
        count = f"{len(chunks):,} chunk{'s' * (len(chunks) != 1)}"
        largest = max((int(row["size"] or 0) for row in chunks), default=0)
        notes.append(f"{source.path}: {len(cutting.text):,} characters in {count}, the largest of {largest:,}.")
        rows += chunks
    return Table(tuple(rows), f"Chunks, by {method.name}", tuple(notes))


def chunk_rows(source: Source, cutting: Cutting, sizer: Sizer) -> Iterator[Row]:
    """The chunks of one text, a row each; of a PDF with their pages, from 1 and as they are printed."""
    chunks = [Chunk(text, start, end) for (start, end), text in zip(cutting.spans, cutting.chunks, strict=True)]
    pages = DocumentLayout.of(source.layout_metadata).pages(chunks)
    for place, chunk in enumerate(chunks):
        row: Row = {"path": source.path, "chunk": place + 1, "start": chunk.start, "end": chunk.end}
        said = {name: pages[name][place] for name in OF_PAGES[:4] if pages[name][place] is not None}
        yield row | {"size": sizer(chunk.text)} | said | {"text": chunk.text}
