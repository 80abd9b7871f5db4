"""A splitter's class and settings that nothing takes in, an error that says which were meant out."""

from __future__ import annotations

import asyncio
import copy
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import Parameter, signature
from typing import Any, TypedDict

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_text_splitters import TextSplitter

from caesura.background import Background
from caesura.checks import check_int, check_names, check_sizer
from caesura.identity import chunk_id
from caesura.plugin.sentences import SentenceSplitter, segmenter
from caesura.plugin.session import BackgroundCache, EmbeddingSession, Stages
from caesura.plugin.settings import EmbedFunction, chunk_limits, given_background
from caesura.splitter import Splitter
from caesura.text.sentences import units
from caesura.types import Chunk, Cut
from langchain_caesura.documents import iter_documents, documents_from_texts
from langchain_caesura.embeddings import (
    ChunkEmbeddings,
    StaticEmbeddings,
    aembed_function,
    check_embeddings,
    embed_function,
)
from langchain_caesura.identity import unique_names, start_of


def check_settings(cls: type, base: type, unknown: Mapping[str, object], common: Iterable[str]) -> None:
    """Raises `UnknownSettingError` for the first of `unknown`.

    base: what hands on what it does not know, as its heirs do. common: the settings that all of its heirs have.
    """
    if unknown:
        heirs = [one for one in cls.__mro__ if issubclass(one, base) and one is not base and "__init__" in vars(one)]
        named = Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY
        found = [list(signature(one.__init__).parameters.values())[1:] for one in heirs]
        own = {one.name for parameters in found for one in parameters if one.kind in named}
        check_names(cls.__name__, unknown, own | set(common))


class Common(TypedDict, total=False):
    """The settings that all splitters share."""

    chunk_size: int | None
    chunk_overlap: int
    length_function: Callable[[str], int]
    add_start_index: bool
    strip_whitespace: bool
    min_chunk_size: int
    calibrated: bool
    background: Background | Sequence[float] | None
    sentence_splitter: SentenceSplitter | None
    batch_size: int | None
    embed_chunks: bool


