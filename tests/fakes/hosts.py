"""Both plugins through one door, so that what both promise is tested once: `host` is LangChain, then LlamaIndex."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import pytest
from fakes.langchain.splitters import Bag
from fakes.llama_index.embeddings import Words
from langchain_core.documents import Document as LangChainDocument
from llama_index.core import Document as LlamaIndexDocument
from llama_index.node_parser import caesura as llama_index_caesura

import langchain_caesura
from caesura import Limits

NAMES = ("DoublePass", "SemanticPercentile", "Optimal", "Cluster")
"""What the splitters with a cut of their own are called, less what their classes end in."""


class Host(ABC):
    """A framework's splitters, and how its users make and call them."""

    module: ModuleType
    """The plugin."""
    embedder: str
    """The setting that takes an embedder."""
    default: int
    """`chunk_size` without a target."""

    def cls(self, name: str) -> Any:
        """`Optimal` -> the class OptimalSemanticSplitter; whole names of classes as they are."""
        names = (f"{name}SemanticSplitter", f"{name}Splitter", name)
        return next(getattr(self.module, each) for each in names if hasattr(self.module, each))

    def splitter(self, name: str, embedder: object = None, **settings: Any) -> Any:
        """A splitter with settings; without an embedder of one's own on the built-in model."""
        given = {} if embedder is None else {self.embedder: embedder}
        return self.cls(name)(**given, **settings)

    @abstractmethod
    def words(self) -> Any:
        """An embedder of the framework's kind, which knows texts by their words."""

    @abstractmethod
    def split(self, splitter: Any, texts: Sequence[str]) -> list[Any]:
        """The records of texts, each of its own document."""

    @abstractmethod
    async def asplit(self, splitter: Any, texts: Sequence[str]) -> list[Any]:
        """`split`, awaited."""

    @abstractmethod
    def texts(self, records: Sequence[Any]) -> list[str]:
        """What records say."""

    @abstractmethod
    def limits(self, splitter: Any) -> Limits:
        """The sizes that a splitter keeps to."""


class LangChain(Host):
    """Documents in, documents out."""

    module = langchain_caesura
    embedder = "embeddings"
    default = 2000

    def words(self) -> Any:
        return Bag()

    def split(self, splitter: Any, texts: Sequence[str]) -> list[Any]:
        return list(splitter.split_documents(self._documents(texts)))

    async def asplit(self, splitter: Any, texts: Sequence[str]) -> list[Any]:
        return list(await splitter.asplit_documents(self._documents(texts)))

    def texts(self, records: Sequence[Any]) -> list[str]:
        return [record.page_content for record in records]

    def limits(self, splitter: Any) -> Limits:
        found: Limits = splitter.limits
        return found

    def _documents(self, texts: Sequence[str]) -> list[LangChainDocument]:
        return [LangChainDocument(text, id=str(number)) for number, text in enumerate(texts)]


class LlamaIndex(Host):
    """Documents in, nodes out."""

    module = llama_index_caesura
    embedder = "embed_model"
    default = 512

    def words(self) -> Any:
        return Words()

    def split(self, splitter: Any, texts: Sequence[str]) -> list[Any]:
        return list(splitter(self._documents(texts)))

    async def asplit(self, splitter: Any, texts: Sequence[str]) -> list[Any]:
        return list(await splitter.acall(self._documents(texts)))

    def texts(self, records: Sequence[Any]) -> list[str]:
        return [record.text for record in records]

    def limits(self, splitter: Any) -> Limits:
        found: Limits = splitter.compiled.stages.limits
        return found

    def _documents(self, texts: Sequence[str]) -> list[LlamaIndexDocument]:
        return [LlamaIndexDocument(text=text, id_=str(number)) for number, text in enumerate(texts)]


HOSTS = (LangChain(), LlamaIndex())
both = pytest.mark.parametrize("host", HOSTS, ids=["langchain", "llama_index"])
every_splitter = pytest.mark.parametrize("name", NAMES)
