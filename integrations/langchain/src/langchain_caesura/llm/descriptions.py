"""Chunks in, descriptions of the tables, code, formulas and images in them out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel

from caesura.llm.prompts import DESCRIPTION, IMAGE, Prompt
from caesura.llm.representations import Representations, Represented, descriptions, image_descriptions, to_describe
from caesura.llm.together import Together
from caesura.steps import Steps
from langchain_caesura.llm.call import Call
from langchain_caesura.llm.images import image, images_of
from langchain_caesura.llm.passages import uncut
from langchain_caesura.llm.representing import Representing, Settings, passages_of
from langchain_caesura.llm.source import Source


class DescriptionTransformer(Representing):
    """Chunks that hold a table, code or a formula, and those with images -> a description of each. Others have none.

    image_key: where in a chunk's metadata its image is, or a list of them: an ``https:`` or ``data:`` URL, the bytes of
    a file, or the `Path` of one; descriptions do not have it in theirs. A model that sees is shown the image and, as
    what stands around it, the chunk's text. image_prompt: what it is told then. Raises `SettingError` for a value that
    is none of these. The other settings: `Representing`.
    """

    work: str = "Descriptions"
    view: str = "description"

    def __init__(
        self,
        llm: BaseChatModel,
        *,
        prompt: Prompt = DESCRIPTION,
        image_key: str = "image",
        image_prompt: Prompt = IMAGE,
        **settings: Unpack[Settings],
    ) -> None:
        self._without = image_key
        self.image_prompt: Prompt = image_prompt
        super().__init__(llm, prompt=prompt, **settings)

    def _steps(self, documents: list[Document], call: Call) -> Steps[list[Document]]:
        sources = [(one, images_of(one.document, self._without)) for one in uncut(documents, self._title_key)]
        wanted = [one for one in sources if one[1] or to_describe(one[0].document.page_content)]
        found: list[tuple[int, Represented]] = yield call.step(self._conversations(wanted))
        waiting = [iter([one for kind, one in found if kind == which]) for which in (0, 1)]
        answers = [next(waiting[bool(images)]) for _, images in wanted]
        return self._views([source for source, _ in wanted], answers, self.prompt, self.image_prompt)

    def _conversation(self, sources: list[Source]) -> Representations:
        return descriptions(passages_of(sources), **self._settings())

    def _conversations(self, wanted: list[tuple[Source, Sequence[Any]]]) -> Together[Represented]:
        plain = [source for source, images in wanted if not images]
        seen = (
            replace(source.passages[0], images=tuple(map(image, images))) for source, images in wanted if images
        )  # files are read as they are needed
        settings = {**self._settings(), "prompt": self.image_prompt, "window": 2 * self._means.pace.max_concurrency}
        return Together([self._conversation(plain), image_descriptions(seen, **settings)])
