"""What several commands have in common: their options, the texts they read, and how faults are told."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from errno import EPIPE
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from caesura import CaesuraError, SettingError
from caesura_lab.methods import OURS, available
from caesura_lab.peers import PEERS, Sizing
from caesura_lab.sizers import limit, sizer
from caesura_lab.sources import STDIN, ReadingError, Source, paths, read


class Unit(StrEnum):
    """What sizes count."""

    CHARACTERS = "characters"
    TOKENS = "tokens"


NAMES = ", ".join([*OURS, *PEERS])
Paths = Annotated[
    list[str], typer.Argument(metavar="PATH", help="Text or Markdown files, folders, or - for standard input.")
]
One = Annotated[
    str,
    typer.Option(
        "--splitter",
        "-s",
        metavar="NAME[:KEY=VALUE,…]",
        help=f"One of {NAMES}; with its settings, as optimal:penalty=0.9.",
    ),
]
Many = Annotated[
    list[str] | None,
    typer.Option(
        "--splitter",
        "-s",
        metavar="NAME[:KEY=VALUE,…]",
        help=f"May be repeated. One of {NAMES}; with its settings, as optimal:penalty=0.9,size=800.",
    ),
]
Size = Annotated[
    int | None, typer.Option("--size", min=1, help="No chunk measures more. By default 2000 characters or 512 tokens.")
]
MinSize = Annotated[
    int, typer.Option("--min-size", min=0, help="Chunks under this size join a neighbour where that fits.")
]
Overlap = Annotated[
    int,
    typer.Option(
        "--overlap", min=0, help="How much of the chunk before is repeated, in whole sentences for our splitters."
    ),
]
UnitOption = Annotated[Unit, typer.Option("--unit", help="What sizes count.")]
Tokenizer = Annotated[
    str, typer.Option("--tokenizer", metavar="NAME", help="What counts tokens: wordpiece, or tiktoken:ENCODING.")
]
EmbedderOption = Annotated[
    str,
    typer.Option(
        "--embedder",
        "-e",
        metavar="NAME",
        help="static (no download, no key), openai:MODEL, sentence-transformers:NAME or spacy:NAME.",
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding", metavar="NAME", help="The files' encoding; by default UTF-8, or what the byte order mark says."
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")]


def sizing(size: int | None, min_size: int, overlap: int, unit: Unit, tokenizer: str) -> Sizing:
    """The options about sizes -> a `Sizing`."""
    return Sizing(limit(size, unit), min_size, overlap, sizer(unit, tokenizer))


def chosen(splitters: Sequence[str] | None, sizing: Sizing, console: Console) -> list[str]:
    """The splitters that were named; none: all that can run here, with a line for each that cannot."""
    if splitters:
        return list(splitters)
    names, remedies = available(sizing)
    for line in remedies:
        say(console, line)
    return names


@dataclass(slots=True)
class Reader:
    """Paths -> sources, one after the other; faults are told at once and counted.

    outputs: files that will be written, none of which may be one that is read.
    """

    given: Sequence[str]
    encoding: str | None
    console: Console
    quiet: bool = False
    outputs: Sequence[str | None] = ()
    faults: int = 0
    files: int = 0
    names: list[str | ReadingError] = field(default_factory=list)

    def sources(self) -> Iterator[Source]:
        """The texts, under a progress bar where there are several. Raises `SettingError` where there is no file."""
        self.names = list(paths(self.given))
        self.files = len(self.names)
        if not self.names:
            raise SettingError(f"there is no text file in {', '.join(self.given)}")
        self._spare()
        with bar(self.console, self.quiet or self.files < 2) as progress:
            task = progress.add_task("files", total=self.files)
            for name in self.names:
                try:
                    if isinstance(name, ReadingError):
                        raise name
                    yield read(name, self.encoding)
                except ReadingError as error:
                    self.faults += 1
                    say(progress.console, f"error: {error}")
                progress.advance(task)

    def texts(self) -> dict[str, str]:
        """All texts by the path that they were given by; exit code 1 where none could be read."""
        found = {source.path: source.text for source in self.sources()}
        if not found:
            raise typer.Exit(1)
        return found

    def _spare(self) -> None:
        """Raises `SettingError` where a file would be read and written, or written twice, or cannot be one."""
        files = [name for name in self.names if isinstance(name, str)]
        outputs = [output for output in self.outputs if output is not None]
        if len(set(outputs)) < len(outputs):
            raise SettingError(f"each output needs a file of its own, got {', '.join(outputs)}")
        for output in outputs:
            if output == STDIN:
                continue
            if Path(output).is_dir():
                raise SettingError(f"cannot write {output}: it is a folder")
            if not Path(output).absolute().parent.is_dir():
                raise SettingError(f"cannot write {output}: there is no folder {Path(output).parent}")
            if Path(output).exists() and any(Path(name).exists() and os.path.samefile(output, name) for name in files):
                raise SettingError(f"{output} is read, and would be written over: name another file")

    def finish(self) -> None:
        """Exit code 1 where a file could not be read."""
        if self.faults:
            say(self.console, f"{self.faults} of {self.files} could not be read")
            raise typer.Exit(1)


def bar(console: Console, hidden: bool) -> Progress:
    """A progress bar on standard error."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, disable=hidden)


@contextmanager
def told() -> Iterator[Console]:
    """A console on standard error. What is wrong is told there in a line, with exit code 2 for a setting, else 1."""
    console = Console(stderr=True, soft_wrap=True)

    def show(message: Warning | str, category: type[Warning], *rest: Any, **more: Any) -> None:
        if issubclass(category, UserWarning):
            say(console, f"warning: {message}")

    with warnings.catch_warnings():
        warnings.showwarning = show
        try:
            yield console
        except CaesuraError as error:
            say(console, f"error: {error}")
            raise typer.Exit(2 if isinstance(error, SettingError) else 1) from error
        except OSError as error:
            if error.errno == EPIPE:  # who reads has enough
                raise
            where = f"{error.filename}: " if error.filename else ""
            say(console, f"error: {where}{error.strerror or error}")
            raise typer.Exit(1) from error


def say(console: Console, line: str) -> None:
    """One line on standard error, whatever characters are in it."""
    console.print(line.encode("utf-8", "backslashreplace").decode(), markup=False, highlight=False, emoji=False)


def write(text: str, path: str | None = None) -> None:
    """UTF-8 into a file, or to standard output; a lone surrogate, which UTF-8 has not, as ``\\udXXX``."""
    held = text.encode("utf-8", "backslashreplace")
    if path is None:
        sys.stdout.buffer.write(held)
        return
    try:
        with open(path, "wb") as file:
            file.write(held)
    except OSError as error:
        raise ReadingError(f"cannot write {path}: {error.strerror or error}") from error
