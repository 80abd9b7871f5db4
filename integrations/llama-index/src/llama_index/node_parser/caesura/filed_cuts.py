"""A cut in, the name and the settings that it is filed under out, and back."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

import caesura
from caesura.errors import SettingError
from caesura.plain import kind_of, without_secrets
from caesura.types import Cut
from llama_index.node_parser.caesura.functions import found, path_of

PLAIN = (bool, int, float, str, type(None))
"""What JSON brings back as it was."""


def filed_cut(cut: Cut, cache_tag: str | None) -> Any:
    """A function -> ``module:qualname``; a frozen dataclass -> ``{"class": "module:qualname", "fields": {…}}``, if its
    fields are plain values, functions and such dataclasses; another cut -> what `cache_tag` says of it.

    Raises `SettingError` where that says nothing.
    """
    try:
        return path_of(cut) or _filed("cut", cut)
    except SettingError:
        if cache_tag is None:
            raise
        return {"cache_tag": cache_tag}


def found_cut(data: Any, trusted: bool) -> Any:
    """What `filed_cut` returned -> the cut. What is not the core's own is imported if `trusted`.

    Raises `SettingError` for what has to be passed.
    """
    if isinstance(data, str):
        return found("cut", data, trusted)
    return _found(data, trusted) if isinstance(data, dict) else data


def _filed(name: str, value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if type(value) in PLAIN:
        return value
    if _frozen(type(value)):
        path = kind_of(type(value)) if _ours(kind_of(type(value))) is type(value) else path_of(type(value))
        held = {entry.name: getattr(value, entry.name) for entry in fields(value) if entry.init}
        if path is not None and without_secrets(held) == held:
            return {"class": path, "fields": {key: _filed(f"{name}.{key}", item) for key, item in held.items()}}
    elif callable(value) and path_of(value) is not None:
        return {"function": path_of(value)}
    raise SettingError(
        f"{name}={value!r:.120} has no name to be filed under, so a cache cannot tell it from another: make the cut a "
        f"function, or a frozen dataclass with fields of numbers, words and functions, at the top of a module, or say "
        f"which it is with cache_tag='…' (change the tag when it changes)"
    )


def _found(data: Any, trusted: bool) -> Any:
    if not isinstance(data, dict):
        return data
    if isinstance(data.get("function"), str):
        return found("cut", data["function"], trusted)
    path, settings = data.get("class"), data.get("fields")
    if not isinstance(path, str) or not isinstance(settings, dict):
        return found("cut", data, trusted)  # which says to pass it
    kind = _ours(path) or found("cut", path, trusted)
    held = {name: _found(value, trusted) for name, value in settings.items()}
    try:
        if _frozen(kind):
            return kind(**held)
    except TypeError:
        pass
    raise SettingError(
        f"from_dict() cannot make cut from {path} and the settings {sorted(held)}: pass it, from_dict(data, cut=…)"
    )


def _ours(path: str) -> Any:
    """What the core exports under this name, wherever it keeps it, or None."""
    package, _, name = path.partition(":")
    return getattr(caesura, name) if package == "caesura" and name in caesura.__all__ else None


def _frozen(kind: Any) -> bool:
    """Whether it is a class whose instances are what their fields say."""
    return isinstance(kind, type) and is_dataclass(kind) and kind.__dataclass_params__.frozen  # type: ignore[attr-defined]
