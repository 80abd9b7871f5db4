"""Several conversations as one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TypeVar

from caesura_llm.conversation import Conversation, Reply, Request, Tally
from caesura_llm.repair_ladder import PendingRequests

R = TypeVar("R")


class Combined(Conversation[tuple[int, R]]):
    """Conversations -> one, whose results are (index of the conversation, its result), each conversation's in order.

    `Failure.item` counts within its conversation.
    """

    def __init__(self, conversations: Sequence[Conversation[R]]) -> None:
        self._conversations = list(conversations)
        self._requests: PendingRequests[Conversation[R]] = PendingRequests()

    @property
    def tally(self) -> Tally:
        total = Tally()
        for tally, name in product((one.tally for one in self._conversations), Tally.__annotations__):
            setattr(total, name, getattr(total, name) + getattr(tally, name))
        return total

    def pending(self) -> list[Request]:
        requests = []
        for conversation in self._conversations:
            for request in conversation.pending():
                self._requests.add(request, conversation)
                requests.append(request)
        return requests

    def accept(self, request: Request, reply: Reply) -> None:
        self._requests.take(request).accept(request, reply)

    def reject(self, request: Request, error: BaseException) -> None:
        self._requests.take(request).reject(request, error)

    def finished(self) -> list[tuple[int, R]]:
        return [(index, result) for index, one in enumerate(self._conversations) for result in one.finished()]
