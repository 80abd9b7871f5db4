"""Reader of replies: str -> the items of the list that was asked for, or a ReplyError that quotes the fault.

They are read without guessing: JSON after a preamble, in fences, wrapped in an object, one object a line, cut off, with
commas too many or too few, single quotes, bare keys, Python's names, and quotes unescaped in pairs. Time is linear.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from caesura.errors import ReplyError
from caesura_llm.lenient_json import JSONFault, LenientReader

STARTS = 8
"""How many fences, and how many brackets, are tried as the start of a reply's JSON."""

_OPENERS = re.compile(r"\{|\[(?!\s*\d)")  # no list of numbers, and no number of a sentence that is said again
_FENCE = re.compile(r"(?:```|~~~)[^\n{\[]{0,40}\s*(?=[{\[])")


@dataclass(frozen=True, slots=True)
class Items:
    """The items, in order. cut: the reply ends before its JSON does. unfinished: the lists and objects open there."""

    items: list[dict[str, Any]]
    cut: bool = False
    unfinished: tuple[Any, ...] = ()

    def complete(self, value: object) -> bool:
        """Whether a list or object of the reply was closed before the cut."""
        return not any(value is other for other in self.unfinished)


def items(text: str, name: str, keys: Collection[str]) -> Items:
    """A reply -> the objects of its list.

    name: the key that the list should be under. keys: those that an object of the list has.

    Returns objects such that each stands in the reply; what was open where the reply was cut is marked. Raises
    `ReplyError` where the reply holds no such list, or one that can be read in more than one way.

    >>> items('Sure! ```json\\n{"facts": [{"text": "Tea is hot."}, {"text": "Mi', "facts", ["text"]).items
    [{'text': 'Tea is hot.'}, {}]
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return _read_leniently(text.rpartition("</think>")[2], name, keys)
    if isinstance(value, str) and len(value) < len(text):  # JSON in a JSON string
        return items(value, name, keys)
    listed = _find_list(value, name, keys)
    if listed is None:
        raise ReplyError(f"the reply must hold a list {name!r} of objects with {', '.join(keys)}, got {_excerpt(text)}")
    return Items(listed)


def _read_leniently(text: str, name: str, keys: Collection[str]) -> Items:
    if not text.strip():
        raise ReplyError("the reply is empty")
    furthest = JSONFault(-1, "it holds no JSON")
    starts = [fence.end() for fence in islice(_FENCE.finditer(text), STARTS)]
    starts += [opener.start() for opener in islice(_OPENERS.finditer(text), STARTS)]
    for start in dict.fromkeys(starts):
        reader = LenientReader(text, start)
        try:
            reader.read()
        except JSONFault as fault:
            furthest = max(furthest, fault, key=lambda one: one.at)
            continue
        lists = [_find_list(root, name, keys) for root in reader.roots]
        if any(listed is not None for listed in lists):
            return Items([one for listed in lists for one in listed or ()], reader.cut, tuple(reader.open))
        if reader.cut:
            furthest = JSONFault(len(text), "it ends too early")
    near = text if furthest.at < 0 else text[max(0, furthest.at - 40) : furthest.at + 40]
    place = "" if furthest.at < 0 else f" at character {furthest.at}"
    raise ReplyError(f"the reply cannot be read as JSON with a list {name!r}: {furthest.why}{place}: {_excerpt(near)}")


def _find_list(value: Any, name: str, keys: Collection[str], deep: int = 0) -> list[dict[str, Any]] | None:
    """Returns the list of objects that a value holds under `name`, or None."""
    if deep > 3:
        return None
    if isinstance(value, list):
        if len(value) == 1 and isinstance(value[0], dict) and not value[0].keys() & set(keys):
            return _find_list(value[0], name, keys, deep + 1) if value[0] else []
        objects = [one for one in value if isinstance(one, dict)]
        return objects if objects or not value else None
    if not isinstance(value, dict):
        return None
    if name in value:
        inner = value[name]
        return _find_list([inner] if isinstance(inner, dict) else inner, name, keys, deep + 1)
    if value.keys() & set(keys):
        return [value]
    return _find_list(next(iter(value.values())), name, keys, deep + 1) if len(value) == 1 else None


class Answer(NamedTuple):
    """What a reply says of one passage.

    first: the first object about it. values: what each object about it has under the key that was asked for. listed:
    the items of those values that are lists, without what a cut left open. is_whole: nothing about it was cut off.
    """

    first: dict[str, Any]
    values: list[Any]
    listed: list[Any]
    is_whole: bool


class Answers(NamedTuple):
    """A reply about several passages: what it says by the place of the passage, from 1; whether it was cut off."""

    by_place: dict[int, Answer]
    is_cut: bool


def read_answers(text: str, key: str, count: int) -> Answers:
    """A reply about `count` passages, each an object with a ``number`` and `key` -> what it says of each.

    Raises `ReplyError` as `items` does.

    >>> read_answers('{"passages": [{"number": 2, "texts": ["Tea is hot."]}]}', "texts", 2).by_place[2].listed
    ['Tea is hot.']
    """
    read = items(text, "passages", ("number", key))
    answers: dict[int, Answer] = {}
    for place, entries in by_number(read.items, count).items():
        values = [entry.get(key) for entry in entries]
        listed = [one for value in values if isinstance(value, list) for one in value if read.complete(one)]
        is_whole = all(map(read.complete, (*entries, *values)))
        answers[place] = Answer(entries[0], values, listed, is_whole)
    return Answers(answers, read.cut)


class SaidStatement(NamedTuple):
    """A statement as a reply says it.

    value: the reply's own. text: without whitespace at its ends. sentences: the numbers that it names, None for what is
    no number. is_dots: the text only stands for one.
    """

    value: Any
    text: str
    sentences: list[int | None]
    is_dots: bool


def read_statements(answers: Answers) -> dict[int, list[SaidStatement]]:
    """What a reply says of passages -> the statements that it lists, by the place of the passage."""
    return {place: [_read_statement(value) for value in answer.listed] for place, answer in answers.by_place.items()}


def _read_statement(value: Any) -> SaidStatement:
    text, numbers = (value.get("text"), value.get("sentences")) if isinstance(value, dict) else (value, None)
    text = text.strip() if isinstance(text, str) else ""
    listed = numbers if isinstance(numbers, list) else [] if numbers is None else [numbers]
    return SaidStatement(value, text, [whole_number(one) for one in listed], is_dots(text))


def by_number(listed: Iterable[dict[str, Any]], count: int) -> dict[int, list[dict[str, Any]]]:
    """Items -> those of each number from 1 to `count`, of which a model may make several; of one, it may leave it out.

    >>> by_number([{"number": 1, "a": 5}, {"number": 9}, {"number": "1"}], 2)
    {1: [{'number': 1, 'a': 5}, {'number': '1'}]}
    """
    grouped: dict[int, list[dict[str, Any]]] = {}
    for item in listed:
        place = whole_number(item.get("number")) if "number" in item or count > 1 else 1
        if place is not None and 1 <= place <= count:
            grouped.setdefault(place, []).append(item)
    return grouped


def is_dots(text: str) -> bool:
    """Returns whether a text is only dots, as in the form that a prompt shows and a model may repeat."""
    return bool(text) and not text.strip(".\u2026 ")


def whole_number(value: Any) -> int | None:
    """A number of a reply, or a string of one -> the number; None for anything else."""
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) < 12:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _excerpt(text: str) -> str:
    return repr(text if len(text) <= 90 else f"{text[:60]} … {text[-25:]}")
