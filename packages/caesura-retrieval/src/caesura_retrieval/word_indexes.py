"""The word indexes of each document store: opened once in a process, and filled if it is empty or not whole."""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import RLock
from typing import Any
from weakref import WeakKeyDictionary

from caesura_retrieval.word_index import WordIndex


class _Shared:
    """An index, and whether it is filled."""

    def __init__(self, index: WordIndex) -> None:
        self.index: WordIndex = index
        self.is_filled: bool = False
        self.lock = RLock()  # held while it is filled


_indexes: WeakKeyDictionary[Any, dict[str, _Shared]] = WeakKeyDictionary()
_guard = RLock()


def forget_word_indexes() -> None:
    """Forgets all indexes. A forked child does so: it lacks what SQLite keeps in memory, and the other threads."""
    global _guard
    _guard = RLock()
    _indexes.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=forget_word_indexes)


def shared_word_index(
    docstore: object,
    open_index: Callable[[], WordIndex],
    fill: Callable[[WordIndex], None] | None = None,
    name: str = "",
) -> WordIndex:
    """Returns the word index of a document store, of several the one with this name.

    open_index: opens it at the first call. fill: puts the words of what the store has into an index that is empty, or
    whose fill stopped. Other threads that fill it wait meanwhile. So a fill may wait for whoever writes documents, and
    who writes them calls this without `fill`.
    """
    with _guard:
        shared = _indexes.setdefault(docstore, {}).get(name)
        if shared is None:
            shared = _indexes[docstore][name] = _Shared(open_index())
    if fill is not None and not shared.is_filled:
        with shared.lock:
            if not shared.is_filled and not (len(shared.index) and shared.index.is_whole()):
                fill(shared.index)
                shared.index.set_whole(True)
            shared.is_filled = True
    return shared.index
