"""Contexts: a model reads a document and says in a line what it is, or where a chunk stands in it.

All requests about a document begin with the same characters: the prompt, then the document, then what differs. So a
provider's prompt cache serves all but the end of each. It can serve only what has been answered: the first request
about a document goes out alone, the others when its reply is there.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from caesura.checks import OnFailure, check_callable, check_int
from caesura.edges import spans
from caesura.errors import ReplyError, SettingError
from caesura.text.refine import refine
from caesura.text.sentences import sentences
from caesura.types import Sizer, Span
from caesura_llm.conversation import Failure, Image, Reply, Request, first_words, record_failure
from caesura_llm.passages import approximate_tokens
from caesura_llm.prompts import CHUNK_CONTEXT, CONTEXTS, DOCUMENT_CONTEXT, Prompt, quote
from caesura_llm.repair_ladder import Ask, InOrder, RepairLadder, Shortfall
from caesura_llm.replies import is_dots, items

Scope: TypeAlias = Literal["document", "chunk"]
PROMPTS: dict[Scope, Prompt] = {"document": DOCUMENT_CONTEXT, "chunk": CHUNK_CONTEXT}

BUDGET = 8000
"""Tokens of a document that a request shows."""
LONGEST = 400
"""The most characters of a context. Sentences beyond are left out whole."""
HEAD = 8
"""One part in so many of the budget shows the document's beginning, where a later section is shown."""
_PARAGRAPH = re.compile(r"\n[ \t]*\r?\n\s*")


@dataclass(frozen=True, slots=True)
class ContextSource:
    """A document, or what its chunks say of it.

    text: of the document. document_id: names it in results. title: shown with it. chunks: where those stand in it that
    are to have a line each. starts: where these stand in the document itself, None where that is not known.
    """

    text: str
    document_id: str = ""
    title: str = ""
    chunks: tuple[Span, ...] = ()
    starts: tuple[int | None, ...] = (0,)


@dataclass(frozen=True, slots=True)
class ContextResult:
    """The context of a document or a chunk.

    item: its number. document_id: of its source. text: "" for one that is blank, or failed. failure: why it failed.
    """

    item: int
    document_id: str
    text: str = ""
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class _ContextAsk(Ask):
    """A document or a chunk: what is shown of the document, and what else is said."""

    document_id: str = field(kw_only=True)
    shown: str = field(kw_only=True, repr=False)
    about: str = field(kw_only=True)
    shared: bool = field(kw_only=True)
    start: int | None = field(kw_only=True)
    words: str = field(kw_only=True)


