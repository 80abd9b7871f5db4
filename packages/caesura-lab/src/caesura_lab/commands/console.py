"""What the commands share: reading their files, messages and progress on standard error, and what they write."""

from __future__ import annotations

import json
import logging
import os
import re
import stat
import sys
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import typer
from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from caesura import CaesuraError, SettingError
from caesura_lab.embedders import Embedder, tell_embedded
from caesura_lab.embedders import embedder as make_embedder
from caesura_lab.reading import STDIN, ReadingError, Source, escape_controls, expand_paths, load_sources

NOT_WRITTEN = re.compile(r"[\x7f-\x9f\ud800-\udfff]")
"""What JSON need not escape, but a terminal obeys or UTF-8 has not."""
SHOWN = 3
"""So many of the files that are skipped for a reason are named."""


@dataclass(slots=True)
class Reader:
    """Paths -> sources, one after the other; faults are told at once and counted.

    outputs: files that will be written, none of which may be one that is read. beside: further files that are read.
    """

    paths: Sequence[str]
    encoding: str | None
    console: Console
    quiet: bool = False
    outputs: Sequence[str | None] = ()
    beside: Sequence[str | None] = ()
    faults: int = 0
    files: int = 0
    names: list[str | ReadingError] = field(default_factory=list)

    def sources(self, bar: bool = True) -> Generator[Source]:
        """The texts, under a progress bar where there are several. Raises `SettingError` where there is no file.

        Close it: an error of whoever takes the texts is told when the bar is gone.
        """
        skipped: dict[str, list[str]] = {}
        self.names = list(expand_paths(self.paths, skipped))
        for reason, paths in () if self.quiet else skipped.items():
            some = ", ".join(paths[:SHOWN]) + ", …" * (len(paths) > SHOWN)
            print_line(self.console, f"skipped {len(paths)}: {some}; {reason}")
        self.files = len(self.names)
        if not self.names:
            raise SettingError(f"there is nothing to read in {', '.join(self.paths)}")
        self._check_outputs()
        with progress_bar(self.console, self.quiet or not bar or self.files < 2) as progress:
            task = progress.add_task("files", total=self.files)
            for name in self.names:
                try:
                    if isinstance(name, ReadingError):
                        raise name
                    yield from load_sources(name, self.encoding)
                except ReadingError as error:
                    self.faults += 1
                    print_line(progress.console, f"error: {error}")
                progress.advance(task)

    def read(self) -> list[Source]:
        """All of them; exit code 1 where none could be read."""
        sources = list(self.sources())
        if not sources:
            raise typer.Exit(1)
        return sources

    def texts(self) -> dict[str, str]:
        """All texts by the path that they were given by; exit code 1 where none could be read."""
        return {source.path: source.text for source in self.read()}

    def finish(self) -> None:
        """Exit code 1 where a file could not be read."""
        if self.faults:
            print_line(self.console, f"{self.faults} of {self.files} could not be read")
            raise typer.Exit(1)

    def _check_outputs(self) -> None:
        """Raises `SettingError` where a file would be read and written, or written twice, or cannot be one."""
        files = [name for name in (*self.names, *self.beside) if isinstance(name, str)]
        outputs = [output for output in self.outputs if output is not None]
        if len({output if output == STDIN else os.path.realpath(output) for output in outputs}) < len(outputs):
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


@contextmanager
def report_errors(**options: int | None) -> Iterator[Console]:
    """A console on standard error. What is wrong is told there in a line, with exit code 2 for a setting, else 1.

    options: those that a message may name as settings, and what the user gave.
    """
    console = Console(stderr=True, soft_wrap=True)
    logging.getLogger("caesura_llm").addHandler(logging.NullHandler())  # the commands say what it logs
    waiting, retries = _Waiting(console), logging.getLogger("caesura_llm.retries")
    retries.addHandler(waiting)

    def show_warning(message: Warning | str, category: type[Warning], *rest: Any, **more: Any) -> None:
        if issubclass(category, UserWarning):
            print_line(console, f"warning: {message}")

    with warnings.catch_warnings():
        warnings.showwarning = show_warning
        try:
            yield console
        except CaesuraError as error:
            print_line(console, f"error: {_with_options(str(error), options)}")
            raise typer.Exit(2 if isinstance(error, SettingError) else 1) from error
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            print_line(console, f"error: {where}{error.strerror or error}")
            raise typer.Exit(1) from error
        finally:
            retries.removeHandler(waiting)


