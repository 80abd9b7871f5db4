"""Propositions: passages in, standalone statements out, each with the sentences of the document that it rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Unpack

from caesura.edges import spans, trim
from caesura.text.sentences import sentences
from caesura.types import Segmenter, Span
from caesura_llm.conversation import Failure, Reply
from caesura_llm.passages import Passage
from caesura_llm.prompts import PASSAGES_OF_PROPOSITIONS, PROPOSITIONS, Prompt, quote
from caesura_llm.repair_ladder import PassageSettings, PerPassage, Reading
from caesura_llm.replies import SaidStatement, read_answers, read_statements


@dataclass(frozen=True, slots=True)
class Proposition:
    """A statement that can be understood alone.

    text: the statement. document_id: of its document. sentences: the numbers of those it rests on, from 1, within its
    passage. spans: where they stand in the document, or in the passage where its start is not known, without whitespace
    at their ends, neighbours in one. passage: its index. is_fallback: no statement of the model, but a sentence of the
    passage that stands in for what failed.
    """

    text: str
    sentences: tuple[int, ...]
    spans: tuple[Span, ...]
    passage: int
    document_id: str = ""
    is_fallback: bool = False


@dataclass(frozen=True, slots=True)
class PassageResult:
    """The propositions of one passage.

    passage: its index. document_id: of its document. propositions: in the order of the reply. uncovered: the sentences,
    in the document, that no proposition rests on. failure: why the model's replies could not be used.
    """

    passage: int
    document_id: str
    propositions: tuple[Proposition, ...]
    uncovered: tuple[Span, ...] = ()
    failure: Failure | None = None


class Propositions(PerPassage[PassageResult]):
    """Passages -> one `PassageResult` each, in order: a `Conversation`.

    segment: what the sentences are, the same for a passage wherever it stands.

    Every proposition rests on at least one sentence. Every sentence is rested on, or listed as uncovered.

    It drops parts of replies that cannot be used, and counts them in ``tally.dropped``. "numbers" are numbers of
    sentences that do not exist. "empty" are statements without words. "duplicate" are statements that say the same as
    an earlier one of the passage, which gets their sentences. "unsupported" are statements that name no sentence that
    exists. If all statements of a passage are unsupported, the model is asked again.

    Raises `SettingError` for a setting that cannot be used.
    """

    schema = PASSAGES_OF_PROPOSITIONS

    def __init__(
        self,
        passages: Iterable[Passage],
        *,
        prompt: Prompt = PROPOSITIONS,
        budget: int = 1500,
        segment: Segmenter = sentences,
        **settings: Unpack[PassageSettings],
    ) -> None:
        self._segment = segment
        self._partial: dict[int, list[Statement]] = {}
        self._spans: dict[int, list[Span]] = {}
        super().__init__(passages, prompt=prompt, budget=budget, **settings)

    def _quote(self, asked: list[tuple[int, Passage]], headings: list[str]) -> list[str]:
        new = {number: passage for number, passage in asked if number not in self._spans}
        self._spans.update(zip(new, own_sentences([*new.values()], self._segment), strict=True))
        blocks = []
        for (number, passage), heading in zip(asked, headings, strict=True):
            if partial := self._partial.get(number):
                heading += f" (only what follows sentence {last_sentence(partial)})"
            lines = [f"{heading}:"]
            for k, (start, end) in enumerate(self._spans[number], 1):
                lines.append(quote(passage.text[start:end], f"[{k}] "))
            blocks.append("\n".join(lines))
        return blocks

    def _read(self, asked: list[tuple[int, Passage]], reply: Reply) -> Reading[PassageResult]:
        answers = read_answers(reply.text, "propositions", len(asked))
        reading: Reading[PassageResult] = Reading(cut=answers.is_cut)
        said = read_statements(answers)
        for place, answer in answers.by_place.items():
            number, passage = asked[place - 1]
            if not any(isinstance(value, list) for value in answer.values):
                reading.fault = f"passage {place} must have a list of propositions, got {answer.first!r:.60}"
                continue
            stated = [*self._partial.get(number, ())]
            before = len(stated)
            fault = add_statements(stated, said[place], len(self._spans[number]), self.tally.dropped)
            if fault:
                reading.fault = f"passage {place}: {fault}"
            elif answer.is_whole:
                reading.answers[number] = self._done(number, passage, stated)
            elif len(stated) > before and last_sentence(stated) > last_sentence(stated[:before]) and len(asked) == 1:
                self._partial[number], reading.went_on = stated, True
        return reading

    def _done(
        self, number: int, passage: Passage, stated: Sequence[Statement], failure: Failure | None = None
    ) -> PassageResult:
        own = self._spans.pop(number)
        self._partial.pop(number, None)
        return _passage_result(number, passage, own, stated, failure)

    def _nothing(self, number: int, passage: Passage) -> PassageResult:
        return PassageResult(number, passage.document_id, ())

    def _fallback(self, number: int, passage: Passage, failure: Failure) -> PassageResult:
        """Returns the passage's own sentences; after a reply that was cut off, only those that it did not cover."""
        return self._done(number, passage, self._partial.get(number, ()), failure)


