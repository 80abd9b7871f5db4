"""Passages in, several to a request; one result each out, in order. What is done where a reply is not what was asked.

The ladder, for the passages of one request that a reply said nothing usable about:

    cut off, but some were answered             -> the rest is asked for again
    unreadable, or some left out                -> one repair request, which quotes the fault
    refused; rejected; cut off before the first -> each alone, if there were several
    the repair is no better                     -> each alone, without a further repair; who was alone fails
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar, Generic, Literal, TypeAlias, TypeVar

from caesura.errors import ReplyError, functions, whole
from caesura.llm.conversation import Failure, Image, Reply, Request, Schema, Tally
from caesura.llm.failures import OnFailure, checked, failed, reason
from caesura.llm.packed import Passage, packs, quarter
from caesura.llm.prompts import Prompt
from caesura.llm.shown import repairing, shown
from caesura.llm.unanswered import Unanswered
from caesura.types import Sizer

R = TypeVar("R")
Stage: TypeAlias = Literal["first", "repair", "alone"]


@dataclass(slots=True)
class Reading(Generic[R]):
    """What a reply said: a result by passage; whether it was cut off; what is wrong with it, for those left out."""

    answers: dict[int, R] = field(default_factory=dict)
    cut: bool = False
    fault: str = ""
    went_on: bool = False
    """It was cut off within a passage, of which some could be used."""


@dataclass(slots=True)
class _Ask:
    passages: list[int]
    stage: Stage
    keys: tuple[str, ...]


class PerPassage(ABC, Generic[R]):
    """A `Conversation` about passages.

    passages: read as they are needed, at most `window` of them ahead of the results that were fetched. budget: size of
    the passages of one request (`packs`), as `size` measures them. max_tokens: of each reply.
    """

    schema: ClassVar[Schema]
    prompt: Prompt
    max_tokens: int | None

    def __init__(
        self,
        passages: Iterable[Passage],
        *,
        prompt: Prompt,
        budget: int,
        size: Sizer = quarter,
        max_tokens: int | None = None,
        on_failure: OnFailure = "raise",
        window: int = 512,
    ) -> None:
        whole("budget", budget, 1)
        whole("window", window, 1)
        if max_tokens is not None:
            whole("max_tokens", max_tokens, 1)
        self.tally: Tally = Tally()
        self.prompt, self.max_tokens = prompt, max_tokens
        self._on_failure: OnFailure = checked(on_failure)
        self._size, self._window = size, window
        functions(self, "_size")
        self._source = packs(passages, budget, size)
        self._unanswered: Unanswered[_Ask] = Unanswered()
        self._held: dict[int, Passage] = {}
        self._results: dict[int, R] = {}
        self._taken = 0

    def pending(self) -> list[Request]:
        while not self._unanswered or self.tally.items - self._taken < self._window:
            pack = next(self._source, None)
            if pack is None:
                break
            wanted = [number for number, passage in pack if self._asks(passage)]
            for number, passage in pack:
                self.tally.items += 1
                self._held[number] = passage
                if number not in wanted:
                    self._finish(number, self._nothing(number, passage))
            if wanted:
                self._ask(wanted)
        return self._unanswered.requests()

    def accept(self, request: Request, reply: Reply) -> None:
        ask = self._unanswered.answered(request)
        if reply.stop == "refused":
            return self._give_up(ask, reason(reply), None, apart=True)
        try:
            found = self._read([(number, self._held[number]) for number in ask.passages], reply)
        except ReplyError as error:
            found = Reading(fault=str(error), cut=reply.stop == "length")
        for number, result in found.answers.items():
            self._finish(number, result)
        left = [number for number in ask.passages if number not in found.answers]
        if not left:
            return None
        if found.cut and (found.answers or found.went_on):
            return self._ask(left, "first", ask.keys)
        fault = found.fault or ("the reply was cut off" if found.cut else "it says nothing of some passages")
        if ask.stage == "first" and not (found.cut and len(left) > 1):
            self.tally.repairs += 1
            return self._ask(left, "repair", ask.keys, fault)
        return self._give_up(_Ask(left, ask.stage, ask.keys), fault, None, apart=found.cut)

    def reject(self, request: Request, error: BaseException) -> None:
        ask = self._unanswered.answered(request)
        self._give_up(ask, reason(error), error, apart=True)

    def finished(self) -> list[R]:
        found = []
        while self._taken in self._results:
            found.append(self._results.pop(self._taken))
            self._taken += 1
        return found

    # -- what each kind of work says ---------------------------------------------------------------------------------

    @abstractmethod
    def _shown(self, number: int, passage: Passage, heading: str) -> str:
        """The passage as it stands in the request, after its heading and a colon."""

    @abstractmethod
    def _read(self, asked: list[tuple[int, Passage]], reply: Reply) -> Reading[R]:
        """What a reply says of the passages; they were shown in this order, numbered from 1. Or `ReplyError`."""

    @abstractmethod
    def _nothing(self, number: int, passage: Passage) -> R:
        """The result for a passage that there is nothing to ask about."""

    @abstractmethod
    def _kept(self, number: int, passage: Passage, failure: Failure) -> R:
        """What stands in for a failed passage, marked."""

    def _asks(self, passage: Passage) -> bool:
        """Whether there is something to ask about it."""
        return not passage.text.isspace() and passage.text != ""

    # -- the rest ----------------------------------------------------------------------------------------------------

    def _ask(self, numbers: list[int], stage: Stage = "first", keys: tuple[str, ...] = (), fault: str = "") -> None:
        parts: list[str] = []
        images: list[Image] = []
        for place, number in enumerate(numbers, 1):
            passage = self._held[number]
            title = shown(" ".join(passage.title.split())).strip()
            parts.append(self._shown(number, passage, f"Passage {place}{f' of {title}' if title else ''}"))
            images += passage.images
        text = "\n\n".join(parts)
        text = repairing(text, fault) if fault else text
        request = self.prompt.request(text, self.schema, self.max_tokens, images=images, repair=stage != "first")
        self._unanswered.add(request, _Ask(numbers, stage, (*keys, request.key)))

    def _give_up(self, ask: _Ask, fault: str, cause: BaseException | None, apart: bool) -> None:
        """Each alone if there were several; else the one fails. apart: each alone has a repair of its own."""
        for number in ask.passages:
            if len(ask.passages) > 1:
                self._ask([number], "first" if apart and ask.stage == "first" else "alone", ask.keys)
                continue
            passage = self._held[number]
            failure = Failure(number, passage.document_id, fault, ask.keys)
            failed(failure, self._on_failure, self.tally, cause)
            self._finish(number, self._kept(number, passage, failure))

    def _finish(self, number: int, result: R) -> None:
        self._results[number] = result
        del self._held[number]
        self.tally.finished += 1
