"""Requests that wait for an answer: all of them out, oldest first; a request back in, what it is about out."""

from __future__ import annotations

from typing import Generic, TypeVar

from caesura.errors import SettingError
from caesura.llm.conversation import Request

A = TypeVar("A")


class Unanswered(Generic[A]):
    """Requests that wait for an answer, and for each what its asker must know when one comes."""

    def __init__(self) -> None:
        self._waiting: dict[int, tuple[Request, A]] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, request: Request, about: A) -> None:
        """One more waits."""
        self._waiting[request.number] = request, about

    def requests(self) -> list[Request]:
        """All that wait, oldest first."""
        return [request for request, _ in self._waiting.values()]

    def answered(self, request: Request) -> A:
        """It waits no more -> what it is about. Raises `SettingError` for a request that does not wait."""
        if request.number not in self._waiting:
            raise SettingError(f"request {request.number} is not pending: each is answered once")
        return self._waiting.pop(request.number)[1]
