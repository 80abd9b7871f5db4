"""The repair ladder of conversations whose replies may fall short: ask, ask for the rest, repair once, split, fail."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Generic, Literal, TypeAlias, TypedDict, TypeVar, get_args

from caesura.checks import OnFailure, check_callable, check_choice, check_int
from caesura.errors import ReplyError, SettingError
from caesura.types import Sizer
from caesura_llm.conversation import (
    Failure,
    Image,
    Reply,
    Request,
    Schema,
    Tally,
    describe_failure,
    first_words,
    record_failure,
)
from caesura_llm.passages import Passage, approximate_tokens, batch_passages
from caesura_llm.prompts import Prompt, check_prompt, quote, with_fault

Stage: TypeAlias = Literal["first", "repair", "alone"]


@dataclass(frozen=True, slots=True)
class Ask:
    """The items that a request asks about. items: their numbers. keys: of the requests about them so far.

    stage: "alone" is an item that was split off after a repair, and is not repaired again.
    """

    items: list[int]
    stage: Stage = "first"
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Shortfall:
    """The items that a reply did not answer, and the fault of the reply.

    resume: at which stage the rest is asked for, where the reply was cut off after something useful. apart: whether
    another reply about several of them would fall short too, so that they are split without a repair.
    """

    items: list[int]
    fault: str = ""
    resume: Stage | None = None
    apart: bool = False


T = TypeVar("T")


class PendingRequests(Generic[T]):
    """Requests that wait for an answer, each with what it is about."""

    def __init__(self) -> None:
        self._waiting: dict[int, tuple[Request, T]] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, request: Request) -> bool:
        return request.number in self._waiting

    def add(self, request: Request, about: T) -> None:
        """Adds a request."""
        self._waiting[request.number] = request, about

    def requests(self) -> list[Request]:
        """Returns all requests that wait, oldest first."""
        return [request for request, _ in self._waiting.values()]

    def take(self, request: Request) -> T:
        """Removes a request -> what it is about. Raises `SettingError` for a request that does not wait."""
        if request.number not in self._waiting:
            raise SettingError(f"request {request.number} is not pending: each is answered once")
        return self._waiting.pop(request.number)[1]


A = TypeVar("A", bound=Ask)


class RepairLadder(ABC, Generic[A]):
    """The steps of a `Conversation`: ask, ask for the rest of a reply that was cut off, repair once, split, fail."""

    schema: ClassVar[Schema]

    def __init__(self, prompt: Prompt, max_tokens: int | None, on_failure: OnFailure) -> None:
        self.tally: Tally = Tally()
        self._requests: PendingRequests[A] = PendingRequests()
        check_prompt("prompt", prompt)
        self.prompt: Prompt = prompt
        if max_tokens is not None:
            check_int("max_tokens", max_tokens, 1)
        self.max_tokens: int | None = max_tokens
        check_choice("on_failure", on_failure, get_args(OnFailure))
        self._on_failure: OnFailure = on_failure

    def accept(self, request: Request, reply: Reply) -> None:
        ask = self._requests.take(request)
        if reply.stop == "refused":
            self._give_up(ask, describe_failure(reply), apart=True)
            return
        short = self._take_reply(ask, reply)
        if not short.items:
            return
        rest = replace(ask, items=short.items)
        if short.resume is not None:
            self._ask(replace(rest, stage=short.resume))
        elif ask.stage == "first" and not (short.apart and len(short.items) > 1):
            self._ask(replace(rest, stage="repair"), short.fault)
        else:
            self._give_up(rest, short.fault, apart=short.apart)

    def reject(self, request: Request, error: BaseException) -> None:
        self._give_up(self._requests.take(request), describe_failure(error), apart=True, cause=error)

    def _record(
        self, item: int, passage: Passage, fault: str, keys: tuple[str, ...], cause: BaseException | None
    ) -> Failure:
        """Records the failure of an item with the passage's text and place; raises it unless failures are kept."""
        where = passage.start, first_words(passage.text), passage.source
        failure = Failure(item, passage.document_id, fault, keys, *where)
        record_failure(failure, self._on_failure, self.tally, cause)
        return failure

    def _ask(self, ask: A, fault: str = "") -> Request:
        repair, shared = ask.stage != "first", self._shared(ask)
        text, images = self._write(ask)
        text = with_fault(text, fault) if fault else text
        request = self.prompt.request(text, self.schema, self.max_tokens, images, repair, shared)
        self.tally.repairs += ask.stage == "repair"
        self._requests.add(request, replace(ask, keys=(*ask.keys, request.key)))
        return request

    def _shared(self, ask: A) -> int:
        """The number of first characters that other requests share, as in `Message`."""
        return 0

    def _give_up(self, ask: A, fault: str, apart: bool, cause: BaseException | None = None) -> None:
        """Splits what was asked, or lets the items fail. apart: no repair was tried, or none would have helped."""
        parts = self._split(ask, apart)
        for part in parts:
            self._ask(part)
        for item in () if parts else ask.items:
            self._fail(item, ask, fault, cause)

    @abstractmethod
    def _write(self, ask: A) -> tuple[str, Sequence[Image]]:
        """The text of a request about the items, and its images."""

    @abstractmethod
    def _take_reply(self, ask: A, reply: Reply) -> Shortfall:
        """Uses what a reply answers -> what it leaves open."""

    @abstractmethod
    def _split(self, ask: A, apart: bool) -> list[A]:
        """A request that failed -> smaller ones to ask instead; none where its items fail."""

    @abstractmethod
    def _fail(self, item: int, ask: A, fault: str, cause: BaseException | None) -> None:
        """Records a failure and puts a fallback in the item's place."""


# -- conversations about passages --------------------------------------------------------------------------------------

