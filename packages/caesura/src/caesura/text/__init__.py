"""Text -> units: sentences and blocks, by rules. `data/` has the words that the rules know, for people to edit."""

from __future__ import annotations

import os
from typing import Any


def read_data(*path: str) -> str:
    """A file of `data/` -> its text. By the package's own loader: `importlib.resources` takes as long as a first split.

    >>> read_data("marks.txt")[:7]
    '# Marks'
    """
    loader: Any = __spec__.loader
    content: bytes = loader.get_data(os.path.join(os.path.dirname(__file__), "data", *path))
    return content.decode("utf-8").replace("\r\n", "\n")
