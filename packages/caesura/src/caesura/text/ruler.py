"""A text, a sizer and a limit in; how much of the text fits, from any position on, out."""

from __future__ import annotations

from dataclasses import dataclass

from caesura.errors import SettingError
from caesura.size import tokens
from caesura.types import Sizer


@dataclass(frozen=True, slots=True)
class Ruler:
    """Lays one size along one text."""

    text: str
    size: Sizer
    max_size: int

    def fits(self, start: int, end: int) -> bool:
        """Measures a slice, and what is left of it when it is trimmed: that can be larger, by a tokenizer's count."""
        piece = self.text[start:end]
        if isinstance(self.size, tokens) and self.size.surely(piece, self.max_size):
            return True
        if self.size(piece) > self.max_size:
            return False
        bare = piece.strip()
        return len(bare) == len(piece) or self.size is len or self.size(bare) <= self.max_size

    def reach(self, start: int, end: int) -> int:
        """The furthest position up to `end` such that the slice from `start` fits, as far as bisection finds it."""
        low, step = start, 4 * self.max_size
        high = min(end, start + step)
        while self.fits(start, high):
            if high == end:
                return end
            low, step = high, 2 * step
            high = min(end, start + step)
        while high - low > 1:
            middle = (low + high) // 2
            if self.fits(start, middle):
                low = middle
            else:
                high = middle
        if low == start and not self.text[start].isspace() and not self.fits(start, start + 1):
            raise SettingError(
                f"max_size={self.max_size} is too small for a single character: {self.text[start]!r} at {start} "
                f"measures {self.size(self.text[start])}; raise max_size (chunk_size in the plugins), or "
                f"measure otherwise"
            )
        return max(low, start + 1)
