"""A turn that can be had now, or not."""

from __future__ import annotations

from caesura.storage.locks import KeyLock


def free(turn: KeyLock) -> bool:
    """Whether a turn can be had now; it is given back."""
    had = turn._take()
    turn.__exit__()
    return had
