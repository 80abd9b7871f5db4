"""What time grows as: a law for work that is measured on a machine that does other work too."""

from __future__ import annotations

import gc
from collections.abc import Callable


def assert_time_grows(seconds: Callable[[int], float], few: int, many: int, most: float, least: float = 0.002) -> None:
    """Asserts that `many` takes at most `most` times the time of `few`.

    Other work only ever adds to a time, so the shortest of several is what counts: of three for `few`, of up to
    five for `many`, which end with the first that is short enough.

    Args:
        seconds: The time of this process for a number of things, what prepares them left out.
        few: A number of things, after a call with which everything is loaded.
        many: A larger number of things.
        most: How many times as long they may take: less than the square of `many / few`.
        least: Seconds below which no time is told from another.
    """
    on = gc.isenabled()
    gc.disable()  # it looks at everything that the process holds
    try:
        base = max(min(seconds(few) for _ in range(4)), least)
        taken = list[float]()
        while not taken or (min(taken) >= most * base and len(taken) < 5):
            taken.append(seconds(many))
    finally:
        if on:
            gc.enable()
    assert min(taken) < most * base, f"{many} take {min(taken):.3f} s, {few} take {base:.3f} s: over {most} times"
