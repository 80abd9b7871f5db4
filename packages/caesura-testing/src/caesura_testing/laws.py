"""How a broken law is reported: the law, what was given, what came, and what to do."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")

SHOWN = 160
"""Characters of an input or an answer that a message shows."""


def broken_law(law: str, given: object, found: object, remedy: str) -> AssertionError:
    """The error to raise where a part does not keep a law."""
    return AssertionError(
        f"{law}\n  given:  {shorten(given, 3 * SHOWN)}\n  found:  {shorten(found, 3 * SHOWN)}\n  remedy: {remedy}"
    )


def shorten(value: object, most: int = SHOWN) -> str:
    """A value on one line, its middle left out where it is long."""
    if isinstance(value, np.ndarray):
        value = value.tolist() if value.ndim == 1 and value.size < SHOWN else f"{value.dtype} of shape {value.shape}"
    line = " ".join(str(value).split())
    return line if len(line) <= most else f"{line[: most // 2]} … {line[-most // 3 :]}"


def shorten_text(text: str) -> str:
    """A text as Python writes it, so that what cannot be seen is seen, and its length."""
    return f"{shorten(repr(text))} ({len(text)} code points)"


@contextmanager
def answering(law: str, given: object, remedy: str) -> Iterator[None]:
    """Around a call of a part: what it raises is a broken law."""
    try:
        yield
    except Exception as error:
        raise broken_law(law, given, f"{type(error).__name__}: {error}", remedy) from error


def copy_of(part: T, kind: str, answer: Callable[[T], Any]) -> None:
    """Holds that a copy of a part, pickled and revived, answers as the part does."""
    law = f"a {kind} can be pickled, so that other processes (Ray, Spark, num_workers) can run it"
    remedy = (
        "make it a function of a module, or a frozen dataclass with __call__; where it never leaves its process, "
        "pass pickled=False"
    )
    with answering(law, part, remedy):
        copy = pickle.loads(pickle.dumps(part))  # noqa: S301 - what was made in this line
    mine, its = answer(part), answer(copy)
    if mine != its:
        raise broken_law(law, part, f"the copy answers {shorten(its)}, the part itself {shorten(mine)}", remedy)
