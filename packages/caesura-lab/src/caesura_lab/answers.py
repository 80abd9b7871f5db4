"""Whether a retriever finds the answers to questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from caesura import SettingError
from caesura_lab.questions import Question
from caesura_lab.tables import Row, Table

EXCERPT = 240
"""So many characters of what was found, from shortly before the answer."""


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
