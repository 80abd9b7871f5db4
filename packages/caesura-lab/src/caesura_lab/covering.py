"""How much of an answer the texts hold that a retriever returned, wherever they are from and however they are spaced.

Texts are compared by their letters and digits, since another reader of a PDF has other whitespace, hyphens and marks.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from caesura_lab.questions import Question
from caesura_lab.retrieval import count_covered
from caesura_lab.retrievers.found import FoundText

RUN = 24
"""So many solid characters in a row have to be the same; what stands around a short answer is looked at too."""
_NOT_SOLID = re.compile(r"[\W_]+")


def make_solid(text: str) -> str:
    """A text's letters and digits alone, and letters in the place of ligatures.

    >>> make_solid("| of\ufb01cial esti-\\nmate | *40* %")
    'officialestimate40'
    """
    return _NOT_SOLID.sub("", text if text.isascii() else unicodedata.normalize("NFKC", text))


@dataclass(slots=True)
class AnsweringTexts:
    """The texts that questions are of, by the names of their files."""

    by_name: Mapping[str, str]
    _meant: dict[str, frozenset[str]] = field(default_factory=dict)

    def covered_share(self, question: Question, found: Sequence[FoundText]) -> float:
        """The share of the answer's characters in what was found, 0 to 1.

        A text that says it is of another file holds none of the answer. What stands in none of the file's words, such
        as a summary, holds none either. An answer without letters and digits is taken with those around it.
        """
        own = [make_solid(piece.text) for piece in found if self.may_be_of(piece, question.corpus)]
        pieces = [piece for piece in dict.fromkeys(own) if piece]
        text, hit, wanted = self.by_name[question.corpus], 0, 0
        for start, end in question.spans:
            answer = make_solid(text[start:end])
            if not answer:
                before, after = _solid_before(text, start), _solid_after(text, end)
                hit, wanted = (
                    hit + any(before[-RUN // 2 :] + after[: RUN // 2] in piece for piece in pieces),
                    wanted + 1,
                )
                continue
            hit += _count_covered(text, start, end, answer, pieces)
            wanted += len(answer)
        return hit / wanted

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


def _count_covered(text: str, start: int, end: int, answer: str, pieces: Sequence[str]) -> int:
    """How many solid characters of a span of the answer the pieces hold: those in runs that both have.

    A piece shorter than a run counts where it is half of one, or holds the whole answer: letters stand everywhere.
    """
    before, after = _solid_before(text, start), _solid_after(text, end)
    near = before + answer + after
    low, high, run = len(before), len(before) + len(answer), min(RUN, len(near))
    held = {piece[at : at + run] for piece in pieces for at in range(len(piece) - run + 1)}
    runs = range(max(0, low - run + 1), min(high, len(near) - run + 1))
    ranges = [(at, at + run) for at in runs if near[at : at + run] in held]
    for piece in pieces:
        counts = len(piece) < run and (len(piece) >= RUN // 2 or answer in piece)
        at = near.find(piece) if counts else -1
        while at >= 0:
            ranges.append((at, at + len(piece)))
            at = near.find(piece, at + 1)
    return count_covered([(low, high)], ranges) if ranges else 0


def _solid_before(text: str, end: int) -> str:
    """The last solid characters before a place, as many as a run has, if there are so many."""
    reach = 2 * RUN
    while len(solid := make_solid(text[max(0, end - reach) : end])) < RUN and reach < end:
        reach *= 2
    return solid[-RUN:]


def _solid_after(text: str, start: int) -> str:
    reach = 2 * RUN
    while len(solid := make_solid(text[start : start + reach])) < RUN and start + reach < len(text):
        reach *= 2
    return solid[:RUN]
