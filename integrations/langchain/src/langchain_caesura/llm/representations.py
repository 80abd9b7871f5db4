"""Chunks in, texts to find them by out: summaries, and questions that they answer."""

from __future__ import annotations

from typing import Unpack

from langchain_core.language_models import BaseChatModel

from caesura.llm.prompts import QUESTIONS, SUMMARY, Prompt
from caesura.llm.representations import Representations, questions, summaries
from langchain_caesura.llm.representing import Representing, Settings, passages_of
from langchain_caesura.llm.source import Source


class SummaryTransformer(Representing):
    """Chunks -> a summary of each. Settings: `Representing`."""

    work: str = "Summaries"
    view: str = "summary"

    def __init__(self, llm: BaseChatModel, *, prompt: Prompt = SUMMARY, **settings: Unpack[Settings]) -> None:
        super().__init__(llm, prompt=prompt, **settings)

    def _conversation(self, sources: list[Source]) -> Representations:
        return summaries(passages_of(sources), **self._settings())


class QuestionTransformer(Representing):
    """Chunks -> up to `n` questions that each answers. The prompt says ``{n}``. Settings: `Representing`."""

    work: str = "Questions"
    view: str = "question"

    def __init__(
        self, llm: BaseChatModel, *, n: int = 3, prompt: Prompt = QUESTIONS, **settings: Unpack[Settings]
    ) -> None:
        self.n = n
        super().__init__(llm, prompt=prompt, **settings)

    def _conversation(self, sources: list[Source]) -> Representations:
        return questions(passages_of(sources), self.n, **self._settings())
