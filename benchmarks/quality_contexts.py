"""What a right summary of each document gains both retrievers: papers, summed up by title and first sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from corpora import asked, named
from embedders import Memo
from langchain_core.language_models import FakeListChatModel
from llama_index.core.base.llms.types import CompletionResponse, LLMMetadata
from llama_index.core.llms import CustomLLM
from quality_passages import WEIGHED, Find, add_gain, ours_langchain, ours_llama_index
from tables import Table

from langchain_caesura import ContextTransformer as LangChainContexts
from llama_index.node_parser.caesura import ContextTransformer as LlamaIndexContexts

_ABSTRACT = re.compile(r"Abstract: (?:[A-Z]+: )?(.+?[.?!])(?=\s)", re.DOTALL)


def table(shown: str, memo: Memo, say: Callable[[str], None]) -> Table:
    """The papers, in both frameworks, with words and without."""
    data = asked("papers")
    replies = {text: _reply(text) for text in data.texts.values()}
    made = Table(f"A document's context, {shown}, {named('papers', WEIGHED)}: percent")
    for words in ({}, {"words": 0.0}):

        def langchain(folder: Path, on: bool, words: Any = words) -> Find:
            llm = FakeListChatModel(responses=[*replies.values()])  # in the order of the documents
            return ours_langchain(
                data, memo, folder, before=LangChainContexts(llm, max_concurrency=1) if on else None, **words
            )

        def llama_index(folder: Path, on: bool, words: Any = words) -> Find:
            llm = Librarian(replies={text.partition("\n")[0]: reply for text, reply in replies.items()})
            return ours_llama_index(data, memo, folder, before=LlamaIndexContexts(llm) if on else None, **words)

        for framework, make in (("LangChain", langchain), ("LlamaIndex", llama_index)):
            add_gain(made, data, f"{framework}{', words=0' * bool(words)}", "context", make, say)
    return made


def _reply(text: str) -> str:
    """A paper -> what a model would say of it that is right: its title, and its abstract's first sentence."""
    title, abstract = text.partition("\n")[0], _ABSTRACT.search(text)
    return json.dumps({"contexts": [{"text": f"{title}. {abstract[1] if abstract else ''}"}]})


class Librarian(CustomLLM):
    """An LLM that knows the paper whose title a prompt shows."""

    replies: dict[str, str]

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name="librarian")

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        title = prompt.partition("Document:\n    ")[2].partition("\n")[0]
        return CompletionResponse(text=self.replies[title])

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        raise NotImplementedError
