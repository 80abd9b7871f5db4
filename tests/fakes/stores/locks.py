"""A lock that can be had now, or not."""

from __future__ import annotations

import asyncio

from caesura_store.key_locks import KeyLock


def free(lock: KeyLock) -> bool:
    """Whether a lock can be had now; it is given back."""
    return asyncio.run(_enters_without_waiting(lock))


async def _enters_without_waiting(lock: KeyLock) -> bool:
    try:
        async with asyncio.timeout(0), lock:
            return True
    except TimeoutError:
        return False
