"""Requests that hold texts -> a conversation about them: rows come as replies, and go to the places of their texts."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from caesura.errors import EmbeddingError
from caesura.llm.conversation import Reply, Request, Tally


@dataclass(frozen=True, slots=True)
class Rows(Reply):
    """A reply that is rows, one per text of its request."""

    rows: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), np.float32))


class Texts:
    """A `Conversation` about texts whose rows are wanted."""

    def __init__(self, requests: list[tuple[list[int], Request]], count: int) -> None:
        self.tally: Tally = Tally(items=count)
        self._open = {request.number: (held, request) for held, request in requests}
        self._found: list[tuple[list[int], NDArray[np.float32]]] = []
        self._count = count

    def pending(self) -> list[Request]:
        return [request for _, request in self._open.values()]

    def accept(self, request: Request, reply: Reply) -> None:
        assert isinstance(reply, Rows)  # noqa: S101 - our own client's
        held, _ = self._open.pop(request.number)
        self._found.append((held, reply.rows))
        self.tally.finished += len(held)

    def reject(self, request: Request, error: BaseException) -> None:
        held, _ = self._open.pop(request.number)
        error.add_note(f"raised for texts {held[0]} to {held[-1]} of {self._count}")
        raise error

    def finished(self) -> list[None]:
        return []

    def rows(self) -> NDArray[np.float32]:
        """(n, d): all that came, each in its text's place."""
        widths = sorted({rows.shape[1] for _, rows in self._found})
        if len(widths) > 1:
            raise EmbeddingError(f"the server must return rows of one length for every request, got {widths}")
        found = np.zeros((self._count, widths[0] if widths else 1), np.float32)
        for held, rows in self._found:
            found[held] = rows
        return found
