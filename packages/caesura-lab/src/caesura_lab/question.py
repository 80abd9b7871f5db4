"""A question, the text that answers it, and the character spans that are the answer -> a `Question`, checked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from caesura import SettingError, Span


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
