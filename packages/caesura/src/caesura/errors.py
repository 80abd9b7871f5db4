"""What can go wrong, by whose part it is."""

from __future__ import annotations


class CaesuraError(Exception):
    """The base of every error that Caesura raises."""


class SettingError(CaesuraError, ValueError):
    """A setting or an argument is out of range, of the wrong kind, or cannot be met."""


class EmbeddingError(CaesuraError, ValueError):
    """An embedder did not return one row of finite numbers per text."""


class SegmentError(CaesuraError, ValueError):
    """A segmenter's pieces are not the text."""


class ReplyError(CaesuraError, ValueError):
    """A language model's reply cannot be read, or was refused."""
