"""Summaries, questions and descriptions: chunks in, texts to find them by out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from langchain_core.documents import Document

from caesura.errors import SettingError
from caesura.sansio import Calls
from caesura.types import Span
from caesura_llm.combined import Combined
from caesura_llm.conversation import Image
from caesura_llm.passages import Passage
from caesura_llm.prompts import DESCRIPTION, IMAGE, QUESTIONS, SUMMARY, Prompt, check_prompt
from caesura_llm.report import Report
from caesura_llm.representations import ChunkResult, Representations, needs_description, questions
from langchain_caesura.transformers.chat_models import Model
from langchain_caesura.transformers.llm_transformer import LLMSettings, LLMTransformer
from langchain_caesura.transformers.passages import DerivedDocument, SourceDocument, derive_documents, whole_documents


class RepresentationSettings(LLMSettings, total=False):
    """The settings that summaries, questions and descriptions share."""

    budget: int


class RepresentationTransformer(LLMTransformer):
    """What summaries, questions and descriptions share: chunks in, and for each texts that lead to it.

    prompt: what the model is told. budget: how much of the chunks goes into one request, in about a model's tokens. The
    other settings: `LLMTransformer`.

    A text has the metadata of its chunk, and ``parent_id``, the chunk's id, so that it can be given to
    `ParentDocumentRetriever` among its ``views``; ``view``, what kind it is; ``start_index`` and ``end_index``, the
    chunk's; ``kept``, whether it is the chunk's own, in place of what failed. Its id is made of the chunk's, its text,
    the prompt and the model. A blank chunk has none.
    """

    work: str = "Representation"
    view: str = "Representation"
    _without = ""

    def __init__(self, llm: Model, *, prompt: Prompt, budget: int = 3000, **common: Unpack[LLMSettings]) -> None:
        super().__init__(llm, **common)
        self.prompt: Prompt = prompt
        self._budget = budget
        self._conversation([])  # which checks them

    async def _make(self, report: Report, calls: Calls, documents: list[Document]) -> list[Document]:
        sources = whole_documents(documents, self._title_key)
        conversation = await calls.compute(self._conversation, sources)
        results = await self._converse(report, calls, conversation)
        return await calls.compute(self._documents, sources, results, conversation.prompt)

    def _documents(self, sources: list[SourceDocument], results: list[ChunkResult], *prompts: Prompt) -> list[Document]:
        derived: list[DerivedDocument] = []
        for source, result in zip(sources, results, strict=True):
            (passage,) = source.passages
            start = passage.start or 0
            spans = [Span(start, start + len(passage.text))]
            derived += [DerivedDocument(source, text, spans, result.is_fallback) for text in result.texts]
        return derive_documents(self.view, derived, self._made_by(*prompts), self._without)

    def _settings(self) -> dict[str, Any]:
        return {"prompt": self.prompt, "budget": self._budget, "on_failure": self._on_failure}

    def _conversation(self, sources: list[SourceDocument]) -> Representations:
        return Representations(only_passages(sources), **self._settings())


def only_passages(sources: list[SourceDocument]) -> list[Passage]:
    """The passages of sources that have one each."""
    return [source.passages[0] for source in sources]


class SummaryTransformer(RepresentationTransformer):
    """Chunks -> a summary of each. Settings: `RepresentationTransformer`."""

    work: str = "Summaries"
    view: str = "summary"

    def __init__(self, llm: Model, *, prompt: Prompt = SUMMARY, **settings: Unpack[RepresentationSettings]) -> None:
        super().__init__(llm, prompt=prompt, **settings)


class QuestionTransformer(RepresentationTransformer):
    """Chunks -> up to `n` questions that each answers.

    n: how many questions; the prompt says it as ``{n}``. The other settings: `RepresentationTransformer`.
    """

    work: str = "Questions"
    view: str = "question"

    def __init__(
        self, llm: Model, *, n: int = 3, prompt: Prompt = QUESTIONS, **settings: Unpack[RepresentationSettings]
    ) -> None:
        self.n = n
        super().__init__(llm, prompt=prompt, **settings)

    def _conversation(self, sources: list[SourceDocument]) -> Representations:
        return questions(only_passages(sources), self.n, **self._settings())


def images_of(document: Document, key: str) -> Sequence[Any]:
    """The images under a key of the metadata. Raises `SettingError` for a value that is no image."""
    value = document.metadata.get(key)
    listed = [] if value is None else value if isinstance(value, (list, tuple)) else [value]
    for value in listed:
        url = isinstance(value, str) and value.startswith(("https:", "http:", "data:"))
        if not url and not isinstance(value, (bytes, Path)):
            raise SettingError(
                f"an image must be an https: or data: URL, bytes or a Path, got {value!r:.60}; of Base64 make a "
                "URL: 'data:image/png;base64,' + value"
            )
    return listed


def read_image(value: str | bytes | Path, name: str) -> Image:
    """A URL, the bytes of a file, or where it is -> the image of the document of this name. A file is read.

    Raises `SettingError` for one that cannot be read.
    """
    if isinstance(value, str):
        return Image(value)
    try:
        return Image.of(value if isinstance(value, bytes) else value.read_bytes())
    except OSError as error:
        raise SettingError(f"the image of document {name!r} cannot be read: {error}") from error


class DescriptionTransformer(RepresentationTransformer):
    """Chunks that hold a table, code or a formula, and those with images -> a description of each. Others have none.

    image_key: where in a chunk's metadata its image is, or a list of them: an ``https:`` or ``data:`` URL, the bytes of
    a file, or the `Path` of one; descriptions do not have it in theirs. A model that sees is shown the image and, as
    what stands around it, the chunk's text. image_prompt: what it is told then. Raises `SettingError` for a value that
    is none of these. The other settings: `RepresentationTransformer`.
    """

    work: str = "Descriptions"
    view: str = "description"

    def __init__(
        self,
        llm: Model,
        *,
        prompt: Prompt = DESCRIPTION,
        image_key: str = "image",
        image_prompt: Prompt = IMAGE,
        **settings: Unpack[RepresentationSettings],
    ) -> None:
        check_prompt("image_prompt", image_prompt)
        self._without = image_key
        self.image_prompt: Prompt = image_prompt
        super().__init__(llm, prompt=prompt, **settings)

    async def _make(self, report: Report, calls: Calls, documents: list[Document]) -> list[Document]:
        sources = whole_documents(documents, self._title_key)
        images = [images_of(document, self._without) for document in documents]
        wanted = [
            (source, pictures)
            for source, pictures in zip(sources, images, strict=True)
            if pictures or needs_description(source.document.page_content)
        ]
        results = await self._converse(report, calls, await calls.compute(self._conversations, wanted))
        waiting = [iter([result for index, result in results if index == which]) for which in (0, 1)]
        answers = [next(waiting[bool(pictures)]) for _, pictures in wanted]
        described = [source for source, _ in wanted]
        return await calls.compute(self._documents, described, answers, self.prompt, self.image_prompt)

    def _conversations(self, wanted: list[tuple[SourceDocument, Sequence[Any]]]) -> Combined[ChunkResult]:
        without = [source for source, images in wanted if not images]
        pictures = (
            replace(source.passages[0], images=tuple(read_image(image, source.name) for image in images))
            for source, images in wanted
            if images
        )  # files are read as they are needed
        settings = {**self._settings(), "prompt": self.image_prompt, "window": 2 * self._pace.max_concurrency}
        return Combined([self._conversation(without), Representations(pictures, **settings)])
