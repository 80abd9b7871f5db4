"""What a user has: files, names of splitters, a file of questions -> texts, methods, an embedder and questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from caesura import SettingError
from caesura.types import Embed
from caesura_lab.embedders import Embedder
from caesura_lab.embedders import embedder as embedder_of
from caesura_lab.questions import Question, read_questions
from caesura_lab.reading import read_texts
from caesura_lab.sizing import Sizing
from caesura_lab.splitters.methods import Method, Splitters, available, methods

Texts: TypeAlias = "str | Path | Sequence[Path] | Mapping[str, str]"
"""One text, a file, several files, or texts by their names."""
Questions: TypeAlias = "str | Path | Sequence[Question] | None"
"""A file of questions, or what `read_questions` returns."""


def texts_of(given: Texts) -> dict[str, str]:
    """What a user has -> texts by name. Raises `ReadingError` for a file, `SettingError` for what is no text."""
    if isinstance(given, str):
        return {"text": given}
    if isinstance(given, Path):
        given = [given]
    held = dict(given) if isinstance(given, Mapping) else read_texts(given)
    strange = next((name for name, text in held.items() if not isinstance(text, str)), None)
    if strange is not None or not held:
        raise SettingError(f"texts must be str by name, a path, or paths, got {given!r:.80}")
    return held


def prepared(
    texts: Texts, splitters: Splitters, questions: Questions, embedder: str | Embed | Embedder, sizing: Sizing
) -> tuple[dict[str, str], list[Method], Embedder, Sequence[Question]]:
    """What a user has -> texts by name, methods (None: all that can run here), an embedder and questions."""
    held, embed = texts_of(texts), embedder_of(embedder)
    ready = methods(available(sizing)[0] if splitters is None else splitters, sizing)
    asked = read_questions(questions, held) if isinstance(questions, (str, Path)) else (questions or ())
    return held, ready, embed, asked
