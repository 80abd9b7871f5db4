"""A large document's rows, centred a window at a time: a second copy of them would be the most that its cut holds."""

from __future__ import annotations

from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caesura.types import Vectors
from caesura.vectors import BLOCK, centre, drawn, matching, normalised


class CentredRows:
    """What `unit_rows` returns, made anew wherever a part of it is looked at.

    For cuts that look at their vectors by slices, and say so: ``windowed``. Elsewhere it becomes an array.
    """

    ndim: ClassVar[int] = 2
    dtype: ClassVar[np.dtype[np.float32]] = np.dtype(np.float32)
    shape: tuple[int, ...]

    def __init__(self, own: NDArray[np.float32], background: ArrayLike | None = None, weight: float = np.inf) -> None:
        self.own: NDArray[np.float32] = own
        self.shape = own.shape
        self.mean: NDArray[np.float32] | None = None
        if background is None or not len(own):
            return
        self.mean = matching(background, own.shape[1])
        if np.isfinite(weight):
            total, count = np.zeros(own.shape[1]), 0
            for start in range(0, len(own), BLOCK):
                rows = normalised(own[start : start + BLOCK])
                total += rows.sum(axis=0, dtype=np.float64)
                count += int(np.count_nonzero(rows.any(axis=1)))
            self.mean = drawn(self.mean, weight, total, count)

    def __len__(self) -> int:
        return len(self.own)

    def __getitem__(self, key: Any) -> Vectors:
        rows = normalised(np.atleast_2d(self.own[key]))
        if self.mean is not None:
            centre(rows, self.mean)
        return cast(Vectors, rows[0] if np.ndim(self.own[key]) == 1 else rows)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self[:].astype(dtype or self.dtype, copy=False)
