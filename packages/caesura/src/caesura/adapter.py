"""What the plugins share: a host's settings and texts in, core settings and ids out.

Not loaded by `import caesura`.

A plugin takes the texts out of its host's documents, gives `Work` (work.py) its host's embedder, and wraps the chunks
in its host's records.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import TypeAlias
from uuid import UUID

import numpy as np

from caesura.errors import SegmentError, SettingError, whole
from caesura.text.align import aligned
from caesura.types import Edges, Embed, Limits

SentenceSplitter: TypeAlias = Callable[[str], "Iterable[str] | Edges"]
EmbedFunction: TypeAlias = Embed
"""Texts in, one row per text out: what a plugin takes beside its host's own embeddings."""

PEER_SENTENCES = r"(?<=[.?!])\s+"
"""Where LangChain's SemanticChunker parts sentences."""


def chunk_limits(chunk_size: int | None, min_chunk_size: int, chunk_overlap: int = 0) -> Limits:
    """A plugin's sizes -> the limits of the cut, with room left for the overlap. Raises `SettingError`."""
    if chunk_size is not None:
        whole("chunk_size", chunk_size, 1)
    whole("chunk_overlap", chunk_overlap, 0)
    whole("min_chunk_size", min_chunk_size, 0)
    if chunk_size is None:
        return Limits(None, min_chunk_size)
    if chunk_overlap + max(min_chunk_size, 1) > chunk_size:
        raise SettingError(
            f"chunk_size={chunk_size} must have room for min_chunk_size={min_chunk_size} "
            f"and chunk_overlap={chunk_overlap}"
        )
    return Limits(chunk_size - chunk_overlap, min_chunk_size)


@dataclass(frozen=True, slots=True)
class parts:  # noqa: N801 - used as a function: parts(sentence_splitter)
    """A host's sentence splitter -> a segmenter. It may return the pieces as str, or edges, as the core's own do."""

    split: SentenceSplitter

    def __post_init__(self) -> None:
        if not callable(self.split):
            raise SettingError(f"sentence_splitter must be callable, str -> list of str, got {self.split!r}")

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
    """A regular expression -> a sentence splitter that parts a text where it matches whitespace."""

    pattern: str

    def __post_init__(self) -> None:
        try:
            re.compile(self.pattern)
        except (re.error, TypeError) as error:
            raise SettingError(f"sentence_split_regex={self.pattern!r} is no regular expression: {error}") from error

    def __call__(self, text: str) -> list[str]:
        return [piece for piece in re.split(self.pattern, text) if piece]


def chunk_id(document: str, level: int, start: int, end: int, text: str) -> str:
    """What identifies a chunk -> its id, in the form of a UUID, which every vector store takes.

    The first half of the SHA-256 of document id, level, span and text, each apart from the next: an edited text at the
    same span has another id, so that no store keeps a stale row for it.
    """
    return digest(document, str(level), str(start), str(end), text)


def digest(*fields: str) -> str:
    """Strings -> the first half of the SHA-256 of them and their lengths, in the form of a UUID."""
    head = ",".join(str(len(field)) for field in fields)
    content = "\n".join((head, *fields)).encode("utf-8", "surrogatepass")
    return str(UUID(bytes=sha256(content).digest()[:16]))
