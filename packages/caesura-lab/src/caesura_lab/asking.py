"""What finds a text for a question, such as a retriever, and questions -> a table: was the answer in what came back?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from caesura import SettingError
from caesura_lab.questions import Question
from caesura_lab.tables import Row, Table

SHOWN = 240
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
    for one in questions:
        question, answers = (one, []) if isinstance(one, str) else (one.question, _answers(one, texts))
        found = _line(find(question))
        right = all(answer in found for answer in answers) if answers else None
        rows.append({"question": question, "right": right, "found": _around(found, answers[0] if answers else "")})
    known = [row["right"] for row in rows if row["right"] is not None]
    notes = (f"{sum(map(bool, known))} of {len(known)} answers are in what was found.",) if known else ()
    return Table(tuple(rows), title, notes)


def _answers(question: Question, texts: Mapping[str, str]) -> list[str]:
    if question.corpus not in texts:
        raise SettingError(f"texts must have {question.corpus!r}, which {question.question!r:.80} is of")
    return [_line(texts[question.corpus][start:end]) for start, end in question.spans]


def _around(found: str, answer: str) -> str:
    place = max(found.find(answer), 0)
    start = max(place - SHOWN // 3, 0)
    start = start and (found.find(" ", start, place) + 1 or start)
    return ("…" if start else "") + found[start : start + SHOWN] + ("…" if len(found) > start + SHOWN else "")


def _line(text: str) -> str:
    return " ".join(text.split())
