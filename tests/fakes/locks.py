"""A lock that can be had now, or not."""

from __future__ import annotations

from caesura_store.key_locks import KeyLock, _take


def free(lock: KeyLock) -> bool:
    """Whether a lock can be had now; it is given back."""
    had = _take(lock._ticket)
    lock.__exit__()
    return had
