"""The command `caesura tune`: files and questions in, the settings that do best and the call to paste out."""

from __future__ import annotations

from typing import Annotated

import typer

from caesura_lab import tuning
from caesura_lab.commands import options
from caesura_lab.commands.console import Reader, progress_bar, report_errors, show_table, write_output
from caesura_lab.sizing import make_sizing
from caesura_lab.tuning import MEASURES, list_candidates


def tune(
    path: options.Paths,
    questions: Annotated[str, typer.Option("--questions", metavar="FILE", help="JSON lines with question and answer.")],
    splitter: options.Many = None,
    measure: Annotated[str, typer.Option(help=f"What is to be high: {', '.join(MEASURES)}.")] = "recall_4000",
    size: options.Size = None,
    unit: options.UnitOption = options.Unit.CHARACTERS,
    embedder: options.EmbedderOption = "static",
    k: Annotated[int, typer.Option("-k", "--top", min=1, help="How many chunks are retrieved.")] = 5,
    seed: Annotated[int, typer.Option(min=0, help="Another number halves the questions otherwise.")] = 0,
    tokenizer: options.SizeTokenizer = None,
    encoding: options.Encoding = None,
    quiet: options.Quiet = False,
) -> None:
    """Try settings of our splitters on half of your questions, report on the other half, print the call to paste.

    Without --splitter sixteen settings are tried. Exit code: 0; 1 where a file could not be read; 2 for a wrong
    option or questions that do not fit.

    \b
    caesura tune docs/ --questions questions.jsonl --size 1200
    caesura tune docs/ --questions questions.jsonl --measure iou -s optimal:target_size=300 -s optimal:target_size=600
    """
    with report_errors(size=size) as console:
        sizing = make_sizing(size, 0, 0, unit, tokenizer)
        candidates = splitter or list_candidates(sizing.max_size)
        reader = Reader(path, encoding, console, quiet)
        texts = reader.texts()
        with progress_bar(console, quiet) as progress:
            task = progress.add_task("settings", total=len(candidates))
            tuned = tuning.tune(
                texts,
                questions,
                candidates,
                measure=measure,
                embedder=embedder,
                size=size,
                unit=unit,
                tokenizer=tokenizer,
                k=k,
                seed=seed,
                say=lambda name: progress.advance(task),
            )
        show_table(tuned.table)
        write_output(f"\n{tuned.code}\n")
        reader.finish()
