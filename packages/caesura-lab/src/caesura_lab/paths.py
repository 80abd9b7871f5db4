"""Paths, folders and `-` -> the files in them one after the other, and for each that is not there the reason."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from caesura_lab.reading import STDIN, ReadingError

SUFFIXES = frozenset({".txt", ".text", ".md", ".markdown", ".rst", ".tex", ".adoc", ".org"})
"""What is taken from a folder. A file that is named is read whatever it is called."""


def paths(given: Sequence[str]) -> Iterator[str | ReadingError]:
    """Files, folders and `-` -> the files, those of a folder in order, each once; an error for what is not there.

    Folders are searched all the way down for the `SUFFIXES`, names that begin with a dot and linked folders left out.
    """
    seen: set[tuple[int, int]] = set()
    for name in given:
        if name == STDIN:
            yield name
        elif Path(name).is_dir():
            yield from (path for path in _walk(name) if isinstance(path, ReadingError) or _new(path, seen))
        elif not os.path.lexists(name):
            yield ReadingError(f"{name}: there is no such file or folder")
        elif _new(name, seen):
            yield name


def _walk(folder: str) -> Iterator[str | ReadingError]:
    wrong: list[OSError] = []
    for root, folders, files in os.walk(folder, onerror=wrong.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if not name.startswith(".") and Path(name).suffix.lower() in SUFFIXES:
                path = str(Path(root, name))
                yield ReadingError(f"{path}: a pipe or a device, no file") if _endless(path) else path
        while wrong:
            yield _unlisted(wrong.pop())
    while wrong:
        yield _unlisted(wrong.pop())


def _endless(path: str) -> bool:
    """Whether reading it might wait for ever, as of a pipe that nobody fills."""
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except OSError:  # reading says what is wrong
        return False


def _unlisted(error: OSError) -> ReadingError:
    return ReadingError(f"{error.filename}: {error.strerror}")


def _new(path: str, seen: set[tuple[int, int]]) -> bool:
    """Whether the file was not given before, under this or another name. One that is gone is new: reading says so."""
    try:
        status = os.stat(path)
    except OSError:
        return True
    key = status.st_dev, status.st_ino
    if key in seen and status.st_ino:
        return False
    seen.add(key)
    return True
