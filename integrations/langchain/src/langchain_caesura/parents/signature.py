"""Settings in, a str out that tells them from others: the same in every process, and without secrets."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any

import numpy as np
from langchain_text_splitters import TextSplitter

from caesura.adapter import digest


def signature(value: Any) -> str:
    """Settings -> a str that is the same in every process, and another for other settings.

    Embedders and other objects are known by their class alone: what is inside, such as a key, is nobody's business.
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
    kind = value if callable(value) and hasattr(value, "__qualname__") else type(value)
    called = f"{getattr(kind, '__module__', '')}:{kind.__qualname__}"
    if is_dataclass(value) and not isinstance(value, type) and value.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        return called + signature({entry.name: getattr(value, entry.name) for entry in fields(value)})
    return called + signature(vars(value)) if isinstance(value, TextSplitter) else called
