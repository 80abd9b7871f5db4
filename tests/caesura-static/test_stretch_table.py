"""A stretch is found at its place in the list, and nothing else is."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from caesura_static import stretch_table
from caesura_static.folding import join_all
from caesura_static.stretch_table import COLUMNS, LONGEST_KEPT, Grown, StretchTable, find_stretches

LETTERS = "abZ09.,-é–щह港🧿\ud800\x01\u200b"
BLANKS = " \t\n\r\xa0\u1680\u2003\u2028\u205f\u3000"


def draw_stretches(seed: int, count: int) -> list[str]:
    """Stretches of all sizes, many of which differ in one letter, in their last ones, or in how many there are."""
    draw = random.Random(seed)
    sizes = [*range(1, 20), 23, 24, 25, 40, LONGEST_KEPT]
    stretches = ["".join(draw.choices(LETTERS, k=draw.choice(sizes))) for _ in range(count)]
    stretches += [letter * size for letter in "a港🧿" for size in range(1, LONGEST_KEPT + 1)]
    stretches += ["a" * size + "b" for size in range(1, LONGEST_KEPT)]
    return list(dict.fromkeys(stretches))


def places(table: StretchTable, stretches: Sequence[str]) -> list[int]:
    return table.find(find_stretches(" ".join(stretches))).tolist()


@pytest.mark.parametrize("seed", range(3))
def test_stretches_are_what_str_split_returns(seed: int) -> None:
    draw = random.Random(seed)
    for size in range(60):
        text = join_all(["".join(draw.choices(LETTERS + BLANKS * 2, k=size)) for _ in range(3)])
        want, found = text.split(), find_stretches(text)
        chosen = np.array(sorted(draw.sample(range(len(want)), draw.choice([0, 1, len(want)]))), np.intp)
        assert found.strings(np.arange(len(want))) == want
        assert found.strings(chosen) == [want[place] for place in chosen]
        assert found.sizes.tolist() == [len(stretch.encode("utf-8", "surrogatepass")) for stretch in want]


@pytest.mark.parametrize("slots", [1, 5, stretch_table.SLOTS])
def test_a_stretch_is_found_at_its_place_and_a_new_one_nowhere(slots: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stretch_table, "SLOTS", slots)
    stretches = draw_stretches(slots, 600)
    names, table = ["\0"], StretchTable()
    for some in (stretches[:1], stretches[1:300], [], stretches[300:500]):
        names += some
        table.add(names, len(names))
        known = {name: place for place, name in enumerate(names)}
        asked = ["\0", *stretches, "\0", *reversed(stretches)]
        assert places(table, asked) == [known.get(stretch, -1) for stretch in asked]


def test_what_is_longer_than_any_that_is_kept_is_new() -> None:
    longest = "🧿" * LONGEST_KEPT
    table = StretchTable()
    table.add(["\0", longest, "a" * LONGEST_KEPT], 3)
    assert places(table, [longest + "a", longest + longest, "a" * 8 * COLUMNS, "a" * 100_000, longest]) == [-1] * 4 + [
        1
    ]
    assert places(table, []) == []


def test_equal_hashes_give_no_stretch_the_place_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stretch_table, "ODD", np.zeros(COLUMNS, np.uint64))
    names, table = ["\0", *draw_stretches(7, 50)], StretchTable()
    table.add(names, len(names))
    for stretch, place in zip(names, places(table, names), strict=True):
        assert place == -1 or names[place] == stretch


@pytest.mark.parametrize("last", range(4))
def test_an_interrupt_leaves_every_stretch_at_its_place_or_new(last: int, monkeypatch: pytest.MonkeyPatch) -> None:
    names, table = ["\0", "harbour", "boats"], StretchTable()
    table.add(names, 2)
    append, calls = Grown.append, list[int]()

    def interrupted(self: Grown, *more: Any) -> int:
        calls.append(1)
        if len(calls) > last:
            raise KeyboardInterrupt
        return append(self, *more)

    monkeypatch.setattr(Grown, "append", interrupted)
    with pytest.raises(KeyboardInterrupt):
        table.add(names, 3)
    monkeypatch.undo()
    names[2:] = ["quay", "a stretch of more than eight bytes".replace(" ", "_"), "mast"]
    table.add(names, len(names))
    assert places(table, [*names, "boats"]) == [0, 1, 2, 3, 4, -1]


def test_stretches_that_differ_in_each_eighth_byte_alone_are_found() -> None:
    names, table = ["\0", *("".join(f"Section{letter}" for letter in f"{n:05}") for n in range(2000))], StretchTable()
    table.add(names, len(names))
    assert places(table, names) == [*range(len(names))]
