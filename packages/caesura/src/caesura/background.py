"""An embedder's background: the mean row of unrelated texts, so that one threshold fits every embedder.

Cosines of unrelated sentences average 0.06 with one model and 0.38 with another; less the background, they average 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from caesura.errors import EmbeddingError, SettingError
from caesura.sansio import Blocking, Calls, embed_in_batches, run
from caesura.types import CalibratedEmbedder, Embed
from caesura.vectors import as_rows, normalize

TEXTS: tuple[str, ...]
"""64 short texts that have nothing in common but being text: most are ordinary sentences on no subject in particular,
the rest are other kinds and languages. They are in `text/data/background.txt`, and read when they are asked for."""


@dataclass(frozen=True, slots=True, eq=False)
class Background:
    """The (d,) mean of an embedder's unit rows over unrelated texts. `Background.of` and `calibrate` make one.

    A document is centred on the mean of `weight` such texts and its own units. What all its sentences share (kind,
    language, in a long one the subject) then tells no sentence from another, and a short document is judged against the
    world. On Choi's data this more than halves the error of `DoublePassCut` (`nox -s thresholds`).
    """

    mean: NDArray[np.float32]
    weight: float = 64.0

    def __init__(self, mean: Sequence[float] | NDArray[Any], weight: float = 64.0) -> None:
        try:
            row = np.array(mean, dtype=np.float32) + np.float32(0)  # so that -0.0 is 0.0
        except (TypeError, ValueError) as error:
            raise SettingError(f"a background is one row of finite numbers, got {mean!r:.80}") from error
        if row.ndim != 1 or not len(row) or not np.isfinite(row).all():
            raise SettingError(f"a background is one row of finite numbers, got shape {row.shape}")
        if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not weight > 0:
            raise SettingError(f"a background's weight must be a number over 0, inf included, got {weight!r}")
        row.setflags(write=False)
        object.__setattr__(self, "mean", row)
        object.__setattr__(self, "weight", float(weight))

    @classmethod
    def of(cls, vectors: Any) -> Background:
        """(m, d) rows of unrelated texts -> their background. Raises `EmbeddingError` where no row says anything."""
        count = len(vectors)
        rows = normalize(as_rows(vectors, count))
        rows = rows[rows.any(axis=1)]
        if not len(rows):
            raise EmbeddingError(
                f"at least one row must be finite and not zero, got none in {count}: check what embed() returns for "
                f"ordinary sentences"
            )
        return cls(rows.mean(axis=0, dtype=np.float64))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Background) and self.weight == other.weight and np.array_equal(self.mean, other.mean)

    def __hash__(self) -> int:
        return hash((self.mean.tobytes(), self.weight))

    def __reduce__(self) -> tuple[type[Background], tuple[NDArray[np.float32], float]]:
        return Background, (self.mean, self.weight)


@cache
def _sample_texts() -> tuple[str, ...]:
    from caesura.text import read_data

    return tuple(read_data("background.txt").rstrip("\n").split("\n\n"))


def __getattr__(name: str) -> Any:
    if name == "TEXTS":
        return _sample_texts()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def background_of(embedder: object) -> Background | None:
    """Returns the background that an embedder has as its attribute, as the built-in model does, else None."""
    try:
        own = cast(CalibratedEmbedder, embedder).background  # isinstance would ask a property for it three times
    except AttributeError:
        return None
    if isinstance(own, Background):
        return own
    return Background(own) if isinstance(own, np.ndarray) else None


def calibrate(embed: Embed) -> Background:
    """Returns the background that an embedder brings; without one, measures it by one call with `TEXTS`.

    Raises `EmbeddingError` where that call fails.
    """
    return background_of(embed) or run(measure_background(Blocking(), embed))


async def measure_background(
    calls: Calls, embed: Callable[[list[str]], Any], batch_size: int | None = None
) -> Background:
    """Embeds `TEXTS` and returns the background of their rows. embed: sync or async, as `calls` are."""
    texts = _sample_texts()
    whose = f"for Caesura's own {len(texts)} sample texts, which calibrate the embedder before it sees yours"
    try:
        return Background.of(await embed_in_batches(calls, embed, texts, batch_size))
    except Exception as error:
        if isinstance(error, EmbeddingError) and not hasattr(error, "__notes__"):  # else the embedder raised it
            raise EmbeddingError(f"{whose}: {error}") from error
        error.add_note(f"it was called {whose}")
        raise
