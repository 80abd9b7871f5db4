"""A host's sentence splitter as a segmenter. Errors say what it must return."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from caesura.errors import SegmentError, SettingError
from caesura.text.align import aligned
from caesura.types import BlockSegmenter, CodeSegmenter, Edges, FileSegmenter, Segmenter

SentenceSplitter: TypeAlias = Callable[[str], "Iterable[str] | Edges"]
"""A text -> its sentences, in order, or the edges of its units."""
PEER_SENTENCES = r"(?<=[.?!])\s+"
"""Where LangChain's SemanticChunker parts sentences."""


@dataclass(frozen=True, slots=True)
class parts:  # noqa: N801 - used as a function: parts(sentence_splitter)
    """Makes a segmenter of a host's sentence splitter, which may return pieces as str, or edges as the core does."""

    split: SentenceSplitter

    def __post_init__(self) -> None:
        if not callable(self.split):
            raise SettingError(f"sentence_splitter must be callable, str -> list of str, got {self.split!r}")

    @property
    def is_code(self) -> bool:
        """Whether the splitter says that its units are lines of code, as `Code` does."""
        return isinstance(self.split, CodeSegmenter) and bool(self.split.is_code)

    def for_file(self, name: str) -> parts:
        """The splitter for the text of a file, which is another one where it goes by the names of files."""
        own = self.split.for_file(name) if isinstance(self.split, FileSegmenter) else self.split
        return self if own is self.split else parts(own)

    def block_parts(self, block: str) -> Edges | None:
        """The edges of the parts of a block of code, where the splitter knows them."""
        return self.split.block_parts(block) if isinstance(self.split, BlockSegmenter) else None

    def __call__(self, text: str) -> Edges:
        found = self.split(text)
        if isinstance(found, np.ndarray):
            return found
        if isinstance(found, str) or not isinstance(found, Iterable):
            raise SegmentError(f"sentence_splitter must return a list of str, or an array of edges, got {found!r:.80}")
        pieces = list(found)
        strange = next((piece for piece in pieces if not isinstance(piece, str)), None)
        if strange is not None:
            raise SegmentError(f"sentence_splitter must return str pieces, or an array of edges, got {strange!r:.80}")
        return aligned(lambda _: pieces)(text)


@dataclass(frozen=True, slots=True)
class at_pattern:  # noqa: N801 - used as a function: at_pattern(regex)
    """A sentence splitter that parts a text wherever a regular expression matches whitespace or nothing.

    Raises `SegmentError` where a match takes other characters away, unless a group keeps them.
    """

    pattern: str

    def __post_init__(self) -> None:
        try:
            re.compile(self.pattern)
        except (re.error, TypeError) as error:
            raise SettingError(f"sentence_split_regex={self.pattern!r} is no regular expression: {error}") from error

    def __call__(self, text: str) -> list[str]:
        for match in re.finditer(self.pattern, text):
            kept = "".join(group for group in match.groups() if group)
            if len("".join(kept.split())) < len("".join(match[0].split())):
                raise SegmentError(
                    f"sentence_split_regex={self.pattern!r} must match whitespace alone, which may go missing: it "
                    f"takes {match[0]!r:.40} away at {match.start()}, where chunks are slices of the text. Let it look "
                    f"back at what ends a sentence, as {PEER_SENTENCES!r} does, or keep that in a group: ([.!?])"
                )
        return [piece for piece in re.split(self.pattern, text) if piece]


def segmenters_of(segment: Segmenter, files: Iterable[str]) -> list[Segmenter] | None:
    """Returns the segmenter of each document by the name of its file; None where it is `segment` for all of them."""
    if not isinstance(segment, parts) or not isinstance(segment.split, FileSegmenter):
        return None
    return [segment.for_file(name) for name in files]


def segmenter(sentence_splitter: SentenceSplitter | None, rules: Segmenter) -> Segmenter:
    """Returns the segmenter of a sentence splitter; without one, `rules`. Raises `SettingError`."""
    return rules if sentence_splitter is None else parts(sentence_splitter)
