"""The PDF manuals of Debian packages -> files, questions, half of which are kept for the end, and passages with pages.

The packages are fetched with `apt-get download`, once. pdf_manuals/README.md says what the questions are.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import re
import shutil
import subprocess
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).parent / "pdf_manuals"
CACHE = Path(__file__).parents[1] / "build" / "pdf_manuals"
_NO_WORD = re.compile(r"[\W_]+")


class Manual(NamedTuple):
    """A line of documents.tsv: a PDF in a Debian package."""

    name: str
    package: str
    path: str
    licence: str
    pages: int
    digest: str

    @property
    def source(self) -> str:
        """The path under which a loader finds it."""
        return self.path.removesuffix(".gz")


@dataclass(frozen=True, slots=True)
class PdfQuestion:
    """A question, the manual and the pages from 1 that answer it, and a phrase that stands on them word for word."""

    id: str
    document: str
    pages: tuple[int, ...]
    question: str
    answer: str
    kind: str
    kept: bool


def manuals() -> list[Manual]:
    """Returns the lines of documents.tsv."""
    with (FOLDER / "documents.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t"))[1:]
    return [Manual(*row[:4], int(row[4]), row[5]) for row in rows]


def questions() -> list[PdfQuestion]:
    """Returns the questions, in the order of the file."""
    lines = (FOLDER / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    given = [json.loads(line) for line in lines]
    return [PdfQuestion(**{**each, "pages": tuple(each["pages"])}) for each in given]


def is_kept(ids: list[str]) -> dict[str, bool]:
    """Ids -> whether each is of the half that is kept: every second one by its SHA-256."""
    order = sorted(ids, key=lambda id: hashlib.sha256(id.encode()).hexdigest())
    return {id: number % 2 == 1 for number, id in enumerate(order)}


def squeeze(text: str) -> str:
    """A text -> its letters and digits in lower case, so that line ends, hyphens and ligatures do not matter.

    >>> squeeze("the ﬁrst hyphen-\\nated word")
    'thefirsthyphenatedword'
    """
    return _NO_WORD.sub("", unicodedata.normalize("NFKC", text)).casefold()


def fetch(say: Callable[[str], None], folder: Path = CACHE) -> dict[str, Path]:
    """Fetches the packages and unpacks their manuals, each where its package has it.

    say: is told which manuals are left out, and why. folder: where they are kept. Returns the file of each manual that
    is there and is the one that the questions are about.
    """
    found: dict[str, Path] = {}
    for manual in manuals():
        file = folder / manual.source
        if not file.exists() and (fault := _unpack(manual, file, folder)):
            say(f"{manual.name} is left out: {fault}")
        elif hashlib.sha256(file.read_bytes()).hexdigest() != manual.digest:
            say(f"{manual.name} is left out: {file} is not the PDF of {manual.package}")
        else:
            found[manual.name] = file
    return found


def _unpack(manual: Manual, file: Path, folder: Path) -> str:
    """Writes the file. Returns what is wrong, or nothing."""
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        return "there is no apt-get here; it needs Debian 12"
    folder.mkdir(parents=True, exist_ok=True)
    fetched = subprocess.run(
        ["apt-get", "-q", "download", manual.package],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if fetched.returncode:
        return f"apt-get said {fetched.stderr.strip()!r}; it needs Debian 12 after `apt-get update`"
    (archive,) = folder.glob(f"{manual.package.partition('=')[0]}_*.deb")
    pipe = subprocess.run(["dpkg-deb", "--fsys-tarfile", archive], capture_output=True, check=True)
    got = subprocess.run(
        ["tar", "-xO", f"./{manual.path}"],
        input=pipe.stdout,
        capture_output=True,
        check=False,
    )
    archive.unlink()
    if got.returncode:
        return f"{manual.package} has no {manual.path}"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(gzip.decompress(got.stdout) if manual.path.endswith(".gz") else got.stdout)
    return ""


class Passage(NamedTuple):
    """What was returned: a manual's path, a text, and the offsets in it at which pages from 1 begin."""

    source: str
    text: str
    pages: Sequence[tuple[int, int]]

    def cut(self, size: int) -> Passage:
        """Returns the first so many characters."""
        return Passage(self.source, self.text[:size], [each for each in self.pages if each[0] < size])

    def sizes(self) -> dict[int, int]:
        """Returns how many characters each page has in it."""
        found: dict[int, int] = {}
        ends = [*(start for start, _ in self.pages[1:]), len(self.text)]
        for (start, page), end in zip(self.pages, ends, strict=True):
            found[page] = found.get(page, 0) + len(self.text[start:end].strip())
        return found


def within(passages: Iterable[Passage], budget: int, source: str) -> Iterable[Passage]:
    """Yields what is of one source among the first so many characters."""
    for passage in passages:
        if budget <= 0:
            return
        if passage.source == source:
            yield passage.cut(budget)
        budget -= len(passage.text)


def page_starts(layout: Sequence[Mapping[str, Any]]) -> list[tuple[int, int]]:
    """A layout -> where each page begins, and its number from 1 in the file.

    A page name is not a number; the pages of a loader are all there, in their order, each with an entry of its own.
    """
    if any("type" in entry for entry in layout):  # our reader's
        return [(entry["start"], entry["page"]) for entry in layout if "page" in entry]
    return [(entry["start"], number) for number, entry in enumerate(layout, 1)]


def placed(source: str, text: str, start: int, starts: Mapping[str, list[tuple[int, int]]]) -> Passage:
    """A passage and where it starts in its document -> the passage with its pages."""
    own = starts[source]
    first = max(bisect_right(own, (start, len(own) + 1)) - 1, 0)
    pages = [(max(at - start, 0), page) for at, page in own[first:] if at < start + len(text)]
    return Passage(source, text, pages)
