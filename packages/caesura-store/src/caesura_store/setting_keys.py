"""Settings -> plain values that are the same in every process: what cache keys, journals and `to_dict` are made of."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from dataclasses import fields, is_dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from functools import partial
from pathlib import PurePath
from types import CellType, CodeType, FunctionType
from typing import Any
from uuid import UUID

import numpy as np

from caesura.ids import digest

VALUES = (bytes, complex, date, time, timedelta, Decimal, PurePath, re.Pattern, UUID)
"""Types whose `repr` is complete and the same in every process."""
OURS = re.compile(r"(langchain_)?caesura")
"""The packages whose functions are known without their file: no two that can be set have the same name."""
VERSIONS = ("caesura", "static")
"""Entries of ``resolved`` in a plugin's `to_dict` that hold a version."""
_OUTER: ContextVar[tuple[FunctionType, ...]] = ContextVar("caesura_outer_functions", default=())
"""The nested functions that are being described, outermost first."""


def canonical(value: Any, described: tuple[type, ...] = ()) -> Any:
    """Returns a value as str, numbers, truth values, None, lists and dicts of them: the same in every process.

    A function or a class is known by where it is defined, a dataclass by its class and fields, an array by its content.
    Any other object is known by its class alone, since its `repr` may hold a secret or its address. A lambda, or a
    function within another, is known by a digest of its code and of what it has captured. Another Python version gives
    another digest. When a class moves to another file of its package, the key stays the same; so it does for a
    function of ours.

    described: classes whose instances are known by their attributes too. If any are given, a dataclass that is not
    frozen is known by its class alone, unless it is an instance of one of them.

    >>> canonical({"stop": ("a",), "hook": len, "client": object()})
    {'stop': ['a'], 'hook': 'builtins:len', 'client': 'builtins:object'}
    """

    def entries(items: Iterable[tuple[Any, Any]]) -> dict[str, Any]:
        return {str(key): canonical(item, described) for key, item in items}

    if isinstance(value, Enum):
        return canonical(value.value, described)
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, Mapping):
        return entries(value.items())
    if isinstance(value, (list, tuple)):
        return [canonical(item, described) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((canonical(item, described) for item in value), key=repr)
    if isinstance(value, np.ndarray):
        return digest(str(value.dtype), str(value.shape), value.tobytes().hex())
    if isinstance(value, partial):
        return ["partial", *canonical((value.func, value.args, value.keywords), described)]
    if isinstance(value, VALUES):
        return repr(value)
    definition = value if callable(value) and hasattr(value, "__qualname__") else type(value)
    path = _definition_path(definition, described)
    if is_dataclass(value) and not isinstance(value, type) and (value.__dataclass_params__.frozen or not described):  # type: ignore[attr-defined]
        return {
            "class": path,
            **entries((entry.name, getattr(value, entry.name)) for entry in fields(value) if entry.init),
        }
    return {"class": path, **entries(vars(value).items())} if isinstance(value, described) else path


def settings_fingerprint(settings: Any, described: tuple[type, ...] = ()) -> str:
    """Returns a string that is the same for the same settings, in every process and with every version of Caesura.

    described: as for `canonical`. An object is known by its class unless it is described, so that no secret in it is
    written down.

    >>> settings_fingerprint({"chunk_size": 500, "resolved": {"caesura": "0.1.0"}})
    '{"chunk_size": 500, "resolved": {}}'
    """
    return json.dumps(_without_versions(canonical(settings, described)), sort_keys=True)


def _without_versions(settings: Any) -> Any:
    """Returns plain settings, and those of their parts, without the versions of Caesura and of its model."""
    if isinstance(settings, list):
        return [_without_versions(item) for item in settings]
    if not isinstance(settings, dict):
        return settings
    plain = {key: _without_versions(value) for key, value in settings.items()}
    if isinstance(plain.get("resolved"), dict):
        plain["resolved"] = {key: value for key, value in plain["resolved"].items() if key not in VERSIONS}
    return plain


def import_path(definition: Any) -> str:
    """Returns where a class, a function or a method of a built-in type is defined.

    >>> import_path(str.split)
    'builtins:str.split'
    """
    owner = getattr(definition, "__objclass__", None)
    module = getattr(definition, "__module__", None) or getattr(owner, "__module__", "")
    return f"{module}:{getattr(definition, '__qualname__', '')}"


def package_path(definition: Any) -> str:
    """Returns the package and the name of a class or a function. Its file may change with a version.

    >>> package_path(PurePath)
    'pathlib:PurePath'
    """
    return f"{definition.__module__.partition('.')[0]}:{definition.__qualname__}"


def _definition_path(definition: Any, described: tuple[type, ...]) -> str:
    """Returns where a class or a function is defined, with a digest if several functions may be defined there."""
    path = import_path(definition)
    if isinstance(definition, type) or OURS.match(path):
        path = package_path(definition)
    function = _nested_function(definition)
    return path if function is None else f"{path}#{_closure_digest(function, described)}"


def _nested_function(definition: Any) -> FunctionType | None:
    """Returns the function of a definition if it is a lambda or defined in a function; else None."""
    if "<" not in getattr(definition, "__qualname__", ""):
        return None
    function = definition
    while not isinstance(function, FunctionType):  # a method, or what a cache is around
        function = getattr(function, "__func__", getattr(function, "__wrapped__", None))
        if function is None:
            return None
    return function


def _closure_digest(function: FunctionType, described: tuple[type, ...]) -> str:
    """Returns a digest of a function: its defaults and captured values, and, unless it is ours, its code."""
    outer = _OUTER.get()
    if function in outer:  # it has captured itself
        return str(outer.index(function))
    token = _OUTER.set((*outer, function))
    try:
        code = None if OURS.match(function.__module__ or "") else _code_form(function.__code__)
        captured = [_cell_value(cell) for cell in function.__closure__ or ()]
        parts = code, captured, function.__defaults__, function.__kwdefaults__
        return digest(json.dumps(canonical(parts, described), sort_keys=True))
    finally:
        _OUTER.reset(token)


def _code_form(code: CodeType) -> list[Any]:
    """Returns what code does, without its place in its file."""
    constants = [_code_form(item) if isinstance(item, CodeType) else [type(item), item] for item in code.co_consts]
    return [code.co_code, code.co_names, code.co_varnames, code.co_freevars, constants, code.co_argcount, code.co_flags]


def _cell_value(cell: CellType) -> Any:
    """Returns the captured value in a cell, None if it is not set yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return None
