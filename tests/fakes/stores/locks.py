"""A lock that can be had now, or not."""

from __future__ import annotations

from caesura_store.key_locks import KeyLock


def free(lock: KeyLock) -> bool:
    """Whether a lock can be had now; it is given back."""
    had = lock.enter_now()
    lock.__exit__()
    return had
