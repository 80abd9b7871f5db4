"""Random numbers in, hostile texts out: samples that are torn, repeated and mixed; marks; any code point."""

from __future__ import annotations

import random
import sys
import unicodedata

from fuzz_samples import BLOCKS, MARKS, OPENERS, SAMPLES


def odd_character(rng: random.Random) -> str:
    """Any code point, blocks with rules of their own far more often than their share."""
    return chr(rng.randint(*rng.choice(BLOCKS)) if rng.random() < 0.9 else rng.randrange(sys.maxunicode + 1))


def piece_of(rng: random.Random) -> str:
    """Something to put into a text."""
    kind = rng.randrange(10)
    if kind < 4:
        return rng.choice(MARKS)
    if kind < 6:
        return "".join(odd_character(rng) for _ in range(rng.choice((1, 1, 2, 8, 40))))
    if kind == 6:
        return rng.choice(MARKS) * rng.choice((2, 3, 10, 100, 1000))
    if kind == 7:
        return "".join(rng.choice("abcdefXYZéя中") for _ in range(rng.choice((5, 30, 300, 3000))))
    if kind == 8:
        depth = rng.choice((2, 5, 30, 200))
        return "".join(rng.choice(OPENERS) for _ in range(depth)) if rng.random() < 0.5 else rng.choice(OPENERS) * depth
    sample = rng.choice(SAMPLES)
    start = rng.randrange(len(sample))
    return sample[start : start + rng.choice((3, 20, 200))]


def mutated(text: str, rng: random.Random) -> str:
    """A text with one thing done to it."""
    if not text:
        return piece_of(rng)
    at = rng.randrange(len(text) + 1)
    to = min(len(text), at + rng.choice((1, 2, 5, 20, 100, 1000)))
    kind = rng.randrange(14)
    if kind < 6:
        return text[:at] + piece_of(rng) + text[at:]
    if kind == 6:
        return text[:at] + text[to:]
    if kind == 7:
        return text[:at] + text[at:to] * rng.choice((2, 3, 20)) + text[to:]
    if kind == 8:
        return text[:at]  # what was open stays open
    if kind == 9:
        return text[at:]
    if kind == 10:
        return text.replace("\n", rng.choice(("\r\n", "\r", " ", "\n\n", "", "\u2028", "\n> ", "\n    ", "\x85")))
    if kind == 11:
        return text.replace(" ", rng.choice(("", "\u00a0", "\n", "  ", "\t", "\u3000", "\u200b")))
    if kind == 12:
        return rng.choice((text.upper, text.lower, text.swapcase, lambda: text[::-1]))()
    return unicodedata.normalize(rng.choice(("NFD", "NFC", "NFKD")), text)


def made_text(rng: random.Random) -> tuple[str, int]:
    """A part and how many times it comes: mostly once; sometimes so often that what is not linear shows."""
    kind = rng.randrange(20)
    if kind < 12:
        text = "".join(
            rng.choice(SAMPLES) + rng.choice(("", "\n", "\n\n", " ")) for _ in range(rng.choice((1, 1, 1, 2, 4)))
        )
        if rng.random() < 0.3:
            text = text[(cut := rng.randrange(len(text))) : cut + 300]
        for _ in range(rng.choice((0, 1, 2, 4, 8, 20))):
            text = mutated(text, rng)
    elif kind < 18:
        text = "".join(piece_of(rng) for _ in range(rng.choice((1, 2, 3, 5, 10, 30))))
    else:
        text = "".join(odd_character(rng) for _ in range(rng.choice((1, 10, 100, 1000))))
    text = text[:30_000]
    if rng.random() < 0.03:
        text = rng.choice((text, piece_of(rng), rng.choice(MARKS), rng.choice(MARKS) + rng.choice(MARKS)))[:3000] or "x"
        return text, rng.choice((60_000, 200_000)) // len(text) + 1
    return text, 1
