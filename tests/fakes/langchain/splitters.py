"""What the tests of the LangChain plugin and of the peers share: the splitters, and embeddings that keep books."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from zlib import crc32

import numpy as np
import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings

import langchain_caesura
from caesura.host.settings import SPLITTER_NAMES
from langchain_caesura.parents.rows import PROBE

SPLITTERS = [getattr(langchain_caesura, name) for name in SPLITTER_NAMES.values()]
every_splitter = pytest.mark.parametrize("cls", SPLITTERS)


def bags(texts: Sequence[str], width: int = 256) -> list[list[float]]:
    """How often each word occurs, by the hash of the word. A text without words is a zero row."""
    rows = np.zeros((len(texts), width))
    for row, text in zip(rows, texts, strict=True):
        for word in text.lower().split():
            row[crc32(word.encode("utf-8", "surrogatepass")) % width] += 1
    return rows.tolist()


def scattered(texts: Sequence[str]) -> list[list[float]]:
    """Bags of words in fewer dimensions than there are words: no two texts are quite unrelated, and none tie."""
    spread = np.random.default_rng(0).normal(size=(256, 64))
    return (np.array(bags(texts)).reshape(-1, 256) @ spread).tolist()


@dataclass(eq=False)
class Bag(Embeddings):
    """Bags of words, and every call that was made."""

    rows: Callable[[Sequence[str]], object] = bags
    calls: list[list[str]] = field(default_factory=list)

    def embed_documents(self, texts: list[str]) -> object:
        self.calls.append(list(texts))
        return self.rows(texts)

    def embed_query(self, text: str) -> list[float]:
        return self.rows([text])[0]  # type: ignore[index]

    @property
    def texts(self) -> list[str]:
        """What was embedded, but for the one text that a retriever knows a model by."""
        return [text for call in self.calls for text in call if text != PROBE]


class AsyncBag(Bag):
    """Bags of words that are only to be had by awaiting them."""

    def embed_documents(self, texts: list[str]) -> object:
        raise AssertionError("the async path called embed_documents")

    async def aembed_documents(self, texts: list[str]) -> object:
        self.calls.append(list(texts))
        return self.rows(texts)


def contents(documents: Sequence[Document]) -> list[str]:
    return [document.page_content for document in documents]


def places(documents: Sequence[Document]) -> list[tuple[int, int]]:
    """The span of each chunk, by its start_index."""
    starts = [document.metadata["start_index"] for document in documents]
    return [(start, start + len(document.page_content)) for start, document in zip(starts, documents, strict=True)]
