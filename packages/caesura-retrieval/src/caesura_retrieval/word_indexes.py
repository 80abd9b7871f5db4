"""The word index of each document store: opened once in a process, and filled if it is empty."""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import RLock
from typing import Any
from weakref import WeakKeyDictionary

from caesura_retrieval.word_index import WordIndex

_indexes: WeakKeyDictionary[Any, WordIndex] = WeakKeyDictionary()
_guard = RLock()


def forget_word_indexes() -> None:
    """Forgets all indexes. A forked child does so: it lacks what SQLite keeps in memory, and the other threads."""
    global _guard
    _guard = RLock()
    _indexes.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=forget_word_indexes)


def shared_word_index(
    docstore: object, open_index: Callable[[], WordIndex], fill: Callable[[WordIndex], None] | None = None
) -> WordIndex:
    """Returns the word index of a document store.

    open_index: opens it at the first call. fill: puts the words of what the store has into an index that is empty.
    """
    with _guard:
        index = _indexes.get(docstore)
        if index is None:
            index = open_index()
            if fill is not None and not len(index):
                fill(index)
            _indexes[docstore] = index
    return index
