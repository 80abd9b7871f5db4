"""The embedder of a process and its background: loaded once, however often it is asked for."""

from __future__ import annotations

import inspect
import os
import threading
from collections.abc import Callable
from weakref import WeakValueDictionary

from caesura.background import TEXTS, Background, calibrate
from caesura.checks import embed_method
from caesura.errors import SettingError
from caesura.types import Embed
from caesura.vectors import as_rows

Load = Callable[[], Embed]
_lock = threading.RLock()  # what loads may use a model itself
_alive: WeakValueDictionary[str, ProcessModel] = WeakValueDictionary()
_latest: list[ProcessModel] = []
"""Held on to between two tasks of an engine that unpickles its function for each."""


class ProcessModel:
    """An embedder as one process uses it."""

    def __init__(self, load: Load) -> None:
        self.embed: Embed = load()
        self._process = os.getpid()
        self._background: Background | None = None
        self._lock = threading.Lock()
        method = embed_method(self.embed)
        if not callable(self.embed) or isinstance(self.embed, type) or method:
            remedy = f"return its method {method}" if method else "return a function, list of str -> rows"
            raise SettingError(f"load() must return an embedder, got {self.embed!r:.120}: {remedy}")

    def background(self) -> Background:
        """What the embedder brings, as the built-in model does, else for one call with `TEXTS`, once."""
        with self._lock:
            if self._background is None:
                self._background = calibrate(self.embed)
            return self._background

    def is_this_process(self) -> bool:
        """Whether this is the process that made it, not one that was forked from that."""
        return self._process == os.getpid()

    def width(self, own: Background | None = None) -> int:
        """How many numbers a row has. own: a background of these rows, where there is one."""
        known = own or self._background
        return len(known.mean) if known else as_rows(self.embed(list(TEXTS[:1])), 1).shape[1]


def check_loader(load: Load) -> None:
    """Raises `SettingError` unless `load` can be called without arguments, as far as can be told without doing so."""
    takes_none = callable(load)
    try:
        inspect.signature(load).bind()
    except TypeError:
        takes_none = False
    except ValueError:
        pass  # something built in, which does not tell
    if not takes_none:
        raise SettingError(
            "load must make the embedder, called without arguments in each process: a class, a function or a "
            f"functools.partial(…); got {load!r:.120}"
        )


def process_model(token: str, load: Load) -> ProcessModel:
    """What `load` makes, the same for all that ask with one token, while any of them or no other one has asked."""
    with _lock:
        found = _alive.get(token)
        if found is None:
            found = _alive[token] = ProcessModel(load)
        _latest[:] = [found]
        return found


def _reset_after_fork() -> None:
    """A forked process loads its own: clients and threads of the other one do not work in it."""
    global _lock
    _lock = threading.RLock()
    _alive.clear()
    _latest.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_after_fork)
