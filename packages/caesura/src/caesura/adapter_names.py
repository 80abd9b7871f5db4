"""Settings by name and the names that there are in; nothing out, or an error that says which one was meant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from caesura.errors import SettingError


def check_names(holder: str, given: Mapping[str, object], names: Iterable[str]) -> None:
    """Raises `SettingError` for a setting that `holder` does not have: with its value, and the name nearest to it."""
    known = sorted(set(names))
    for name, value in given.items():
        if name not in known:
            near = get_close_matches(name, known, 1, 0.7)
            remedy = f"did you mean {near[0]}?" if near else f"it has {', '.join(known)}"
            raise SettingError(f"{holder} has no setting {name}={value!r:.80}: {remedy}")
