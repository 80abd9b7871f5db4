"""Text without end, for measures of size: the papers, the code and the handbook, then sentences of all, shuffled."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from corpora import asked

from caesura import sentences

ABOUT = ("papers", "code", "handbook")
"""The sets that come whole, whose questions are asked."""
FROM = ("papers", "corpora", "meetings", "handbook", "en")
"""The sets whose sentences are shuffled."""
PART = 1_000_000
"""So many characters a part has, or a little more."""
SHORTEST, LONGEST = 2_000, 40_000
"""Characters of a document of shuffled sentences; any length between is as likely, by its logarithm."""
NUMBERED = 0.3
"""The share of sentences that a number of their own follows: a large collection has many words that are rare."""
WORDS = 25


class Corpus:
    """A folder of parts, each a list of documents by name; equal in each run, however many parts there are.

    folder: where parts are written once they are wanted.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def part(self, number: int) -> dict[str, str]:
        """Returns the documents of a part, from 0."""
        path = self._folder / f"{number:05}.json"
        if not path.exists():
            self._folder.mkdir(parents=True, exist_ok=True)
            half = path.with_suffix(".half")
            half.write_text(json.dumps(dict(self._documents(number))), encoding="utf-8")
            half.rename(path)
        made: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
        return made

    def questions(self, count: int) -> list[str]:
        """Returns questions of 25 words about what the first parts hold, joined of those that come with the data."""
        given, dice = [own.question for name in ABOUT for own in asked(name).questions], random.Random(1)
        made = []
        for _ in range(count):
            words = list[str]()
            while len(words) < WORDS:
                words += dice.choice(given).split()
            made.append(" ".join(words[:WORDS]))
        return made

    @cached_property
    def _whole(self) -> list[dict[str, str]]:
        """The parts of the documents that come whole."""
        parts, size = [dict[str, str]()], 0
        for name, text in (pair for own in ABOUT for pair in asked(own).texts.items()):
            if size >= PART:
                parts, size = [*parts, {}], 0
            parts[-1][name] = text
            size += len(text)
        return parts

    @cached_property
    def _sentences(self) -> list[str]:
        texts = [text for name in FROM for text in asked(name).texts.values()]
        found = [text[start:end].strip() for text in texts for start, end in pairwise(sentences(text).tolist())]
        return [one for one in found if 20 < len(one) < 1_000]

    def _documents(self, number: int) -> Iterator[tuple[str, str]]:
        if number < len(self._whole):
            yield from self._whole[number].items()
            return
        dice, made, count = random.Random(number), 0, 0
        while made < PART:
            wanted = SHORTEST * (LONGEST / SHORTEST) ** dice.random()
            own, length = list[str](), 0
            while length < wanted:
                rare = f" {dice.choice('ABCDEFGH')}{dice.randrange(10**7)}." if dice.random() < NUMBERED else ""
                own.append(dice.choice(self._sentences) + rare)
                length += len(own[-1]) + 1
            text = "".join(one + ("\n\n" if dice.random() < 0.15 else " ") for one in own).rstrip()
            made, count = made + len(text), count + 1
            yield f"shuffled/{number}-{count}.txt", text
