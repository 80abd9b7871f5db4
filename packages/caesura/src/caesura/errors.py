"""What can go wrong, by whose part it is, and the checks at the door that say so."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from numbers import Integral, Real


class CaesuraError(Exception):
    """The base of every error that Caesura raises."""


class SettingError(CaesuraError, ValueError):
    """A setting or an argument is out of range, of the wrong kind, or cannot be met."""


class EmbeddingError(CaesuraError, ValueError):
    """An embedder did not return one row of finite numbers per text."""


class SegmentError(CaesuraError, ValueError):
    """A segmenter's pieces are not the text."""


class ReplyError(CaesuraError, ValueError):
    """A language model's reply cannot be read, or was refused."""


def whole(name: str, value: object, least: int) -> None:
    """Raises `SettingError` unless `value` is a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise SettingError(f"{name} must be a whole number of at least {least}, got {value!r}")


def number(name: str, value: object, low: float, high: float) -> None:
    """Raises `SettingError` unless `value` is a finite number from `low` to `high`."""
    finite = (
        isinstance(value, Real) and not isinstance(value, bool) and (isinstance(value, Integral) or isfinite(value))
    )
    if not finite or not low <= value <= high:  # type: ignore[operator]
        span = (
            f" from {low:g} to {high:g}" if isfinite(high - low) else f" of at least {low:g}" if isfinite(low) else ""
        )
        raise SettingError(f"{name} must be a finite number{span}, got {value!r}")


def one_of(name: str, value: object, names: Iterable[str]) -> None:
    """Raises `SettingError` unless `value` is one of the names."""
    known = list(names)
    if value not in known:
        raise SettingError(f"{name} must be one of {known}, got {value!r}")


def functions(holder: object, *names: str) -> None:
    """Raises `SettingError` unless the named attributes are callable."""
    for name in names:
        if not callable(getattr(holder, name)):
            raise SettingError(f"{name} must be callable, got {getattr(holder, name)!r}")
