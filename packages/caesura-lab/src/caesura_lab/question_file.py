"""A file of JSON lines -> questions, each with the character spans that answer it, or an error that names the line.

An answer is given by its spans, or by its words, which are then looked for in the text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from caesura import SettingError
from caesura_lab.answers import answered, named
from caesura_lab.question import Question


class QuestionsError(SettingError):
    """A file of questions cannot be read, or does not fit its texts."""


def read_questions(path: str | Path, texts: Mapping[str, str] | None = None) -> list[Question]:
    """JSON lines -> questions, in the file's order.

    A line is ``{"question": str, "answer": str or [str, …], "corpus": str}`` or, in place of the answer,
    ``"spans": [[start, end], …]``. An answer must occur once in the text, whitespace aside. corpus is the name of the
    text, or the end of its path; where it is left out the answer must occur in one text. Blank lines count for nothing.

    texts: the texts by name; without them there must be spans, and nothing is checked against a text. Raises
    `QuestionsError` with the file and the line.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise QuestionsError(f"cannot read questions from {path}: {error}") from error
    found = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                found.append(_question(line, texts))
            except (ValueError, RecursionError) as error:  # no JSON, a number beyond all measure, brackets without end
                raise QuestionsError(f"{path}, line {number}: {error}") from error
    if not found:
        raise QuestionsError(f"{path} has no questions: it must hold one JSON object per line")
    return found


def _question(line: str, texts: Mapping[str, str] | None) -> Question:
    row = json.loads(line)
    if not isinstance(row, dict) or "question" not in row or ("answer" in row) == ("spans" in row):
        raise SettingError(
            f"a line must be an object with question, corpus and spans, or question and answer, got {line.strip():.80}"
        )
    if "answer" in row:
        if texts is None:
            raise SettingError("an answer is looked for in the texts: give them, or spans in its place")
        return Question(row["question"], *answered(row["answer"], row.get("corpus"), texts))
    if texts is None:
        return Question(row["question"], row.get("corpus"), row["spans"])  # type: ignore[arg-type]
    question = Question(row["question"], named(row.get("corpus"), texts), row["spans"])
    length, last = len(texts[question.corpus]), max(span.end for span in question.spans)
    if last > length:
        raise SettingError(f"a span ends at {last}, but the text {question.corpus!r} has {length} characters")
    return question
