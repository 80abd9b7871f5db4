"""What a run says of itself -> a bar on the terminal: tqdm's where there is tqdm, else a line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

Progress: TypeAlias = Callable[[int, int], object]
"""Called with the items finished and the items read so far, after each change."""


@contextmanager
def bar(description: str, shown: bool = True) -> Iterator[Progress | None]:
    """Gives what a `Driver` takes as progress while the bar is there; None where none is to be shown."""
    if not shown:
        yield None
        return
    try:
        from tqdm.auto import tqdm  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        yield _line(description)
        sys.stderr.write("\n")
        return
    with tqdm(total=0, desc=description) as meter:

        def advance(finished: int, read: int) -> None:
            meter.total = read
            meter.update(finished - meter.n)

        yield advance


def _line(description: str) -> Progress:
    def advance(finished: int, read: int) -> Any:
        sys.stderr.write(f"\r{description}: {finished} of {read}")
        sys.stderr.flush()

    return advance
