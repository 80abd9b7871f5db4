"""Passages in, packs of them out: those that one request asks about, by their order and their texts alone."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Generic, Literal, TypeAlias, TypeVar

from caesura.checks import OnFailure, check_callable, check_int, check_on_failure
from caesura.errors import ReplyError, SettingError
from caesura.types import Sizer
from caesura_llm.conversation import Failure, Image, Reply, Request, Schema, Tally, Unanswered, failed, reason
from caesura_llm.prompts import Prompt, repairing, shown


@dataclass(frozen=True, slots=True)
class Passage:
    """A text to work on. start: where it stands in its document. title: of the document or section, shown with it."""

    text: str
    document_id: str = ""
    start: int = 0
    title: str = ""
    images: tuple[Image, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise SettingError(f"a passage's text must be a str, got {self.text!r:.80}")
        check_int("start", self.start, 0)


def quarter(text: str) -> int:
    """The default sizer of requests: a quarter of the characters, about what a tokenizer makes of English."""
    return (len(text) + 3) // 4


def packs(passages: Iterable[Passage], budget: int, size: Sizer) -> Iterator[list[tuple[int, Passage]]]:
    """Passages -> those of one request after another, with their numbers; they are read as they are needed.

    A pack measures at most `budget`, or it is one passage that is larger; one with images is alone. From half the
    budget on, a pack also ends at a passage whose digest says so: after an edit of the text the later requests are soon
    the same again, and their replies are in the journal.
    """
    pack: list[tuple[int, Passage]] = []
    filled = 0
    for number, passage in enumerate(passages):
        more = size(passage.text)
        if pack and (filled + more > budget or passage.images or pack[-1][1].images):
            yield pack
            pack, filled = [], 0
        pack.append((number, passage))
        filled += more
        if 2 * filled >= budget and _ends_a_pack(passage.text):
            yield pack
            pack, filled = [], 0
    if pack:
        yield pack


def _ends_a_pack(text: str) -> bool:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=1).digest()[0] % 4 == 0


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
        check_int("budget", budget, 1)
        check_int("window", window, 1)
        if max_tokens is not None:
            check_int("max_tokens", max_tokens, 1)
        self.tally: Tally = Tally()
        self.prompt, self.max_tokens = prompt, max_tokens
        self._on_failure: OnFailure = check_on_failure(on_failure)
        self._size, self._window = size, window
        check_callable(self, "_size")
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
