"""The commands `caesura questions` and `caesura tune`: questions written from files, and settings found with them."""

from __future__ import annotations

from typing import Annotated

import typer

from caesura_lab import tuning, written_questions
from caesura_lab.commands import options
from caesura_lab.commands.console import (
    Reader,
    print_line,
    progress_bar,
    report_errors,
    show_progress,
    show_table,
    write_output,
)
from caesura_lab.embedders import chat_client
from caesura_lab.reading import STDIN
from caesura_lab.sizing import make_sizing
from caesura_lab.tuning import MEASURES, list_candidates
from caesura_llm.journal import Journal, Memory


def write_questions(
    path: options.Paths,
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="The questions; - is standard output.")],
    model: Annotated[str, typer.Option("--model", "-m", metavar="NAME", help="The language model, as gpt-4.1-mini.")],
    base_url: Annotated[
        str | None,
        typer.Option("--base-url", metavar="URL", help="A server like OpenAI's, as http://localhost:11434/v1."),
    ] = None,
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="How many questions are wanted.")] = 50,
    seed: Annotated[int, typer.Option(min=0, help="Another number draws other passages.")] = 0,
    prices: Annotated[
        tuple[float, float] | None, typer.Option(metavar="IN OUT", help="Per million tokens, for the cost.")
    ] = None,
    encoding: options.Encoding = None,
    quiet: options.Quiet = False,
) -> None:
    """Write questions about your files with a language model, each with an answer quoted from its file.

    Passages are drawn at random and sent to OpenAI, with the key in OPENAI_API_KEY, or to the server at --base-url. A
    question is left out, and counted, where its answer is not in the file word for word, or twice, or is said by the
    question. Replies are kept in FILE.journal: begun again, a run goes on and pays for nothing twice. Look through the
    questions before you measure with them. Exit code: 0; 1 where a file could not be read, the model failed or nothing
    was left; 2 for a wrong option.

    \b
    caesura questions docs/ -o questions.jsonl --model gpt-4.1-mini --count 100
    caesura questions notes.md -o questions.jsonl --model llama3.1 --base-url http://localhost:11434/v1
    """
    with report_errors() as console, chat_client(model, base_url) as chat:
        reader = Reader(path, encoding, console, quiet, (output,))
        texts = reader.texts()
        with (
            Memory() if output == STDIN else Journal(f"{output}.journal") as journal,
            progress_bar(console, quiet) as progress,
        ):
            task = progress.add_task("questions", total=count)
            written = written_questions.write_questions(
                texts,
                chat,
                count,
                seed=seed,
                journal=journal,
                prices=prices,
                say=lambda done: progress.update(task, completed=done),
            )
        report, few = written.report, len(written.questions)
        if few:
            write_output(written.lines, output)
        if not quiet or not few:
            wanted = "" if few == count else f" of {count} that were wanted, from all passages"
            for line in f"{few} questions{wanted}; passages: {report}".splitlines():
                print_line(console, line)
        reader.finish()
        if not few:
            raise typer.Exit(1)


def tune(
    path: options.Paths,
    questions: Annotated[
        str, typer.Option("--questions", metavar="FILE", help="Questions with answers: JSON lines or an array.")
    ],
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
        with show_progress(console, quiet, "settings", len(candidates)) as say:
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
                say=lambda _: say("settings"),
            )
        show_table(tuned.table)
        write_output(f"\n{tuned.code}\n")
        reader.finish()
