"""An embedder in, its background out: the mean row of unrelated texts, so that one threshold fits every embedder.

Cosines of unrelated sentences average 0.06 with one model and 0.38 with another; less the background, they average 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.background_texts import TEXTS
from caesura.errors import EmbeddingError, SettingError
from caesura.types import Embed
from caesura.vectors import Requests, drive, normalised, own_rows, requests

__all__ = ["TEXTS", "Background", "calibrate", "calibration"]


@dataclass(frozen=True, slots=True, eq=False)
class Background:
    """The (d,) mean of an embedder's unit rows over unrelated texts. `Background.of` and `calibrate` make one."""

    mean: NDArray[np.float32]

    def __init__(self, mean: Sequence[float] | NDArray[Any]) -> None:
        row = np.array(mean, dtype=np.float32)
        if row.ndim != 1 or not len(row) or not np.isfinite(row).all():
            raise SettingError(f"a background is one row of finite numbers, got shape {row.shape}")
        row.setflags(write=False)
        object.__setattr__(self, "mean", row)

    @classmethod
    def of(cls, vectors: Any) -> Background:
        """(m, d) rows of unrelated texts -> their background. Raises `EmbeddingError` where no row says anything."""
        count = len(vectors)
        rows = normalised(own_rows(vectors, count))
        rows = rows[rows.any(axis=1)]
        if not len(rows):
            raise EmbeddingError(
                f"a background needs at least one row that is finite and not zero, got none in {count} rows; "
                f"check what embed() returns for ordinary sentences"
            )
        return cls(rows.mean(axis=0, dtype=np.float64))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.mean, dtype=dtype)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Background) and np.array_equal(self.mean, other.mean)

    def __hash__(self) -> int:
        return hash(self.mean.tobytes())

    def __reduce__(self) -> tuple[type[Background], tuple[NDArray[np.float32]]]:
        return Background, (self.mean,)


def calibrate(embed: Embed) -> Background:
    """An embedder -> its background, for one call with `TEXTS`. Raises `EmbeddingError` where that fails."""
    return drive(calibration(), embed)


def calibration(batch_size: int | None = None) -> Requests[Background]:
    """`calibrate`, for whoever calls the embedder themselves: asks for the rows of `TEXTS`, returns the background."""
    return Background.of((yield from requests(TEXTS, batch_size)))
