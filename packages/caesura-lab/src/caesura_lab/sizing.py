"""Sizes of chunks: what counts them, characters or a tokenizer's tokens, and what they may come to."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sized
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha1
from importlib.util import find_spec
from pathlib import Path

from caesura import SettingError, tokens
from caesura.checks import check_int
from caesura.host.settings import CHARACTERS, TOKENS, Size
from caesura.types import Sizer

TOKENIZERS = ("wordpiece", "tiktoken:ENCODING")
USUAL = {"characters": CHARACTERS, "tokens": TOKENS}
VOCABULARY = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"
"""Where tiktoken has the vocabulary of an encoding from, by which it names the file that it keeps."""
VOCABULARY_FOLDERS = frozenset({"TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"})
"""The variables by which a user says where these files are."""
UNLIMITED = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Sizing:
    """What a chunk may measure, how much of it may be overlap, and the sizer that measures.

    size: "auto" is what a splitter's other settings make it; usual: what those are where they say nothing, see
    `chunk_limits`. Raises `SettingError` for sizes that are no whole numbers, or a size under 1.
    """

    size: Size = "auto"
    min_size: int = 0
    overlap: int = 0
    sizer: Sizer = field(default=len, repr=False)
    usual: tuple[int, int] = CHARACTERS

    def __post_init__(self) -> None:
        if self.size is not None and self.size != "auto":
            check_int("size", self.size, 1)
        check_int("min_size", self.min_size, 0)
        check_int("overlap", self.overlap, 0)

    @property
    def max_size(self) -> int:
        """The size, or a number that no chunk comes to."""
        size = self.settled().size
        return size if isinstance(size, int) else UNLIMITED

    def settled(self) -> Sizing:
        """The same with the usual size in the place of "auto"."""
        return replace(self, size=self.usual[0]) if self.size == "auto" else self


def make_sizing(
    size: int | None = None,
    min_size: int = 0,
    overlap: int = 0,
    unit: str = "characters",
    tokenizer: str | None = None,
) -> Sizing:
    """What a user says of sizes -> a `Sizing`; no size is "auto". Raises `SettingError` as `make_sizer`."""
    sizer = make_sizer(unit, tokenizer)
    return Sizing("auto" if size is None else size, min_size, overlap, sizer, USUAL[unit])


def make_sizer(unit: str = "characters", tokenizer: str | None = None) -> Sizer:
    """A unit and a tokenizer -> a sizer. Raises `SettingError` for names that are none, or data that is not there.

    tokenizer: None is wordpiece, the built-in model's own, in which English text has about as many tokens as with
    others. With characters it is refused, as it would count nothing.
    """
    if unit == "characters" and tokenizer is not None:
        raise SettingError(
            f"tokenizer={tokenizer!r} counts nothing where sizes are in characters: say that they are in tokens too, "
            f"unit='tokens' or --unit tokens"
        )
    if unit == "characters":
        return len
    if unit == "tokens":
        return token_counter(tokenizer or "wordpiece")
    raise SettingError(f"unit must be characters or tokens, got {unit!r}")


@cache
def token_counter(tokenizer: str = "wordpiece") -> Sizer:
    """The name of a tokenizer -> how many tokens a text has.

    Raises `SettingError` for a name that is none, a library that is not installed, or data that is not there.
    """
    kind, _, name = tokenizer.partition(":")
    if tokenizer == "wordpiece":
        return tokens(split_word_pieces)
    if kind != "tiktoken" or not name:
        raise SettingError(f"tokenizer must be one of {', '.join(TOKENIZERS)}, got {tokenizer!r}")
    try:
        import tiktoken
    except ImportError as error:
        raise SettingError(f"tokenizer {tokenizer!r} needs tiktoken: pip install tiktoken") from error
    if name not in (known := tiktoken.list_encoding_names()):
        raise SettingError(f"tiktoken has no encoding {name!r}: choose from {', '.join(known)}")
    try:
        with _brought_vocabulary(name):
            return tokens(tiktoken.get_encoding(name).encode_ordinary)
    except Exception as error:  # requests' errors, where it cannot fetch its data
        raise SettingError(
            f"tiktoken cannot load {name!r} ({error}): it downloads a vocabulary once, and llama-index-core brings "
            f"cl100k_base and o200k_base, so pip install llama-index-core, or name a folder that has it, "
            f"TIKTOKEN_CACHE_DIR"
        ) from error


@contextmanager
def _brought_vocabulary(name: str) -> Iterator[None]:
    """tiktoken finds an encoding's vocabulary where llama-index-core brings it, unless a folder is set."""
    if VOCABULARY_FOLDERS.isdisjoint(os.environ) and (folder := find_brought(name)) is not None:
        os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
        try:
            yield
        finally:
            del os.environ["TIKTOKEN_CACHE_DIR"]
    else:
        yield


def find_brought(name: str) -> Path | None:
    """The folder in which llama-index-core has the vocabulary of an encoding, if it has; it is not imported."""
    try:
        found = find_spec("llama_index.core")
    except ModuleNotFoundError:
        return None
    file = sha1(VOCABULARY.format(name).encode(), usedforsecurity=False).hexdigest()  # as tiktoken names it
    for place in (found and found.submodule_search_locations) or ():
        folder = Path(place, "_static", "tiktoken_cache")
        if (folder / file).is_file():
            return folder
    return None


def split_word_pieces(text: str) -> Sized:
    """A text -> the tokens of the built-in model."""
    from caesura_static.model import load

    return list(load().words.numbers(text))
