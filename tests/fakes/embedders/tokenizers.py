"""A text that tokenizers do not agree on; and whether a count of theirs keeps a limit."""

from __future__ import annotations

from typing import Any

import numpy as np

from caesura import Limits, Splitter

TEXT = "The river rose in the night. Naïve 中文 👍🏽!\r\n\r\nIt fell again, and the mill was gone.\x00\ud800"
CLEAN = TEXT.replace("\ud800", "\ufffd")


def embed(texts: Any) -> Any:
    return np.ones((len(texts), 2))


def holds(size: Any, limit: int) -> None:
    for trim in (True, False):
        chunks = Splitter(Limits(limit), size, trim=trim).split(TEXT * 3, embed)
        assert max(size(chunk.text) for chunk in chunks) <= limit
        assert "".join("".join(chunk.text.split()) for chunk in chunks) == "".join((TEXT * 3).split())
