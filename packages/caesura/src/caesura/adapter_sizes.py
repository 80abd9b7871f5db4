"""A user's measure of texts in; nothing out, or a `SettingError` that says what it must be."""

from __future__ import annotations

from inspect import iscoroutinefunction
from math import isfinite
from numbers import Real
from typing import Any

from caesura.errors import SettingError

SAMPLE = "A short text."


def check_measure(name: str, measure: Any) -> None:
    """Raises `SettingError` unless `measure` is a function, str -> int, by one call; what that raises is its own."""
    waits = iscoroutinefunction(measure)
    if not callable(measure) or waits:
        remedy = ", which has to be awaited: give one that has not" if waits else ""
        raise SettingError(f"{name} must be callable, str -> int, as len is, got {measure!r:.80}{remedy}")
    size = measure(SAMPLE)
    if not isinstance(size, Real) or isinstance(size, bool) or not isfinite(size) or size < 0:
        remedy = ": return how many there are" if hasattr(size, "__len__") and not isinstance(size, str) else ""
        raise SettingError(
            f"{name} must return a whole number, as len does: for {SAMPLE!r} it returned {size!r:.80}{remedy}"
        )
