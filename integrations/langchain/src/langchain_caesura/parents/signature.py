"""Settings in, a str out that tells them from others: the same in every process, and without secrets."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any

import numpy as np
from langchain_text_splitters import TextSplitter

from caesura.adapter import digest
from caesura.plain import kind_of, name_of

OURS = ("caesura", "caesura_static", "langchain_caesura")
"""Packages that may move a function to another of their files, and have no two of one name to set."""


def signature(value: Any) -> str:
    """Settings -> a str that is the same in every process, and another for other settings.

    Embedders and other objects are known by their class alone: what is inside, such as a key, is nobody's business.
    In which of its files a package has a class is no setting; a function of one's own is another in another file.
    """
    if value is None or isinstance(value, (str, int, float, bool, bytes, re.Pattern)):
        return repr(value)
    if isinstance(value, dict):
        return "{" + ",".join(sorted(f"{signature(key)}:{signature(item)}" for key, item in value.items())) + "}"
    if isinstance(value, (set, frozenset)):
        return "{" + ",".join(sorted(map(signature, value))) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(signature, value)) + "]"
    if isinstance(value, np.ndarray):
        return digest(str(value.dtype), str(value.shape), value.tobytes().hex())
    if isinstance(value, partial):
        return signature(("partial", value.func, value.args, value.keywords))
    named = value if callable(value) and hasattr(value, "__qualname__") else type(value)
    apart = not isinstance(named, type) and name_of(named).partition(".")[0] not in OURS
    called = name_of(named) if apart else kind_of(named)
    if is_dataclass(value) and not isinstance(value, type) and value.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        return called + signature({entry.name: getattr(value, entry.name) for entry in fields(value)})
    return called + signature(vars(value)) if isinstance(value, TextSplitter) else called
