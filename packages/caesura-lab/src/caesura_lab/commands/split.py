"""The command `caesura split`: files in, chunks out, as JSON lines, plain text or a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from enum import StrEnum
from typing import Annotated

import typer

from caesura.types import Sizer
from caesura_lab.commands import options
from caesura_lab.commands.console import Reader, is_file_output, json_line, report_errors, write_output
from caesura_lab.embedders import Embedder
from caesura_lab.embedders import embedder as make_embedder
from caesura_lab.reading import STDIN, Source, escape_controls
from caesura_lab.sizing import make_sizing
from caesura_lab.splitters.methods import Cutting, Method, make_method
from caesura_lab.splitting import chunk_rows

BATCH = 400_000
"""So many characters at least are embedded together, where there are so many."""


class Format(StrEnum):
    """What comes out."""

    JSONL = "jsonl"
    TEXT = "text"
    HTML = "html"


def split(
    path: options.Paths,
    splitter: options.One = "double-pass",
    size: options.Size = None,
    unit: options.UnitOption = options.Unit.CHARACTERS,
    min_size: options.MinSize = 0,
    overlap: options.Overlap = 0,
    embedder: options.EmbedderOption = "static",
    form: Annotated[Format, typer.Option("--format", "-f", help="JSON lines, text to read, or a page.")] = Format.JSONL,
    output: Annotated[str | None, typer.Option("--output", "-o", help="A file; - is standard output.")] = None,
    tokenizer: options.SizeTokenizer = None,
    encoding: options.Encoding = None,
    quiet: options.Quiet = False,
) -> None:
    """Cut files into chunks, one JSON object per line and chunk.

    A line is {"path", "chunk", "start", "end", "size", "text"}: chunks count from 1 in each file, start and end are
    characters (code points) of the file from 0, after its byte order mark where it has one, size is in --unit. Of a
    PDF or HTML they are characters of the text that is read from it, of which "text" is a slice; chunks of a PDF say
    "page_start" and "page_end" too, and "page_label_start" and "page_label_end" where it says what is printed.
    Exit code: 0; 1 where a file could not be read, all others were cut; 2 for a wrong option.

    \b
    caesura split notes.md --size 1200
    caesura split docs/ --splitter optimal:target_size=300 > chunks.jsonl
    cat notes.md | caesura split - --unit tokens --size 256
    caesura split paper.txt --splitter recursive --overlap 200 --format text
    """
    with report_errors(size=size, min_size=min_size, overlap=overlap) as console:
        method = make_method(splitter, make_sizing(size, min_size, overlap, unit, tokenizer))
        embed = make_embedder(embedder)
        reader = Reader(path, encoding, console, quiet, (output,))
        if form is Format.HTML:
            from caesura_lab.viewer import view  # the page is not needed for the rest

            write_output(view(reader.read(), [method], embedder=embed).html, output)
        else:
            with closing(reader.sources(bar=is_file_output(output))) as sources:  # no chunk stands behind a bar
                lines = _format_chunks(_cut_sources(sources, method, embed), form, method.sizing.sizer)
                if output is None or output == STDIN:
                    for line in lines:
                        write_output(line)
                else:
                    write_output("".join(lines), output)
        reader.finish()


def _cut_sources(sources: Iterable[Source], method: Method, embedder: Embedder) -> Iterator[tuple[Source, Cutting]]:
    """Sources -> each with its cutting, many embedded together."""
    batch: list[Source] = []

    def cut_batch() -> Iterator[tuple[Source, Cutting]]:
        yield from zip(batch, method([source.text for source in batch], embedder), strict=True)

    characters = 0
    for source in sources:
        batch.append(source)
        characters += len(source.text) + 1
        if characters >= BATCH:
            yield from cut_batch()
            batch, characters = [], 0
    yield from cut_batch()


def _format_chunks(cuttings: Iterable[tuple[Source, Cutting]], form: Format, sizer: Sizer) -> Iterator[str]:
    for source, cutting in cuttings:
        for row in chunk_rows(source, cutting, sizer):
            if form is Format.TEXT:
                row["path"] = escape_controls(source.path)
                place = "--- {path} [{chunk}] {start}-{end}, {size}".format_map(row)
                if source.layout:
                    one = row["page_start"] == row["page_end"]
                    place += (", page {page_start}" if one else ", pages {page_start}-{page_end}").format_map(row)
                yield f"{place}\n{row['text']}\n\n"
                continue
            yield json_line(row)
