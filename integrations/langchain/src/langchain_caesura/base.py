"""Base class of the splitters: settings, and documents or texts to chunks through the embeddings."""

from __future__ import annotations

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
from caesura.hierarchy import Hierarchy
from caesura.identity import chunk_ids
from caesura.plugin.sentence_splitter import SentenceSplitter, segmenter
from caesura.plugin.session import BackgroundCache, EmbeddingSession
from caesura.plugin.settings import CHARACTERS, Size, check_context, chunk_limits, given_background
from caesura.sansio import Awaiting
from caesura.splitter import Splitter
from caesura.text.sentences import units
from caesura.types import Chunk, Cut, Embed, View
from langchain_caesura.documents import documents_from_texts, iter_documents, owner_names, start_of
from langchain_caesura.embeddings import (
    ChunkEmbeddings,
    StaticEmbeddings,
    aembed_function,
    check_embeddings,
    embed_function,
)


def check_settings(cls: type, base: type, unknown: Mapping[str, object], common: Iterable[str]) -> None:
    """Raises `UnknownSettingError` for the first of `unknown`.

    base: what hands on what it does not know, as its heirs do. common: the settings that all of its heirs have.
    """
    if unknown:
        keywords = Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY
        heirs = [heir for heir in cls.__mro__ if issubclass(heir, base) and heir is not base]
        constructors = [heir.__init__ for heir in heirs if "__init__" in vars(heir)]
        parameters = [entry for each in constructors for entry in list(signature(each).parameters.values())[1:]]
        own = {entry.name for entry in parameters if entry.kind in keywords}
        check_names(cls.__name__, unknown, own | set(common))


class Common(TypedDict, total=False):
    """The settings that all splitters share."""

    chunk_size: Size
    target_size: Size
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
    context: float


