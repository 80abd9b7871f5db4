"""Settings by name and the names that there are in; nothing out, or an error that says which one was meant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from caesura.errors import SettingError


class UnknownSettingError(SettingError, TypeError):
    """A setting that there is not; a TypeError too, as any unknown keyword is."""


def check_names(holder: str, given: Mapping[str, object], names: Iterable[str]) -> None:
    """Raises `UnknownSettingError` for a setting that `holder` does not have: its value, and the name that is near."""
    known = sorted(set(names))
    for name, value in given.items():
        if name not in known:
            near = get_close_matches(name, known, 1, 0.7)
            remedy = f"did you mean {near[0]}?" if near else f"it has {', '.join(known)}"
            raise UnknownSettingError(f"{holder} has no setting {name}={value!r:.80}: {remedy}")
