"""The command `caesura compare`: files and splitters in, a table out."""

from __future__ import annotations

from typing import Annotated

import typer

from caesura_lab import comparison_table as comparison
from caesura_lab.commands import options
from caesura_lab.commands.console import Reader, print_line, report_errors, show_progress, show_table, write_output
from caesura_lab.reading import STDIN
from caesura_lab.sizing import make_sizing
from caesura_lab.splitters.methods import list_available
from caesura_lab.tables import Table


def compare(
    path: options.Paths,
    splitter: options.Many = None,
    questions: Annotated[
        str | None,
        typer.Option("--questions", metavar="FILE", help="Questions with answer or spans: JSON lines or an array."),
    ] = None,
    size: options.Size = None,
    unit: options.UnitOption = options.Unit.CHARACTERS,
    min_size: options.MinSize = 0,
    overlap: options.Overlap = 0,
    embedder: options.EmbedderOption = "static",
    price: Annotated[float | None, typer.Option(help="Per million tokens embedded, for the column cost.")] = None,
    k: Annotated[int, typer.Option("-k", "--top", min=1, help="How many chunks are retrieved.")] = 5,
    budget: options.Budgets = None,
    json: Annotated[str | None, typer.Option(metavar="FILE", help="Write JSON; - is standard output.")] = None,
    csv: Annotated[str | None, typer.Option(metavar="FILE", help="Write CSV; - is standard output.")] = None,
    html: Annotated[str | None, typer.Option(metavar="FILE", help="Write a page; - is standard output.")] = None,
    tokenizer: options.Tokenizer = "wordpiece",
    encoding: options.Encoding = None,
    quiet: options.Quiet = False,
) -> None:
    """Compare splitters on your files: time, chunks, sizes, cost, and retrieval where there are questions.

    Without --splitter all run that are installed; what is missing is named with the remedy. Splitters of other
    packages fill chunks up to --size; ours aim at their target_size, by default half of it. A line of the questions
    file is {"question": "…", "answer": "words of the text", "corpus": "file"}, or has "spans": [[start, end]] in
    place of the answer. Exit code: 0; 1 where a file or a splitter failed; 2 for a wrong option or
    questions that do not fit.

    \b
    caesura compare docs/ --size 1200
    caesura compare notes.md --questions questions.jsonl -s optimal -s recursive -s recursive:size=600
    caesura compare docs/ --embedder openai:text-embedding-3-small --price 0.02 --csv table.csv
    """
    with report_errors(size=size, min_size=min_size, overlap=overlap) as console:
        names, remedies = list_available(
            make_sizing(size, min_size, overlap, unit, tokenizer if unit == "tokens" else None)
        )
        for line in () if splitter or quiet else remedies:
            print_line(console, line)
        names = splitter or names
        reader = Reader(path, encoding, console, quiet, (json, csv, html), (questions,))
        texts = reader.texts()
        with show_progress(console, quiet, "splitters", len(names)) as say:
            table = comparison.compare(
                texts,
                names,
                questions,
                embedder=embedder,
                size=size,
                min_size=min_size,
                overlap=overlap,
                unit=unit,
                tokenizer=tokenizer,
                price=price,
                k=k,
                budgets=budget or (1_000, 4_000),
                say=say,
            )
        write_table(table, json, csv, html)
        for row in table:
            if row.get("error"):
                print_line(console, f"error: {row['splitter']}: {row['error']}")
        reader.finish()
        if any(row.get("error") for row in table):
            raise typer.Exit(1)


def write_table(table: Table, json: str | None, csv: str | None, html: str | None) -> None:
    """A table into each file that is named, and to the screen where none of them is standard output.

    Standard output comes last: where nobody reads it any more, the command ends.
    """
    formats = ((json, table.to_json), (csv, table.to_csv), (html, table.to_html))
    for file, render in sorted(formats, key=lambda pair: pair[0] == STDIN):
        if file is not None:
            write_output(render(), file)
    if "-" not in (json, csv, html):
        show_table(table)