class BaseSemanticSplitter(TextSplitter):
    """What all splitters share: embeddings, a size in `length_function`'s units, chunks that are slices of the text.

    embeddings: any LangChain embeddings, or a function, list of str -> rows, such as ``spacy_vectors(nlp)``; None is
    the embedded model. cut: what cuts, see `SemanticSplitter`; decided: whether its settings say where.
    target_size: what each chunk is near, as far as paragraphs and the turns of meaning allow; "auto" is half of
    `chunk_size`, or None where a threshold, a penalty or a number of chunks says where to cut. None: the cut decides.
    A number of chunks excludes a target.
    chunk_size: the most a chunk may measure; "auto" is twice the `target_size`, 800 where neither is given, 2000
    without a target; None is any.
    chunk_overlap: the most that is repeated of the chunk before, in whole sentences. It counts in `chunk_size`, but
    comes on top of the target.
    length_function: str -> int. add_start_index: put a chunk's position into ``metadata["start_index"]``.
    strip_whitespace: whether chunks come without whitespace at their ends. min_chunk_size: smaller chunks join a
    neighbour where that fits. calibrated: whether vectors are centred on the embedder's background, which takes one
    call to it at the first text; or the `background` itself. sentence_splitter: str -> list of str, or edges.
    batch_size: the most texts that go into one call of the embeddings; None is all at once. embed_chunks: keep the
    chunks' vectors, which cost nothing more: a vector store on `chunk_embeddings` embeds none of them again. context:
    how far such a vector leans toward those around it in the document, see `caesura.plugin.passages.lean`; 0.4 is what
    `ParentDocumentRetriever` has.

    Raises `SettingError` (a ValueError) for a setting out of range.
    """

    _view: View | None = None
    """What is embedded for each sentence; None: the sentence itself."""

    def __init__(
        self,
        embeddings: Embeddings | Embed | None,
        cut: Cut,
        decided: bool = False,
        /,
        *,
        chunk_size: Size = "auto",
        target_size: Size = "auto",
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
        context: float = 0.0,
        **unknown: object,
    ) -> None:
        check_settings(type(self), BaseSemanticSplitter, unknown, ("embeddings", *Common.__annotations__))
        check_sizer("length_function", length_function)
        self._limits = chunk_limits(chunk_size, min_chunk_size, chunk_overlap, target_size, CHARACTERS, decided)
        largest = self._limits.max_size
        if batch_size is not None:
            check_int("batch_size", batch_size, 1)
        self.embeddings: Embeddings | Embed = StaticEmbeddings() if embeddings is None else check_embeddings(embeddings)
        super().__init__(
            chunk_size=sys.maxsize if largest is None else largest + chunk_overlap,
            chunk_overlap=chunk_overlap,
            length_function=length_function,
            add_start_index=add_start_index,
            strip_whitespace=strip_whitespace,
        )
        self._cut, self._batch_size, self._calibrated = cut, batch_size, calibrated
        self._segment = segmenter(sentence_splitter, units)
        self._background, self._cache = given_background(background, calibrated), BackgroundCache()
        self.chunk_embeddings: ChunkEmbeddings | None = ChunkEmbeddings(self.embeddings) if embed_chunks else None
        self._context = check_context(context, embed_chunks)
        self._stages()  # so that a bad setting is refused here

    # -- texts ------------------------------------------------------------------------------------------------------

    def split_text(self, text: str) -> list[str]:
        """A text -> its chunks, each an exact slice, in order."""
        return [chunk.text for chunk in self._chunks(self._split([text]))[0]]

    async def asplit_text(self, text: str) -> list[str]:
        """`split_text`, through the embeddings' `aembed_documents`, or in a thread where there is none."""
        chunks = await Awaiting().compute(self._chunks, await self._asplit([text]))
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
        """Documents -> one document per chunk, with a copy of the metadata and an id made of document and text.

        Equal texts of a document are numbered, so that a chunk keeps its id when it moves. A document without an id is
        known by its metadata where they have a ``source``, else by metadata and text. Where a document is itself a
        chunk that has a ``start_index``, ours counts from there.
        """
        sources = list(iter_documents(documents))
        return self._wrap(sources, self._split([source.page_content for source in sources]))

    async def asplit_documents(self, documents: Iterable[Document]) -> list[Document]:
        """`split_documents`, through the embeddings' `aembed_documents`."""
        sources = list(iter_documents(documents))
        results = await self._asplit([source.page_content for source in sources])
        return await Awaiting().compute(self._wrap, sources, results)

    def transform_documents(self, documents: Sequence[Document], **kwargs: Any) -> Sequence[Document]:
        """`split_documents`, under the name that all of LangChain's transformers have."""
        return self.split_documents(documents)

    async def atransform_documents(self, documents: Sequence[Document], **kwargs: Any) -> Sequence[Document]:
        """`transform_documents`, through the embeddings' `aembed_documents`."""
        return await self.asplit_documents(documents)

    # -- what heirs change ------------------------------------------------------------------------------------------

    def _stages(self) -> Splitter | Hierarchy:
        """The core's stages with these settings. Raises `SettingError`."""
        return Splitter(limits=self._limits, cut=self._cut, **self._shared())

    def _shared(self) -> dict[str, Any]:
        """The settings that a Splitter and a Hierarchy have in common."""
        return {
            "size": self._length_function,
            "segment": self._segment,
            "view": self._view,
            "background": self._background,
            "trim": self._strip_whitespace,
        }

    def _chunks(self, results: list[Any]) -> list[list[Chunk]]:
        """What the stages made of each text -> its chunks."""
        chunks = [segmentation.chunks(overlap=self._chunk_overlap) for segmentation in results]
        if self.chunk_embeddings is not None:
            for segmentation, own in zip(results, chunks, strict=True):
                rows = segmentation.vectors(own)
                if self._context:
                    from caesura.plugin.passages import lean  # it loads SQLite

                    rows = lean(rows, self._context)
                self.chunk_embeddings.keep([chunk.text for chunk in own], rows)
        return chunks

    def _wrap(self, documents: list[Document], results: list[Any]) -> list[Document]:
        """What the stages made of each document -> documents."""
        rows = [
            (document, name, chunk)
            for document, name, chunks in zip(documents, owner_names(documents), self._chunks(results), strict=True)
            for chunk in chunks
        ]
        ids = chunk_ids((name, 0, chunk.text) for _, name, chunk in rows)
        return [self._document(document, id, chunk) for (document, _, chunk), id in zip(rows, ids, strict=True)]

    # -- the work ---------------------------------------------------------------------------------------------------

    def _split(self, texts: Sequence[str]) -> list[Any]:
        embed = embed_function(self.embeddings)
        return self._session(texts).run(lambda wanted: embed(list(wanted)))

    async def _asplit(self, texts: Sequence[str]) -> list[Any]:
        return await self._session(texts).arun(aembed_function(self.embeddings))

    def _session(self, texts: Sequence[str]) -> EmbeddingSession[Any]:
        return EmbeddingSession(
            self._stages(), texts, self.embeddings, self._cache, self._calibrated, batch_size=self._batch_size
        )

    def _document(self, document: Document, id: str, chunk: Chunk) -> Document:
        metadata = copy.deepcopy(document.metadata)
        outer = start_of(document)
        if outer is not None:
            metadata["start_index"] = outer + chunk.start
        elif self._add_start_index:
            metadata["start_index"] = chunk.start
        return Document(id=id, page_content=chunk.text, metadata=metadata)
