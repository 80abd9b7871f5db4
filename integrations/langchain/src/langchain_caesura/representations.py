"""Chunks in, texts to find them by out: summaries, questions that they answer, descriptions of tables, code, images."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel

from caesura.errors import SettingError
from caesura.llm.conversation import Image
from caesura.llm.packed import Passage
from caesura.llm.prompts import DESCRIPTION, IMAGE, QUESTIONS, SUMMARY, Prompt
from caesura.llm.representations import (
    Representations,
    Represented,
    descriptions,
    image_descriptions,
    questions,
    summaries,
)
from caesura.types import Span
from langchain_caesura.asking import Asking, Common, _Run
from langchain_caesura.passages import Source, whole
from langchain_caesura.steps import Steps


class Settings(Common, total=False):
    """The settings that these share."""

    budget: int


class Representing(Asking):
    """What summaries, questions and descriptions share: chunks in, and for each texts that lead to it.

    prompt: what the model is told. budget: how much of the chunks goes into one request, in about a model's tokens. The
    other settings: `Asking`.

    A text has the metadata of its chunk, and ``parent_id``, the chunk's id, so that it can be given to
    `ParentDocumentRetriever` among its ``views``; ``view``, what kind it is; ``start_index`` and ``end_index``, the
    chunk's; ``kept``, whether it is the chunk's own, in place of what failed. Its id is made of the chunk's, its text,
    the prompt and the model. A blank chunk has none.
    """

    work = view = "Representation"
    _without = ""

    def __init__(self, llm: BaseChatModel, *, prompt: Prompt, budget: int = 3000, **common: Unpack[Common]) -> None:
        super().__init__(llm, **common)
        self.prompt, self._budget = prompt, budget
        self._conversation([])  # which checks them

    def _steps(self, documents: list[Document], doing: _Run) -> Steps[list[Document]]:
        sources = self._sources(documents)
        asked = self._conversation(sources)
        found: list[Represented] = yield doing.step(asked)
        of = self._made_by(asked.prompt)
        made = []
        for source, one in zip(sources, found, strict=True):
            (passage,) = source.passages
            spans = [Span(passage.start, passage.start + len(passage.text))]
            made += [source.view(self.view, text, spans, one.kept, of, {}, self._without) for text in one.texts]
        return made

    def _sources(self, documents: list[Document]) -> list[Source]:
        return whole(documents, self._title_key)

    def _settings(self) -> dict[str, Any]:
        return {"prompt": self.prompt, "budget": self._budget, "on_failure": self._on_failure}

    @abstractmethod
    def _conversation(self, sources: list[Source]) -> Representations: ...


class SummaryTransformer(Representing):
    """Chunks -> a summary of each. Settings: `Representing`."""

    work, view = "Summaries", "summary"

    def __init__(self, llm: BaseChatModel, *, prompt: Prompt = SUMMARY, **settings: Unpack[Settings]) -> None:
        super().__init__(llm, prompt=prompt, **settings)

    def _conversation(self, sources: list[Source]) -> Representations:
        return summaries(_passages(sources), **self._settings())


class QuestionTransformer(Representing):
    """Chunks -> up to `n` questions that each answers. The prompt says ``{n}``. Settings: `Representing`."""

    work, view = "Questions", "question"

    def __init__(
        self, llm: BaseChatModel, *, n: int = 3, prompt: Prompt = QUESTIONS, **settings: Unpack[Settings]
    ) -> None:
        self.n = n
        super().__init__(llm, prompt=prompt, **settings)

    def _conversation(self, sources: list[Source]) -> Representations:
        return questions(_passages(sources), self.n, **self._settings())


class DescriptionTransformer(Representing):
    """Tables, formulas or code -> a description of each. Settings: `Representing`."""

    work, view = "Descriptions", "description"

    def __init__(self, llm: BaseChatModel, *, prompt: Prompt = DESCRIPTION, **settings: Unpack[Settings]) -> None:
        super().__init__(llm, prompt=prompt, **settings)

    def _conversation(self, sources: list[Source]) -> Representations:
        return descriptions(_passages(sources), **self._settings())


class ImageDescriptionTransformer(Representing):
    """Chunks with images -> a description of each, through a model that sees. A chunk without images has none.

    image_key: where in a chunk's metadata its image is, or a list of them: an ``https:`` or ``data:`` URL, the bytes of
    a file, or the `Path` of one. Descriptions do not have it in theirs. The chunk's text is shown with the image, as
    what stands around it. Raises `SettingError` for a value that is none of these. The other settings: `Representing`.
    """

    work, view = "Descriptions of images", "image"

    def __init__(
        self, llm: BaseChatModel, *, image_key: str = "image", prompt: Prompt = IMAGE, **settings: Unpack[Settings]
    ) -> None:
        self._without = image_key
        super().__init__(llm, prompt=prompt, **settings)

    def _sources(self, documents: list[Document]) -> list[Source]:
        sources = super()._sources(documents)
        for source in sources:
            found = source.document.metadata.get(self._without)
            listed = [] if found is None else found if isinstance(found, (list, tuple)) else [found]
            source.passages[:] = [replace(one, images=tuple(map(_image, listed))) for one in source.passages]
        return [source for source in sources if source.passages[0].images]

    def _conversation(self, sources: list[Source]) -> Representations:
        return image_descriptions(_passages(sources), **self._settings())


def _passages(sources: list[Source]) -> list[Passage]:
    return [source.passages[0] for source in sources]


def _image(value: object) -> Image:
    """A value in the metadata -> an image."""
    if isinstance(value, bytes):
        return Image.of(value, _kind(value))
    if isinstance(value, Path):
        return _image(value.read_bytes())
    if isinstance(value, str) and value.startswith(("https:", "http:", "data:")):
        return Image(value)
    raise SettingError(
        f"an image must be an https: or data: URL, bytes or a Path, got {value!r:.60}; of Base64 make a URL: "
        "'data:image/png;base64,' + value"
    )


def _kind(data: bytes) -> str:
    """The media type, by the file's first bytes."""
    kinds = {b"\xff\xd8": "image/jpeg", b"GIF8": "image/gif", b"RIFF": "image/webp"}
    return next((kind for head, kind in kinds.items() if data.startswith(head)), "image/png")
