"""What a command says: a bar and a line for each fault on standard error, what was asked for on standard output."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from caesura import CaesuraError, SettingError
from caesura_lab.reading import ReadingError


def bar(console: Console, hidden: bool) -> Progress:
    """A progress bar on standard error."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, disable=hidden)


@contextmanager
def told() -> Iterator[Console]:
    """A console on standard error. What is wrong is told there in a line, with exit code 2 for a setting, else 1."""
    console = Console(stderr=True, soft_wrap=True)

    def shown(message: Warning | str, category: type[Warning], *rest: Any, **more: Any) -> None:
        if issubclass(category, UserWarning):
            say(console, f"warning: {message}")

    with warnings.catch_warnings():
        warnings.showwarning = shown
        try:
            yield console
        except CaesuraError as error:
            say(console, f"error: {error}")
            raise typer.Exit(2 if isinstance(error, SettingError) else 1) from error
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            say(console, f"error: {where}{error.strerror or error}")
            raise typer.Exit(1) from error


def say(console: Console, line: str) -> None:
    """One line on standard error, whatever characters are in it."""
    console.print(line.encode("utf-8", "backslashreplace").decode(), markup=False, highlight=False, emoji=False)


def show(drawn: RenderableType) -> None:
    """A table or a text to standard output, as wide as the screen."""
    screen = Console()
    with screen.capture() as captured:
        screen.print(drawn)
    write(captured.get())


def write(text: str, path: str | None = None) -> None:
    """UTF-8 into a file, or to standard output; a lone surrogate, which UTF-8 has not, as ``\\udXXX``.

    Where nobody reads any more, as after `head`, there was enough: the command ends with exit code 0.
    """
    held = text.encode("utf-8", "backslashreplace")
    if path is None:
        try:
            sys.stdout.buffer.write(held)
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is flushed at the end
            raise typer.Exit from None
        return
    try:
        with open(path, "wb") as file:
            file.write(held)
    except OSError as error:
        raise ReadingError(f"cannot write {path}: {error.strerror or error}") from error
