"""A function in, the name that it is filed under out, and back: what `to_dict` and the cache key are made of."""

from __future__ import annotations

import builtins
import pickle
import re
from collections.abc import Callable
from pkgutil import resolve_name
from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding

from caesura.errors import SettingError
from caesura.plain import name_of

BUILT_IN = re.compile(r"builtins:([a-z]+)(\.[a-z]+)?")


def path_of(value: Any) -> str | None:
    """A function or a class -> ``module:qualname``, if it is found again there."""
    path = name_of(value)
    try:
        return path if resolve_name(path) is value else None
    except (ValueError, ImportError, AttributeError):
        return None


def named(name: str, value: Callable[..., Any], cache_tag: str | None) -> Any:
    """A callable -> ``module:qualname``, under which it is found again; else what `cache_tag` says of it.

    Raises `SettingError` where there is neither: nothing tells a lambda from another, so that a cache could not know
    which of them made what it keeps.
    """
    path = path_of(value)
    if path is not None:
        return path
    if cache_tag is None:
        raise SettingError(
            f"{name}={value!r} has no name to be filed under, so a cache cannot tell it from another: define it as a "
            f"function at the top of a module, or say which it is with cache_tag='…' (change the tag when it changes)"
        )
    return {"cache_tag": cache_tag}


def tokenizer_name(value: Callable[..., Any], cache_tag: str | None) -> Any:
    """LlamaIndex's global tokenizer -> its name; its own default, an encoding of tiktoken's, has one too."""
    encoding = getattr(getattr(getattr(value, "func", None), "__self__", None), "name", None)
    return f"tiktoken:{encoding}" if encoding else named("the global tokenizer", value, cache_tag)


def found(name: str, value: Any, trusted: bool) -> Any:
    """What `named` returned -> the callable. One that is no builtin type or a method of one is imported if `trusted`:
    data that may name any function may run any."""
    if not isinstance(value, str):
        raise SettingError(f"from_dict() cannot make {name} from {value!r}: pass it, from_dict(data, {name}=…)")
    built_in = BUILT_IN.fullmatch(value)
    if not trusted and not (built_in and isinstance(getattr(builtins, built_in[1], None), type)):
        raise SettingError(
            f"from_dict() does not import {name}={value!r} because data says so: pass it, from_dict(data, {name}=…), "
            f"or from_dict(data, trusted=True) if you would run whatever the data names"
        )
    try:
        return resolve_name(value)
    except (ValueError, ImportError, AttributeError) as error:
        raise SettingError(
            f"from_dict() cannot find {name}={value!r} ({error}): pass it, from_dict(data, {name}=…)"
        ) from error


def must_pickle(name: str, value: Any) -> None:
    """Raises `SettingError` where a setting would be lost on the way to another process."""
    try:
        pickle.dumps(value)
    except Exception as error:
        kind = "an embedding" if isinstance(value, BaseEmbedding) else "a function at the top of a module"
        raise SettingError(
            f"{name}={value!r:.120} cannot be sent to another process ({error}): "
            f"use {kind} that pickles, or num_workers=None"
        ) from error
