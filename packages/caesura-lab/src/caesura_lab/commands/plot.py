"""`caesura plot`: a file and a splitter in, a picture out."""

from __future__ import annotations

from typing import Annotated

import typer

from caesura import SettingError
from caesura_lab.commands import options
from caesura_lab.commands.console import told
from caesura_lab.commands.reader import Reader
from caesura_lab.sizing import sizing


def plot(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A text or Markdown file, or - for standard input.")],
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="A .png, .svg or .pdf.")],
    splitter: options.One = "percentile",
    size: options.Size = None,
    unit: options.UnitOption = options.Unit.CHARACTERS,
    min_size: options.MinSize = 0,
    overlap: options.Overlap = 0,
    embedder: options.EmbedderOption = "static",
    tokenizer: options.Tokenizer = "wordpiece",
    encoding: options.Encoding = None,
) -> None:
    """Draw the gap curve with its threshold, the chunks shaded, and their sizes.

    Needs matplotlib: pip install "caesura-lab[plot]". Exit code: 0; 1 where the file could not be read; 2 for a wrong
    option.

    \b
    caesura plot notes.md -o gaps.png
    caesura plot notes.md -o gaps.svg --splitter percentile:breakpoint_threshold_amount=95 --size 1200
    """
    with told() as console:
        sizing(size, min_size, overlap, unit, tokenizer)
        try:
            import matplotlib as drawing
        except ImportError as error:
            raise SettingError('a picture needs matplotlib: pip install "caesura-lab[plot]"') from error
        from caesura_lab.picture import kind, save
        from caesura_lab.picture import plot as plotted

        drawing.use("Agg")  # which needs no screen
        texts = Reader([path], encoding, console, True, (output,)).texts()
        kind(output)
        made = plotted(
            texts,
            splitter,
            embedder=embedder,
            size=size,
            min_size=min_size,
            overlap=overlap,
            unit=unit,
            tokenizer=tokenizer,
        )
        try:
            save(made, output)
        except OSError as error:
            raise SettingError(f"cannot write {output}: {error.strerror or error}") from error
