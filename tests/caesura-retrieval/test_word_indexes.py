"""The word index of a document store: it is filled whole, by one thread, and nobody else waits for that."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from caesura_retrieval.word_index import WordDocument, WordIndex, WordText
from caesura_retrieval.word_indexes import forget_word_indexes, shared_word_index
from caesura_store.sqlite_store import Store


class Documents:
    """A document store that counts how often its words are filled in."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.fills = 0

    def open(self) -> WordIndex:
        return WordIndex(self.store)

    def fill(self, index: WordIndex) -> None:
        self.fills += 1
        index.set_whole(False)
        index.put({"a": WordDocument([WordText("a1", "The ferry leaves.")])})
        if self.fills == 1:
            raise KeyboardInterrupt
        index.put({"b": WordDocument([WordText("b1", "The gull sings.")])})


@pytest.mark.parametrize("started_again", [False, True])
def test_a_fill_that_stopped_is_done_again_and_one_that_ended_is_not(tmp_path: Path, started_again: bool) -> None:
    """started_again: as where the process was killed and another one opens the file."""
    with Store(tmp_path / "words.db") as store:
        documents = Documents(store)
        with pytest.raises(KeyboardInterrupt):
            shared_word_index(documents, documents.open, documents.fill)
        if started_again:
            forget_word_indexes()
        for _ in range(2):
            assert list(shared_word_index(documents, documents.open, documents.fill).search("gulls").scores) == ["b1"]
        forget_word_indexes()
        shared_word_index(documents, documents.open, documents.fill)
        assert documents.fills == 2


def test_nobody_but_who_fills_the_same_index_waits_for_a_fill(tmp_path: Path) -> None:
    begun, ended = threading.Event(), threading.Event()
    found: list[list[str]] = []

    def fill(index: WordIndex) -> None:
        begun.set()
        assert ended.wait(60)
        index.put({"a": WordDocument([WordText("a1", "The ferry leaves.")])})

    with Store.in_memory() as store, Store.in_memory() as another:
        filled, other = Documents(store), Documents(another)
        other.fills = 1

        def read() -> None:
            found.append(list(shared_word_index(filled, filled.open, fill).search("ferry").scores))

        def write() -> None:
            shared_word_index(filled, filled.open)
            found.append(list(shared_word_index(other, other.open, other.fill).search("gull").scores))
            ended.set()

        readers = [threading.Thread(target=read, daemon=True) for _ in range(2)]
        for reader in readers:
            reader.start()
        assert begun.wait(60)
        writer = threading.Thread(target=write, daemon=True)
        writer.start()
        writer.join(10)
        ended.set()
        for reader in readers:
            reader.join(60)
    assert found == [["b1"], ["a1"], ["a1"]]
