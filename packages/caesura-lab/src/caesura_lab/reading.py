"""Files, folders and standard input as text, or the reason why one cannot be read."""

from __future__ import annotations

import codecs
import os
import re
import stat
import sys
import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from caesura import CaesuraError
from caesura_documents.conversations.mail import from_mail
from caesura_documents.conversations.transcripts import from_transcript
from caesura_documents.html import html_encoding, html_text, is_html
from caesura_documents.html_page import html_title
from caesura_documents.layout import LAYOUT
from caesura_documents.pdf import from_pdf, has_pdf_reader
from caesura_documents.printed import PDF_REMEDY
from caesura_documents.source_code import ENDINGS
from caesura_documents.titles import title_of
from caesura_lab.records import RECORD_SUFFIXES, extract_records

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
STDIN = "-"
TEXT_SUFFIXES = frozenset({".txt", ".text", ".md", ".markdown", ".rst", ".tex", ".adoc", ".org"})
HTML_SUFFIXES = frozenset({".html", ".htm", ".xhtml"})
MAIL_SUFFIXES = frozenset({".eml", ".mbox"})
TRANSCRIPT_SUFFIXES = frozenset({".srt", ".vtt"})
CODE_SUFFIXES = frozenset(f".{ending}" for endings in ENDINGS.values() for ending in endings.split())
FOLDER_SUFFIXES = TEXT_SUFFIXES | HTML_SUFFIXES | MAIL_SUFFIXES | TRANSCRIPT_SUFFIXES | CODE_SUFFIXES | {".pdf"}
"""What is taken from a folder. A file that is named is read whatever it is called."""
OTHERS = "of a folder, only text, Markdown, HTML, PDF, mail, transcripts and source code are read: name other files"
PDF = re.compile(rb"%PDF-\d")
OTHER_FILES = (
    (re.compile(rb"PK\x03\x04"), "a ZIP archive, as .docx, .odt, .pptx and .epub are"),
    (re.compile(rb"\xd0\xcf\x11\xe0"), "an Office document of the old kind"),
    (re.compile(rb"\{\\rtf"), "rich text"),
    (re.compile(rb"\x1f\x8b|7z\xbc\xaf|BZh\d"), "an archive"),
    (re.compile(rb"\x89PNG|GIF8|\xff\xd8\xff"), "a picture"),
)
"""How files begin that no encoding makes text of, and what they are."""

