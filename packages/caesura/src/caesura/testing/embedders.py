"""An embedder, texts -> rows, sync or async, in; nothing out, or an AssertionError that says which law it breaks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.asking import Requests, adrive, drive
from caesura.background import TEXTS
from caesura.errors import SettingError
from caesura.testing.embedded import asked, same
from caesura.testing.laws import broken, shown
from caesura.testing.texts import odd_texts
from caesura.types import Embed, Vectors
from caesura.vectors import normalised, own_rows


def check_embedder(embed: Embed, texts: Sequence[str] | None = None, *, tolerance: float = 1e-3) -> None:
    """An embedder -> nothing, or an AssertionError.

    texts: those to try, none blank; by default the 64 of the background and 36 odd ones. Each is embedded three times,
    some a fourth time alone: about 300 short texts in 12 calls. tolerance: how far one text's rows may lie apart, as
    1 - cosine: what rounding and padding do.
    """
    drive(_laws(texts, tolerance), embed)


async def acheck_embedder(
    aembed: Callable[[list[str]], Awaitable[Any]], texts: Sequence[str] | None = None, *, tolerance: float = 1e-3
) -> None:
    """`check_embedder`, for one that is awaited."""
    await adrive(_laws(texts, tolerance), aembed)


def _laws(texts: Sequence[str] | None, tolerance: float) -> Requests[None]:
    """Asks for rows, is sent them, and raises where they break a law."""
    odd = [text for text in odd_texts(surrogates=False) if text and not text.isspace() and len(text) < 400]
    given = list(texts) if texts is not None else [*TEXTS, *odd[:: max(len(odd) // 36, 1)][:36]]
    if not given or not all(map(str.strip, given)):
        raise SettingError(f"texts must be some to try, none blank, got {given!r:.80}")
    returned, first = yield from asked(given)
    order = list(range(len(given)))
    Random(0).shuffle(order)  # noqa: S311 - an order, no secret
    _, shuffled = yield from asked([given[place] for place in order])
    same(given, first, shuffled[np.argsort(order)], tolerance, "in another order")
    for place in range(0, len(given), max(len(given) // 8, 1)):
        _, alone = yield from asked([given[place]])
        same([given[place]], first[place : place + 1], alone, tolerance, "alone")
    if not np.array_equal(own_rows(returned, len(given)), first):
        raise broken(
            "rows once returned stay as they were",
            f"{len(given)} texts",
            "rows that a later call has changed",
            "return a new array from each call",
        )
    _, again = yield from asked(given)
    same(given, first, again, tolerance, "again")
    if len(given) > 1 and not (1 - _cosines(normalised(first)) > tolerance).any():
        raise broken(
            "different texts have different rows",
            f"{len(given)} texts",
            f"the same row for all, {shown(first[0])}",
            "embed each text, not the list of them, and not a prompt that outweighs them",
        )


def _cosines(rows: Vectors) -> NDArray[np.float32]:
    """(n, d) unit rows -> (n,) the cosine of each with the first that says something."""
    said = rows[rows.any(axis=1)]
    return np.asarray(said @ said[0] if len(said) else np.ones(len(rows), np.float32))
