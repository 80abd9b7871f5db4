"""Passages in; standalone statements out, each with the sentences of the document that it rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from caesura.checks import OnFailure
from caesura.edges import spans, trim
from caesura.text.sentences import sentences
from caesura.types import Segmenter, Sizer, Span
from caesura_llm.conversation import Failure, Reply
from caesura_llm.passages import Passage, PerPassage, Reading, quarter
from caesura_llm.prompts import PASSAGES_OF_PROPOSITIONS, PROPOSITIONS, Prompt, shown
from caesura_llm.replies import by_number, is_dots, items, whole_number


class Statement(NamedTuple):
    """sentences: the numbers of those it rests on, from 1, rising, at least one."""

    text: str
    sentences: tuple[int, ...]


def add(stated: list[Statement], said: Sequence[Any], count: int, dropped: Counter[str]) -> str:
    """Adds what is said to the statements of a passage of `count` sentences, as far as it can be used.

    dropped: counts what cannot. Returns what is wrong where something is said and nothing can be used, else "".
    """
    places = {_same(one.text): place for place, one in enumerate(stated)}
    unsupported = used = 0
    for value in said:
        text, named = _read(value)
        numbers = {k for k in named if k is not None and 1 <= k <= count}
        dropped["numbers"] += len(named) - len([k for k in named if k in numbers])
        if not text:
            dropped["empty"] += 1
        elif not numbers or is_dots(text):
            unsupported += 1
        elif _same(text) in places:
            dropped["duplicate"] += 1
            place = places[_same(text)]
            stated[place] = Statement(stated[place].text, tuple(sorted(numbers.union(stated[place].sentences))))
        else:
            places[_same(text)] = len(stated)
            stated.append(Statement(text, tuple(sorted(numbers))))
            used += 1
    if unsupported and not used:
        return f"each proposition must name the sentences it comes from, 1 to {count}, got {said[0]!r:.100}"
    dropped["unsupported"] += unsupported
    return ""


def reached(stated: Sequence[Statement]) -> int:
    """The last sentence that one of them rests on."""
    return max((k for one in stated for k in one.sentences), default=0)


def _read(value: Any) -> tuple[str, list[int | None]]:
    if not isinstance(value, dict):
        return (value.strip(), []) if isinstance(value, str) else ("", [])
    text, named = value.get("text"), value.get("sentences")
    listed = named if isinstance(named, list) else [] if named is None else [named]
    return (text.strip() if isinstance(text, str) else ""), [whole_number(one) for one in listed]


def _same(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")


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
        self._begun: dict[int, list[Statement]] = {}
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
        """Made once, kept until the passage is done."""
        if number not in self._spans:
            self._spans[number] = _sentences(passage, self._segment)
        return self._spans[number]

    def _shown(self, number: int, passage: Passage, heading: str) -> str:
        begun = self._begun.get(number)
        if begun:
            heading += f" (only what follows sentence {reached(begun)})"
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
            listed = [one for some in lists for one in some if found.complete(one)]
            stated = [*self._begun.get(number, ())]
            before = len(stated)
            fault = add(stated, listed, len(self._sentences(number, passage)), self.tally.dropped)
            if fault:
                reading.fault = f"passage {place}: {fault}"
            elif all(map(found.complete, (*said, *lists))):
                reading.answers[number] = self._done(number, passage, stated)
            elif len(stated) > before and reached(stated) > reached(stated[:before]) and len(asked) == 1:
                self._begun[number], reading.went_on = stated, True
        return reading

    def _done(
        self, number: int, passage: Passage, stated: Sequence[Statement], failure: Failure | None = None
    ) -> Extracted:
        held = self._sentences(number, passage)
        del self._spans[number]
        self._begun.pop(number, None)
        return _extracted(number, passage, held, stated, failure)

    def _nothing(self, number: int, passage: Passage) -> Extracted:
        return Extracted(number, passage.document_id, ())

    def _kept(self, number: int, passage: Passage, failure: Failure) -> Extracted:
        """The passage's own sentences; with a reply that was cut off, those that nothing it says rests on."""
        return self._done(number, passage, self._begun.get(number, ()), failure)


def as_sentences(passages: Iterable[Passage], segment: Segmenter = sentences) -> list[Extracted]:
    """Passages -> their own sentences, as propositions, without a language model."""
    found = []
    for number, passage in enumerate(passages):
        held = _sentences(passage, segment)
        found.append(_extracted(number, passage, held, _own(passage, held)))
    return found


def _sentences(passage: Passage, segment: Segmenter) -> list[Span]:
    """Spans within the passage, trimmed; number k is at k - 1."""
    held = (trim(passage.text, *span) for span in spans(segment(passage.text)))
    return [span for span in held if span.end > span.start]


def _own(passage: Passage, held: list[Span]) -> list[Statement]:
    return [Statement(passage.text[a:b], (k,)) for k, (a, b) in enumerate(held, 1)]


def _extracted(
    number: int, passage: Passage, held: list[Span], stated: Sequence[Statement], failure: Failure | None = None
) -> Extracted:
    """What a passage states -> its result; after a failure, the sentences that nothing rests on stand in."""
    rested = {k for one in stated for k in one.sentences}
    bare = [one for one in _own(passage, held) if one.sentences[0] not in rested]
    listed = [*((one, False) for one in stated), *((one, True) for one in bare if failure)]
    found = [
        Proposition(
            one.text, one.sentences, _spans(one.sentences, held, passage.start), number, passage.document_id, kept
        )
        for one, kept in listed
    ]
    uncovered = [span for one in bare if not failure for span in _spans(one.sentences, held, passage.start)]
    return Extracted(number, passage.document_id, tuple(found), tuple(uncovered), failure)


def _spans(numbers: Sequence[int], held: list[Span], start: int) -> tuple[Span, ...]:
    """Rising sentence numbers -> their spans in the document, those of neighbours in one."""
    found = []
    first = numbers[0]
    for number, following in zip(numbers, [*numbers[1:], 0], strict=True):
        if following != number + 1:
            found.append(Span(start + held[first - 1].start, start + held[number - 1].end))
            first = following
    return tuple(found)
