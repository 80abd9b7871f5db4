"""What a reply says of one passage in; its statements out, no two alike, each with the sentences that it comes from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from caesura.llm.replies import is_dots, whole_number


class Statement(NamedTuple):
    """sentences: the numbers of those it rests on, from 1, rising, at least one."""

    text: str
    sentences: tuple[int, ...]


def add(stated: list[Statement], said: Sequence[Any], count: int, dropped: Counter[str]) -> str:
    """Adds what is said to the statements of a passage of `count` sentences, as far as it can be used.

    dropped: counts what cannot. Returns what is wrong where something is said and nothing can be used, else "".
    """
    places = {_same(one.text): place for place, one in enumerate(stated)}
    unsupported = used = 0
    for value in said:
        text, named = _read(value)
        numbers = {k for k in named if k is not None and 1 <= k <= count}
        dropped["numbers"] += len(named) - len([k for k in named if k in numbers])
        if not text:
            dropped["empty"] += 1
        elif not numbers or is_dots(text):
            unsupported += 1
        elif _same(text) in places:
            dropped["duplicate"] += 1
            place = places[_same(text)]
            stated[place] = Statement(stated[place].text, tuple(sorted(numbers.union(stated[place].sentences))))
        else:
            places[_same(text)] = len(stated)
            stated.append(Statement(text, tuple(sorted(numbers))))
            used += 1
    if unsupported and not used:
        return f"each proposition must name the sentences it comes from, 1 to {count}, got {said[0]!r:.100}"
    dropped["unsupported"] += unsupported
    return ""


def reached(stated: Sequence[Statement]) -> int:
    """The last sentence that one of them rests on."""
    return max((k for one in stated for k in one.sentences), default=0)


def _read(value: Any) -> tuple[str, list[int | None]]:
    if not isinstance(value, dict):
        return (value.strip(), []) if isinstance(value, str) else ("", [])
    text, named = value.get("text"), value.get("sentences")
    listed = named if isinstance(named, list) else [] if named is None else [named]
    return (text.strip() if isinstance(text, str) else ""), [whole_number(one) for one in listed]


def _same(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")
