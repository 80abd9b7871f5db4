"""A document comes back as it was, with every kind of metadata, or is refused."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from langchain_core.documents import Document

from caesura.errors import SettingError
from langchain_caesura import SQLiteDocumentStore


class Kind(IntEnum):
    ONE = 1


class Word(StrEnum):
    ONE = "one"


class Grade(str, Enum):  # noqa: UP042 - its str() is not its value, as that of a StrEnum is
    HIGH = "high"


class Mood(Enum):
    GOOD = "good"


class Renamed(int):
    """Equals another number than it is."""

    def __eq__(self, other: object) -> bool:
        return other == 7

    __hash__ = int.__hash__


FOREIGN = PureWindowsPath if isinstance(Path(), PurePosixPath) else PurePosixPath


METADATA: dict[str, Any] = {
    "plain": {"a": "b", "n": -3, "x": 1.5, "big": 10**30, "yes": True, "none": None, "inf": float("inf")},
    "nested": {"a": [{"b": [[], {}]}, "c"], "": {"": ""}},
    "tuples": {"box": ((0, 0), (1.5, 2)), "empty": ()},
    "sets": {"tags": {"a"}, "frozen": frozenset({1}), "inside": [{(1, 2)}]},
    "times": {"at": datetime(2026, 11, 21, 9, 30, tzinfo=UTC), "on": date(2026, 11, 21), "naive": datetime(1, 1, 1)},
    "others": {"path": Path("a/b.md"), "id": UUID(int=7), "sum": Decimal("0.10"), "raw": b"\x00\xff"},
    "other keys": {"by page": {1: "one", 2: "two", (3, 4): "three", None: 0, False: 2.5}},
    "keys at the top": {1: "one", "two": 2},
    "our own tag": {"__caesura__": "tuple", "value": [1], "in": {"__caesura__": "dict"}},
    "text": {"日本": "語", "rtl": "שלום", "nul": "a\0b", "emoji": "👩‍👩‍👧"},
    "lone surrogates": {"a": "\ud800", "\udfff": "x\ud83d\ude00"},
}


@pytest.mark.parametrize("name", METADATA)
def test_metadata_comes_back_as_it_was(store: SQLiteDocumentStore, name: str) -> None:
    given = Document("text", id="an id", metadata=METADATA[name])
    store.mset([("key", given)])
    (back,) = store.mget(["key"])
    assert back == given
    assert repr(back) == repr(given)


def test_what_equals_a_plain_value_comes_back_as_one(store: SQLiteDocumentStore) -> None:
    store.mset([("key", Document("t", metadata={"n": Kind.ONE, "w": Word.ONE, "x": np.float64(0.5)}))])
    (back,) = store.mget(["key"])
    assert back is not None
    assert back.metadata == {"n": 1, "w": "one", "x": 0.5}
    assert [type(value) for value in back.metadata.values()] == [int, str, float]


def test_a_member_of_an_enumeration_comes_back_equal_whatever_its_str_is(store: SQLiteDocumentStore) -> None:
    store.mset([("key", Document("t", metadata={"grade": Grade.HIGH, "by": {Grade.HIGH: [Grade.HIGH]}}))])
    (back,) = store.mget(["key"])
    assert back is not None
    assert back.metadata == {"grade": "high", "by": {"high": ["high"]}}
    assert back.metadata["grade"] == Grade.HIGH
    assert type(back.metadata["grade"]) is str


def test_a_time_comes_back_as_the_same_moment_with_its_offset(store: SQLiteDocumentStore) -> None:
    times = {
        "named": datetime(2026, 7, 1, 12, tzinfo=ZoneInfo("Europe/Lisbon")),
        "fixed": datetime(2026, 7, 1, tzinfo=timezone(timedelta(hours=-3, seconds=1))),
    }
    store.mset([("key", Document("t", metadata=times))])
    (back,) = store.mget(["key"])
    assert back is not None
    assert back.metadata == times
    assert [at.utcoffset() for at in back.metadata.values()] == [at.utcoffset() for at in times.values()]


@pytest.mark.parametrize(
    ("value", "remedy"),
    [
        (FOREIGN("a/b"), r"store its str\(\)"),
        (Mood.GOOD, r"store its \.value"),
        (Renamed(8), "convert it first"),
    ],
)
def test_what_would_come_back_as_something_else_is_refused_with_a_remedy(
    store: SQLiteDocumentStore, value: object, remedy: str
) -> None:
    with pytest.raises(SettingError, match=f"(?s)'deep'.*{re.escape(repr(value)[:40])}.*{remedy}"):
        store.mset([("good", Document("t")), ("bad", Document("t", metadata={"in": [{"deep": value}]}))])
    assert list(store.yield_keys()) == []


@pytest.mark.parametrize("text", ["日本語", "a\ud800b", "\ud83d\ude00", "\U0001f600", "a\0\r\n", ""])
def test_text_comes_back_as_it_was(store: SQLiteDocumentStore, text: str) -> None:
    store.mset([(text, Document(text))])
    (back,) = store.mget([text])
    assert back is not None
    assert back.page_content == text
    assert list(store.yield_keys()) == [text]


@pytest.mark.parametrize("value", [object(), {"in": [np.zeros(2)]}, {"a": {1: complex(1, 2)}}, lambda: None])
def test_metadata_that_would_not_come_back_is_refused_and_nothing_is_written(
    store: SQLiteDocumentStore, value: object
) -> None:
    with pytest.raises(SettingError, match="must be plain values, got"):
        store.mset([("good", Document("t")), ("bad", Document("t", metadata={"value": value}))])
    assert list(store.yield_keys()) == []
    with pytest.raises(SettingError, match="the store keeps Documents, got str"):
        store.mset([("bad", "text")])
