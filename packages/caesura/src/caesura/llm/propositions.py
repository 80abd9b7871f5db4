"""Passages in; standalone statements out, each with the sentences of the document that it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from caesura.edges import spans, trim
from caesura.llm.conversation import Failure, Reply
from caesura.llm.failures import OnFailure
from caesura.llm.packed import Passage, quarter
from caesura.llm.per_passage import PerPassage, Reading
from caesura.llm.prompts import PROPOSITIONS, Prompt
from caesura.llm.replies import Found, by_number, is_dots, items, whole_number
from caesura.llm.schemas import PASSAGES_OF_PROPOSITIONS
from caesura.llm.shown import shown
from caesura.text.sentences import sentences
from caesura.types import Segmenter, Sizer, Span

_KEYS = ("number", "propositions")


@dataclass(frozen=True, slots=True)
class Proposition:
    """A statement that can be understood alone.

    sentences: the numbers of those it rests on, from 1, within its passage. spans: where they stand in the document,
    without whitespace at their ends, neighbours in one. passage: its index. kept: no statement of the model, but a
    sentence of the passage that stands in for what failed.
    """

    text: str
    sentences: tuple[int, ...]
    spans: tuple[Span, ...]
    passage: int
    document_id: str = ""
    kept: bool = False


@dataclass(frozen=True, slots=True)
class Extracted:
    """What came of one passage. uncovered: the sentences, in the document, that no proposition rests on."""

    passage: int
    document_id: str
    propositions: tuple[Proposition, ...]
    uncovered: tuple[Span, ...] = ()
    failure: Failure | None = None


class Propositions(PerPassage[Extracted]):
    """Passages -> one `Extracted` each, in order: a `Conversation`.

    segment: what the sentences are, the same for a passage wherever it stands. Of replies is dropped, and counted in
    ``tally.dropped``: a sentence's number that does not exist ("numbers"), a statement that is empty ("empty"), says
    the same as an earlier one of its passage ("duplicate": the earlier one gets its sentences), or names no sentence
    that exists ("unsupported"). A passage all of whose statements are unsupported is asked for again.

    Returns results such that every proposition rests on at least one sentence, and every sentence is rested on or
    listed as uncovered.
    """

    schema = PASSAGES_OF_PROPOSITIONS

    def __init__(
        self,
        passages: Iterable[Passage],
        *,
        prompt: Prompt = PROPOSITIONS,
        budget: int = 1500,
        size: Sizer = quarter,
        segment: Segmenter = sentences,
        max_tokens: int | None = None,
        on_failure: OnFailure = "raise",
        window: int = 512,
    ) -> None:
        self._segment = segment
        self._begun: dict[int, list[Proposition]] = {}
        self._spans: dict[int, list[Span]] = {}
        super().__init__(
            passages,
            prompt=prompt,
            budget=budget,
            size=size,
            max_tokens=max_tokens,
            on_failure=on_failure,
            window=window,
        )

    def _sentences(self, number: int, passage: Passage) -> list[Span]:
        """Spans within the passage, trimmed; number k is at k - 1. Made once, kept until the passage is done."""
        if number not in self._spans:
            text = passage.text
            held = (trim(text, *span) for span in spans(self._segment(text)))
            self._spans[number] = [span for span in held if span.end > span.start]
        return self._spans[number]

    def _shown(self, number: int, passage: Passage, heading: str) -> str:
        begun = self._begun.get(number)
        if begun:
            heading += f" (only what follows sentence {_reached(begun)})"
        lines = [shown(passage.text[a:b], f"[{k}] ") for k, (a, b) in enumerate(self._sentences(number, passage), 1)]
        return "\n".join([f"{heading}:", *lines])

    def _read(self, asked: list[tuple[int, Passage]], reply: Reply) -> Reading[Extracted]:
        found = items(reply.text, "passages", _KEYS)
        reading: Reading[Extracted] = Reading(cut=found.cut)
        for place, said in by_number(found.items, len(asked)).items():
            number, passage = asked[place - 1]
            lists = [one for item in said if isinstance(one := item.get("propositions"), list)]
            if not lists:
                reading.fault = f"passage {place} must have a list of propositions, got {said[0]!r:.60}"
                continue
            statements = [statement for one in lists for statement in one]
            begun = [*self._begun.get(number, ())]
            before = len(begun)
            fault = self._add(begun, found, statements, number, passage)
            if fault:
                reading.fault = f"passage {place}: {fault}"
            elif all(map(found.complete, (*said, *lists))):
                reading.answers[number] = self._extracted(number, passage, begun)
            elif len(begun) > before and _reached(begun) > _reached(begun[:before]) and len(asked) == 1:
                self._begun[number], reading.went_on = begun, True
        return reading

    def _add(self, begun: list[Proposition], found: Found, statements: list[Any], number: int, passage: Passage) -> str:
        """Adds the statements that can be used; says what is wrong where there are some and none can."""
        held = self._sentences(number, passage)
        said = {_same(one.text): place for place, one in enumerate(begun)}
        dropped, unsupported, used = self.tally.dropped, 0, 0
        for statement in statements:
            if isinstance(statement, dict) and not found.complete(statement):
                continue
            text, named = _statement(statement)
            numbers = sorted({k for k in named if k is not None and 1 <= k <= len(held)})
            dropped["numbers"] += len(named) - len([k for k in named if k in numbers])
            if not text:
                dropped["empty"] += 1
            elif not numbers or is_dots(text):
                unsupported += 1
            elif _same(text) in said:
                dropped["duplicate"] += 1
                place = said[_same(text)]
                numbers = sorted({*numbers, *begun[place].sentences})
                begun[place] = _proposition(begun[place].text, numbers, held, number, passage)
            else:
                said[_same(text)] = len(begun)
                begun.append(_proposition(text, numbers, held, number, passage))
                used += 1
        if unsupported and not used:
            return (
                f"each proposition must name the sentences it comes from, 1 to {len(held)}, got {statements[0]!r:.100}"
            )
        dropped["unsupported"] += unsupported
        return ""

    def _extracted(
        self, number: int, passage: Passage, propositions: list[Proposition], failure: Failure | None = None
    ) -> Extracted:
        self._begun.pop(number, None)
        held = self._sentences(number, passage)
        del self._spans[number]
        rested = {k for one in propositions for k in one.sentences}
        bare = [held[k - 1] for k in range(1, len(held) + 1) if k not in rested]
        uncovered = tuple(Span(passage.start + a, passage.start + b) for a, b in bare)
        return Extracted(number, passage.document_id, tuple(propositions), uncovered, failure)

    def _nothing(self, number: int, passage: Passage) -> Extracted:
        return Extracted(number, passage.document_id, ())

    def _kept(self, number: int, passage: Passage, failure: Failure) -> Extracted:
        """The passage's own sentences; with a reply that was cut off, those after what it says."""
        begun = self._begun.pop(number, [])
        held = self._sentences(number, passage)
        rested = {k for one in begun for k in one.sentences}
        for k, (a, b) in enumerate(held, 1):
            if k not in rested:
                begun.append(_proposition(passage.text[a:b], [k], held, number, passage, kept=True))
        return self._extracted(number, passage, begun, failure)


