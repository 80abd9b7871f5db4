"""Checks at the door: what a user passes is what is needed, or an error names the value and the remedy."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from inspect import iscoroutinefunction
from math import isfinite
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias

from caesura.errors import SettingError

EMBED_METHODS = ("embed_documents", "get_text_embedding_batch", "encode")
"""What embeds texts where the object itself, though it can be called, does something else."""
OnFailure: TypeAlias = Literal["raise", "keep"]


def embed_method(value: object) -> str | None:
    """The first of an object's methods that embed texts, or None."""
    return next((method for method in EMBED_METHODS if callable(getattr(value, method, None))), None)


def require_embedder(name: str, wanted: str, value: object) -> None:
    """Raises `SettingError` unless `value` can be a sync function of a list of str. It is not called.

    wanted: what else the setting may be.
    """
    method = embed_method(value)
    waits = iscoroutinefunction(value) or iscoroutinefunction(getattr(value, "__call__", None))  # noqa: B004
    if callable(value) and not isinstance(value, type) and not waits and method is None:
        return
    remedy = ""
    if isinstance(value, type):
        remedy = ", a class: pass an instance of it"
    elif method is not None and not isinstance(value, str):
        remedy = f": pass its method {method}"
    elif waits:
        remedy = ", which has to be awaited: pass a sync one, it is called beside the event loop"
    raise SettingError(f"{name} must {wanted}, or be a function, list of str -> rows; got {value!r:.120}{remedy}")


def check_size(name: str, text: str, size: Any) -> Any:
    """Returns the size that a sizer found for a text. Raises `SettingError` unless it is finite and not negative."""
    if not isinstance(size, Real) or isinstance(size, bool) or not 0 <= size <= sys.maxsize:  # type: ignore[operator] # NaN is not
        remedy = ": return how many there are" if hasattr(size, "__len__") and not isinstance(size, str) else ""
        raise SettingError(
            f"{name} must return a whole number, as len does: for {text!r:.80} it returned {size!r:.80}{remedy}"
        )
    return size


class UnknownSettingError(SettingError, TypeError):
    """A setting that does not exist. It is a TypeError too, as for any unknown keyword."""


def check_names(
    holder: str, given: Mapping[str, object], names: Iterable[str], peers: Mapping[str, str] | None = None
) -> None:
    """Raises `UnknownSettingError` for a setting that `holder` does not have, and suggests the nearest name.

    peers: what to say of names that other libraries use. It begins with the setting that `holder` has, or with a class.
    """
    known = sorted(set(names))
    for name, shown in ((n, "" if value is n else f"={value!r:.80}") for n, value in given.items() if n not in known):
        near, said = get_close_matches(name, known, 1, 0.7), (peers or {}).get(name, "")
        if said.startswith(f"{holder} has it as "):
            near, said = [said.split()[-1]], ""
        if not said[:1].isupper() and said.partition(" ")[0] not in known:
            said = f"did you mean {near[0]}?" if near else f"it has {', '.join(known)}"
        raise UnknownSettingError(f"{holder} has no setting {name}{shown}: {said}")


def check_int(name: str, value: object, least: int) -> None:
    """Raises `SettingError` unless `value` is a whole number of at least `least` that an array of numpy can hold."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise SettingError(f"{name} must be a whole number of at least {least}, got {value!r}")
    if int(value) > sys.maxsize:
        raise SettingError(f"{name} must be a whole number of at most {sys.maxsize}, got {value!r:.80}")


def check_number(name: str, value: object, low: float, high: float) -> None:
    """Raises `SettingError` unless `value` is a finite number from `low` to `high`."""
    real = isinstance(value, Real) and not isinstance(value, bool)
    finite = real and (isinstance(value, Integral) or isfinite(value))  # type: ignore[arg-type]
    if not finite or not low <= value <= high:  # type: ignore[operator]
        least = f" of at least {low:g}" if isfinite(low) else ""
        span = f" from {low:g} to {high:g}" if isfinite(high - low) else least
        raise SettingError(f"{name} must be a finite number{span}, got {value!r}")


def check_choice(name: str, value: object, names: Iterable[str]) -> None:
    """Raises `SettingError` unless `value` is one of the names."""
    known = list(names)
    if value not in known:
        raise SettingError(f"{name} must be one of {known}, got {value!r}")


def check_callable(holder: object, *names: str) -> None:
    """Raises `SettingError` unless the named attributes are callable."""
    for name in names:
        if not callable(getattr(holder, name)):
            raise SettingError(f"{name} must be callable, got {getattr(holder, name)!r}")
