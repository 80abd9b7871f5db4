"""Sizers, str -> int: what `max_size` counts. Any callable of that form is a sizer, `len` above all."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from caesura.errors import SettingError

_HYPHEN = re.compile(r"(?<=[^\W\d_])-\n[ \t]*(?=([^\W\d_]))")


def words(text: str) -> int:
    """The number of stretches without whitespace.

    >>> words("two  words")
    2
    """
    return len(text.split())


def utf8_bytes(text: str) -> int:
    """The number of bytes in UTF-8; a lone surrogate counts 3.

    >>> utf8_bytes("naïve")
    6
    """
    return len(text.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class tokens:  # noqa: N801 - used as a function: tokens(encode)
    """A sizer that counts what `encode` returns, special tokens included if it adds them.

    encode: any callable from str to something with a length: tiktoken's ``Encoding.encode_ordinary``, a Hugging Face
    tokenizer's ``encode``, or ``str.split``. Lone surrogates, which no tokenizer takes, are counted as U+FFFD.

    >>> tokens(str.split)("two  words")
    2
    """

    encode: Callable[[str], Sized]
    bytewise: bool = field(init=False, repr=False, compare=False)
    """Whether each token is known to be a byte or more, as tiktoken's are."""

    def __post_init__(self) -> None:
        if not callable(self.encode):
            raise SettingError(f"encode must be callable, got {self.encode!r}")
        owner = _encoding_of(self.encode)
        object.__setattr__(self, "bytewise", type(owner).__module__.partition(".")[0] == "tiktoken")

    def surely(self, text: str, max_size: int) -> bool:
        """Whether a text cannot measure over `max_size`, as far as its length tells without counting."""
        return self.bytewise and (len(text) if text.isascii() else utf8_bytes(text)) <= max_size

    def joints(self, text: str, places: Iterable[int]) -> tuple[list[int], list[int]] | None:
        """What a text can measure more than its parts where they meet, see `caesura.tiktoken_sizer.joint_bytes`; None:
        nobody knows."""
        if not self.bytewise:
            return None
        from caesura.tiktoken_sizer import SPACED, joint_bytes  # most sizers are others

        return joint_bytes(text, places) if _encoding_of(self.encode).name in SPACED else None

    def fitting_units(self, text: str, edges: Sequence[int], max_size: int, known: dict[str, int]) -> list[bool]:
        """Returns whether each unit of a text fits, whole and trimmed, as far as what it measures with the whitespace
        before it tells, which is known then. An empty list: nobody knows what is added where units meet."""
        joints = self.joints(text, edges)
        if joints is None:
            return []
        ends = [start + len(text[start:end].rstrip()) for start, end in pairwise(edges)]
        slices = [text[before:end] for before, end in pairwise([0, *ends])]
        short = [own for own in slices if len(own) <= 4 * max_size]
        known.update(zip(short, self.each(short), strict=True))
        rows = zip(slices, joints[0], joints[1][1:], ends, edges[1:], strict=False)
        return [  # a character has four bytes at most
            known.get(own, max_size + 1) + begun + joined + 4 * (edge - end) <= max_size
            for own, begun, joined, end, edge in rows
        ]

    def __call__(self, text: str) -> int:
        return self.each([text])[0]

    def each(self, texts: Iterable[str]) -> list[int]:
        """Returns what each of several texts measures."""
        if not self.bytewise:
            return [self._encoded(text) for text in texts]
        from caesura.tiktoken_sizer import sum_of_words

        sums = [(text, sum_of_words(self.encode, text)) for text in texts]
        return [self._encoded(text) if total is None else total for text, total in sums]

    def _encoded(self, text: str) -> int:
        found = self.encode(without_surrogates(text))
        if type(found) is list:  # it nearly always is
            return len(found)
        if isinstance(found, (str, Mapping)) or not isinstance(found, Sized):
            raise SettingError(f"encode() must return a list of tokens, got {type(found).__name__}: {found!r:.80}")
        return len(found)


def _encoding_of(encode: Any) -> Any:
    """Returns the object that a method belongs to, also through a `partial`."""
    return getattr(getattr(encode, "func", encode), "__self__", None)


def without_surrogates(text: str) -> str:
    """The text with every lone surrogate replaced by U+FFFD, so that it can be written in UTF-8; length may change.

    >>> without_surrogates("a\\ud800b") == "a\\ufffdb"
    True
    """
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def without_hyphenation(text: str) -> str:
    """Joins each word that a hyphen divides at a line's end, before a lower case letter.

    Nothing tells "self-" at a line's end, which keeps its hyphen in print, from "exam-".

    >>> without_hyphenation("an exam-\\nple from Stratford-\\nUpon-Avon")
    'an example from Stratford-\\nUpon-Avon'
    """
    return _HYPHEN.sub(lambda found: "" if found[1].islower() else found[0], text)
