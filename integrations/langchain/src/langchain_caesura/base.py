"""Base class of the splitters: settings, and documents or texts to chunks through the embeddings."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from inspect import Parameter, iscoroutinefunction, signature
from itertools import islice
from typing import Any, TypedDict, TypeVar

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_text_splitters import TextSplitter

from caesura.background import Background
from caesura.checks import check_int, check_names, check_size
from caesura.errors import SettingError
from caesura.hierarchy import Hierarchy
from caesura.host.session import BackgroundCache, EmbeddingSession
from caesura.host.settings import CHARACTERS, Size, check_context, chunk_limits, given_background
from caesura.ids import chunk_ids
from caesura.sansio import Awaiting, Blocking, Calls, run
from caesura.splitter import Splitter
from caesura.text.align import SentenceSplitter, aligned, segmenter, segmenters_of
from caesura.text.sentences import units
from caesura.types import Chunk, CountedCut, Cut, Embed, Limits, View
from caesura_documents.chunk_metadata import ChunkMetadata, MetadataSetting
from caesura_documents.outline import Outliner, outliner_of
from caesura_documents.titles import file_of
from langchain_caesura.chunk_vectors import ChunkVectors, EmbeddedHeadings
from langchain_caesura.documents import (
    check_places,
    document_of,
    documents_from_texts,
    iter_documents,
    owner_names,
    part_metadata,
    start_of,
)
from langchain_caesura.embeddings import (
    ChunkEmbeddings,
    StaticEmbeddings,
    check_embeddings,
    embed_by,
)

T = TypeVar("T")
SEPARATORS = "sentence_splitter takes its place here: chunks end where sentences end, not at separators"
PERCENTILE = "SemanticPercentileSplitter has it"
PEER_NAMES = {
    **dict.fromkeys(("separator", "separators", "is_separator_regex", "sentence_split_regex"), SEPARATORS),
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
SAMPLE = "A short text."
"""What a sizer is tried with."""


def check_settings(cls: type, base: type, unknown: Mapping[str, object], common: Iterable[str]) -> None:
    """Raises `UnknownSettingError` for the first of `unknown`.

    base: what hands on what it does not know, as its heirs do. common: the settings that all of its heirs have.
    """
    if unknown:
        keywords = Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY
        heirs = [heir for heir in cls.__mro__ if issubclass(heir, base) and heir is not base]
        parameters = [entry for heir in heirs for entry in signature(heir).parameters.values()]
        own = {entry.name for entry in parameters if entry.kind in keywords}
        check_names(cls.__name__, unknown, own | set(common), PEER_NAMES)


def require_sizer(name: str, measure: Any) -> None:
    """Calls `measure` once. Raises `SettingError` unless it is a function, str -> int; lets through what it raises
    itself.
    """
    waits = iscoroutinefunction(measure)
    if not callable(measure) or waits:
        remedy = ", which has to be awaited: give one that has not" if waits else ""
        raise SettingError(f"{name} must be callable, str -> int, as len is, got {measure!r:.80}{remedy}")
    check_size(name, SAMPLE, measure(SAMPLE))


class SplitterSettings(TypedDict, total=False):
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

    embeddings: what embeds the sentences: any LangChain embeddings, or a function that takes a list of texts and
    returns a row of numbers for each, such as ``spacy_vectors(nlp)``. None: the built-in model. cut: what cuts, see
    `SemanticSplitter`; decided: whether its settings say where. target_size: the size that chunks should have, in the
    units of `chunk_size`, as far as paragraphs and changes of meaning allow. "auto": half of `chunk_size`, or None if a
    threshold, a penalty or a number of chunks says where to cut. None: the cut decides. A number of chunks excludes a
    target. chunk_size: the maximum size of a chunk, in characters unless `length_function` counts something else. None:
    no maximum. "auto": twice the `target_size`, 800 if neither is given, 2000 without a target. chunk_overlap: the
    maximum that a chunk repeats of the chunk before it, in whole sentences and in the units of `chunk_size`. It counts
    in `chunk_size` (at most half of it), but not in the target. length_function: measures a text; `len` counts
    characters. add_start_index: whether a chunk's position is in ``metadata["start_index"]``. strip_whitespace: whether
    chunks have no whitespace at their ends. min_chunk_size: a smaller chunk, in the units of `chunk_size`, joins a
    neighbour if both fit. calibrated: whether what all vectors of the embedder have in common, its background, is
    subtracted. background: that background. None: it is measured, by one call at the first text. sentence_splitter: a
    function that takes a text and returns its sentences, or the places where they begin and end. None: our rules.
    batch_size: the maximum number of texts in one call of the embeddings. None: all at once. embed_chunks: whether the
    chunks' vectors are kept. A vector store on `chunk_embeddings` then embeds no chunk again. If the embeddings have
    `embed_document`, it gets all chunks of a document at once, and its vectors are kept. context: how much of its
    neighbours' vectors a chunk's vector contains, see `caesura_retrieval.leaning.lean`. `ParentDocumentRetriever` has
    0.4. metadata: what a chunk's metadata say about its place: a list of [names](../splitters.md#where-a-chunk-stands)
    such as "headings", or a dict from such names to the keys that hold them. Pages, speakers and times are always there
    if the document has them. embed_headings: whether a chunk's vector contains the headings above it, and the header of
    a table that goes on in it, as one more sentence. They count in `chunk_size`, up to a quarter of it. With
    embed_chunks, a chunk's vector also contains a share of the vector of its document's ``document_context``.

    Raises `SettingError` (a ValueError) for a setting out of range.
    """

    _view: View | None = None  # what is embedded for each sentence; None: the sentence itself
    __slots__ = (
        "_headings",
        "find_outline",
        "stages",
    )  # they follow from the settings, and are none of what tells these from others

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
        check_settings(type(self), BaseSemanticSplitter, unknown, ("embeddings", *SplitterSettings.__annotations__))
        require_sizer("length_function", length_function)
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
        self.find_outline: Outliner = outliner_of(self._segment.split if isinstance(self._segment, aligned) else None)
        self._background, self._cache = given_background(background, calibrated), BackgroundCache()
        self.chunk_embeddings: ChunkEmbeddings | None = ChunkEmbeddings(self.embeddings) if embed_chunks else None
        if embed_headings and not embed_chunks:
            raise SettingError("embed_headings=True is for the vectors of chunks: give embed_chunks=True too")
        self._context, self._embed_headings = check_context(context, embed_chunks), embed_headings
        given = ChunkMetadata.of(metadata)
        self._places = ChunkMetadata({"start_index": "start_index", **given.keys}) if add_start_index else given
        self.stages: Splitter | Hierarchy = self._make_stages()  # so that a bad setting is refused here
        self._headings: EmbeddedHeadings | None = (
            EmbeddedHeadings.of(self._places, length_function, largest) if embed_headings else None
        )

    def __repr__(self) -> str:
        size, target, least = self._limits.max_size, self._limits.target_size, self._limits.min_size
        sizes = f"chunk_size={size and size + self._chunk_overlap}, target_size={target}, min_chunk_size={least}"
        return f"{type(self).__name__}({sizes}, chunk_overlap={self._chunk_overlap}, cut={self._cut!r})"

    @property
    def limits(self) -> Limits:
        """What chunks may measure, without what is repeated of the chunk before."""
        return self._limits

    @property
    def _by_section(self) -> bool:
        """Whether the chunks of a long text are those of its sections, whatever is around each: there is no overlap, no
        number of chunks, and no vector of a chunk is kept, which would lean to others."""
        counted = isinstance(self._cut, CountedCut) and self._cut.chunk_count is not None
        return not (counted or self._chunk_overlap or self.chunk_embeddings is not None)

    @property
    def metadata_keys(self) -> Mapping[str, str]:
        """What chunks say of their place, and the key of each in their metadata."""
        return self._places.keys

    # -- texts ------------------------------------------------------------------------------------------------------

    def split_text(self, text: str) -> list[str]:
        """A text -> its chunks, each an exact slice, in order. Raises `SettingError` for what is no str."""
        (result,) = run(self._split(Blocking(), [text], [{}], self.find_outline))
        return [chunk.text for chunk in self._chunks(result)]

    async def asplit_text(self, text: str) -> list[str]:
        """`split_text`, through the embeddings' `aembed_documents`, or in a thread where there is none."""
        calls = Awaiting()
        (result,) = await self._split(calls, [text], [{}], self.find_outline)
        return [chunk.text for chunk in await calls.compute(self._chunks, result)]

    async def split_levels(
        self,
        calls: Calls,
        texts: Sequence[str],
        rooms: Sequence[int],
        files: Sequence[str],
        make: Callable[[list[list[list[Chunk]]]], T],
    ) -> T:
        """Returns what is made of the chunks of each text by level, coarse to fine; one level unless this is a
        hierarchy.

        It is what retrievers call. rooms: how much smaller than the limit the chunks of each text are to be. files: the
        name of each text's file. make: is called beside an event loop.
        """
        results = await self._split(calls, texts, [{}] * len(texts), self.find_outline, rooms, files)
        return await calls.compute(lambda: make([self._levels_of(result) for result in results]))

    # -- documents --------------------------------------------------------------------------------------------------

    def create_documents(self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None) -> list[Document]:
        """Texts, and the metadata of each, -> documents. Embeds all of them in one call. Raises `SettingError` if there
        is not one of the metadata per text."""
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

        Raises `SettingError` for what is no document, and `EmbeddingError` if the embedder does not return one row per
        text.
        """
        return run(self._split_documents(Blocking(), documents))

    async def asplit_documents(self, documents: Iterable[Document]) -> list[Document]:
        """`split_documents`, through the embeddings' `aembed_documents`."""
        return await self._split_documents(Awaiting(), documents)

    def transform_documents(self, documents: Sequence[Document], **kwargs: Any) -> Sequence[Document]:
        """`split_documents`, under the name that all of LangChain's transformers have."""
        return self.split_documents(documents)

    async def atransform_documents(self, documents: Sequence[Document], **kwargs: Any) -> Sequence[Document]:
        """`transform_documents`, through the embeddings' `aembed_documents`."""
        return await self.asplit_documents(documents)

    # -- what heirs change ------------------------------------------------------------------------------------------

    def _make_stages(self) -> Splitter | Hierarchy:
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
        check_places(documents, [self._places, *([self._headings.metadata] if self._headings else [])])

    def _levels_of(self, result: Any) -> list[list[Chunk]]:
        """What the stages made of a text -> its chunks, by level."""
        return [result.chunks(overlap=self._chunk_overlap)]

    def _wrap(self, documents: list[Document], results: list[Any], find: Outliner) -> Iterator[Document]:
        """What the stages made of each document -> documents."""
        cut = [self._chunks(result) for result in results]
        named = zip(owner_names(documents), cut, strict=True)
        ids = iter(chunk_ids((name, 0, chunk.text) for name, chunks in named for chunk in chunks))
        for document, chunks in zip(documents, cut, strict=True):
            yield from self._documents(document, chunks, [*islice(ids, len(chunks))], find)

    # -- the work ---------------------------------------------------------------------------------------------------

    async def _split_documents(self, calls: Calls, documents: Iterable[Document]) -> list[Document]:
        sources, find = list(iter_documents(documents)), cache(self.find_outline)
        self._check(sources)
        texts, metadatas = [each.page_content for each in sources], [each.metadata for each in sources]
        results = await self._split(calls, texts, metadatas, find)
        return await calls.compute(lambda: list(self._wrap(sources, results, find)))

    async def _split(
        self,
        calls: Calls,
        texts: Sequence[str],
        metadatas: Sequence[Mapping[Any, Any]],
        find: Outliner,
        rooms: Sequence[int] = (),
        files: Sequence[str] = (),
    ) -> list[Any]:
        """What the stages make of each text. Keeps the chunks' vectors where that is asked for.

        rooms: what the chunks of each text leave of the limit; nothing: what is embedded before them. files: their
        names; nothing: what the metadata say.
        """
        headings, most = self._headings, self._limits.max_size
        if headings is not None and most is not None and not rooms:
            given = list(zip(texts, metadatas, strict=True))
            room = partial(headings.metadata.room, size=headings.size, most=headings.most or 0, find=find)
            rooms = await calls.compute(lambda: [room(text, metadata) for text, metadata in given])
        session: EmbeddingSession[Any] = EmbeddingSession(
            self.stages,
            texts,
            self.embeddings,
            self._cache,
            self._calibrated,
            [self._limits.reduced(most - room) for room in rooms] if most is not None and any(rooms) else None,
            self._batch_size,
            segmenters_of(self._segment, files or map(file_of, metadatas)),
        )
        embed = embed_by(calls, self.embeddings)
        results = await session.split(calls, embed)
        if self.chunk_embeddings is not None:
            vectors = ChunkVectors(
                self.embeddings, self.chunk_embeddings, self._length_function, self._context, headings, self._batch_size
            )
            cut = await calls.compute(lambda: [self._chunks(result) for result in results])
            await vectors.keep(calls, embed, texts, metadatas, results, cut, find)
        return results

    def _chunks(self, result: Any) -> list[Chunk]:
        return [chunk for level in self._levels_of(result) for chunk in level]

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
