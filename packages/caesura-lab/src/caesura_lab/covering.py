"""How much of an answer the texts hold that a retriever returned, wherever they are from and however they are spaced.

Texts are compared without whitespace, hyphens and ligatures, since another reader of a PDF sets these otherwise.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from caesura_lab.questions import Question
from caesura_lab.retrieval import count_in_ranges
from caesura_lab.retrievers.found import FoundText

LEAST = 24
"""An answer shorter than this, in solid characters, is looked for in another's text with what stands around it."""
_NOT_SOLID = re.compile("[\\s\\-\u00ad\u2010\u2011]+")


def make_solid(text: str) -> str:
    """A text without whitespace and hyphens, and with letters in the place of ligatures.

    >>> make_solid("an of\ufb01cial esti-\\nmate")
    'anofficialestimate'
    """
    return _NOT_SOLID.sub("", text if text.isascii() else unicodedata.normalize("NFKC", text))


@dataclass(slots=True)
class AnsweringTexts:
    """The texts that questions are of, by the names of their files."""

    by_name: Mapping[str, str]
    _meant: dict[str, frozenset[str]] = field(default_factory=dict)

    def covered_share(self, question: Question, found: Sequence[FoundText]) -> float:
        """The share of the answer's characters in what was found, 0 to 1.

        A text that says it is of another file holds none of the answer. One that does not stand in the file word for
        word, such as several put together, counts where it holds a whole span of the answer.
        """
        own = [make_solid(piece.text) for piece in found if self.may_be_of(piece, question.corpus)]
        pieces = [piece for piece in dict.fromkeys(own) if piece]
        text, hit, wanted = self.by_name[question.corpus], 0, 0
        for start, end in question.spans:
            answer = make_solid(text[start:end])
            hit += _count_covered(text, start, end, answer, pieces)
            wanted += len(answer)
        return hit / wanted if wanted else 0.0

    def may_be_of(self, piece: FoundText, corpus: str) -> bool:
        """Whether a text may be of a file: it names that, or none of the files."""
        if piece.file is None:
            return True
        if piece.file not in self._meant:
            self._meant[piece.file] = self._files_meant(piece.file)
        return corpus in (self._meant[piece.file] or (corpus,))

    def _files_meant(self, file: str) -> frozenset[str]:
        """The files whose paths end most as this one does, which may be under another folder or an address."""
        if file in self.by_name:
            return frozenset((file,))
        ending = PurePath(file).parts[::-1]
        alike = {name: _count_alike(PurePath(name).parts[::-1], ending) for name in self.by_name}
        most = max(alike.values())
        return frozenset(name for name, count in alike.items() if most and count == most)


def _count_alike(one: Sequence[str], other: Sequence[str]) -> int:
    """How many parts two paths have in common, from the first on."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def take_budget(found: Iterable[FoundText], budget: int) -> list[FoundText]:
    """The first `budget` characters of what was found."""
    taken: list[FoundText] = []
    for piece in found:
        taken.append(piece._replace(text=piece.text[:budget]))
        budget -= len(piece.text)
        if budget <= 0:
            break
    return taken


def _count_covered(text: str, start: int, end: int, answer: str, pieces: list[str]) -> int:
    """How many solid characters of a span of the answer the pieces hold."""
    longest = max(map(len, pieces), default=0)
    before, after = _solid_before(text, start, longest), _solid_after(text, end, longest)
    near = before + answer + after
    low, high = len(before), len(before) + len(answer)
    pad = max(0, LEAST - len(answer) + 1) // 2
    whole = near[max(0, low - pad) : high + pad]
    ranges: list[tuple[int, int]] = []
    for piece in pieces:
        at = near.find(piece, max(0, low - len(piece) + 1), high + len(piece) - 1)
        if at < 0 and whole in piece:
            return len(answer)
        while at >= 0:
            ranges.append((max(at, low), min(at + len(piece), high)))
            at = near.find(piece, at + 1, high + len(piece) - 1)
    return count_in_ranges(ranges) if ranges else 0


def _solid_before(text: str, end: int, least: int) -> str:
    """So many solid characters at least before a place, if there are so many."""
    reach = 2 * least + LEAST
    while True:
        solid = make_solid(text[max(0, end - reach) : end])
        if len(solid) >= least + LEAST or reach >= end:
            return solid
        reach *= 2


def _solid_after(text: str, start: int, least: int) -> str:
    reach = 2 * least + LEAST
    while True:
        solid = make_solid(text[start : start + reach])
        if len(solid) >= least + LEAST or start + reach >= len(text):
            return solid
        reach *= 2
