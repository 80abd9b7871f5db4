"""A path or `-` -> the text in it, or the reason why it cannot be read.

Bytes are decoded and nothing else is done to them: line ends stay as they are, so that offsets are those of the file
(after its byte order mark, where it has one).
"""

from __future__ import annotations

import codecs
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from caesura import CaesuraError

MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
STDIN = "-"


class ReadingError(CaesuraError):
    """A file cannot be read as text; the message begins with its path."""


@dataclass(frozen=True, slots=True)
class Source:
    """A text and the name it goes by: its path as it was given, or `-` for standard input."""

    path: str
    text: str


def read(path: str, encoding: str | None = None) -> Source:
    """A path or `-` -> its text. encoding: None is UTF-8, or what the byte order mark says. Raises `ReadingError`."""
    try:
        held = sys.stdin.buffer.read() if path == STDIN else Path(path).read_bytes()
    except OSError as error:
        raise ReadingError(f"{path}: {error.strerror or error}") from error
    return Source(path, decoded(held, path, encoding))


def read_texts(paths: Iterable[str | Path]) -> dict[str, str]:
    """Files -> their texts by their paths, as `read_questions` wants them. Raises `ReadingError`."""
    return {str(path): read(str(path)).text for path in paths}


def decoded(held: bytes, path: str, encoding: str | None = None) -> str:
    """Bytes -> text, or a `ReadingError` that says at which byte they stop being that, and what to do."""
    mark, kind = next((pair for pair in MARKS if held.startswith(pair[0])), (b"", "utf-8"))
    try:
        return held.decode(encoding) if encoding else held[len(mark) :].decode(kind)
    except LookupError as error:
        raise ReadingError(f"{path}: there is no encoding {encoding!r}") from error
    except UnicodeDecodeError as error:
        byte = held[len(mark) if not encoding else 0 :][error.start]
        raise ReadingError(
            f"{path}: not {encoding or kind}, byte {error.start} is 0x{byte:02x}: "
            f"convert it, or name its encoding, as --encoding cp1252"
        ) from error
    except ValueError as error:  # of codecs that say no more
        raise ReadingError(f"{path}: not {encoding}: {error}") from error
