"""Questions about one's own texts that a language model writes, each with an answer that is quoted from its text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from itertools import pairwise
from math import ceil
from typing import Any

import numpy as np

from caesura import SettingError
from caesura.checks import check_int
from caesura_lab.inputs import Texts, collect_texts
from caesura_lab.questions import Question, find_places, format_questions
from caesura_llm.contexts import sections
from caesura_llm.conversation import Chat, Failure, Reply
from caesura_llm.driver import Driver
from caesura_llm.journal import Journal
from caesura_llm.passages import Passage
from caesura_llm.prompts import PASSAGES_OF_QUESTIONS, QUOTED_QUESTIONS
from caesura_llm.repair_ladder import PerPassage, Reading
from caesura_llm.replies import read_answers
from caesura_llm.report import Prices, Report

SECTION = 2400
"""Characters of a text that a request shows, at most."""
SPARE = 1.5
"""So many times the questions that are wanted are asked for, where the passages are few: some are left out."""
MOST = 8
"""Questions that are asked for of one passage, at most."""

Pair = tuple[str, str]
"""A question and its answer, as a model says them."""


@dataclass(frozen=True, slots=True)
class WrittenQuestions:
    """What `write_questions` returns.

    questions: in the order of the texts. report: what they have cost; its items are passages, and dropped are questions
    whose answer is not in the text word for word ("not verbatim") or more than once ("ambiguous"), that say their
    answer themselves ("copied"), or that another says. lines: what `read_questions` reads.
    """

    questions: list[Question]
    report: Report
    lines: str = field(repr=False)


def write_questions(
    texts: Texts,
    chat: Chat,
    count: int = 50,
    *,
    seed: int = 0,
    journal: Journal | None = None,
    prices: Prices | tuple[float, ...] | None = None,
    say: Callable[[int], object] = lambda count: None,
) -> WrittenQuestions:
    """Texts and a client of a language model -> up to `count` questions, each with a span of its text that answers it.

    Passages are drawn at random by `seed`, and no more than are needed. The answer is found in the text whatever its
    whitespace. chat: as ``caesura_llm.openai.openai_chat`` makes one. journal: a run that is stopped and begun again
    pays for nothing twice. prices: as `Report` has them. say: is told how many questions there may be by now.

    A passage whose replies cannot be used is in ``report.failures``. Raises `SettingError`, `ReadingError`, and what
    the client raises.
    """
    check_int("count", count, 1)
    check_int("seed", seed, 0)
    by_name = collect_texts(texts)
    passages = draw_passages(by_name, seed)
    if not passages:
        raise SettingError("there must be a text to ask about, got blank ones")
    each = min(max(ceil(SPARE * count / len(passages)), 1), MOST)
    found: dict[str, Question] = {}
    report = Report(prices)
    while passages and len(found) < count:
        needed = ceil((count - len(found)) / each)
        conversation, before = QuotedQuestions(passages[:needed], each), len(found)

        def progress(done: int, _: int, before: int = before) -> object:
            return say(min(count, before + done * each))

        answers, _ = Driver(progress=progress).run(conversation, chat, journal=journal, report=report)
        for passage, pairs in zip(passages, answers, strict=False):
            _keep_questions(pairs, passage.document_id, by_name[passage.document_id], found, report.dropped)
        passages = passages[needed:]
    questions = list(found.values())
    if surplus := len(questions[count:]):
        report.dropped["surplus"] += surplus
    order = {name: number for number, name in enumerate(by_name)}
    questions = sorted(questions[:count], key=lambda one: (order[one.corpus], one.spans))
    return WrittenQuestions(questions, report, format_questions(questions, by_name))


def draw_passages(texts: Mapping[str, str], seed: int) -> list[Passage]:
    """Texts by name -> their sections that say something, in a random order."""
    passages = [
        Passage(text[start:end], name, start, source=name)
        for name, text in texts.items()
        for start, end in pairwise(sections(text, SECTION, len))
        if text[start:end].strip()
    ]
    return [passages[number] for number in np.random.default_rng(seed).permutation(len(passages))]


class QuotedQuestions(PerPassage[tuple[Pair, ...]]):
    """A `Conversation` about passages, one request each, whose results are up to `each` pairs of question and answer.

    A passage that failed has none.
    """

    schema = PASSAGES_OF_QUESTIONS

    def __init__(self, passages: Iterable[Passage], each: int) -> None:
        prompt = replace(QUOTED_QUESTIONS, text=QUOTED_QUESTIONS.text.replace("{n}", str(each)))
        super().__init__(passages, prompt=prompt, budget=1, on_failure="keep")
        self._each = each

    def _read(self, asked: list[tuple[int, Passage]], reply: Reply) -> Reading[tuple[Pair, ...]]:
        answers = read_answers(reply.text, "questions", len(asked))
        reading: Reading[tuple[Pair, ...]] = Reading(cut=answers.is_cut)
        for place, answer in answers.by_place.items():
            pairs = [pair for one in answer.listed if (pair := _as_pair(one))]
            if pairs or (answer.is_whole and all(value == [] for value in answer.values)):
                reading.answers[asked[place - 1][0]] = tuple(pairs[: self._each])
            else:
                said = answer.values[0]
                reading.fault = f"passage {place} must have a list of questions with answers, got {said!r:.60}"
        return reading

    def _nothing(self, number: int, passage: Passage) -> tuple[Pair, ...]:
        return ()

    def _fallback(self, number: int, passage: Passage, failure: Failure) -> tuple[Pair, ...]:
        return ()


def _keep_questions(
    pairs: Sequence[Pair], name: str, text: str, found: dict[str, Question], dropped: Counter[str]
) -> None:
    """Adds to `found` those that can be used, by what they ask; counts the others by the reason."""
    for question, answer in pairs:
        places, key = find_places(answer, text), question.casefold()
        reason = _reason_to_drop(question, answer, len(places), key in found)
        if reason:
            dropped[reason] += 1
        else:
            found[key] = Question(question, name, places)


def _reason_to_drop(question: str, answer: str, places: int, is_known: bool) -> str | None:
    if places != 1:
        return "ambiguous" if places else "not verbatim"
    if repeats_answer(question, answer):
        return "copied"
    return "duplicate" if is_known else None


def repeats_answer(question: str, answer: str) -> bool:
    """Whether a question says over half of its answer in one piece, so that whoever finds the one finds the other.

    >>> repeats_answer("Who says that the tide turns at nine?", "The tide turns at nine.")
    True
    """
    asked, said = (" ".join(text.casefold().split()) for text in (question, answer))
    return 2 * SequenceMatcher(None, asked, said, autojunk=False).find_longest_match().size > len(said)


def _as_pair(value: Any) -> Pair | None:
    """An object of a reply -> its question, in one line, and its answer, None where one is missing or blank."""
    said: Collection[Any] = (value.get("question"), value.get("answer")) if isinstance(value, dict) else ()
    pair = [" ".join(text.split()) for text in said if isinstance(text, str) and text.strip()]
    return (pair[0], pair[1]) if len(pair) == 2 else None
