"""Settings -> plain values that name them, without secrets, and back: what `to_dict` and the cache key are made of."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from pkgutil import resolve_name
from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.embeddings.loading import load_embed_model

from caesura.errors import SettingError
from llama_index.node_parser.caesura.embedding import StaticEmbedding

SECRET = re.compile(r"(^|_)(api_?key|key|secret|token|password|passwd|credentials?|auth|authorization|headers?)$", re.I)


def named(name: str, value: Callable[..., Any], cache_tag: str | None) -> Any:
    """A callable -> ``module:qualname``, under which it is found again; else what `cache_tag` says of it.

    Raises `SettingError` where there is neither: nothing tells a lambda from another, so that a cache could not know
    which of them made what it keeps.
    """
    path = f"{getattr(value, '__module__', '')}:{getattr(value, '__qualname__', '')}"
    try:
        if resolve_name(path) is value:
            return path
    except (ValueError, ImportError, AttributeError):
        pass
    if cache_tag is None:
        raise SettingError(
            f"{name}={value!r} has no name to be filed under, so a cache cannot tell it from another: define it as a "
            f"function at the top of a module, or say which it is with cache_tag='…' (change the tag when it changes)"
        )
    return {"cache_tag": cache_tag}


def found(name: str, value: Any) -> Any:
    """What `named` returned -> the callable, by import: give `from_dict` nothing that you would not run."""
    if not isinstance(value, str):
        raise SettingError(f"from_dict() cannot make {name} from {value!r}: pass it, from_dict(data, {name}=…)")
    try:
        return resolve_name(value)
    except (ValueError, ImportError, AttributeError) as error:
        raise SettingError(
            f"from_dict() cannot find {name}={value!r} ({error}): pass it, from_dict(data, {name}=…)"
        ) from error


def without_secrets(value: Any) -> Any:
    """Plain data -> the same without the entries that a key, a token, a password or a header is kept under."""
    if isinstance(value, dict):
        return {key: without_secrets(item) for key, item in value.items() if not SECRET.search(str(key))}
    return [without_secrets(item) for item in value] if isinstance(value, (list, tuple)) else value


def loaded(data: Any) -> Any:
    """What `to_dict` says of an embedding -> the embedding, if it is ours or one that LlamaIndex knows how to load."""
    if not isinstance(data, dict):
        return data
    if data.get("class_name") == StaticEmbedding.class_name():
        return StaticEmbedding.from_dict(data)
    try:
        return load_embed_model(data)
    except ValueError as error:
        raise SettingError(
            f"from_dict() cannot make an embedding of class {data.get('class_name')!r}: "
            f"pass it, from_dict(data, embed_model=…)"
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
