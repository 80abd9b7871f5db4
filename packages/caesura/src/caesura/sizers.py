"""Sizers, str -> int: what `max_size` counts. Any other callable of that form is a sizer too, `len` first of all."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sized
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from caesura.checks import check_callable
from caesura.errors import SettingError

SPACED = frozenset(["gpt2", "r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base", "o200k_harmony"])
"""Encodings of tiktoken's that take a text apart at each of its joints, and each part as if it stood alone."""

_JOINT = re.compile(r"(?<=[A-Za-z0-9])\s|(?<=\S) ")
"""Before the end of a line after a stop is none: both may be one token."""
_NEAR = 64
"""How many characters before a place a joint is looked for."""
_LONGEST, _MOST = 64, 50_000
"""Characters of a word that is remembered, and how many are at once, in some 8 MB: longer ones seldom come again."""
_HYPHEN = re.compile(r"(?<=[^\W\d_])-\n[ \t]*(?=([^\W\d_]))")


def characters(text: str) -> int:
    """The number of code points: `len`.

    >>> characters("naïve")
    5
    """
    return len(text)


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
    """encode -> a sizer that counts what `encode` returns, special tokens included if it adds them.

    encode: any callable from str to something with a length: tiktoken's ``Encoding.encode_ordinary``, a Hugging
    Face tokenizer's ``encode``, or ``str.split``. Lone surrogates, which no tokenizer takes, are counted as U+FFFD.

    >>> tokens(str.split)("two  words")
    2
    """

    encode: Callable[[str], Sized]
    bytewise: bool = field(init=False, repr=False, compare=False)
    """Whether each token is known to be a byte or more, as tiktoken's are."""

    def __post_init__(self) -> None:
        check_callable(self, "encode")
        owner = _encoding_of(self.encode)
        object.__setattr__(self, "bytewise", type(owner).__module__.partition(".")[0] == "tiktoken")

    def surely(self, text: str, max_size: int) -> bool:
        """Whether a text cannot measure over `max_size`, by a look that costs next to nothing."""
        return self.bytewise and (len(text) if text.isascii() else utf8_bytes(text)) <= max_size

    def surely_joined(self, text: str, starts: Iterable[int], total: int, max_size: int) -> bool:
        """Whether a text that was measured in parts cannot measure over `max_size`, by a look at where they meet.

        starts: of all parts but the first, behind the whitespace that was measured with them. total: what the parts
        measure together; the first one may have had whitespace before it. Between the joints around a place where parts
        meet, and in the first word, are at most as many tokens as bytes.
        """
        if total >= max_size or text[:1].isspace():
            return False
        if not self.bytewise or _encoding_of(self.encode).name not in SPACED:
            return False
        total += utf8_bytes(text[: _joint_after(text, 0)])
        for start in starts:
            if text[start - 1] == " " and not text[start - 2].isspace():
                continue
            before = [found.start() for found in _JOINT.finditer(text, max(start - _NEAR, 0), start)]
            if not before:
                return False
            if text[before[-1] : start].strip():
                total += utf8_bytes(text[before[-1] : _joint_after(text, start)])
        return total <= max_size

    def __call__(self, text: str) -> int:
        found = self._by_words(text) if self.bytewise else None
        return self._encoded(text) if found is None else found

    def _by_words(self, text: str) -> int | None:
        """The sum of what the words of a text measure, each with the space before it, most of which are remembered;
        None where they do not add up."""
        words = _words_of(getattr(self.encode, "func", self.encode))
        first, *rest = text.split(" ")
        if words is None or not rest or first[-1:].isspace():
            return None
        blank_end = not rest[-1]
        if blank_end:
            rest.pop()
        if len(words) > _MOST:
            words.clear()
        try:
            total = sum(map(words.__getitem__, rest))
        except KeyError:
            total = 0
            for word in rest:
                if not word or word[-1].isspace():
                    return None
                total += self._remembered(words, word, f" {word}")
        total += self._remembered(words, f" {first}", first) if first else 0
        return total + self._remembered(words, "  ", " ") if blank_end else total

    def _remembered(self, words: dict[str, int], key: str, text: str) -> int:
        """What a text measures that is short enough to remember under a key, and may hold no special token."""
        count = words.get(key)
        if count is None:
            count = self._encoded(text)
            if len(key) <= _LONGEST and "<|" not in key:
                words[key] = count
        return count

    def _encoded(self, text: str) -> int:
        found = self.encode(without_surrogates(text))
        if type(found) is list:  # it nearly always is
            return len(found)
        if isinstance(found, (str, Mapping)) or not isinstance(found, Sized):
            raise SettingError(f"encode() must return a list of tokens, got {type(found).__name__}: {found!r:.80}")
        return len(found)


def _encoding_of(encode: Any) -> Any:
    """What a method belongs to, or one that was given some of its arguments."""
    return getattr(getattr(encode, "func", encode), "__self__", None)


@lru_cache(maxsize=16)
def _words_of(method: Any) -> dict[str, int] | None:
    """A method of one of tiktoken's encodings -> what it has measured: by words, words behind a space, and by what
    begins with a space, what stands alone after it; None where a text is not taken apart at its spaces."""
    encoding = method.__self__
    named = all("<|" in token for token in encoding.special_tokens_set)  # by which `_remembered` knows them
    return {} if encoding.name in SPACED and named else None


def _joint_after(text: str, start: int) -> int:
    """Where the first joint is from a place on; without one, the end."""
    found = _JOINT.search(text, start)
    return len(text) if found is None else found.start()


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
    """The text with every word whole that a hyphen parts at a line's end, before a lower case letter.

    Nothing tells "self-" at a line's end, which keeps its hyphen in print, from "exam-".

    >>> without_hyphenation("an exam-\\nple from Stratford-\\nUpon-Avon")
    'an example from Stratford-\\nUpon-Avon'
    """
    return _HYPHEN.sub(lambda found: "" if found[1].islower() else found[0], text)
