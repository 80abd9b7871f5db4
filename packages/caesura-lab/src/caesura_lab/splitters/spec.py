"""``name:key=value,key=value`` -> the name of a splitter and its settings."""

from __future__ import annotations

from typing import Any

from caesura import SettingError
from caesura_lab.splitters.peer import Settings


def parsed(spec: str) -> tuple[str, Settings]:
    """A spec -> the name and its settings; numbers, true, false and none are read as such.

    Raises `SettingError` where a setting has no value.

    >>> parsed("optimal:penalty=0.9,n_chunks=none")
    ('optimal', {'penalty': 0.9, 'n_chunks': None})
    """
    name, _, rest = spec.partition(":")
    settings: Settings = {}
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        if not equals or not key.strip():
            raise SettingError(
                f"a splitter's settings must be key=value, with commas between, got {part!r} in {spec!r}"
            )
        settings[key.strip().replace("-", "_")] = _value(value.strip())
    return name.strip(), settings


def _value(written: str) -> Any:
    named = {"true": True, "false": False, "none": None}
    if written.lower() in named:
        return named[written.lower()]
    for kind in (int, float):
        try:
            return kind(written)
        except ValueError:
            continue
    return written
