"""Texts in, the rows that an embedder makes of them out, asked for and compared."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.asking import Requests
from caesura.errors import EmbeddingError
from caesura.testing.laws import broken, text_shown
from caesura.vectors import normalised, own_rows

ANY = "an embedder takes any list of texts that say something"
NEAR = "a text has the same row alone, among others, in any order and again"


def asked(texts: list[str]) -> Requests[tuple[Any, NDArray[np.float32]]]:
    """Asks for the rows of some texts -> what came, and a copy of it as an array."""
    given = list(texts)
    what = f"{len(texts)} texts, the first {text_shown(texts[0])}"
    try:
        returned = yield given
    except Exception as error:
        remedy = "the texts are never blank and always encodable, but may hold any other character"
        raise broken(ANY, what, f"{type(error).__name__}: {error}", remedy) from error
    if given != texts:
        raise broken("an embedder leaves its list of texts as it is", what, given, "work on a copy")
    if inspect.isawaitable(returned):
        if inspect.iscoroutine(returned):
            returned.close()
        raise broken("check_embedder takes a sync embedder", what, "an awaitable", "await acheck_embedder(embed)")
    law = "an embedder returns one row of numbers per text, (n, d), as an array or what numpy.asarray makes one"
    try:
        rows = own_rows(returned, len(texts))
    except EmbeddingError as error:
        raise broken(law, what, error, "return one row for each text, in the order of the texts") from error
    bad = np.flatnonzero(~np.isfinite(np.asarray(returned, np.float64)).all(axis=1))
    if len(bad):
        remedy = "a text that the embedder cannot read gets a row of zeros, which is similar to nothing"
        raise broken("an embedder's rows are finite", text_shown(texts[bad[0]]), rows[bad[0]], remedy)
    return returned, rows.copy()


def same(
    texts: Sequence[str], first: NDArray[np.float32], other: NDArray[np.float32], tolerance: float, when: str
) -> None:
    """Raises where the rows of the same texts lie further apart than the tolerance."""
    if first.shape != other.shape:
        raise broken(
            "rows have the same length in every call",
            text_shown(texts[0]),
            f"{first.shape[1]}, then {other.shape[1]} {when}",
            "use one model; a row does not depend on how many texts there are",
        )
    one, two = normalised(first), normalised(other)
    apart = np.where(one.any(axis=1) | two.any(axis=1), 1 - np.einsum("ij,ij->i", one, two), 0)
    if (apart > tolerance).any():
        worst = int(apart.argmax())
        raise broken(
            NEAR,
            text_shown(texts[worst]),
            f"1 - cosine = {apart[worst]:.3g} {when}",
            "return rows in the order of the texts, mask the padding, switch dropout off; where rounding does that, "
            "raise tolerance",
        )
