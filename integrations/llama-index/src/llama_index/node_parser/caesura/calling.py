"""A message in, a warning out that shows the line of the user's code which led to it, where there is one."""

from __future__ import annotations

import inspect
from types import FrameType
from warnings import warn

INSIDE = frozenset(
    [
        "caesura",
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
    """Warns, and shows the innermost line outside `INSIDE`; in a thread that is not the user's, a line of ours."""
    level = 1
    frame: FrameType | None = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in INSIDE:
        level, frame = level + 1, frame.f_back
    warn(message, stacklevel=2 if frame is None else level)
