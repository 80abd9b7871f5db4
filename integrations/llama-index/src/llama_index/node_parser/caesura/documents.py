"""What is given as documents in, the same out if it is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from llama_index.core.schema import BaseNode

from caesura.errors import SettingError


def check_documents(documents: Any) -> list[Any]:
    """Documents, or nodes of them -> a list of the same. Raises `SettingError` for what is none, or no list."""
    wanted = "documents must be a list of Documents or nodes, got"
    if isinstance(documents, BaseNode):
        raise SettingError(f"{wanted} one {type(documents).__name__}: pass [document]")
    if isinstance(documents, str) or not isinstance(documents, Iterable):
        raise SettingError(
            f"{wanted} {type(documents).__name__} {documents!r:.80}: of a text make [Document(text=text)]"
        )
    held = list(documents)
    for position, one in enumerate(held):
        if not isinstance(one, BaseNode):
            came = f"{type(one).__name__} {one!r:.80} at position {position}"
            raise SettingError(f"{wanted} {came}: of a text make a Document(text=text)")
    return held
