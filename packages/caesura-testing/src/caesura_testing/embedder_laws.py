"""Laws of an embedder."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.background import TEXTS
from caesura.errors import EmbeddingError, SettingError
from caesura.sansio import Awaiting, Blocking, Calls, run
from caesura.types import Embed, Vectors
from caesura.vectors import as_rows, normalize
from caesura_testing.laws import broken_law, shorten, shorten_text
from caesura_testing.texts import odd_texts

ANY = "an embedder takes any list of texts that say something"
NEAR = "a text has the same row alone, among others, in any order and again"


async def ask_rows(
    calls: Calls, embed: Callable[[list[str]], Any], texts: list[str]
) -> tuple[Any, NDArray[np.float32]]:
    """Asks for the rows of some texts -> what came, and a copy of it as an array."""
    given = list(texts)
    what = f"{len(texts)} texts, the first {shorten_text(texts[0])}"
    try:
        returned = await calls.call(embed, embed, given)
    except Exception as error:
        remedy = "the texts are never blank and always encodable, but may hold any other character"
        raise broken_law(ANY, what, f"{type(error).__name__}: {error}", remedy) from error
    if given != texts:
        raise broken_law("an embedder leaves its list of texts as it is", what, given, "work on a copy")
    if inspect.isawaitable(returned):
        if inspect.iscoroutine(returned):
            returned.close()
        raise broken_law("check_embedder takes a sync embedder", what, "an awaitable", "await acheck_embedder(embed)")
    law = "an embedder returns one row of numbers per text, (n, d), as an array or what numpy.asarray makes one"
    try:
        rows = as_rows(returned, len(texts))
    except EmbeddingError as error:
        raise broken_law(law, what, error, "return one row for each text, in the order of the texts") from error
    bad = np.flatnonzero(~np.isfinite(np.asarray(returned, np.float64)).all(axis=1))
    if len(bad):
        remedy = "a text that the embedder cannot read gets a row of zeros, which is similar to nothing"
        raise broken_law("an embedder's rows are finite", shorten_text(texts[bad[0]]), rows[bad[0]], remedy)
    return returned, rows.copy()


def check_same_rows(
    texts: Sequence[str], first: NDArray[np.float32], other: NDArray[np.float32], tolerance: float, when: str
) -> None:
    """Raises where the rows of the same texts lie further apart than the tolerance."""
    if first.shape != other.shape:
        raise broken_law(
            "rows have the same length in every call",
            shorten_text(texts[0]),
            f"{first.shape[1]}, then {other.shape[1]} {when}",
            "use one model; a row does not depend on how many texts there are",
        )
    one, two = normalize(first), normalize(other)
    apart = np.where(one.any(axis=1) | two.any(axis=1), 1 - np.einsum("ij,ij->i", one, two), 0)
    if (apart > tolerance).any():
        worst = int(apart.argmax())
        raise broken_law(
            NEAR,
            shorten_text(texts[worst]),
            f"1 - cosine = {apart[worst]:.3g} {when}",
            "return rows in the order of the texts, mask the padding, switch dropout off; where rounding does that, "
            "raise tolerance",
        )


def check_embedder(embed: Embed, texts: Sequence[str] | None = None, *, tolerance: float = 1e-3) -> None:
    """An embedder -> nothing, or an AssertionError.

    texts: those to try, none blank; by default the 64 of the background and 36 odd ones. Each is embedded three times,
    some a fourth time alone: about 300 short texts in 12 calls. tolerance: how far one text's rows may lie apart, as
    1 - cosine: what rounding and padding do.
    """
    run(_hold_laws(Blocking(), embed, texts, tolerance))


async def acheck_embedder(
    aembed: Callable[[list[str]], Awaitable[Any]], texts: Sequence[str] | None = None, *, tolerance: float = 1e-3
) -> None:
    """`check_embedder`, for one that is awaited."""
    await _hold_laws(Awaiting(), aembed, texts, tolerance)


async def _hold_laws(
    calls: Calls, embed: Callable[[list[str]], Any], texts: Sequence[str] | None, tolerance: float
) -> None:
    """Asks for rows, and raises where they break a law."""
    odd = [text for text in odd_texts(surrogates=False) if text and not text.isspace() and len(text) < 400]
    given = list(texts) if texts is not None else [*TEXTS, *odd[:: max(len(odd) // 36, 1)][:36]]
    if not given or not all(map(str.strip, given)):
        raise SettingError(f"texts must be some to try, none blank, got {given!r:.80}")
    returned, first = await ask_rows(calls, embed, given)
    order = list(range(len(given)))
    Random(0).shuffle(order)  # noqa: S311 - an order, no secret
    _, shuffled = await ask_rows(calls, embed, [given[place] for place in order])
    check_same_rows(given, first, shuffled[np.argsort(order)], tolerance, "in another order")
    for place in range(0, len(given), max(len(given) // 8, 1)):
        _, alone = await ask_rows(calls, embed, [given[place]])
        check_same_rows([given[place]], first[place : place + 1], alone, tolerance, "alone")
    if not np.array_equal(as_rows(returned, len(given)), first):
        raise broken_law(
            "rows once returned stay as they were",
            f"{len(given)} texts",
            "rows that a later call has changed",
            "return a new array from each call",
        )
    _, again = await ask_rows(calls, embed, given)
    check_same_rows(given, first, again, tolerance, "again")
    if len(given) > 1 and not (1 - _cosines(normalize(first)) > tolerance).any():
        raise broken_law(
            "different texts have different rows",
            f"{len(given)} texts",
            f"the same row for all, {shorten(first[0])}",
            "embed each text, not the list of them, and not a prompt that outweighs them",
        )


def _cosines(rows: Vectors) -> NDArray[np.float32]:
    """(n, d) unit rows -> (n,) the cosine of each with the first that says something."""
    said = rows[rows.any(axis=1)]
    return np.asarray(said @ said[0] if len(said) else np.ones(len(rows), np.float32))