class _Waiting(logging.Handler):
    """Says on a console that a server is waited for. What ends a run is said as its error."""

    def __init__(self, console: Console) -> None:
        super().__init__(logging.WARNING)
        self.console = console

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno == logging.WARNING:
            print_line(self.console, f"waiting: {record.getMessage()}")


def _with_options(message: str, options: Mapping[str, int | None]) -> str:
    """A message -> the same with ``--size 300`` for ``size=300``, and so for each option that has that value."""
    for name, value in options.items():
        given = rf"(?<![\w-]){name}={value}\b"
        if re.search(given, message):
            option = f"--{name.replace('_', '-')}"
            message = re.sub(given, f"{option} {value}", message)
            message = re.sub(rf"(?<![\w-]){name}\b(?!=)", option, message)
    return message


def print_line(console: Console, line: str) -> None:
    """One line on standard error, whatever characters are in it."""
    line = escape_controls(line.encode("utf-8", "backslashreplace").decode())
    console.print(line, markup=False, highlight=False, emoji=False)


def show_table(table: RenderableType) -> None:
    """A table or a text to standard output, as wide as the screen."""
    screen = Console()
    with screen.capture() as captured:
        screen.print(table)
    write_output(captured.get(), styled=True)


def json_line(row: Mapping[str, Any]) -> str:
    """An object -> its line of JSON, which is safe to show anywhere."""
    line = json.dumps(row, ensure_ascii=False)
    if not line.isprintable() and NOT_WRITTEN.search(line):
        line = json.dumps(row)
    return f"{line}\n"


def write_output(text: str, path: str | None = None, *, styled: bool = False) -> None:
    """UTF-8 into a file, or to standard output for None and `-`; a lone surrogate, which UTF-8 has not, as ``\\udXXX``.

    On a terminal, what a document would have it do is shown escaped. styled: the escape sequences in it are ours.
    Where nobody reads any more, as after `head`, there was enough: the command ends with exit code 0.
    """
    if path is None or path == STDIN:
        try:
            shown = escape_controls(text) if sys.stdout.isatty() and not styled else text
            sys.stdout.buffer.write(shown.encode("utf-8", "backslashreplace"))
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is flushed at the end
            raise typer.Exit from None
        except AttributeError as error:  # None, where the shell has closed it
            raise ReadingError("standard output is closed: write into a file with -o") from error
        return
    try:
        with open(path, "wb") as file:
            file.write(text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise ReadingError(f"cannot write {path}: {error.strerror or error}") from error


def is_file_output(path: str | None = None) -> bool:
    """Whether what `write_output` writes goes into a file, and not to a screen, be it through a pipe."""
    try:
        return path not in (None, STDIN) or stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    except (AttributeError, OSError, ValueError):  # of what is closed, or has no number
        return False


@contextmanager
def show_progress(console: Console, hidden: bool, label: str, total: int) -> Iterator[Callable[[str], None]]:
    """A progress bar, and what to call with the name of each thing that begins."""
    with progress_bar(console, hidden) as progress:
        task, begun = progress.add_task(label, total=total), count()
        yield lambda name: progress.update(task, description=name, completed=next(begun))
        progress.update(task, description=label, completed=total)


@contextmanager
def embedding_bar(console: Console, hidden: bool, given: str, characters: int) -> Iterator[Embedder]:
    """A bar over about so many characters that are embedded, and the embedder of that name, which moves it."""
    with progress_bar(console, hidden) as progress:
        task = progress.add_task("characters embedded", total=characters)
        yield tell_embedded(make_embedder(given), lambda done: progress.advance(task, done))


def progress_bar(console: Console, hidden: bool) -> Progress:
    """A progress bar on standard error on a terminal; it is gone at the end, so that an error stands alone."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, disable=hidden or not console.is_terminal, transient=True)