R = TypeVar("R")


@dataclass(slots=True)
class Reading(Generic[R]):
    """A reply as read: the result of each passage, whether it was cut off, and its fault for passages left out."""

    answers: dict[int, R] = field(default_factory=dict)
    cut: bool = False
    fault: str = ""
    went_on: bool = False
    """Whether it was cut off within a passage of which a part is usable."""


class PassageSettings(TypedDict, total=False):
    """The settings that conversations about passages share, as in `Propositions`: ``size``, ``max_tokens``,
    ``on_failure`` and ``window``."""

    size: Sizer
    max_tokens: int | None
    on_failure: OnFailure
    window: int


class InOrder(Generic[R]):
    """Puts results that come in any order into the order of their items."""

    def __init__(self) -> None:
        self._ready: dict[int, R] = {}
        self.taken: int = 0
        """The number of results taken, which is the next item."""

    def put(self, item: int, result: R) -> None:
        """Adds the result of an item."""
        self._ready[item] = result

    def take(self) -> list[R]:
        """Returns the results whose turn has come, each once."""
        results = []
        while self.taken in self._ready:
            results.append(self._ready.pop(self.taken))
            self.taken += 1
        return results


class PerPassage(RepairLadder[Ask], Generic[R]):
    """A `Conversation` about passages.

    passages: read as they are needed, at most `window` of them ahead of the results that were fetched. budget: size of
    the passages of one request (`batch_passages`), as `size` measures them. max_tokens: of each reply. prompt: what the
    model is told. size: what counts the budget. on_failure: "raise", or "keep", which lists a failure and goes on.
    window: how many passages are read ahead.
    """

    def __init__(
        self,
        passages: Iterable[Passage],
        *,
        prompt: Prompt,
        budget: int,
        size: Sizer = approximate_tokens,
        max_tokens: int | None = None,
        on_failure: OnFailure = "raise",
        window: int = 512,
    ) -> None:
        self._results: InOrder[R] = InOrder()
        super().__init__(prompt, max_tokens, on_failure)
        check_int("budget", budget, 1)
        check_int("window", window, 1)
        self._size, self._window = size, window
        check_callable(self, "_size")
        self._batches = batch_passages(passages, budget, size)
        self._open: dict[int, Passage] = {}

    def pending(self) -> list[Request]:
        while self.tally.items - self._results.taken < self._window or not self._requests:
            batch = next(self._batches, None)
            if batch is None:
                break
            wanted = [number for number, passage in batch if self._asks(passage)]
            for number, passage in batch:
                self.tally.items += 1
                self._open[number] = passage
                if number not in wanted:
                    self._finish(number, self._nothing(number, passage))
            if wanted:
                self._ask(Ask(wanted))
        return self._requests.requests()

    def finished(self) -> list[R]:
        return self._results.take()

    # -- what each kind of work says ---------------------------------------------------------------------------------

    def _quote(self, asked: list[tuple[int, Passage]], headings: list[str]) -> list[str]:
        """The passages as they stand in a request, each after its heading and a colon."""
        return [f"{heading}:\n{quote(passage.text)}" for (_, passage), heading in zip(asked, headings, strict=True)]

    @abstractmethod
    def _read(self, asked: list[tuple[int, Passage]], reply: Reply) -> Reading[R]:
        """Reads a reply about passages that were quoted in this order, numbered from 1. Raises `ReplyError`."""

    @abstractmethod
    def _nothing(self, number: int, passage: Passage) -> R:
        """The result of a passage that is not asked about."""

    @abstractmethod
    def _fallback(self, number: int, passage: Passage, failure: Failure) -> R:
        """The result that stands in for a failed passage, marked as a fallback."""

    def _asks(self, passage: Passage) -> bool:
        """Returns whether a passage has something to ask about."""
        return not passage.text.isspace() and passage.text != ""

    # -- the ladder --------------------------------------------------------------------------------------------------

    def _write(self, ask: Ask) -> tuple[str, Sequence[Image]]:
        asked = [(number, self._open[number]) for number in ask.items]
        titles = [" ".join(passage.title.split()) for _, passage in asked]
        headings = [
            f"Passage {place} of {quote(title).strip()}" if title else f"Passage {place}"
            for place, title in enumerate(titles, 1)
        ]
        images = [image for _, passage in asked for image in passage.images]
        return "\n\n".join(self._quote(asked, headings)), images

    def _take_reply(self, ask: Ask, reply: Reply) -> Shortfall:
        try:
            reading = self._read([(number, self._open[number]) for number in ask.items], reply)
        except ReplyError as error:
            reading = Reading(fault=str(error), cut=reply.stop == "length")
        for number, result in reading.answers.items():
            self._finish(number, result)
        left = [number for number in ask.items if number not in reading.answers]
        resume: Stage | None = "first" if reading.cut and (reading.answers or reading.went_on) else None
        nothing = "the reply was cut off" if reading.cut else "it says nothing of some passages"
        return Shortfall(left, reading.fault or nothing, resume, apart=reading.cut)

    def _split(self, ask: Ask, apart: bool) -> list[Ask]:
        """Asks for each passage alone, with a repair of its own where none was tried."""
        stage: Stage = "first" if apart and ask.stage == "first" else "alone"
        return [Ask([number], stage, ask.keys) for number in ask.items] if len(ask.items) > 1 else []

    def _fail(self, item: int, ask: Ask, fault: str, cause: BaseException | None) -> None:
        passage = self._open[item]
        failure = self._record(item, passage, fault, ask.keys, cause)
        self._finish(item, self._fallback(item, passage, failure))

    def _finish(self, number: int, result: R) -> None:
        self._results.put(number, result)
        del self._open[number]
        self.tally.finished += 1