_CONTROL = re.compile(r"\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


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
    """A text and the name it goes by: its path as it was given, or `-` for standard input.

    layout: of a PDF, what stands where: see `caesura_documents.layout.LAYOUT`. pdf: its bytes.
    """

    path: str
    text: str
    layout: Sequence[Mapping[str, Any]] = ()
    pdf: bytes = field(default=b"", repr=False)
    own_title: str = ""
    """What a PDF or HTML says of its title itself."""

    @property
    def metadata(self) -> dict[str, str]:
        """What a loader would say of it: ``title`` and ``source``, as far as it has them."""
        said = {"title": self.own_title, "source": "" if self.path == STDIN else self.path}
        return {key: value for key, value in said.items() if value}

    @property
    def title(self) -> str:
        """The title of the text, or the name of its file."""
        return title_of(self.metadata, self.text)

    @property
    def layout_metadata(self) -> dict[str, Any]:
        """The layout, as a document's metadata have it."""
        return {LAYOUT: [*self.layout]} if self.layout else {}

    def entries(self, start: int, end: int) -> Sequence[Mapping[str, Any]]:
        """Returns the entries of the layout that a slice of the text lies in."""
        low = max(bisect_right(self.layout, start, key=_start) - 1, 0)
        return self.layout[low : bisect_left(self.layout, end, key=_start)]

    def pages(self, start: int, end: int) -> tuple[int, int] | None:
        """Returns the first and the last page, from 1, of a slice of the text; None where it has no pages."""
        numbers = [entry["page"] for entry in self.entries(start, end)]
        return (min(numbers), max(numbers)) if numbers else None


def _start(entry: Mapping[str, Any]) -> int:
    return int(entry["start"])


def read_source(path: str, encoding: str | None = None) -> Source:
    """A path or `-` -> its text: of a PDF or of HTML, what it says. Raises `ReadingError`.

    encoding: None is UTF-8, or what the byte order mark or the HTML says.
    """
    try:
        data = sys.stdin.buffer.read() if path == STDIN else Path(path).read_bytes()
    except AttributeError as error:  # None, where the shell has closed it
        raise ReadingError("-: standard input is closed: name a file") from error
    except OSError as error:
        raise ReadingError(f"{path}: {error.strerror or error}") from error
    try:
        return _extract_text(data, path, encoding)
    except ReadingError:
        raise
    except Exception as error:  # a reader may raise anything of a broken file, and the others are worth reading
        kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
        raise ReadingError(f"{path}: {kind}{error}") from error


def load_sources(path: str, encoding: str | None = None) -> list[Source]:
    """A path or `-` -> its text; of a file of JSON records, the text of each, named ``PATH#NUMBER`` from 1.

    Records are objects of an array or of lines, all of which have a text under the same key; messages of a
    conversation are none. Raises `ReadingError`.
    """
    source = read_source(path, encoding)
    records = extract_records(source.text) if Path(path).suffix.lower() in RECORD_SUFFIXES else []
    if not records:
        return [source]
    return [Source(f"{path}#{number}", text, own_title=title) for number, (text, title) in enumerate(records, 1)]


def _extract_text(data: bytes, path: str, encoding: str | None) -> Source:
    suffix = Path(path).suffix.lower()
    if PDF.match(data) or suffix == ".pdf":
        parsed = from_pdf(data, lambda said: warnings.warn(f"{path}: {said}", stacklevel=2))
        return Source(path, parsed.text, parsed.layout, data, parsed.metadata.get("title", ""))
    if suffix in MAIL_SUFFIXES | TRANSCRIPT_SUFFIXES:
        given = data if encoding is None else decode(data, path, encoding).encode()
        said = from_mail(given) if suffix in MAIL_SUFFIXES else [from_transcript(given)]
        return Source(path, "\n\n".join(each.text for each in said))
    if suffix in HTML_SUFFIXES or (suffix not in TEXT_SUFFIXES and is_html(data)):
        marked = any(data.startswith(mark) for mark, _ in BYTE_ORDER_MARKS)
        html = decode(data, path, encoding or (None if marked else html_encoding(data)))
        return Source(path, html_text(html, main=None), own_title=html_title(html))
    return Source(path, decode(data, path, encoding))


def read_texts(paths: str | Path | Iterable[str | Path]) -> dict[str, str]:
    """A file, or several -> their texts by their paths, as `read_questions` wants them. Raises `ReadingError`.

    The records of a JSON file are texts of their own, named ``PATH#NUMBER``.
    """
    given = [paths] if isinstance(paths, (str, Path)) else paths
    return {source.path: source.text for path in given for source in load_sources(str(path))}


def decode(data: bytes, path: str, encoding: str | None = None) -> str:
    """Bytes -> text, or a `ReadingError` that says at which byte they stop being that, and what to do."""
    if other := next((kind for begins, kind in OTHER_FILES if begins.match(data)), None):
        raise ReadingError(f"{path}: {other}, no text: extract its text into a file, and name that file")
    mark, kind = next((pair for pair in BYTE_ORDER_MARKS if data.startswith(pair[0])), (b"", "utf-8"))
    try:
        return (
            data.decode(encoding).removeprefix("\ufeff" if mark else "") if encoding else data[len(mark) :].decode(kind)
        )
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


def expand_paths(paths: Sequence[str], skipped: dict[str, list[str]] | None = None) -> Iterator[str | ReadingError]:
    """Files, folders and `-` -> the files, those of a folder in order, each once; an error for what is not there.

    Folders are searched all the way down for the `FOLDER_SUFFIXES`; names that begin with a dot and linked folders are
    left out, and PDFs where nothing reads them. skipped: gets what else is left out of a folder, by the reason.
    """
    skipped = {} if skipped is None else skipped
    seen: set[tuple[int, int]] = set()
    has_read_stdin = False
    for name in paths:
        if name == STDIN:
            if not has_read_stdin:
                yield name
            has_read_stdin = True
        elif Path(name).is_dir():
            yield from (
                path for path in _walk_folder(name, skipped) if isinstance(path, ReadingError) or _is_new(path, seen)
            )
        elif not os.path.lexists(name):
            yield ReadingError(f"{name}: there is no such file or folder")
        elif _is_new(name, seen):
            yield name


def _walk_folder(folder: str, skipped: dict[str, list[str]]) -> Iterator[str | ReadingError]:
    faults: list[OSError] = []
    for root, folders, files in os.walk(folder, onerror=faults.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in folders:
            if os.path.islink(path := str(Path(root, name))):
                skipped.setdefault("links to folders are not followed", []).append(path)
        for name in sorted(name for name in files if not name.startswith(".")):
            path = str(Path(root, name))
            if reason := _reason_to_skip(path):
                skipped.setdefault(reason, []).append(path)
            else:
                yield ReadingError(f"{path}: a pipe or a device, no file") if _is_no_file(path) else path
        while faults:
            yield _listing_error(faults.pop())
    while faults:
        yield _listing_error(faults.pop())


def _reason_to_skip(path: str) -> str | None:
    suffix = Path(path).suffix.lower()
    if suffix == ".pdf" and not has_pdf_reader():
        return PDF_REMEDY
    if suffix in FOLDER_SUFFIXES:
        return None
    return OTHERS


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
