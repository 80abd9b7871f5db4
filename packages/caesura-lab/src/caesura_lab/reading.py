"""Files, folders and standard input as text, or the reason why one cannot be read."""

from __future__ import annotations

import codecs
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from caesura import CaesuraError

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
STDIN = "-"
TEXT_SUFFIXES = frozenset({".txt", ".text", ".md", ".markdown", ".rst", ".tex", ".adoc", ".org"})
"""What is taken from a folder. A file that is named is read whatever it is called."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def escape_controls(text: str) -> str:
    """What a terminal would obey is written as Python writes it, line ends and tabs aside: any file may have any name.

    >>> print(escape_controls("notes\x1b[2J.md"))
    notes\\x1b[2J.md
    """
    return _CONTROL.sub(lambda control: f"\\x{ord(control[0]):02x}", text)


class ReadingError(CaesuraError):
    """A file cannot be read as text; the message begins with its path."""


@dataclass(frozen=True, slots=True)
class Source:
    """A text and the name it goes by: its path as it was given, or `-` for standard input."""

    path: str
    text: str


def read_source(path: str, encoding: str | None = None) -> Source:
    """A path or `-` -> its text. encoding: None is UTF-8, or what the byte order mark says. Raises `ReadingError`."""
    try:
        data = sys.stdin.buffer.read() if path == STDIN else Path(path).read_bytes()
    except OSError as error:
        raise ReadingError(f"{path}: {error.strerror or error}") from error
    return Source(path, decode(data, path, encoding))


def read_texts(paths: Iterable[str | Path]) -> dict[str, str]:
    """Files -> their texts by their paths, as `read_questions` wants them. Raises `ReadingError`."""
    return {str(path): read_source(str(path)).text for path in paths}


def decode(data: bytes, path: str, encoding: str | None = None) -> str:
    """Bytes -> text, or a `ReadingError` that says at which byte they stop being that, and what to do."""
    mark, kind = next((pair for pair in BYTE_ORDER_MARKS if data.startswith(pair[0])), (b"", "utf-8"))
    try:
        return data.decode(encoding) if encoding else data[len(mark) :].decode(kind)
    except LookupError as error:
        raise ReadingError(f"{path}: there is no encoding {encoding!r}") from error
    except UnicodeDecodeError as error:
        byte = data[len(mark) if not encoding else 0 :][error.start]
        raise ReadingError(
            f"{path}: not {encoding or kind}, byte {error.start} is 0x{byte:02x}: "
            f"convert it, or name its encoding, as --encoding cp1252"
        ) from error
    except ValueError as error:  # of codecs that say no more
        raise ReadingError(f"{path}: not {encoding}: {error}") from error


def expand_paths(paths: Sequence[str]) -> Iterator[str | ReadingError]:
    """Files, folders and `-` -> the files, those of a folder in order, each once; an error for what is not there.

    Folders are searched all the way down for the `TEXT_SUFFIXES`; names that begin with a dot and linked folders are
    left out.
    """
    seen: set[tuple[int, int]] = set()
    for name in paths:
        if name == STDIN:
            yield name
        elif Path(name).is_dir():
            yield from (path for path in _walk_folder(name) if isinstance(path, ReadingError) or _is_new(path, seen))
        elif not os.path.lexists(name):
            yield ReadingError(f"{name}: there is no such file or folder")
        elif _is_new(name, seen):
            yield name


def _walk_folder(folder: str) -> Iterator[str | ReadingError]:
    faults: list[OSError] = []
    for root, folders, files in os.walk(folder, onerror=faults.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if not name.startswith(".") and Path(name).suffix.lower() in TEXT_SUFFIXES:
                path = str(Path(root, name))
                yield ReadingError(f"{path}: a pipe or a device, no file") if _is_no_file(path) else path
        while faults:
            yield _listing_error(faults.pop())
    while faults:
        yield _listing_error(faults.pop())


def _is_no_file(path: str) -> bool:
    """Whether reading it might wait for ever, as of a pipe that nobody fills."""
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except OSError:  # reading says what is wrong
        return False


def _listing_error(error: OSError) -> ReadingError:
    return ReadingError(f"{error.filename}: {error.strerror}")


def _is_new(path: str, seen: set[tuple[int, int]]) -> bool:
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
