"""Several conversations in, one out, so that one run with one limit serves them all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

from caesura.llm.conversation import Conversation, Failure, Reply, Request, Tally
from caesura.llm.unanswered import Unanswered

R = TypeVar("R")


class Together(Conversation[tuple[int, R]]):
    """Conversations -> one, whose results are (index of the conversation, its result), each conversation's in order.

    `Failure.item` counts within its conversation.
    """

    def __init__(self, conversations: Sequence[Conversation[R]]) -> None:
        self._all = list(conversations)
        self._unanswered: Unanswered[Conversation[R]] = Unanswered()

    @property
    def tally(self) -> Tally:
        tallies = [one.tally for one in self._all]
        dropped: Counter[str] = Counter()
        failures: list[Failure] = []
        for tally in tallies:
            dropped.update(tally.dropped)
            failures += tally.failures
        items, finished, repairs = (
            sum(getattr(one, name) for one in tallies) for name in ("items", "finished", "repairs")
        )
        return Tally(items, finished, repairs, dropped, failures)

    def pending(self) -> list[Request]:
        found = []
        for one in self._all:
            for request in one.pending():
                self._unanswered.add(request, one)
                found.append(request)
        return found

    def accept(self, request: Request, reply: Reply) -> None:
        self._unanswered.answered(request).accept(request, reply)

    def reject(self, request: Request, error: BaseException) -> None:
        self._unanswered.answered(request).reject(request, error)

    def finished(self) -> list[tuple[int, R]]:
        return [(index, result) for index, one in enumerate(self._all) for result in one.finished()]
