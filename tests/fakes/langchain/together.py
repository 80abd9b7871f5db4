"""LangChain embeddings of one's own that embed a document's chunks together, and keep books."""

from __future__ import annotations

from dataclasses import dataclass, field

from fakes.embedders.document_embedders import Together, document_rows, words_row
from langchain_core.embeddings import Embeddings


@dataclass(eq=False)
class TogetherEmbeddings(Together, Embeddings):
    """texts: what came otherwise than as a document's chunks."""

    texts: list[str] = field(default_factory=list)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.texts += texts
        return [document_rows([text])[0].tolist() for text in texts]

    def embed_query(self, text: str) -> list[float]:
        self.questions.append(text)
        return words_row(text).tolist()


class AwaitedTogether(TogetherEmbeddings):
    """They are only to be had by awaiting them."""

    def embed_document(self, chunks: list[str]) -> object:
        raise AssertionError("the async path called embed_document")

    async def aembed_document(self, chunks: list[str]) -> object:
        return super().embed_document(chunks)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        raise AssertionError("the async path called embed_documents")

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        return super().embed_documents(texts)
