"""A user's embedder in; nothing out, or a `SettingError` that says what to pass instead."""

from __future__ import annotations

from inspect import iscoroutinefunction

from caesura.errors import SettingError

EMBED_METHODS = ("embed_documents", "get_text_embedding_batch", "encode")
"""What embeds texts where the object itself, though it can be called, does something else."""


def embed_method(value: object) -> str | None:
    """The first of an object's methods that embed texts, or None."""
    return next((method for method in EMBED_METHODS if callable(getattr(value, method, None))), None)


def check_embedder(name: str, wanted: str, value: object) -> None:
    """Raises `SettingError` unless `value` is a function of a list of str, sync, as far as can be told without a call.

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
