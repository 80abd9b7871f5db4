"""Questions with the spans of the texts that answer them: read from a file, taken from a text, asked of a retriever."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from caesura import SettingError, Span, sentences
from caesura.checks import check_int
from caesura.edges import spans, trim
from caesura_lab.tables import Row, Table

EXCERPT = 240
"""So many characters of what was found, from shortly before the answer."""
PARTED = "(?:\u00ad|[-\u2010]\u00ad?[ \\t]*\\r?\\n\\s*)?"
"""What a PDF may have within a word where a line ends."""
FAULTS = 20
"""So many faults of a file of questions are named."""
BETWEEN = re.compile(r"[\s,]*")


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the name of the text that answers it, and the parts of that text that are the answer.

    Raises `SettingError` where there is no span, or one that is empty or starts before 0.
    """

    question: str
    corpus: str
    spans: tuple[Span, ...]

    if TYPE_CHECKING:  # pairs are taken too

        def __init__(self, question: str, corpus: str, spans: Iterable[tuple[int, int]]) -> None: ...

    def __post_init__(self) -> None:
        if not isinstance(self.question, str) or not isinstance(self.corpus, str):
            raise SettingError(f"question and corpus must be str, got {self.question!r} and {self.corpus!r}")
        try:
            spans = tuple(Span(start, end) for start, end in self.spans)
        except (TypeError, ValueError) as error:
            raise SettingError(f"spans must be pairs (start, end), got {self.spans!r}") from error
        if not spans:
            raise SettingError(f"a question needs a span that answers it, got none for {self.question!r}")
        for span in spans:
            if not all(type(edge) is int for edge in span) or not 0 <= span.start < span.end:
                raise SettingError(f"a span must be whole numbers 0 <= start < end, got {tuple(span)}")
        object.__setattr__(self, "spans", spans)


class QuestionsError(SettingError):
    """A file of questions cannot be read, or does not fit its texts."""


def read_questions(path: str | Path, texts: Mapping[str, str] | None = None) -> list[Question]:
    """JSON lines, or a JSON array -> questions, in the file's order.

    A line is ``{"question": str, "answer": str or [str, …], "corpus": str}`` or, in place of the answer,
    ``"spans": [[start, end], …]``, and so is an item of an array. An answer must occur once in the text, whitespace
    aside. corpus is the name of the text, or the end of its path; where it is left out the answer must occur in one
    text. Blank lines count for nothing.

    texts: the texts by name; without them there must be spans, and nothing is checked against a text. Raises
    `QuestionsError` with the file and every line that is at fault.
    """
    try:
        written = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise QuestionsError(f"cannot read questions from {path}: {error}") from error
    questions: list[Question] = []
    faults: list[tuple[str, Exception]] = []
    for place, row in _read_rows(str(path), written):
        try:
            questions.append(_parse_question(json.loads(row), texts))
        except (ValueError, RecursionError) as error:  # no JSON, a number beyond all measure, brackets without end
            faults.append((place, error))
    if len(faults) == 1:
        ((place, fault),) = faults
        raise QuestionsError(f"{path}, {place}: {fault}") from fault
    if faults:
        named = [f"{place}: {error}" for place, error in faults[:FAULTS]]
        more = [f"and {len(faults) - FAULTS} more"] if len(faults) > FAULTS else []
        raise QuestionsError("\n  ".join([f"{path} has {len(faults)} faults:", *named, *more])) from faults[0][1]
    if not questions:
        raise QuestionsError(f"{path} has no questions: it must hold one JSON object per line, or an array of them")
    return questions


def _read_rows(path: str, written: str) -> list[tuple[str, str]]:
    """What a file holds -> its lines that are not blank, or the items of its array, each with the line it begins in."""
    start = len(written) - len(written.lstrip())
    if not written.startswith("[", start):
        return [(f"line {number}", line) for number, line in enumerate(written.split("\n"), 1) if line.strip()]
    try:
        json.loads(written)
    except (ValueError, RecursionError) as error:
        raise QuestionsError(f"{path}, line {getattr(error, 'lineno', 1)}: no JSON array: {error}") from error
    rows: list[tuple[str, str]] = []
    decoder, at, line, counted = json.JSONDecoder(), start + 1, 1, 0
    while True:
        at = BETWEEN.match(written, at).end()  # type: ignore[union-attr]
        if written[at] == "]":
            return rows
        end = decoder.raw_decode(written, at)[1]
        line += written.count("\n", counted, at)
        rows.append((f"line {line}, question {len(rows) + 1}", written[at:end]))
        at, counted = end, at


