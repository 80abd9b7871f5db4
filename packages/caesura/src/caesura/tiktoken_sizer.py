"""Tokens of tiktoken's encodings without encoding whole texts: by words that are remembered, and by counts of bytes.

Loaded by the first `tokens` of such an encoding.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

SPACED = frozenset(["gpt2", "r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base", "o200k_harmony"])
"""Encodings that take a text apart at each of its joints, and each part as if it stood alone."""
METHODS = ("encode", "encode_ordinary")
"""Methods of an encoding that return a list, of any text: they replace lone surrogates as `tokens` does."""
JOINT = re.compile(r"(?<=[A-Za-z0-9])\s|(?<=\S) ")
"""Before the end of a line after a stop is none: both may be one token."""
LAST_JOINT = re.compile(rf"(?s:.*)(?:{JOINT.pattern})")
"""Up to the last joint of a range, which it finds from the range's end."""
NEAR = 64
"""How many characters before and behind a place a joint is looked for."""
MANY = 2**40
"""More tokens than any text has."""
LONGEST, MOST = 64, 50_000
"""Characters of a word that is remembered, and how many are at once, in some 8 MB: longer ones seldom come again."""


@lru_cache(maxsize=16)
def known_words(method: Any) -> dict[str, int] | None:
    """A method of an encoding -> what it has measured: by words, words behind a space, and by what begins with a
    space, what stands alone after it; None where a text is not taken apart at its spaces, and for other methods."""
    encoding = method.__self__
    named = all("<|" in token for token in encoding.special_tokens_set)  # by which `_remembered` knows them
    return {} if encoding.name in SPACED and named and method.__name__ in METHODS else None


def sum_of_words(encode: Any, text: str) -> int | None:
    """The sum of what the words of a text measure, each with the space before it, most of which are remembered; None
    where they do not add up. encode: a method of an encoding, or a `partial` of one."""
    words = known_words(getattr(encode, "func", encode))
    first, *rest = text.split(" ")
    if words is None or not rest or first[-1:].isspace():
        return None
    blank_end = not rest[-1]
    if blank_end:
        rest.pop()
    if len(words) > MOST:
        words.clear()
    counts = [*map(words.get, rest)]
    for place, word in enumerate(rest) if None in counts else ():
        if counts[place] is None:
            if not word or word[-1].isspace():
                return None
            counts[place] = _remembered(words, word, f" {word}", encode)
    total = sum(filter(None, counts))
    total += _remembered(words, f" {first}", first, encode) if first else 0
    return total + _remembered(words, "  ", " ", encode) if blank_end else total


def _remembered(words: dict[str, int], key: str, text: str, encode: Any) -> int:
    """What a text measures that is short enough to remember under a key, and may hold no special token."""
    count = words.get(key)
    if count is None:
        if len(key) > LONGEST or "<|" in key:
            return len(encode(text))
        count = words[key] = len(getattr(encode, "func", encode).__self__.encode_ordinary(text))
    return count


def joint_bytes(text: str, places: Iterable[int]) -> tuple[list[int], list[int]]:
    """Places where parts of a text meet, each measured with the whitespace before it -> of each place, how many tokens
    more than that a text can have that begins there, and how many more one that goes on there: at most as many as there
    are bytes in the word that begins, and between the joints around. `MANY` where that is not known.
    """
    begun, joined = list[int](), list[int]()
    for place in places:
        end = _joint_after(text, place)
        begun.append(MANY if end is None or text[place : place + 1].isspace() else _count_bytes(text[place:end]))
        if not place or (text[place - 1] == " " and not text[place - 2].isspace()):
            joined.append(0)
            continue
        found = LAST_JOINT.match(text, max(place - NEAR, 0), place)
        if found is None or end is None:
            joined.append(MANY)
        else:
            before = found.end() - 1
            joined.append(_count_bytes(text[before:end]) if text[before:place].strip() else 0)
    return begun, joined


def _count_bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _joint_after(text: str, start: int) -> int | None:
    """Where the first joint near a place is from there on, or the text's end; None where neither is near."""
    found = JOINT.search(text, start, start + NEAR)
    return found.start() if found else len(text) if len(text) <= start + NEAR else None
