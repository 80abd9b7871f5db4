"""How do I use Caesura in a framework that it has no plugin for? A splitter for Haystack, in a pipeline.

Needs caesura, caesura-static and haystack-ai; no key, no network. docs/custom.md says what it has to promise.
"""

from copy import deepcopy
from pathlib import Path
from typing import Any

from haystack import Document, Pipeline, component, default_to_dict
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.components.writers import DocumentWriter
from haystack.document_stores.in_memory import InMemoryDocumentStore

from caesura import Limits, OptimalCut, Splitter
from caesura.host.session import BackgroundCache, EmbeddingSession
from caesura_static import StaticEmbedder


@component
class SemanticSplitter:
    """Documents in, one per chunk out. document_embedder: any of Haystack's; None is the built-in model."""

    def __init__(self, document_embedder: Any = None, max_size: int = 1200) -> None:
        self.document_embedder, self.max_size = document_embedder, max_size
        self._splitter, self._cache = Splitter(Limits(max_size), cut=OptimalCut()), BackgroundCache()
        self._own = StaticEmbedder() if document_embedder is None else None

    def to_dict(self) -> dict[str, Any]:
        return default_to_dict(self, document_embedder=self.document_embedder, max_size=self.max_size)

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        texts = [document.content or "" for document in documents]
        session = EmbeddingSession(self._splitter, texts, self.document_embedder, self._cache, calibrated=True)
        found = []
        for document, made in zip(documents, session.run(self._embed), strict=True):
            for number, chunk in enumerate(made.chunks()):
                place = {"source_id": document.id, "split_id": number, "split_idx_start": chunk.start}
                found.append(Document(content=chunk.text, meta=deepcopy(document.meta) | place))  # both make its id
        return {"documents": found}

    def _embed(self, texts: list[str]) -> Any:
        if self._own is not None:
            return self._own(texts)
        found = self.document_embedder.run(documents=[Document(content=text) for text in texts])["documents"]
        return [document.embedding for document in found]


if __name__ == "__main__":
    store, pipeline = InMemoryDocumentStore(), Pipeline()
    pipeline.add_component("splitter", SemanticSplitter())
    pipeline.add_component("writer", DocumentWriter(store))
    pipeline.connect("splitter", "writer")
    article = Document(content=(Path(__file__).parent / "article.md").read_text("utf-8"), meta={"file": "article.md"})
    print(pipeline.run({"splitter": {"documents": [article]}})["writer"])
    (best,) = InMemoryBM25Retriever(store, top_k=1).run("How are puffins counted?")["documents"]
    print(f"{best.meta['file']}, from {best.meta['split_idx_start']}: {' '.join(best.content.split())[:90]}")
