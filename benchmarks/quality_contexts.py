"""What a right summary of each document gains both retrievers: its title, and its first sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from corpora import Asked, asked, named
from embedders import Memo
from langchain_core.language_models import FakeListChatModel
from llama_index.core.base.llms.types import CompletionResponse, LLMMetadata
from llama_index.core.llms import CustomLLM
from quality_retrieval import WEIGHED, add_gain
from retrievers import Find, ours_langchain, ours_llama_index
from tables import Table

from langchain_caesura import ContextTransformer as LangChainContexts
from llama_index.node_parser.caesura import ContextTransformer as LlamaIndexContexts

_FIRST = re.compile(r"(?:Abstract: (?:[A-Z]+: )?|\n\n(?!\S+\n\n|SHA:|Authors:))(\S.+?[.?!])(?=\s)", re.DOTALL)
EVERY = {"manuals": 1, "papers": 3}
"""The sets, and which of their questions are asked. Those about the manuals name what they are about, those about
papers hardly."""


def tables(shown: str, memo: Memo, say: Callable[[str], None]) -> list[Table]:
    """A table per set, in both frameworks, with words and without."""
    made = []
    for name, every in EVERY.items():
        data = asked(name)
        data = replace(data, questions=data.questions[::every])
        replies = {text.partition("\n")[0]: summary(text) for text in data.texts.values()}
        table = Table(f"A document's context, {shown}, {named(name, WEIGHED)}: percent")
        for words in ({}, {"words": 0.0}):
            for framework, make in (("LangChain", _langchain), ("LlamaIndex", _llama_index)):
                method = f"{framework}{', words=0' * bool(words)}"
                add_gain(table, data, method, "context", partial(make, data, memo, replies, words), say)
        made.append(table)
    return made


def summary(text: str) -> str:
    """A document -> what a model would say of it that is right: its title, and its (or its abstract's) first sentence.

    >>> summary("# Oven\\n\\nThe oven bakes. It steams.")
    'Oven. The oven bakes.'
    """
    title, abstract = text.partition("\n")[0].lstrip("# "), text.find("\nAbstract: ")
    first = _FIRST.search(text, max(abstract, 0))
    return f"{title}. {first[1] if first else ''}".strip()


def _langchain(
    data: Asked, memo: Memo, replies: Mapping[str, str], words: dict[str, float], folder: Path, on: bool
) -> Find:
    llm = FakeListChatModel(responses=[*map(_said, replies.values())])  # in the order of the documents
    return ours_langchain(data, memo, folder, before=LangChainContexts(llm, max_concurrency=1) if on else None, **words)


def _llama_index(
    data: Asked, memo: Memo, replies: Mapping[str, str], words: dict[str, float], folder: Path, on: bool
) -> Find:
    before = LlamaIndexContexts(Librarian(replies=dict(replies))) if on else None  # type: ignore[call-arg]
    return ours_llama_index(data, memo, folder, before=before, **words)


def _said(context: str) -> str:
    return json.dumps({"contexts": [{"text": context}]})


class Librarian(CustomLLM):
    """An LLM that knows the document whose first line a prompt shows."""

    replies: dict[str, str]

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name="librarian")

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        title = prompt.partition("Document:\n    ")[2].partition("\n")[0]
        return CompletionResponse(text=_said(self.replies[title]))

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        raise NotImplementedError