def as_sentences(passages: Iterable[Passage], segment: Segmenter = sentences) -> list[PassageResult]:
    """Passages -> their own sentences, as propositions, without a language model. Raises what `segment` raises."""
    listed = list(passages)
    sentences_of = own_sentences(listed, segment)
    return [
        _passage_result(number, passage, own, _own_statements(passage, own))
        for number, (passage, own) in enumerate(zip(listed, sentences_of, strict=True))
    ]


def own_sentences(passages: Sequence[Passage], segment: Segmenter) -> list[list[Span]]:
    """Passages -> the places of their sentences in each, trimmed; sentence number k is at k - 1."""
    tilings = [segment(passage.text) for passage in passages]
    found: list[list[Span]] = []
    for passage, edges in zip(passages, tilings, strict=True):
        own: list[Span] = []
        for start, end in spans(edges):
            span = trim(passage.text, start, end)
            if span.end > span.start:
                own.append(span)
        found.append(own)
    return found


def _own_statements(passage: Passage, own: list[Span]) -> list[Statement]:
    return [Statement(passage.text[a:b], (k,)) for k, (a, b) in enumerate(own, 1)]


def _passage_result(
    number: int, passage: Passage, own: list[Span], stated: Sequence[Statement], failure: Failure | None = None
) -> PassageResult:
    """Makes a passage's result. After a failure, sentences that no statement rests on stand in."""
    start = passage.start or 0
    rested = {k for one in stated for k in one.sentences}
    left = [one for one in _own_statements(passage, own) if one.sentences[0] not in rested]
    listed = [*((one, False) for one in stated), *((one, True) for one in left if failure)]
    propositions = [
        Proposition(
            one.text,
            one.sentences,
            _spans_in_document(one.sentences, own, start),
            number,
            passage.document_id,
            is_fallback,
        )
        for one, is_fallback in listed
    ]
    uncovered = [span for one in left if not failure for span in _spans_in_document(one.sentences, own, start)]
    return PassageResult(number, passage.document_id, tuple(propositions), tuple(uncovered), failure)


def _spans_in_document(numbers: Sequence[int], own: list[Span], start: int) -> tuple[Span, ...]:
    """Rising sentence numbers -> their spans in the document, those of neighbours in one."""
    result = []
    first = numbers[0]
    for number, following in zip(numbers, [*numbers[1:], 0], strict=True):
        if following != number + 1:
            result.append(Span(start + own[first - 1].start, start + own[number - 1].end))
            first = following
    return tuple(result)


# -- statements of a reply ---------------------------------------------------------------------------------------------


class Statement(NamedTuple):
    """sentences: the numbers of those it rests on, from 1, rising, at least one."""

    text: str
    sentences: tuple[int, ...]


def add_statements(stated: list[Statement], said: Sequence[SaidStatement], count: int, dropped: Counter[str]) -> str:
    """Adds usable statements of a reply to those of a passage of `count` sentences.

    dropped: counts what is left out. Returns a fault if the reply has statements and none is usable, else "".
    """
    places = {_comparable(one.text): place for place, one in enumerate(stated)}
    unsupported = used = 0
    for _, text, listed, stands_for_text in said:
        numbers = {k for k in listed if k is not None and 1 <= k <= count}
        dropped["numbers"] += len(listed) - len([k for k in listed if k in numbers])
        if not text:
            dropped["empty"] += 1
        elif not numbers or stands_for_text:
            unsupported += 1
        elif _comparable(text) in places:
            dropped["duplicate"] += 1
            place = places[_comparable(text)]
            stated[place] = Statement(stated[place].text, tuple(sorted(numbers.union(stated[place].sentences))))
        else:
            places[_comparable(text)] = len(stated)
            stated.append(Statement(text, tuple(sorted(numbers))))
            used += 1
    if unsupported and not used:
        return f"each proposition must name the sentences it comes from, 1 to {count}, got {said[0].value!r:.100}"
    dropped["unsupported"] += unsupported
    return ""


def last_sentence(stated: Sequence[Statement]) -> int:
    """The number of the last sentence that a statement rests on; 0 without statements."""
    return max((k for one in stated for k in one.sentences), default=0)


def _comparable(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")
