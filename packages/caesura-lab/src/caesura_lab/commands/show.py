"""The commands `caesura view` and `caesura plot`: files in, a page or a picture of the chunks out."""

from __future__ import annotations

from typing import Annotated

import typer

from caesura import SettingError
from caesura_lab import plotting, viewer
from caesura_lab.commands import options
from caesura_lab.commands.console import Reader, embedding_bar, report_errors, write_output
from caesura_lab.sizing import make_sizing
from caesura_lab.splitters.methods import OURS


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
    question: Annotated[
        str | None, typer.Option("--question", metavar="QUESTION", help="Marks what is found for it, and says why.")
    ] = None,
    budget: options.Budget = 4000,
    encoding: options.Encoding = None,
    quiet: options.Quiet = False,
) -> None:
    """See the chunks: one page, the text in colour, the gap curve, sizes, places, and why each chunk begins.

    The page is one file and asks nothing of any network. Without --splitter it shows all of ours, between which it
    switches. With --question it marks the passages that `caesura ask` would find in these chunks. Exit code: 0; 1
    where a file could not be read, the page has all others; 2 for a wrong option.

    \b
    caesura view notes.md -o notes.html
    caesura view notes.md -o notes.html --size 1200 --overlap 200 -s double-pass -s recursive
    caesura view notes.md -o notes.html --question "Who pays for the ferry?" --budget 1000
    """
    with report_errors(size=size, min_size=min_size, overlap=overlap) as console:
        make_sizing(size, min_size, overlap, unit, tokenizer if unit == "tokens" else None)
        reader = Reader(path, encoding, console, quiet, (output,))
        sources = reader.read()
        times = 1 if question is None else 1 + len(splitter or OURS)  # sentences, and each splitter's chunks
        characters = times * sum(len(source.text) for source in sources)
        with embedding_bar(console, quiet, embedder, characters) as watched:
            page = viewer.view(
                sources,
                splitter or None,
                embedder=watched,
                size=size,
                min_size=min_size,
                overlap=overlap,
                unit=unit,
                tokenizer=tokenizer,
                question=question,
                budget=budget,
            )
        write_output(page.html, output)
        reader.finish()


def plot(
    path: Annotated[
        str, typer.Argument(metavar="PATH", help="A text, Markdown, HTML or PDF file, or - for standard input.")
    ],
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="A .png, .svg or .pdf.")],
    splitter: options.One = "percentile:target_size=none",
    size: options.Size = None,
    unit: options.UnitOption = options.Unit.CHARACTERS,
    min_size: options.MinSize = 0,
    overlap: options.Overlap = 0,
    embedder: options.EmbedderOption = "static",
    tokenizer: options.SizeTokenizer = None,
    encoding: options.Encoding = None,
    quiet: options.Quiet = False,
) -> None:
    """Draw the gap curve with its threshold, the chunks shaded, and their sizes.

    Needs matplotlib: pip install "caesura-lab[plot]". Exit code: 0; 1 where the file could not be read; 2 for a wrong
    option.

    \b
    caesura plot notes.md -o gaps.png
    caesura plot notes.md -o gaps.svg --splitter percentile:breakpoint_threshold_amount=95 --size 1200
    """
    with report_errors(size=size, min_size=min_size, overlap=overlap) as console:
        make_sizing(size, min_size, overlap, unit, tokenizer)
        plotting.draw_without_screen()
        texts = Reader([path], encoding, console, quiet, (output,)).texts()
        plotting.check_suffix(output)
        axes = plotting.plot(
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
            plotting.save_figure(axes, output)
        except OSError as error:
            raise SettingError(f"cannot write {output}: {error.strerror or error}") from error