def format_questions(questions: Iterable[Question], texts: Mapping[str, str]) -> str:
    """Questions, each with one span -> the lines that `read_questions` reads, with the answers that the texts have."""
    rows = []
    for one in questions:
        ((start, end),) = one.spans
        rows.append(
            {"question": one.question, "answer": texts[one.corpus][start:end], "corpus": _short_name(one.corpus, texts)}
        )
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


def known_items(texts: Mapping[str, str], each: int = 3) -> list[Question]:
    """Texts by name -> up to `each` sentences of each text, evenly through it, as questions that they answer.

    Known-item search: it shows whether a chunk is found at all by what it says. It is far easier than a question in
    other words, so use it to see that all is well, and not to compare splitters. Sentences of 40 to 200 characters,
    where the text has some; none is asked for twice. Raises `SettingError` unless `each` is 1 or more.

    >>> [(one.question, one.spans) for one in known_items({"note": "Yeast makes dough rise. The sea has tides."}, 1)]
    [('The sea has tides.', (Span(start=24, end=42),))]
    """
    check_int("each", each, 1)
    questions: dict[str, Question] = {}
    for name, text in texts.items():
        pieces = [span for span in (trim(text, *place) for place in spans(sentences(text))) if span.start < span.end]
        fitting = [span for span in pieces if 40 <= span.end - span.start <= 200] or pieces
        for number in range(each if fitting else 0):
            start, end = fitting[len(fitting) * (2 * number + 1) // (2 * each)]
            sentence = " ".join(text[start:end].split())
            questions.setdefault(sentence, Question(sentence, name, [Span(start, end)]))
    return list(questions.values())


def ask(
    find: Callable[[str], str], questions: Sequence[Question | str], texts: Mapping[str, str], title: str = "Asked"
) -> Table:
    """A function from a question to the text that is found for it -> a `Table` with a row per question.

    right: whether each span of the answer is in what was found, whitespace aside; None for a str, of which no answer
    is known. texts: those that the questions are of, by name. Raises `SettingError` for a question of another text.

    >>> note = "Yeast makes dough rise. The sea has tides."
    >>> table = ask(lambda _: note[:23], [Question("What rises?", "note", [(12, 17)]), "And then?"], {"note": note})
    >>> [(row["right"], row["found"]) for row in table]
    [(True, 'Yeast makes dough rise.'), (None, 'Yeast makes dough rise.')]
    """
    rows: list[Row] = []
    for item in questions:
        question, answers = (item, []) if isinstance(item, str) else (item.question, _answer_texts(item, texts))
        passage = _squeeze(find(question))
        right = all(answer in passage for answer in answers) if answers else None
        rows.append({"question": question, "right": right, "found": _excerpt(passage, answers[0] if answers else "")})
    known = [row["right"] for row in rows if row["right"] is not None]
    notes = (f"{sum(map(bool, known))} of {len(known)} answers are in what was found.",) if known else ()
    return Table(tuple(rows), title, notes)


def _parse_question(row: Any, texts: Mapping[str, str] | None) -> Question:
    if not isinstance(row, dict) or "question" not in row or ("answer" in row) == ("spans" in row):
        raise SettingError(
            "a question must be an object with question, corpus and spans, or question and answer, "
            f"got {json.dumps(row, ensure_ascii=False):.80}"
        )
    if "answer" in row:
        if texts is None:
            raise SettingError("an answer is looked for in the texts: give them, or spans in its place")
        return Question(row["question"], *find_answer(row["answer"], row.get("corpus"), texts))
    if texts is None:
        return Question(row["question"], row.get("corpus"), row["spans"])  # type: ignore[arg-type]
    question = Question(row["question"], find_corpus(row.get("corpus"), texts), row["spans"])
    length, last = len(texts[question.corpus]), max(span.end for span in question.spans)
    if last > length:
        raise SettingError(f"a span ends at {last}, but the text {question.corpus!r} has {length} characters")
    return question


def find_answer(answer: object, corpus: object, texts: Mapping[str, str]) -> tuple[str, tuple[Span, ...]]:
    """A str or a list of str, each of which is in one text, once -> the name of the text, and their places there.

    corpus: the name of the text, or None for whichever has them. Whitespace may differ. Raises `SettingError`.
    """
    answers = [answer] if isinstance(answer, str) else answer
    if (
        not isinstance(answers, list)
        or not answers
        or not all(isinstance(text, str) and text.split() for text in answers)
    ):
        raise SettingError(f"answer must be a str or a list of str, none of them blank, got {answer!r:.80}")
    names = list(texts) if corpus is None else [find_corpus(corpus, texts)]
    places = {name: [find_places(words, texts[name]) for words in answers] for name in names}
    holding = [name for name, each in places.items() if all(each)]
    if not holding:
        raise SettingError(f"the answer is not in {_list_names(names)}, word for word: {' … '.join(answers)!r:.120}")
    if len(holding) > 1:
        raise SettingError(f"the answer is in {_list_names(holding)}: name its text as corpus, or quote more of it")
    for words, spans_of_words in zip(answers, places[holding[0]], strict=True):
        if len(spans_of_words) > 1:
            starts = ", ".join(str(start) for start, _ in spans_of_words[:5])
            raise SettingError(
                f"the answer {words!r:.80} is in {holding[0]} at {starts}: quote more of it, or give spans"
            )
    return holding[0], tuple(first for first, *_ in places[holding[0]])


def find_corpus(corpus: object, texts: Mapping[str, str]) -> str:
    """The text that is meant: its name, the end of its path, or that without the suffix. Raises `SettingError`."""
    if corpus is None and len(texts) == 1:
        return next(iter(texts))
    if not isinstance(corpus, str):
        raise SettingError(f"corpus must be the name of a text, one of {_list_names(texts)}, got {corpus!r}")
    if corpus in texts:
        return corpus
    ending = PurePath(corpus).parts
    fitting = [
        name
        for name in texts
        for path in (PurePath(name), PurePath(name).with_suffix("") if PurePath(name).name else PurePath(name))
        if ending and path.parts[-len(ending) :] == ending
    ]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise SettingError(f"corpus {corpus!r} may be {_list_names(fitting)}: give more of its path")
    raise SettingError(f"there is no text named {corpus!r}, only {_list_names(texts)}")


def find_places(answer: str, text: str) -> list[Span]:
    """Where the words stand, whatever whitespace is between them; if nowhere, where line ends part some with a hyphen.

    >>> find_places("an official estimate", "It was an  official esti-\\nmate.")
    [Span(start=7, end=30)]
    """
    words = answer.split()
    places = [Span(*match.span()) for match in re.finditer(r"\s+".join(map(re.escape, words)), text)]
    if places:
        return places
    parted = r"\s+".join(PARTED.join(map(re.escape, word)) for word in words)
    return [Span(*match.span()) for match in re.finditer(parted, text)]


def _short_name(corpus: str, texts: Mapping[str, str]) -> str:
    """The last part of a path where that is enough, so that the lines hold from another folder too."""
    short = PurePath(corpus).name
    try:
        return short if find_corpus(short, texts) == corpus else corpus
    except SettingError:
        return corpus


def _list_names(names: Iterable[str]) -> str:
    every = sorted(names)
    return ", ".join(every[:10]) + (f" and {len(every) - 10} more" if len(every) > 10 else "")


def _answer_texts(question: Question, texts: Mapping[str, str]) -> list[str]:
    if question.corpus not in texts:
        raise SettingError(f"texts must have {question.corpus!r}, which {question.question!r:.80} is of")
    return [_squeeze(texts[question.corpus][start:end]) for start, end in question.spans]


def _excerpt(passage: str, answer: str) -> str:
    place = max(passage.find(answer), 0)
    start = max(place - EXCERPT // 3, 0)
    start = start and (passage.find(" ", start, place) + 1 or start)
    return ("…" if start else "") + passage[start : start + EXCERPT] + ("…" if len(passage) > start + EXCERPT else "")


def _squeeze(text: str) -> str:
    return " ".join(text.split())