def as_sentences(passages: Iterable[Passage], segment: Segmenter = sentences) -> list[Extracted]:
    """Passages -> their own sentences, as propositions, without a language model."""
    conversation = Propositions((), segment=segment)
    found = []
    for number, passage in enumerate(passages):
        held = conversation._sentences(number, passage)
        stated = [_proposition(passage.text[a:b], [k], held, number, passage) for k, (a, b) in enumerate(held, 1)]
        found.append(conversation._extracted(number, passage, stated))
    return found


def _proposition(
    text: str, numbers: list[int], held: list[Span], number: int, passage: Passage, kept: bool = False
) -> Proposition:
    return Proposition(
        text, tuple(numbers), tuple(_spans(numbers, held, passage.start)), number, passage.document_id, kept
    )


def _spans(numbers: list[int], held: list[Span], start: int) -> Iterator[Span]:
    """Rising sentence numbers -> their spans in the document, those of neighbours in one."""
    first = numbers[0]
    for number, following in zip(numbers, [*numbers[1:], 0], strict=True):
        if following != number + 1:
            yield Span(start + held[first - 1].start, start + held[number - 1].end)
            first = following


def _reached(begun: list[Proposition]) -> int:
    """The last sentence that a statement rests on."""
    return max((k for one in begun for k in one.sentences), default=0)


def _statement(value: Any) -> tuple[str, list[int | None]]:
    if not isinstance(value, dict):
        return (value.strip(), []) if isinstance(value, str) else ("", [])
    text, named = value.get("text"), value.get("sentences")
    listed = named if isinstance(named, list) else [] if named is None else [named]
    return (text.strip() if isinstance(text, str) else ""), [whole_number(one) for one in listed]


def _same(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")
