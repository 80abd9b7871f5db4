"""What a user hands over: files, names of splitters and a file of questions -> texts, methods, embedder, questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura import SettingError
from caesura.types import Embed
from caesura_lab.embedders import Embedder
from caesura_lab.embedders import embedder as make_embedder
from caesura_lab.questions import Question, read_questions
from caesura_lab.reading import Source, load_sources
from caesura_lab.sizing import Sizing
from caesura_lab.splitters.methods import AnySplitters, Cutting, Method, list_available, make_methods

Texts: TypeAlias = "str | Path | Sequence[Path | Source] | Mapping[str, str]"
"""One text, a file, several files or what was read of them, or texts by their names."""
Questions: TypeAlias = "str | Path | Sequence[Question] | None"
"""A file of questions, or what `read_questions` returns."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """Texts by name, splitters, an embedder and questions, all of them ready to be used."""

    texts: Mapping[str, str]
    methods: Sequence[Method]
    embedder: Embedder
    questions: Sequence[Question]

    def cut_texts(self, method: Method) -> dict[str, Cutting]:
        """A splitter -> by the name of each text how it is cut."""
        cuttings = method(list(self.texts.values()), self.embedder, files=list(self.texts))
        return dict(zip(self.texts, cuttings, strict=True))

    def question_vectors(self) -> NDArray[np.float32]:
        """(q, d) rows, one per question."""
        return self.embedder([question.question for question in self.questions])


def prepare_inputs(
    texts: Texts,
    splitters: AnySplitters,
    questions: Questions,
    embedder: str | Embed | Embedder,
    sizing: Sizing,
) -> Inputs:
    """What a user has -> `Inputs`. splitters: None takes all that can run here."""
    by_name = collect_texts(texts)
    embedder = make_embedder(embedder)
    splitters = list_available(sizing)[0] if splitters is None else splitters
    methods = make_methods(splitters, sizing)
    return Inputs(by_name, methods, embedder, collect_questions(questions, by_name))


def collect_questions(questions: Questions, texts: Mapping[str, str]) -> Sequence[Question]:
    """A file of questions about texts, or what was read of it -> questions. Raises `QuestionsError` for the file."""
    if isinstance(questions, (str, Path)):
        return read_questions(questions, texts)
    return questions or ()


def collect_texts(texts: Texts) -> dict[str, str]:
    """What a user has -> texts by name. Raises `ReadingError` for a file, `SettingError` for what is no text."""
    return {source.path: source.text for source in collect_sources(texts)}


def collect_sources(texts: Texts) -> list[Source]:
    """As `collect_texts`, with the pages of PDFs."""
    if isinstance(texts, str):
        return [Source("text", texts)]
    if isinstance(texts, Path):
        texts = [texts]
    if isinstance(texts, Mapping):
        sources = [Source(name, text) for name, text in texts.items()]
    else:
        sources = [own for one in texts for own in ([one] if isinstance(one, Source) else load_sources(str(one)))]
    if not sources or not all(isinstance(source.text, str) for source in sources):
        raise SettingError(f"texts must be str by name, a path, or paths, got {texts!r:.80}")
    return list({source.path: source for source in sources}.values())
