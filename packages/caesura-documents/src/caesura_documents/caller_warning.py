"""Warnings that show a line of the user's own code."""

from __future__ import annotations

import inspect
import sys
from types import FrameType
from warnings import warn

INSIDE = ("caesura", "langchain", "langgraph", "langsmith", "llama_index", "pydantic", "wrapt")
"""What the names of the packages between a user's call and us begin with; Python's own stand there too."""


def warn_caller(message: str) -> None:
    """Warns at the innermost line that is not `INSIDE`. In a thread of ours, it is a line of ours."""
    level = 1
    frame: FrameType | None = inspect.currentframe()
    while frame is not None:
        package = frame.f_globals.get("__name__", "").partition(".")[0]
        if not package.startswith(INSIDE) and package not in sys.stdlib_module_names:
            break
        level, frame = level + 1, frame.f_back
    warn(message, stacklevel=2 if frame is None else level)