class Contexts(RepairLadder[_ContextAsk]):
    """A `Conversation` about documents, whose results are a `ContextResult` for each, or for each of their chunks.

    sources: the documents. prompt: what the model is told; None: ours for the scope. size: what counts the budget.
    on_failure: "raise", or "keep", which leaves a failed item without a text. scope: "document": one request and one or
    two sentences for each source; "chunk": so for each of its chunks. budget: how much of a document a request shows,
    as `size` measures it. A larger one is shown by its beginning, for a chunk by its beginning and the section that the
    chunk is in, and a larger chunk by its own; sections end with paragraphs where these fit. ahead: sources are read as
    long as fewer requests wait. max_tokens: of each reply.

    Each result has a text, unless the item is blank or failed. The text is one line of at most 400 characters. What a
    model says beyond these is dropped, and counted in ``tally.dropped`` ("surplus").

    Raises `SettingError` for a setting that cannot be used.
    """

    schema = CONTEXTS

    def __init__(
        self,
        sources: Iterable[ContextSource],
        scope: Scope = "document",
        *,
        prompt: Prompt | None = None,
        budget: int = BUDGET,
        size: Sizer = approximate_tokens,
        max_tokens: int | None = None,
        on_failure: OnFailure = "raise",
        ahead: int = 16,
    ) -> None:
        if scope not in PROMPTS:
            raise SettingError(f"scope must be 'document' or 'chunk', got {scope!r:.80}")
        check_int("budget", budget, HEAD)
        check_int("ahead", ahead, 1)
        super().__init__(prompt or PROMPTS[scope], max_tokens, on_failure)
        self._scope, self._budget, self._ahead = scope, budget, ahead
        self._size: Sizer = size
        check_callable(self, "_size")
        self._sources = iter(sources)
        self._following: dict[int, Sequence[_ContextAsk]] = {}
        self._results: InOrder[ContextResult] = InOrder()

    def pending(self) -> list[Request]:
        while len(self._requests) < self._ahead and (source := next(self._sources, None)) is not None:
            for group in self._groups(source):
                self._begin(group)
        return self._requests.requests()

    def accept(self, request: Request, reply: Reply) -> None:
        following = self._following.pop(request.number, ())
        super().accept(request, reply)
        for ask in following:
            self._ask(ask)

    def reject(self, request: Request, error: BaseException) -> None:
        following = self._following.pop(request.number, ())
        super().reject(request, error)
        self._begin(following)

    def finished(self) -> list[ContextResult]:
        return self._results.take()

    def _begin(self, group: Sequence[_ContextAsk]) -> None:
        """Asks the first request of a group; the others are asked after its reply."""
        if group:
            self._following[self._ask(group[0]).number] = group[1:]

    def _groups(self, source: ContextSource) -> Iterator[list[_ContextAsk]]:
        """A source -> its requests, in one group for each part of the document that is shown, in order."""
        title = quote(" ".join(source.title.split())).strip()
        heading = f"Document{f' of the title {title}' if title else ''}:\n"
        wanted = source.chunks if self._scope == "chunk" else (Span(0, len(source.text)),)
        numbers = range(self.tally.items, self.tally.items + len(wanted))
        self.tally.items += len(wanted)
        texts = {number: source.text[start:end] for number, (start, end) in zip(numbers, wanted, strict=True)}
        asked = [number for number, text in texts.items() if text.strip()]
        for number in texts.keys() - set(asked):
            self._finish(ContextResult(number, source.document_id))
        if not asked:
            return
        starts = dict(zip(numbers, source.starts, strict=False))
        middles = {number: sum(span) // 2 for number, span in zip(numbers, wanted, strict=True)}
        for start, end, shown in self._views(source.text):
            own = [number for number in asked if self._scope == "document" or start <= middles[number] < end]
            shown = f"{heading}{quote(shown)}\n\n"
            asks = [
                _ContextAsk(
                    [number],
                    document_id=source.document_id,
                    shown=shown,
                    about=f"The passage:\n{quote(self._beginning(texts[number], self._budget))}"
                    if self._scope == "chunk"
                    else "What is it?",
                    shared=len(own) > 1,
                    start=starts.get(number),
                    words=first_words(texts[number]),
                )
                for number in own
            ]
            if asks:
                yield asks

    def _views(self, text: str) -> Iterator[tuple[int, int, str]]:
        """A document's text -> its sections, and what is shown of it with each; one section of what is small enough."""
        if self._size(text) <= self._budget:
            yield 0, len(text), text
            return
        if self._scope == "document":
            yield 0, len(text), self._beginning(text, self._budget)
            return
        part = self._budget // HEAD
        head = self._beginning(text, part).rstrip()
        for start, end in pairwise(sections(text, self._budget - part, self._size)):
            yield start, end, f"{head}\n[...]\n{text[start:end]}" if start else text[start:end]

    def _beginning(self, text: str, room: int) -> str:
        """Returns the beginning of a text, as much as there is room for."""
        if self._size(text) <= room:
            return text
        edges, ends = _measured(text, self._budget, self._size)
        return text[: edges[max(bisect_right(ends, room) - 1, 1)]]

    # -- the ladder --------------------------------------------------------------------------------------------------

    def _write(self, ask: _ContextAsk) -> tuple[str, Sequence[Image]]:
        return ask.shown + ask.about, ()

    def _shared(self, ask: _ContextAsk) -> int:
        return len(ask.shown) if ask.shared else 0

    def _take_reply(self, ask: _ContextAsk, reply: Reply) -> Shortfall:
        try:
            read = items(reply.text, "contexts", ("text",))
        except ReplyError as error:
            return Shortfall(ask.items, str(error))
        texts = [one.get("text") for one in read.items if read.complete(one)]
        said = [" ".join(text.split()) for text in texts if isinstance(text, str)]
        text = next((text for text in said if text and not is_dots(text)), "")
        if not text:
            return Shortfall(ask.items, f"it must hold one text, got {texts!r:.60}")
        short = shorten_context(text)
        self.tally.dropped["surplus"] += len(said) - 1 + (short != text)
        self._finish(ContextResult(ask.items[0], ask.document_id, short))
        return Shortfall([])

    def _split(self, ask: _ContextAsk, apart: bool) -> list[_ContextAsk]:
        return []

    def _fail(self, item: int, ask: _ContextAsk, fault: str, cause: BaseException | None) -> None:
        failure = Failure(item, ask.document_id, fault, ask.keys, ask.start, ask.words)
        record_failure(failure, self._on_failure, self.tally, cause, empty=True)
        self._finish(ContextResult(item, ask.document_id, failure=failure))

    def _finish(self, result: ContextResult) -> None:
        self._results.put(result.item, result)
        self.tally.finished += 1


def sections(text: str, budget: int, size: Sizer) -> list[int]:
    """A text -> the edges of sections of about equal size, none over the budget, at the ends of paragraphs where they
    fit. An empty text is one section.

    >>> sections("One.\\n\\nTwo.\\n\\nThree.", 3, approximate_tokens)
    [0, 6, 12, 18]
    """
    if size(text) <= budget:
        return [0, len(text)]
    edges, ends = _measured(text, budget, size)
    parts = -(-ends[-1] // budget)
    cut = [0]
    for number in range(1, len(edges) - 1):
        filled, more = ends[number] - ends[cut[-1]], ends[number + 1] - ends[number]
        if filled * parts >= ends[-1] or filled + more > budget:
            cut.append(number)
    return [*(edges[number] for number in cut), len(text)]


def _measured(text: str, budget: int, size: Sizer) -> tuple[list[int], list[int]]:
    """A text -> the edges of its paragraphs, of those over the budget of parts; and what it measures up to each."""
    paragraphs = [0, *(found.end() for found in _PARAGRAPH.finditer(text) if 0 < found.end() < len(text)), len(text)]
    edges: list[int] = refine(text, np.array(paragraphs, np.intp), size, budget).tolist()
    return edges, [0, *accumulate(size(text[start:end]) for start, end in pairwise(edges))]


def shorten_context(text: str) -> str:
    """A text -> its first sentences, as many as `LONGEST` has room for. A longer first one is cut."""
    if len(text) <= LONGEST:
        return text
    end = max((end for _, end in spans(sentences(text)) if len(text[:end].rstrip()) <= LONGEST), default=0)
    return text[:end].rstrip() or text[:LONGEST].rpartition(" ")[0] or text[:LONGEST]


def join_slices(slices: Iterable[tuple[str, int | None]]) -> tuple[str, list[Span]]:
    """Chunks, and where each starts in its document if that is known -> what they say together, and where each is.

    A chunk that lies in what was said before, or goes on from there, is not said again; before another stands a blank
    line. Each span holds exactly its chunk.

    >>> join_slices([("Tea is hot. It", 0), ("It is brewed.", 12), ("Cold.", 40)])
    ('Tea is hot. It is brewed.\\n\\nCold.', [Span(start=0, end=14), Span(start=12, end=25), Span(start=27, end=32)])
    """
    pieces: list[_Piece] = []
    last, places = _Piece(0, 0, ""), list[Span]()
    for text, start in slices:
        if start is not None and places:
            at = last.find(text, start)
            if at is not None:
                last = last._replace(text=last.text + text[len(last.text) - (start - last.start) :])
            else:
                at = next((at for one in pieces if (at := one.find(text, start, whole=True)) is not None), None)
            if at is not None:
                places.append(Span(at, at + len(text)))
                continue
        if places:
            pieces.append(last)
        begun = last.begun + len(last.text) + 2 if places else 0
        # a chunk whose place nobody knows is one by itself, which nothing goes on from
        last = _Piece(start if start is not None else -len(text) - 1, begun, text)
        places.append(Span(begun, begun + len(text)))
    return "\n\n".join(one.text for one in [*pieces, last]), places


class _Piece(NamedTuple):
    """A run of chunks without a gap: where it starts in the document, where in what all say, and its text."""

    start: int
    begun: int
    text: str

    def find(self, text: str, start: int, whole: bool = False) -> int | None:
        """Where a chunk stands in what all say, if it lies in this, or goes on from it; whole: it must lie in it."""
        at = start - self.start
        if not 0 <= at <= len(self.text) or (whole and at + len(text) > len(self.text)):
            return None
        return self.begun + at if text.startswith(self.text[at : at + len(text)]) else None


def continues(before: tuple[str, int | None], after: tuple[str, int | None]) -> bool:
    """Returns whether the second of two chunks may follow the first in one document."""
    (text, start), (following, place) = before, after
    if start is None or place is None or place < start:
        return False
    there = text[place - start :]
    return following.startswith(there[: len(following)]) if place < start + len(text) else True
