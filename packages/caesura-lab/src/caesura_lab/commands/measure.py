"""The command `caesura measure`: files, questions and retrievers in, a table and a picture out."""

from __future__ import annotations

from typing import Annotated

import typer

from caesura import SettingError
from caesura_lab import measuring, plotting
from caesura_lab.commands import options
from caesura_lab.commands.compare import write_table
from caesura_lab.commands.console import Reader, print_line, progress_bar, report_errors, write_output
from caesura_lab.embedders import embedder as make_embedder
from caesura_lab.embedders import tell_embedded
from caesura_lab.inputs import collect_questions
from caesura_lab.recall_plot import plot_recalls
from caesura_lab.retrievers.named import NAMED, list_retrievers, make_retrievers


def measure(
    path: options.Paths,
    questions: Annotated[
        str, typer.Option("--questions", metavar="FILE", help="Questions with answers: JSON lines or an array.")
    ],
    retriever: Annotated[
        list[str] | None,
        typer.Option(
            "--retriever",
            "-r",
            metavar="NAME[:KEY=VALUE,…]",
            help=f"May be repeated. One of {', '.join(NAMED)}, or your own as MODULE:NAME. By default these four.",
        ),
    ] = None,
    budget: options.Budgets = None,
    embedder: options.EmbedderOption = "static",
    plot: Annotated[str | None, typer.Option(metavar="FILE", help="Draw a picture: a .png, .svg or .pdf.")] = None,
    by_question: Annotated[
        str | None, typer.Option("--by-question", metavar="FILE", help="Write CSV, a row per question.")
    ] = None,
    json: Annotated[str | None, typer.Option(metavar="FILE", help="Write JSON; - is standard output.")] = None,
    csv: Annotated[str | None, typer.Option(metavar="FILE", help="Write CSV; - is standard output.")] = None,
    html: Annotated[str | None, typer.Option(metavar="FILE", help="Write a page; - is standard output.")] = None,
    encoding: options.Encoding = None,
    quiet: options.Quiet = False,
) -> None:
    """Measure retrievers on your questions: how much of the answers each finds within a budget of characters.

    ours searches as `caesura ask` does. The others search chunks of 400 characters of LangChain's recursive splitter:
    vectors, bm25, and equal-ranks, which is both. Your own is a function from a question to texts, documents or nodes,
    or a retriever of LangChain or LlamaIndex; its module may be in this folder. With a parameter named budget it is
    told the budget. The table says how far each is behind the best, and where that may be chance. Exit code: 0; 1
    where a file or a retriever failed; 2 for a wrong option or questions that do not fit.

    \b
    caesura measure docs/ --questions questions.jsonl
    caesura measure docs/ --questions questions.jsonl -r ours -r equal-ranks -r rag:search --plot recall.svg
    caesura measure report.pdf --questions questions.jsonl --budget 2000 -r ours:words=2 -r bm25:size=1000,overlap=200
    """
    with report_errors() as console:
        names, remedies = list_retrievers()
        for line in () if retriever or quiet else remedies:
            print_line(console, line)
        retrievers = make_retrievers(retriever or names)
        if plot is not None:
            plotting.check_suffix(plot)
            plotting.draw_without_screen()
        reader = Reader(path, encoding, console, quiet, (plot, by_question, json, csv, html), (questions,))
        sources = reader.read()
        asked = collect_questions(questions, {source.path: source.text for source in sources})
        characters = sum(len(source.text) for source in sources)
        with progress_bar(console, quiet) as progress:
            embedding = progress.add_task("characters embedded", total=3 * characters)  # sentences, two kinds of chunks
            asking = progress.add_task("questions", total=len(retrievers) * len(asked))
            measured = measuring.measure(
                sources,
                asked,
                retrievers,
                embedder=tell_embedded(make_embedder(embedder), lambda done: progress.advance(embedding, done)),
                budgets=budget or (1_000, 4_000),
                say=lambda name: progress.update(asking, description=name, advance=1),
            )
        if by_question is not None:
            write_output(measured.by_question().to_csv(), by_question)
        if plot is not None:
            try:
                plotting.save_figure(plot_recalls(measured), plot)
            except OSError as error:
                raise SettingError(f"cannot write {plot}: {error.strerror or error}") from error
        write_table(measured.table, json, csv, html)
        failed = [row for row in measured.table if row.get("error")]
        for row in failed:
            print_line(console, f"error: {row['retriever']}: {row['error']}")
        reader.finish()
        if failed:
            raise typer.Exit(1)
