"""sources.txt -> Corpus: paragraphs of English sentences out of Debian packages, the same in every run."""

from __future__ import annotations

import hashlib
import itertools
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from debian import Source, sources, unpacked
from readers import READERS

SEED = 20260119
RUN = 8  # the most sentences that a sample takes from one place
MOST = 131_072  # sentences in all: the teacher reads some two hundred a second
FINGERPRINT = "7437a69279fd18a7"  # of the corpus that the shipped model was fitted to

# A stop, closing quotes, a blank, and something that begins a sentence; not after a title, an initial or "e.g.".
_BOUNDARY = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]*[A-Z0-9])")
_NO_STOP = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|St|Sen|Rep|Gov|Gen|Col|Capt|Prof|vs|cf|viz|etc|Fig|No|Vol|pp?)|\b[A-Za-z])\.$"
)


class Corpus(NamedTuple):
    """Runs of neighbouring sentences, one list per place in the sources, and the package that each is from."""

    runs: list[list[str]]
    packages: list[str]

    @property
    def sentences(self) -> list[str]:
        """All sentences, in order."""
        return [sentence for run in self.runs for sentence in run]

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits, which differ where a character does."""
        return hashlib.sha256("\n\n".join("\n".join(run) for run in self.runs).encode()).hexdigest()[:16]


def sentences_of(paragraph: str) -> list[str]:
    """Returns a paragraph's sentences, blanks made single; a rough cut by rule will do for training."""
    text = " ".join(paragraph.split())
    found: list[str] = []
    for piece in _BOUNDARY.split(text):
        if found and _NO_STOP.search(found[-1]):
            found[-1] += " " + piece
        else:
            found.append(piece)
    return found


def is_prose(sentence: str) -> bool:
    """Returns whether a sentence has 4 to 80 words and is mostly letters: no table, code or address."""
    letters = sum(character.isalpha() and character.isascii() for character in sentence)
    return 4 <= len(sentence.split()) <= 80 and letters > 0.7 * len(sentence) and sentence[0] not in "<{|#@\\"


def runs_of(source: Source, folder: Path) -> Iterator[list[str]]:
    """Yields runs of at most RUN neighbouring sentences; a heading or a paragraph of its own joins the next."""
    read = READERS[source.reader]
    files = sorted({file for pattern in source.files for file in folder.glob(pattern) if file.is_file()})
    for file in files:
        run: list[str] = []
        for paragraph in read(file):
            for sentence in filter(is_prose, sentences_of(paragraph)):
                run.append(sentence)
                if len(run) == RUN:
                    yield run
                    run = []
            if run and source.reader in ("wordnet", "gcide", "quoted"):  # each paragraph is a subject of its own
                yield run
                run = []
        if run:
            yield run


def build(cache: Path) -> Corpus:
    """Returns the corpus, such that a rerun with the same versions gives the same runs in the same order."""
    cache.mkdir(parents=True, exist_ok=True)
    kept: list[tuple[list[str], str]] = []
    seen: set[str] = set()
    for source in sources():
        found = list(runs_of(source, unpacked(source, cache)))
        random.Random(f"{SEED} {source.package}").shuffle(found)  # noqa: S311 - a sample, not a secret
        count = 0
        for run in found:
            fresh = [sentence for sentence in dict.fromkeys(run) if sentence not in seen]
            seen.update(run)
            if count + len(fresh) <= source.most and fresh:
                kept.append((fresh, source.package))
                count += len(fresh)
        print(f"{source.package:22} {source.licence:14} {count:6} sentences of {sum(map(len, found))}")
    random.Random(SEED).shuffle(kept)  # noqa: S311
    sizes = itertools.accumulate(len(run) for run, _ in kept)
    chosen = [pair for pair, size in zip(kept, sizes, strict=True) if size <= MOST]
    return Corpus([run for run, _ in chosen], [package for _, package in chosen])


def verify(corpus: Corpus) -> None:
    """Raises SystemExit where the corpus is not the one that the shipped model was fitted to."""
    if corpus.fingerprint != FINGERPRINT:
        raise SystemExit(
            f"the corpus needs the fingerprint {FINGERPRINT}, got {corpus.fingerprint}: a package, sources.txt or a "
            "reader changed; to distil from the new text on purpose, put its fingerprint into corpus.py"
        )
