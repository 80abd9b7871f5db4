"""What the tests of the LlamaIndex plugin share: documents, functions with a name, embeddings that count or fail."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any
from zlib import crc32

from llama_index.core import Document
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.schema import BaseNode, MetadataMode, NodeRelationship

from caesura import Chunk
from caesura.background import TEXTS
from caesura.testing import check_chunks
from llama_index.node_parser.caesura import (
    ClusterSemanticSplitter,
    DoublePassSemanticSplitter,
    OptimalSemanticSplitter,
    SemanticPercentileSplitter,
)

PARSERS = [DoublePassSemanticSplitter, SemanticPercentileSplitter, OptimalSemanticSplitter, ClusterSemanticSplitter]

ARTICLE = (
    "The lighthouse keeper trims the lamp at dusk. Ships steer by its beam through the fog. On clear nights the beam "
    "reaches the far islands. The keeper writes every ship in his log.\n\n"
    "Bread needs flour, water, salt and yeast. Knead the dough until it is smooth. Let the dough rise for two hours. "
    "Bake the bread in a hot oven until the crust is brown.\n\n"
    "A parliament votes on the yearly budget. The minister defends higher taxes on fuel. The opposition demands lower "
    "taxes for farmers. The budget passes with a narrow majority.\n"
)
REPEATED = "I say Yes. No. Yes. Yes. No. ok. I say Yes. No. Yes. ok"


def flat(text: str) -> str:
    """A text without its whitespace."""
    return "".join(text.split())


def at_stops(text: str) -> list[str]:
    return re.findall(r"[^.]*\.\s*|[^.]+$", text)


def at_lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def letters(text: str) -> list[str]:
    return [letter for letter in text if not letter.isspace()]


def numbered(i: int, doc: BaseNode) -> str:
    return f"{doc.node_id}/{i}"


def slices(document: Document, nodes: Sequence[BaseNode]) -> None:
    """Holds that nodes are rising slices of their document, and that what is outside them is whitespace."""
    places = [(node.start_char_idx, node.end_char_idx) for node in nodes]
    assert not any(None in place for place in places)
    check_chunks(document.text, [Chunk(node.text, *place) for node, place in zip(nodes, places, strict=True)])


def linked(nodes: Sequence[BaseNode]) -> None:
    """Holds that nodes are one chain of PREVIOUS and NEXT, each with what the neighbour is."""
    assert NodeRelationship.PREVIOUS not in nodes[0].relationships
    assert NodeRelationship.NEXT not in nodes[-1].relationships
    for node, following in pairwise(nodes):
        assert node.next_node == following.as_related_node_info()
        assert following.prev_node == node.as_related_node_info()


def sizes(nodes: Sequence[BaseNode], tokenizer: Any) -> list[int]:
    modes = (MetadataMode.EMBED, MetadataMode.LLM)
    return [max(len(tokenizer(node.get_content(mode))) for mode in modes) for node in nodes]


def content(nodes: Sequence[BaseNode]) -> list[dict[str, Any]]:
    return [node.to_dict() for node in nodes]


def spans(nodes: Sequence[BaseNode]) -> list[tuple[Any, ...]]:
    return [(node.ref_doc_id, node.start_char_idx, node.end_char_idx, node.text) for node in nodes]


class Words(BaseEmbedding):
    """Sixteen columns: how often words of each of sixteen kinds occur. Keeps what it was asked."""

    embed_batch_size: int = 2048

    _calls: list[list[str]] = PrivateAttr(default_factory=list)
    _batches: list[list[str]] = PrivateAttr(default_factory=list)

    @classmethod
    def class_name(cls) -> str:
        return cls.__name__

    @property
    def calls(self) -> list[list[str]]:
        """The texts of every call of the public batch method, calibration aside."""
        return [call for call in self._calls if call != list(TEXTS)]

    @property
    def calibrations(self) -> int:
        return sum(call == list(TEXTS) for call in self._calls)

    def row(self, text: str) -> list[float]:
        row = [0.0] * 16
        for word in re.findall(r"\w+", text.lower()):
            row[crc32(word.encode("utf-8", "surrogatepass")) % 16] += 1.0
        return row

    def rows(self, texts: list[str]) -> Any:
        return [self.row(text) for text in texts]

    def get_text_embedding_batch(self, texts: list[str], show_progress: bool = False, **kwargs: Any) -> Any:
        self._calls.append(list(texts))
        return super().get_text_embedding_batch(texts, show_progress, **kwargs)

    async def aget_text_embedding_batch(self, texts: list[str], show_progress: bool = False, **kwargs: Any) -> Any:
        self._calls.append(list(texts))
        return await super().aget_text_embedding_batch(texts, show_progress, **kwargs)

    def _get_text_embeddings(self, texts: list[str]) -> Any:
        self._batches.append(list(texts))
        return self.rows(texts)

    async def _aget_text_embeddings(self, texts: list[str]) -> Any:
        self._batches.append(list(texts))
        return self.rows(texts)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self.row(text)

    def _get_query_embedding(self, query: str) -> list[float]:
        return self.row(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self.row(query)


class AsyncWords(Words):
    """Answers only where it is awaited."""

    def get_text_embedding_batch(self, texts: list[str], show_progress: bool = False, **kwargs: Any) -> Any:
        raise AssertionError("a sync method was called from async code")

    def _get_text_embeddings(self, texts: list[str]) -> Any:
        raise AssertionError("a sync method was called from async code")

    def _get_text_embedding(self, text: str) -> list[float]:
        raise AssertionError("a sync method was called from async code")

    async def _aget_text_embeddings(self, texts: list[str]) -> Any:
        await asyncio.sleep(0)
        return await super()._aget_text_embeddings(texts)


class KeyedWords(Words):
    """An embedding with a key, and headers among its settings."""

    api_key: str = "sk-topsecret"
    api_base: str = "http://localhost"
    additional_kwargs: dict[str, Any] = {}  # noqa: RUF012 - pydantic copies it


class Nameless(Words):
    """A user's own embedding, without a class_name of its own."""

    @classmethod
    def class_name(cls) -> str:
        return "BaseEmbedding"


class OtherNameless(Nameless):
    """Another one."""

    def row(self, text: str) -> list[float]:
        return [1.0, *super().row(text)[1:]]
