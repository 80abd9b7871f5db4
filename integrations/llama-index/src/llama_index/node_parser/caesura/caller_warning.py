"""Warnings that show a line of the user's own code."""

from __future__ import annotations

import inspect
from types import FrameType
from warnings import warn

INNER_PACKAGES = frozenset(
    [
        "caesura",
        "caesura_documents",
        "caesura_retrieval",
        "caesura_store",
        "llama_index",
        "llama_index_instrumentation",
        "asyncio",
        "concurrent",
        "contextlib",
        "threading",
        "wrapt",
    ]
)
"""The packages between a user's call and us."""


def warn_caller(message: str) -> None:
    """Warns at the innermost line outside `INNER_PACKAGES`. In a thread of ours, it is a line of ours."""
    level = 1
    frame: FrameType | None = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in INNER_PACKAGES:
        level, frame = level + 1, frame.f_back
    warn(message, stacklevel=2 if frame is None else level)
