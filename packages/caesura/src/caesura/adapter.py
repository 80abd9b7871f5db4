"""What the plugins share: a host's sizes and what identifies a chunk in, limits and ids out.

Settings become segmenters, embedders and cuts in the modules `adapter_*`; `import caesura` loads none of them.

A plugin takes the texts out of its host's documents, gives `Work` (work.py) its host's embedder, and wraps the chunks
in its host's records.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import TypeAlias
from uuid import UUID

from caesura.background import Background
from caesura.errors import SettingError, whole
from caesura.types import Embed, Limits

EmbedFunction: TypeAlias = Embed
"""Texts in, one row per text out: what a plugin takes beside its host's own embeddings."""


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
            f"chunk_size={chunk_size} must have room for min_chunk_size={min_chunk_size}"
            + (f" and chunk_overlap={chunk_overlap}" if chunk_overlap else "")
        )
    return Limits(chunk_size - chunk_overlap, min_chunk_size)


def own_background(background: Background | Sequence[float] | None, calibrated: bool) -> Background | None:
    """What was given as background, if anything was. Raises `SettingError` where it cannot serve."""
    if background is None:
        return None
    if not calibrated:
        raise SettingError("a background is what vectors are centred on: give it with calibrated=True, or leave it out")
    return background if isinstance(background, Background) else Background(background)


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
