"""Stores of every kind as slots that hold one version each, and what was written to them until it was stopped."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from caesura_llm.conversation import Message, Reply, Request
from caesura_llm.journal import Journal
from caesura_retrieval.word_index import WordDocument, WordIndex, WordText
from caesura_store.embedding_cache import cached
from caesura_store.sqlite_store import Store

SLOTS, LINES = 5, 6


def text_of(slot: int, version: int) -> str:
    """What a slot holds in one version: lines that all say which one."""
    return "\n".join(f"Line {number} of version {version} in slot {slot}." for number in range(LINES))


class VersionedStore(Protocol):
    """A store on the disk. path: the file that others write to as well."""

    path: Path

    def __init__(self, folder: Path) -> None: ...

    def write(self, slot: int, version: int) -> None:
        """A slot holds this version, and no other, when it returns."""

    def read(self, slot: int, versions: Iterable[int]) -> set[int]:
        """Which of these versions a slot holds. Fails where it holds half of one."""

    def names(self) -> set[str]:
        """Everything that the store holds, by name."""

    def close(self) -> None: ...


class Entries:
    """`Store`: a version is two entries of one call."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "store.db"
        self.store = Store(self.path)

    def write(self, slot: int, version: int) -> None:
        value = text_of(slot, version).encode()
        self.store.put([(f"{slot}/{half}", value) for half in "ab"])

    def read(self, slot: int, versions: Iterable[int]) -> set[int]:
        one, other = self.store.get([f"{slot}/a", f"{slot}/b"])
        assert one == other
        return {version for version in versions if one == text_of(slot, version).encode()}

    def names(self) -> set[str]:
        return set(self.store.keys())

    def close(self) -> None:
        self.store.close()


class Words:
    """`WordIndex`: a version is the texts of one document, each with its slot and version as words."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "words.db"
        self.store = Store(self.path)
        self.index = WordIndex(self.store)

    def write(self, slot: int, version: int) -> None:
        text = f"{_word('slot', slot)} {_word('version', version)}"
        texts = [WordText(f"{slot}/{version}/{line}", text) for line in range(LINES)]
        self.index.put({str(slot): WordDocument(texts)})
        if version % 2:
            self.index.search(text)  # before which the engine is told of it

    def read(self, slot: int, versions: Iterable[int]) -> set[int]:
        there = set(self.index.search(_word("slot", slot)).scores)
        found = {version for version in versions if f"{slot}/{version}/0" in there}
        assert there == {f"{slot}/{version}/{line}" for version in found for line in range(LINES)}
        assert all(there >= self.index.search(_word("version", version)).scores.keys() for version in found)
        assert len(self.index) == LINES * len(self.index.names())
        return found

    def names(self) -> set[str]:
        return set(self.index.names())

    def close(self) -> None:
        self.store.close()


def _word(name: str, number: int) -> str:
    """A word for each number, which has no parts and is its own stem."""
    return name + "".join("bcdfghklmx"[int(digit)] for digit in str(number)) + "q"


class Embeddings:
    """The cache of embeddings: a version is the rows of its lines. What it has of earlier ones stays."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "rows.db"
        self.embed = cached(_rows, self.path, "rows")

    def write(self, slot: int, version: int) -> None:
        self.embed(text_of(slot, version).split("\n"))

    def read(self, slot: int, versions: Iterable[int]) -> set[int]:
        found = set()
        with cached(_refuse, self.path, "rows") as embed:
            for version in versions:
                texts = text_of(slot, version).split("\n")
                try:
                    rows = embed(texts).tolist()
                except LookupError:
                    continue
                assert rows == _rows(texts)
                found.add(version)
        return found

    def names(self) -> set[str]:
        return set()

    def close(self) -> None:
        self.embed.close()


def _refuse(texts: Sequence[str]) -> list[list[float]]:
    assert len(texts) == LINES
    raise LookupError


def _rows(texts: Sequence[str]) -> list[list[float]]:
    return [[float(sum(map(ord, text))), float(len(text))] for text in texts]


class Replies:
    """The journal: a version is the reply to the request of a slot."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "replies.db"
        self.journal = Journal(self.path)

    def write(self, slot: int, version: int) -> None:
        self.journal.put("client", _request(slot), Reply(text_of(slot, version), "stop", version, 1))

    def read(self, slot: int, versions: Iterable[int]) -> set[int]:
        reply = self.journal.get("client", _request(slot))
        found = {version for version in versions if reply and reply.input_tokens == version}
        assert all(reply and reply.text == text_of(slot, version) for version in found)
        return found

    def names(self) -> set[str]:
        return set(self.journal.store.keys())

    def close(self) -> None:
        self.journal.close()


def _request(slot: int) -> Request:
    return Request((Message("user", str(slot)),))


KINDS: dict[str, Callable[[], type[VersionedStore]]] = {
    "store": lambda: Entries,
    "words": lambda: Words,
    "embeddings": lambda: Embeddings,
    "replies": lambda: Replies,
    "langchain": lambda: _imported("fakes.langchain.versioned_stores"),
    "llama_index": lambda: _imported("fakes.llama_index.versioned_stores"),
}
"""What each kind is, imported when it is asked for: the frameworks take a while."""


def _imported(module: str) -> Any:
    return import_module(module).Documents


class Ledger:
    """What was acknowledged of each slot, and what was begun since then."""

    def __init__(self) -> None:
        self.done: dict[int, int] = {}
        self.begun: dict[int, list[int]] = {slot: [] for slot in range(SLOTS)}

    def write(self, store: VersionedStore, version: int) -> None:
        """Writes a version to the slot whose turn it is."""
        self.begun[version % SLOTS].append(version)
        store.write(version % SLOTS, version)
        self.end(version)

    def end(self, version: int) -> None:
        """A version was acknowledged."""
        self.done[version % SLOTS] = version
        self.begun[version % SLOTS].clear()

    def check(self, store: VersionedStore) -> None:
        """Nothing that was acknowledged is lost, nothing is there by half, and others can write."""
        assert writable(store.path)
        for slot, begun in self.begun.items():
            done = {self.done[slot]} if slot in self.done else set()
            found = store.read(slot, {*done, *begun})
            assert found or not done
            assert begun or found == done

    def check_mended(self, make: type[VersionedStore], store: VersionedStore, folder: Path, version: int) -> None:
        """Once each slot is written again, the store holds what a new one does."""
        fresh = make(folder)
        for number in range(version, version + SLOTS):
            self.write(store, number)
            fresh.write(number % SLOTS, number)
        self.check(store)
        assert store.names() == fresh.names()
        fresh.close()


def writable(path: Path) -> bool:
    """Whether another connection gets the write lock at once."""
    with sqlite3.connect(path, 0.2, isolation_level=None) as other:
        try:
            other.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return False
        other.execute("ROLLBACK")
    return True


def seconds_of_a_write(store: VersionedStore) -> float:
    """How long a write takes here, once all is imported. The store is closed."""
    store.write(0, 0)
    began = time.perf_counter()
    for version in range(SLOTS):
        store.write(version, version)
    store.close()
    return (time.perf_counter() - began) / SLOTS
