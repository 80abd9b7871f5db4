"""Base class of the splitters: settings, and documents or texts to chunks through the embeddings."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from inspect import Parameter, signature
from itertools import chain, islice
from typing import Any, TypedDict

import numpy as np
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_text_splitters import TextSplitter
from numpy.typing import NDArray

from caesura.background import Background
from caesura.checks import check_int, check_names, check_sizer
from caesura.errors import SettingError
from caesura.hierarchy import Hierarchy
from caesura.host.sentence_splitter import SentenceSplitter, segmenter
from caesura.host.session import BackgroundCache, EmbeddingSession
from caesura.host.settings import CHARACTERS, Size, check_context, chunk_limits, given_background
from caesura.ids import chunk_ids
from caesura.sansio import Awaiting, Blocking, Calls, embed_in_batches, run
from caesura.splitter import Splitter
from caesura.text.sentences import units
from caesura.types import Chunk, Cut, Embed, Limits, View
from caesura_documents.chunk_metadata import ROOM, ChunkMetadata, MetadataSetting, Outliner, context_of
from caesura_documents.outline import Outline, outline
from caesura_retrieval.document_embedders import embed_together, embeds_documents
from caesura_retrieval.leaning import lean, share_contexts
from langchain_caesura.documents import (
    check_places,
    document_of,
    documents_from_texts,
    headings_of,
    iter_documents,
    owner_names,
    part_metadata,
    start_of,
)
from langchain_caesura.embeddings import (
    ChunkEmbeddings,
    StaticEmbeddings,
    aembed_function,
    check_embeddings,
    embed_function,
    with_headings,
)

SEPARATORS = "sentence_splitter takes its place here: chunks end where sentences end, not at separators"
PERCENTILE = "SemanticPercentileSplitter has it"
PEER_NAMES = {
    **dict.fromkeys(("separator", "separators", "sentence_split_regex"), SEPARATORS),
    "embed_model": "embeddings is its name here",
    "tokenizer": "length_function takes its place here: str -> int, how much a text measures",
    "keep_separator": "strip_whitespace is the nearest setting: chunks are slices of the text, separators included",
    **dict.fromkeys(("max_chunk_size", "max_size"), "chunk_size is its name here"),
    "merging_range": "look_ahead is its name here",
    "min_size": "min_chunk_size is its name here",
    **dict.fromkeys(("buffer_size", "breakpoint_threshold_type", "breakpoint_threshold_amount"), PERCENTILE),
    "number_of_chunks": f"{PERCENTILE}, and OptimalSemanticSplitter has n_chunks",
    "breakpoint_percentile_threshold": f"{PERCENTILE} as breakpoint_threshold_amount",
}
"""Settings of other splitters, and what to say to who gives them here."""


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
        check_names(cls.__name__, unknown, own | set(common), PEER_NAMES)


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
    metadata: MetadataSetting
    embed_headings: bool


class BaseSemanticSplitter(TextSplitter):
    """What all splitters share: embeddings, a size in `length_function`'s units, chunks that are slices of the text.

    embeddings: any LangChain embeddings, or a function, list of str -> rows, such as ``spacy_vectors(nlp)``; None is
    the embedded model. cut: what cuts, see `SemanticSplitter`; decided: whether its settings say where.
    target_size: what each chunk is near, as far as paragraphs and the turns of meaning allow; "auto" is half of
    `chunk_size`, or None where a threshold, a penalty or a number of chunks says where to cut. None: the cut decides.
    A number of chunks excludes a target. chunk_size: the most a chunk may measure; None is any; "auto" is twice the
    `target_size`, 800 where neither is given, 2000 without a target.
    chunk_overlap: the most that is repeated of the chunk before, in whole sentences. It counts in `chunk_size`, of
    which it is at most half, and comes on top of the target. length_function: str -> int. add_start_index: put a
    chunk's position into ``metadata["start_index"]``. strip_whitespace: whether chunks come without whitespace at their
    ends. min_chunk_size: smaller chunks join a neighbour where that fits. calibrated: whether vectors are centred on
    the embedder's background. background: None is measured by one call at the first text. sentence_splitter: str ->
    list of str, or edges; None: our rules. batch_size: the most texts that go into one call of the embeddings; None is
    all at once. embed_chunks: keep the chunks' vectors, which cost nothing more: a vector store on `chunk_embeddings`
    embeds none of them again. If the embeddings have `embed_document`, it is given all chunks of a document at once,
    and its vectors are kept. context: how far such a vector leans toward those around it in the document, see
    `caesura_retrieval.leaning.lean`; 0.4 is what `ParentDocumentRetriever` has. metadata: what a chunk's metadata say
    of its place, names of `caesura_documents.chunk_metadata.NAMES`, or for each the key to have it under; pages come
    without being asked for, where the document has them. embed_headings: whether the headings above a chunk, and the
    header of a table that goes on in it, are in its vector, as one sentence more. They count in `chunk_size`, up to a
    quarter of it. With embed_chunks, a chunk's vector has a share of that of its document's ``document_context``.

    Raises `SettingError` (a ValueError) for a setting out of range.
    """

    _view: View | None = None  # what is embedded for each sentence; None: the sentence itself
    _rooms: Sequence[int] | None = None  # what each text's chunks leave to headings, where a retriever knows it

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
        metadata: MetadataSetting = (),
        embed_headings: bool = False,
        **unknown: object,
    ) -> None:
        check_settings(type(self), BaseSemanticSplitter, unknown, ("embeddings", *Common.__annotations__))
        check_sizer("length_function", length_function)
        self._limits = chunk_limits(chunk_size, min_chunk_size, chunk_overlap, target_size, CHARACTERS, decided)
        largest, self._calibrated = self._limits.max_size, calibrated
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
        self._cut, self._batch_size, self._segment = cut, batch_size, segmenter(sentence_splitter, units)
        self._background, self._cache = given_background(background, calibrated), BackgroundCache()
        self.chunk_embeddings: ChunkEmbeddings | None = ChunkEmbeddings(self.embeddings) if embed_chunks else None
        if embed_headings and not embed_chunks:
            raise SettingError("embed_headings=True is for the vectors of chunks: give embed_chunks=True too")
        self._context, self._embed_headings = check_context(context, embed_chunks), embed_headings
        given = ChunkMetadata.of(metadata)
        self._places = ChunkMetadata({"start_index": "start_index", **given.keys}) if add_start_index else given
        self._stages()  # so that a bad setting is refused here

    def __repr__(self) -> str:
        size, target, least = self._limits.max_size, self._limits.target_size, self._limits.min_size
        sizes = f"chunk_size={size and size + self._chunk_overlap}, target_size={target}, min_chunk_size={least}"
        return f"{type(self).__name__}({sizes}, chunk_overlap={self._chunk_overlap}, cut={self._cut!r})"

    # -- texts ------------------------------------------------------------------------------------------------------

    def split_text(self, text: str) -> list[str]:
        """A text -> its chunks, each an exact slice, in order."""
        results, cut = run(self._split(Blocking(), embed_function(self.embeddings), [text], [{}], cache(self._outline)))
        return [chunk.text for chunk in (cut[0] if cut else self._chunks(results[0]))]

    async def asplit_text(self, text: str) -> list[str]:
        """`split_text`, through the embeddings' `aembed_documents`, or in a thread where there is none."""
        calls = Awaiting()
        embed = aembed_function(self.embeddings)
        results, cut = await self._split(calls, embed, [text], [{}], cache(self._outline))
        return [chunk.text for chunk in (cut[0] if cut else await calls.compute(self._chunks, results[0]))]

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
        return run(self._made(Blocking(), embed_function(self.embeddings), documents))

    async def asplit_documents(self, documents: Iterable[Document]) -> list[Document]:
        """`split_documents`, through the embeddings' `aembed_documents`."""
        return await self._made(Awaiting(), aembed_function(self.embeddings), documents)

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

    def _check(self, documents: list[Document]) -> None:
        """Raises `SettingError` where metadata has a key of ours with another meaning."""
        check_places(documents, self._places, self._embed_headings)

    def _chunks(self, result: Any) -> list[Chunk]:
        """What the stages made of a text -> its chunks."""
        chunks: list[Chunk] = result.chunks(overlap=self._chunk_overlap)
        return chunks

    def _wrap(
        self, documents: list[Document], results: list[Any], cut: list[list[Chunk]], find: Outliner
    ) -> Iterator[Document]:
        """What the stages made of each document -> documents. cut: the chunks of each, where they are known."""
        cut = cut or [self._chunks(result) for result in results]
        named = zip(owner_names(documents), cut, strict=True)
        ids = iter(chunk_ids((name, 0, chunk.text) for name, chunks in named for chunk in chunks))
        for document, chunks in zip(documents, cut, strict=True):
            yield from self._documents(document, chunks, [*islice(ids, len(chunks))], find)

    # -- the work ---------------------------------------------------------------------------------------------------

    async def _made(self, calls: Calls, embed: Callable[..., Any], documents: Iterable[Document]) -> list[Document]:
        sources, find = list(iter_documents(documents)), cache(self._outline)
        self._check(sources)
        texts, metadatas = [each.page_content for each in sources], [each.metadata for each in sources]
        results, cut = await self._split(calls, embed, texts, metadatas, find)
        return await calls.compute(lambda: list(self._wrap(sources, results, cut, find)))

    async def _split(
        self,
        calls: Calls,
        embed: Callable[..., Any],
        texts: Sequence[str],
        metadatas: Sequence[Mapping[Any, Any]],
        find: Outliner,
    ) -> tuple[list[Any], list[list[Chunk]]]:
        """What the stages make of each text, and the chunks of each if their vectors are kept, which it does."""
        limits = await calls.compute(self._lowered_limits, texts, metadatas, find)
        session: EmbeddingSession[Any] = EmbeddingSession(
            self._stages(), texts, self.embeddings, self._cache, self._calibrated, limits, self._batch_size
        )
        results, cut = await calls.call(session.run, session.arun, embed), list[list[Chunk]]()
        if self.chunk_embeddings is not None:
            cut = await calls.compute(lambda: [self._chunks(result) for result in results])
            above = await calls.compute(self._headings, texts, metadatas, cut, find)
            vectors = await self._embed_chunks(calls, embed, metadatas, results, cut, above)
            await calls.compute(self._keep, cut, vectors)
        return results, cut

    async def _embed_chunks(
        self,
        calls: Calls,
        embed: Callable[..., Any],
        metadatas: Sequence[Mapping[Any, Any]],
        results: Sequence[Any],
        cut: Sequence[Sequence[Chunk]],
        above: Sequence[Sequence[str]],
    ) -> list[NDArray[np.float32]]:
        """The vectors of the chunks of each text, with a share of those of contexts. above: their headings."""
        model = self.embeddings if embeds_documents(self.embeddings) else None
        contexts = [context_of(metadata) for metadata in metadatas]
        heads = [] if model is not None else [*dict.fromkeys(filter(None, chain(*above)))]
        told = [*dict.fromkeys(filter(None, contexts))]
        rows = await embed_in_batches(calls, embed, [*heads, *told], self._batch_size)
        if model is not None:
            names = [metadata.get("source", number) for number, metadata in enumerate(metadatas)]
            documents = await calls.compute(with_headings, cut, above)
            vectors = await embed_together(calls, model, documents, names)
        else:
            vectors = await calls.compute(self._pool, results, cut, above, dict(zip(heads, rows, strict=False)))
        known = dict(zip(told, rows[len(heads) :], strict=True))
        return [
            share_contexts(own, known[context]) if context and len(own) else own
            for own, context in zip(vectors, contexts, strict=True)
        ]

    def _lowered_limits(
        self, texts: Sequence[str], metadatas: Sequence[Mapping[Any, Any]], find: Outliner
    ) -> list[Limits] | None:
        """The limits of each text, with room for headings where they are embedded; None: the same for all."""
        most, rooms = self._limits.max_size, self._rooms
        if most is None or not (self._embed_headings or rooms):
            return None
        if rooms is None:
            above, size = headings_of(self._places), self._length_function
            rooms = [
                above.room(above.outline(text, metadata, find), size, most // ROOM, metadata)
                for text, metadata in zip(texts, metadatas, strict=True)
            ]
        return [self._limits.reduced(most - room) for room in rooms]

    def _headings(
        self,
        texts: Sequence[str],
        metadatas: Sequence[Mapping[Any, Any]],
        cut: Sequence[Sequence[Chunk]],
        find: Outliner,
    ) -> list[list[str]]:
        """What stands above each chunk of each text, where that is asked for."""
        if not self._embed_headings:
            return [[] for _ in texts]
        above, size, most = headings_of(self._places), self._length_function, self._limits.max_size
        room = None if most is None else most // ROOM
        return [
            [above.shown(said, size, room) for said in above.describe(text, metadata, chunks, (), find=find)]
            for text, metadata, chunks in zip(texts, metadatas, cut, strict=True)
        ]

    def _pool(
        self,
        results: Sequence[Any],
        cut: Sequence[Sequence[Chunk]],
        above: Sequence[Sequence[str]],
        rows: Mapping[str, Any],
    ) -> list[NDArray[np.float32]]:
        """The mean vectors of all chunks. above: the headings of each chunk, whose rows these are."""
        vectors: list[NDArray[np.float32]] = []
        for result, chunks, headings in zip(results, cut, above, strict=True):
            beside = None
            if rows and headings:
                none = np.zeros_like(next(iter(rows.values())))
                beside = np.stack([rows.get(each, none) for each in headings]), [*map(self._length_function, headings)]
            vectors.append(result.vectors(chunks, beside))
        return vectors

    def _keep(self, cut: Sequence[Sequence[Chunk]], vectors: Sequence[NDArray[np.float32]]) -> None:
        """Keeps the vectors of the chunks of each text."""
        assert self.chunk_embeddings is not None  # noqa: S101 - else nobody calls it
        if self._context:
            vectors = [lean(rows, self._context) if len(rows) else rows for rows in vectors]
        texts = [chunk.text for chunks in cut for chunk in chunks]
        self.chunk_embeddings.keep(texts, [row for rows in vectors for row in rows])

    def _outline(self, text: str) -> Outline:
        """What is found in a text by the sentence splitter, where it has a method for it, or by ours."""
        find: Outliner = getattr(getattr(self._segment, "split", None), "outline", outline)
        return find(text)

    def _documents(
        self, document: Document, chunks: Sequence[Chunk], ids: Sequence[str], find: Outliner
    ) -> Iterator[Document]:
        """The chunks of a document as documents."""
        key = self._places.keys.get("start_index", "start_index")
        outer = start_of(document, key)
        start = 0 if key not in document.metadata else outer  # -1 is what says that nobody has found it
        said = self._places.describe(document.page_content, document.metadata, chunks, ids, start, find)
        if outer is not None and "start_index" not in self._places.keys:
            said = [{**own, "start_index": outer + chunk.start} for chunk, own in zip(chunks, said, strict=True)]
        metadata = part_metadata(document, self._places, said, [chunk.start for chunk in chunks])
        yield from map(document_of, (chunk.text for chunk in chunks), ids, metadata)
