"""The command `caesura ask`: files and a question in, the passages that fit a budget out."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import PurePath
from typing import Annotated, Any

import typer

from caesura_documents.layout import JOINT
from caesura_lab.commands import options
from caesura_lab.commands.console import Reader, embedding_bar, json_line, print_line, report_errors, write_output
from caesura_lab.passage_index import FoundPassage, PassageIndex, check_question
from caesura_lab.reading import escape_controls


def ask(
    path: options.Paths,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="In the files' language, in quotes.")],
    budget: options.Budget = 4000,
    why: Annotated[bool, typer.Option("--why", help="Say of each passage why it was found.")] = False,
    words: Annotated[
        float, typer.Option("--words", min=0, help="2 counts words twice as much as by default; 0 leaves them out.")
    ] = 1.0,
    embedder: options.EmbedderOption = "static",
    as_json: Annotated[bool, typer.Option("--json", help="JSON lines, a passage each, with place and reason.")] = False,
    encoding: options.Encoding = None,
    quiet: options.Quiet = False,
) -> None:
    """Find the passages of your files that answer a question, the best first, within a budget of characters.

    It searches as the retrievers do by default, by vectors and by words. Passages are exact slices of the files, with
    their lines, of a PDF its pages as they are printed, the title, and the headings above. Lines of HTML count in the
    text that is read from it.
    Exit code: 0; 1 where a file could not be read, all others were searched; 2 for a wrong option.

    \b
    caesura ask docs/ "How long does a flash of the lamp last?" --why
    caesura ask report.pdf notes.md "Who pays for the ferry?" --budget 1000 --json
    """
    with report_errors() as console:
        check_question(question)
        reader = Reader(path, encoding, console, quiet)
        sources = reader.read()
        twice = 2 * sum(len(source.text) for source in sources)  # as sentences and as chunks
        with embedding_bar(console, quiet, embedder, twice) as watched:
            index = PassageIndex(sources, embedder=watched)
            passages = index.find(question, budget=budget, words=words)
        for passage in passages:
            write_output(json_line(_row(passage)) if as_json else _shown(passage, why))
        if not passages and not quiet:
            print_line(console, f"nothing was found within --budget {budget}")
        reader.finish()


def _row(passage: FoundPassage) -> dict[str, Any]:
    """A passage as an object of JSON."""
    row: dict[str, Any] = {"path": passage.path, "title": passage.title, "start": passage.start, "end": passage.end}
    row |= {"line_start": passage.lines[0], "line_end": passage.lines[1]}
    if passage.pages:
        row |= {"page_start": passage.pages[0], "page_end": passage.pages[1]}
    if passage.page_labels:
        row |= {"page_label_start": passage.page_labels[0], "page_label_end": passage.page_labels[1]}
    chunks = [{"start": chunk.start, "end": chunk.end, **asdict(chunk.evidence)} for chunk in passage.chunks]
    return row | {"headings": passage.headings, "score": passage.score, "text": passage.text, "chunks": chunks}


def _shown(passage: FoundPassage, why: bool) -> str:
    """A passage as text to read: its place, with `why` the reasons, and what it says."""
    place = [passage.path, passage.place]
    if passage.title not in (*passage.headings[:1], "", PurePath(passage.path).name):
        place.append(passage.title)
    if passage.headings:
        place.append(JOINT.join(passage.headings))
    lines = [f"--- {escape_controls(', '.join(place))}, {passage.score:.2f}"]
    if why:
        lines += [f"    {chunk.start}-{chunk.end}: {escape_controls(chunk.why())}" for chunk in passage.chunks]
    return "\n".join([*lines, passage.text, "", ""])
