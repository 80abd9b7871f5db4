"""No public name that takes a text takes time that grows faster than the text, however hostile that is."""

from __future__ import annotations

import gc
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from math import log2
from zlib import crc32

import numpy as np
import pytest
from fakes.text_probes import ELSEWHERE, NO_TEXT, PROBES, public_names
from fakes.texts.hostile_atoms import ATOMS, FRAMES, hostile_name, hostile_text

from caesura import CaesuraError

pytestmark = pytest.mark.thorough

MOST, DOUBLINGS, LONGEST, LEAST, TEXTS = 1.25, 4, 2**18, 0.004, 8
"""The largest exponent, the doublings that it is taken over, the longest text, seconds that can be measured, and the
texts for each name."""


def seconds(call: Callable[[str], object], text: str) -> float:
    """Of this process alone: other work on the machine does not count, nor the looks at all that the process holds,
    which the collector of garbage takes the more often the more is made."""
    gc.disable()
    begun = time.process_time()
    try:
        with warnings.catch_warnings(), suppress(CaesuraError):  # a text that is refused is refused in time
            warnings.simplefilter("ignore")
            call(text)
        return time.process_time() - begun
    finally:
        gc.enable()


def first_look(call: Callable[[str], object], number: int) -> tuple[int, float]:
    """Doubles a text until its time can be measured -> the length then, and the exponent over two doublings."""
    length, found = 500, [seconds(call, hostile_text(number, 500))]
    while len(found) <= DOUBLINGS or (found[-1] < found[0] + LEAST and length < LONGEST):
        length *= 2
        found.append(seconds(call, hostile_text(number, length)))
    return length, log2(found[-1] / max(found[-3], 1e-6)) / 2 if found[-1] > LEAST else 0.0


def exponent(call: Callable[[str], object], number: int, shortest: int, rounds: int) -> float:
    """The slope through the best times of so many rounds, from a length on."""
    lengths = [shortest << step for step in range(DOUBLINGS + 1)]
    taken = [[seconds(call, hostile_text(number, length)) for length in lengths] for _ in range(rounds)]
    return float(np.polyfit(np.log(lengths), np.log(np.min(taken, axis=0)), 1)[0])


def test_every_public_name_that_takes_a_text_has_a_probe() -> None:
    rows = [line.split() for line in (NO_TEXT + ELSEWHERE).splitlines() if line]
    without = {f"{place}.{name}" for place, *names in rows for name in names}
    probed = {label.split(" ")[0] for label in PROBES}
    assert probed.isdisjoint(without)
    assert probed | without == set(public_names()), "PROBES, NO_TEXT or ELSEWHERE in tests/fakes/text_probes.py"


@pytest.mark.parametrize("label", PROBES)
def test_time_grows_no_faster_than_the_text(label: str) -> None:
    """What seems to grow faster is looked at again in longer texts: a step is no growth.

    A name has the same texts whatever other names there are.
    """
    call, apart = PROBES[label], len(ATOMS) * len(FRAMES) // TEXTS
    seconds(call, "Aa bb. Dd ee.")  # imports, tables and models
    for number in range(crc32(label.encode()) % apart, len(ATOMS) * len(FRAMES), apart):
        length, found = first_look(call, number)
        for rounds in (1, 3, 9):
            found = found if found <= MOST else exponent(call, number, length, rounds)
        assert found <= MOST, f"{label}: n ** {found:.2f} for {hostile_name(number)}, from {length} characters on"


def test_what_grows_with_the_square_is_seen() -> None:
    def pairs(text: str) -> int:
        return sum(text.count("b", at) for at in range(0, len(text), 4))

    length, found = first_look(pairs, 1)
    assert found > MOST
    assert exponent(pairs, 1, length // 8, 1) > 1.5