class BaseSemanticSplitter(TextSplitter):
    """What all splitters share: embeddings, a size in `length_function`'s units, chunks that are slices of the text.

    embeddings: any LangChain embeddings, or a function, list of str -> rows, such as ``spacy_vectors(nlp)``; None is
    the embedded model. cut: what cuts, see `SemanticSplitter`.
    chunk_size: the most a chunk may measure, 2000 by default; None is any.
    chunk_overlap: the most that is repeated of the chunk before, in whole sentences.
    length_function: str -> int. add_start_index: put a chunk's position into ``metadata["start_index"]``.
    strip_whitespace: whether chunks come without whitespace at their ends. min_chunk_size: smaller chunks join a
    neighbour where that fits. calibrated: whether vectors are centred on the embedder's background, which takes one
    call to it at the first text; or the `background` itself. sentence_splitter: str -> list of str, or edges.
    batch_size: the most texts that go into one call of the embeddings; None is all at once. embed_chunks: keep the
    chunks' vectors, which cost nothing more: a vector store on `chunk_embeddings` embeds none of them again.

    Raises `SettingError` (a ValueError) for a setting out of range.
    """

    def __init__(
        self,
        embeddings: Embeddings | EmbedFunction | None,
        cut: Cut,
        /,
        *,
        chunk_size: int | None = 2000,
        chunk_overlap: int = 0,
        length_function: Callable[[str], int] = len,
        add_start_index: bool = False,
        strip_whitespace: bool = True,
        min_chunk_size: int = 0,
        calibrated: bool = True,
        background: Background | Sequence[float] | None = None,
        sentence_splitter: SentenceSplitter | None = None,
        batch_size: int | None = None,
        embed_chunks: bool = False,
        **unknown: object,
    ) -> None:
        check_settings(type(self), BaseSemanticSplitter, unknown, ("embeddings", *Common.__annotations__))
        check_sizer("length_function", length_function)
        limits = chunk_limits(chunk_size, min_chunk_size, chunk_overlap)
        if batch_size is not None:
            check_int("batch_size", batch_size, 1)
        self.embeddings: Embeddings | EmbedFunction = (
            StaticEmbeddings() if embeddings is None else check_embeddings(embeddings)
        )
        super().__init__(
            chunk_size=sys.maxsize if chunk_size is None else chunk_size,
            chunk_overlap=chunk_overlap,
            length_function=length_function,
            add_start_index=add_start_index,
            strip_whitespace=strip_whitespace,
        )
        self._calibrated, self._batch_size, self._memory = calibrated, batch_size, BackgroundCache()
        self.chunk_embeddings: ChunkEmbeddings | None = ChunkEmbeddings(self.embeddings) if embed_chunks else None
        self._splitter: Stages[Any] = Splitter(
            limits=limits,
            size=length_function,
            segment=segmenter(sentence_splitter, units),
            cut=cut,
            background=given_background(background, calibrated),
            trim=strip_whitespace,
        )

    # -- texts ------------------------------------------------------------------------------------------------------

    def split_text(self, text: str) -> list[str]:
        """A text -> its chunks, each an exact slice, in order."""
        return [chunk.text for chunk in self._chunks(self._split([text]))[0]]

    async def asplit_text(self, text: str) -> list[str]:
        """`split_text`, through the embeddings' `aembed_documents`, or in a thread where there is none."""
        chunks = await asyncio.to_thread(self._chunks, await self._asplit([text]))
        return [chunk.text for chunk in chunks[0]]

    # -- documents --------------------------------------------------------------------------------------------------

    def create_documents(self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None) -> list[Document]:
        """Texts, and the metadata of each, -> documents. Embeds all of them in one call."""
        return self.split_documents(documents_from_texts(texts, metadatas))

    async def acreate_documents(
        self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None
    ) -> list[Document]:
        """`create_documents`, through the embeddings' `aembed_documents`."""
        return await self.asplit_documents(documents_from_texts(texts, metadatas))

    def split_documents(self, documents: Iterable[Document]) -> list[Document]:
        """Documents -> one document per chunk, with a copy of the metadata and an id made of document, span and text.

        A document without an id is known by its text and metadata, and the n-th such one as the n-th. Where a document
        is itself a chunk that has a ``start_index``, ours counts from there.
        """
        given = list(iter_documents(documents))
        return self._wrapped(given, self._split([document.page_content for document in given]))

    async def asplit_documents(self, documents: Iterable[Document]) -> list[Document]:
        """`split_documents`, through the embeddings' `aembed_documents`."""
        given = list(iter_documents(documents))
        made = await self._asplit([document.page_content for document in given])
        return await asyncio.to_thread(self._wrapped, given, made)

    def transform_documents(self, documents: Sequence[Document], **kwargs: Any) -> Sequence[Document]:
        """`split_documents`, under the name that all of LangChain's transformers have."""
        return self.split_documents(documents)

    async def atransform_documents(self, documents: Sequence[Document], **kwargs: Any) -> Sequence[Document]:
        """`transform_documents`, through the embeddings' `aembed_documents`."""
        return await self.asplit_documents(documents)

    # -- the work ---------------------------------------------------------------------------------------------------

    def _split(self, texts: Sequence[str]) -> list[Any]:
        embed = embed_function(self.embeddings)
        return self._work(texts).run(lambda wanted: embed(list(wanted)))

    async def _asplit(self, texts: Sequence[str]) -> list[Any]:
        return await self._work(texts).arun(aembed_function(self.embeddings))

    def _work(self, texts: Sequence[str]) -> EmbeddingSession[Any]:
        return EmbeddingSession(
            self._splitter, texts, self.embeddings, self._memory, self._calibrated, batch_size=self._batch_size
        )

    def _chunks(self, made: list[Any]) -> list[list[Chunk]]:
        cut = [segmentation.chunks(overlap=self._chunk_overlap) for segmentation in made]
        if self.chunk_embeddings is not None:
            for segmentation, chunks in zip(made, cut, strict=True):
                self.chunk_embeddings.keep([chunk.text for chunk in chunks], segmentation.vectors(chunks).tolist())
        return cut

    def _wrapped(self, documents: list[Document], made: list[Any]) -> list[Document]:
        return [
            self._document(document, name, chunk)
            for document, name, chunks in zip(documents, unique_names(documents), self._chunks(made), strict=True)
            for chunk in chunks
        ]

    def _document(self, document: Document, name: str, chunk: Chunk, level: int = 0) -> Document:
        metadata = copy.deepcopy(document.metadata)
        outer = start_of(document)
        if outer is not None:
            metadata["start_index"] = outer + chunk.start
        elif self._add_start_index:
            metadata["start_index"] = chunk.start
        identity = chunk_id(name, level, chunk.start, chunk.end, chunk.text)
        return Document(id=identity, page_content=chunk.text, metadata=metadata)
