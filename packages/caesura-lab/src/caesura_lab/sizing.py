"""A size, a unit and a tokenizer -> a `Sizing`: what a chunk may measure, and the sizer that measures it."""

from __future__ import annotations

from dataclasses import dataclass, field

from caesura.errors import whole
from caesura.types import Sizer
from caesura_lab.token_counters import sizer

DEFAULT_SIZE = {"characters": 2000, "tokens": 512}
UNLIMITED = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Sizing:
    """What a chunk may measure, how much of it may be overlap, and the sizer that measures.

    Raises `SettingError` for sizes that are no whole numbers, or a size under 1.
    """

    size: int | None
    min_size: int = 0
    overlap: int = 0
    sizer: Sizer = field(default=len, repr=False)

    def __post_init__(self) -> None:
        if self.size is not None:
            whole("size", self.size, 1)
        whole("min_size", self.min_size, 0)
        whole("overlap", self.overlap, 0)

    @property
    def most(self) -> int:
        """The size, or a number that no chunk comes to."""
        return UNLIMITED if self.size is None else self.size


def sizing(
    size: int | None = None,
    min_size: int = 0,
    overlap: int = 0,
    unit: str = "characters",
    tokenizer: str = "wordpiece",
) -> Sizing:
    """What a user says of sizes -> a `Sizing`; no size is that of the unit. Raises `SettingError` as `sizer` does."""
    measure = sizer(unit, tokenizer)
    return Sizing(DEFAULT_SIZE[unit] if size is None else size, min_size, overlap, measure)
