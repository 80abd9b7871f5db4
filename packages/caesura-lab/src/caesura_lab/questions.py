"""A file of JSON lines -> questions, each with the character spans that answer it, or an error that names the line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from caesura import CaesuraError, SettingError, Span


class QuestionsError(CaesuraError, ValueError):
    """A file of questions cannot be read, or does not fit its texts."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the name of the text that answers it, and the parts of that text that are the answer.

    Raises `SettingError` where there is no span, or one that is empty or starts before 0.
    """

    question: str
    corpus: str
    spans: tuple[Span, ...]

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


def read_questions(path: str | Path, texts: Mapping[str, str] | None = None) -> list[Question]:
    """JSON lines ``{"question": str, "corpus": str, "spans": [[start, end], …]}`` -> questions, in the file's order.

    Blank lines count for nothing. texts: the texts by name, to check that each question's is there and holds its spans.
    Raises `QuestionsError` with the file and the line.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise QuestionsError(f"cannot read questions from {path}: {error}") from error
    found = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                found.append(_question(line, texts))
            except (SettingError, json.JSONDecodeError) as error:
                raise QuestionsError(f"{path}, line {number}: {error}") from error
    if not found:
        raise QuestionsError(f"{path} has no questions: it must hold one JSON object per line")
    return found


def _question(line: str, texts: Mapping[str, str] | None) -> Question:
    row = json.loads(line)
    if not isinstance(row, dict) or not {"question", "corpus", "spans"} <= row.keys():
        raise SettingError(f"a line must be an object with question, corpus and spans, got {line.strip():.80}")
    question = Question(row["question"], row["corpus"], row["spans"])
    if texts is not None:
        if question.corpus not in texts:
            raise SettingError(f"there is no text named {question.corpus!r}, only {', '.join(sorted(texts))}")
        length, last = len(texts[question.corpus]), max(span.end for span in question.spans)
        if last > length:
            raise SettingError(f"a span ends at {last}, but the text {question.corpus!r} has {length} characters")
    return question
