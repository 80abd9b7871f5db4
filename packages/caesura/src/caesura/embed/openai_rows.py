"""What OpenAI's API answers to a request for vectors -> rows, one per text, or an `EmbeddingError`."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.embed.texts import Rows
from caesura.errors import EmbeddingError
from caesura.llm.conversation import Request


def rows_of(request: Request, answer: Any) -> Rows:
    """An answer -> its rows, by the index of each. Raises `EmbeddingError` unless there is one for each text."""
    data, wanted = getattr(answer, "data", None) or [], len(request.messages)
    by_index = {one.index: one.embedding for one in data}
    if sorted(by_index) != list(range(wanted)) or len(data) != wanted:
        raise EmbeddingError(f"the server must return one row per text: expected {wanted}, got {len(data)}")
    decoded = [_row(by_index[index]) for index in range(wanted)]
    if len({len(row) for row in decoded}) > 1:
        raise EmbeddingError("the server must return rows of one length")
    usage = getattr(answer, "usage", None)
    return Rows("", "stop", getattr(usage, "prompt_tokens", None) or 0, 0, np.stack(decoded))


def _row(embedding: Any) -> NDArray[np.float32]:
    """Base64 of float32, least byte first, or numbers: a server may know only the latter."""
    if isinstance(embedding, str):
        return np.frombuffer(base64.b64decode(embedding), "<f4").astype(np.float32)
    return np.asarray(embedding, np.float32)
