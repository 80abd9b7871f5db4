"""`caesura view`: files and splitters in, one page out."""

from __future__ import annotations

from typing import Annotated

import typer

from caesura import SettingError
from caesura_lab.commands import options
from caesura_lab.commands.console import Reader, told, write
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
        from caesura_lab.plotting import kind, save
        from caesura_lab.plotting import plot as plotted

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
