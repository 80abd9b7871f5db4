"""Journal: keeps replies by request and client, so that none is paid for twice."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from typing import Self

from caesura_llm.conversation import Failure, Reply, Request, check_reply
from caesura_store.sqlite_store import Store

_FIELDS = ("text", "stop", "input_tokens", "output_tokens", "cached_tokens")


class Journal:
    """A file of replies, for any number of threads and processes.

    A reply is on the disk when `put` returns. Its key is the name of the client (the model, and each option that
    changes its replies) and the key of the request (its text, the prompt's version, the schema, the limit).

    What is in the journal is not paid again, whoever asks. A request that is still in flight is not in it: runs that
    work on the same items at the same time each pay for it. Give each its own items, or run them one after another.

    store: the path of the file, or a `Store` of its own.

    Raises `SettingError` for a path that cannot be one, and for a file that is damaged or of another program.
    """

    def __init__(self, store: str | os.PathLike[str] | Store) -> None:
        self.store: Store = store if isinstance(store, Store) else Store(store, table="replies")

    def get(self, client: str, request: Request) -> Reply | None:
        """Returns the reply that was put for this request, if there is one. A damaged entry counts as none.

        Raises `SettingError` for a journal that is closed or damaged, `OSError` if the disk fails.
        """
        value = self.store.get([_key(client, request.key)])[0]
        try:
            return None if value is None else check_reply(Reply(**dict(zip(_FIELDS, json.loads(value), strict=True))))
        except (ValueError, TypeError, RecursionError):  # ReplyError is a ValueError
            return None

    def put(self, client: str, request: Request, reply: Reply) -> None:
        """Stores a reply, over an earlier one.

        Raises `SettingError` for a journal that is closed or damaged, or whose file is gone, `OSError` if the disk is
        full or fails.
        """
        value = json.dumps([getattr(reply, name) for name in _FIELDS])
        self.store.put([(_key(client, request.key), value.encode())])

    def forget(self, client: str, failures: Iterable[Failure]) -> int:
        """Deletes the replies that led to failures, so that a next run asks again -> how many there were.

        Raises as `put` does.
        """
        return self.store.delete([_key(client, key) for failure in failures for key in failure.keys])

    def close(self) -> None:
        """Closes the file. A second call does nothing."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Memory(Journal):
    """A journal in memory, for a run in this process that goes on after one that was stopped.

    It has the methods of `Journal`, and raises nothing. A `Driver` lets it forget those that led to failures, so that
    the next run asks again.
    """

    def __init__(self) -> None:
        self._replies: dict[str, Reply] = {}

    def get(self, client: str, request: Request) -> Reply | None:
        return self._replies.get(_key(client, request.key))

    def put(self, client: str, request: Request, reply: Reply) -> None:
        self._replies[_key(client, request.key)] = reply

    def forget(self, client: str, failures: Iterable[Failure]) -> int:
        keys = [_key(client, key) for failure in failures for key in failure.keys]
        return sum(self._replies.pop(key, None) is not None for key in keys)

    def clear(self) -> None:
        """Forgets all of them."""
        self._replies.clear()

    def close(self) -> None:
        pass


def _key(client: str, key: str) -> str:
    return f"{hashlib.sha256(client.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}/{key}"
