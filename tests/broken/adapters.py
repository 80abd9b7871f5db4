"""Adapters that keep the laws, and others that each break one, with what `check_adapter` says of it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

from fakes.embedders.rows_of_words import embed

from caesura import Limits, PercentileCut, Splitter
from caesura.ids import chunk_ids
from caesura_testing import Record

SPLITTER = Splitter(Limits(40), cut=PercentileCut())
Records = list[list[Record]]


def sound(texts: list[str]) -> Records:
    return [
        [Record(*one, id) for one, id in zip(spans, chunk_ids((str(number), 0, one[0]) for one in spans), strict=True)]
        for number, spans in enumerate(bare(texts))
    ]


def bare(texts: list[str]) -> list[list[tuple[str, int, int]]]:
    return [[(one.text, one.start, one.end) for one in chunks] for chunks in SPLITTER.split_many(texts, embed)]


def overlapping(texts: list[str]) -> Records:
    batch = SPLITTER.prepare(texts)
    made = SPLITTER.finish(batch, embed(batch.texts))
    return [[Record(one.text, one.start, one.end) for one in each.chunks(overlap=15)] for each in made]


def changed(change: Callable[[Record], Record]) -> Any:
    return lambda texts: [[change(record) for record in records] for records in sound(texts)]


def listed(change: Callable[[list[Record]], list[Record]]) -> Any:
    return lambda texts: [change(records) for records in sound(texts)]


def found_again(texts: list[str]) -> Records:
    """Places by searching for the text of the chunk."""
    return [
        [one._replace(start=text.find(one.text), end=text.find(one.text) + len(one.text)) for one in records]
        for text, records in zip(texts, sound(texts), strict=True)
    ]


def untrimmed(texts: list[str]) -> Records:
    whole = Splitter(Limits(40), cut=PercentileCut(), trim=False)
    return [[Record(one.text, one.start, one.end + 1) for one in each] for each in whole.split_many(texts, embed)]


def by_neighbours(texts: list[str]) -> Records:
    """Larger chunks where there are many texts."""
    splitter = Splitter(Limits(40 if len(texts) > 1 else 30))
    return [[Record(one.text, one.start, one.end) for one in each] for each in splitter.split_many(texts, embed)]


def ids_of_places(texts: list[str]) -> Records:
    return [
        [one._replace(id=f"{number}-{one.start}-{one.end}") for one in records]
        for number, records in enumerate(sound(texts))
    ]


def ids_of_texts(texts: list[str]) -> Records:
    return [[one._replace(id=one.text) for one in records] for records in sound(texts)]


NUMBERS = count()
BROKEN: dict[str, tuple[Any, str]] = {
    "places by search": (found_again, "chunks rise and do not overlap"),
    "a place too far": (untrimmed, r"a chunk is text\[start:end\]"),
    "changed text": (
        changed(lambda one: one._replace(text=one.text.replace("\r\n", "\n"))),
        r"a chunk is text\[start:end\](?s:.*)\\r\\n",
    ),
    "the first is dropped": (listed(lambda all_: all_[1:]), "every character that is not blank is in a chunk"),
    "the last is dropped": (listed(lambda all_: all_[:-1]), "every character that is not blank is in a chunk"),
    "backwards": (listed(lambda all_: all_[::-1]), "every character|chunks rise"),
    "twice": (listed(lambda all_: [one for one in all_ for _ in "ab"]), "chunks rise and do not overlap"),
    "overlap": (overlapping, "chunks rise and do not overlap(?s:.*)overlap=True allows overlap"),
    "no blank documents": (lambda texts: sound([text for text in texts if text.strip()]), "one list of records per"),
    "one list": (
        lambda texts: [one for all_ in sound(texts) for one in all_],
        "one list of records per text|a record is",
    ),
    "pairs": (lambda texts: [[(one.text, one.start) for one in all_] for all_ in sound(texts)], "a record is"),
    "blank chunks": (
        lambda texts: [[Record(text, 0, len(text))] if text else [] for text in texts],
        "no chunk is blank",
    ),
    "fails": (lambda texts: sound(["".join(texts)[10_000_000]]), "takes any text(?s:.*)IndexError"),
    "random ids": (changed(lambda one: one._replace(id=str(next(NUMBERS)))), "same records for the same documents"),
    "ids of places": (ids_of_places, "an id never stands for two texts"),
    "ids of texts": (ids_of_texts, "no two records have the same id"),
    "neighbours": (by_neighbours, "split the same alone as among others"),
    "not for nothing": (lambda texts: sound(texts or ["One."])[: max(len(texts), 1)], "one list of records per text"),
}
