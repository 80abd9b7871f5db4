"""`caesura view`: files and splitters in, one page out."""

from __future__ import annotations

from typing import Annotated

import typer

from caesura_lab.commands import options
from caesura_lab.commands.console import told, write
from caesura_lab.commands.reader import Reader
from caesura_lab.sizing import sizing
from caesura_lab.viewer import DEFAULT
from caesura_lab.viewer import view as viewed


def view(
    path: options.Paths,
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="The page; - is standard output.")],
    splitter: options.Many = None,
    size: options.Size = None,
    unit: options.UnitOption = options.Unit.CHARACTERS,
    min_size: options.MinSize = 0,
    overlap: options.Overlap = 0,
    embedder: options.EmbedderOption = "static",
    tokenizer: options.Tokenizer = "wordpiece",
    encoding: options.Encoding = None,
    quiet: options.Quiet = False,
) -> None:
    """See the chunks: one page, the text in colour, the gap curve, sizes, places, and why each chunk begins.

    The page is one file and asks nothing of any network. Without --splitter it shows our four, between which it
    switches. Exit code: 0; 1 where a file could not be read, the page has all others; 2 for a wrong option.

    \b
    caesura view notes.md -o notes.html
    caesura view notes.md -o notes.html --size 1200 --overlap 200 -s double-pass -s recursive
    """
    with told() as console:
        sizing(size, min_size, overlap, unit, tokenizer)
        reader = Reader(path, encoding, console, quiet, (output,))
        made = viewed(
            reader.texts(),
            splitter or DEFAULT,
            embedder=embedder,
            size=size,
            min_size=min_size,
            overlap=overlap,
            unit=unit,
            tokenizer=tokenizer,
        )
        write(made.html, None if output == "-" else output)
        reader.finish()
