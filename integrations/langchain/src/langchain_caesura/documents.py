"""LangChain documents: checks of what is given as documents, and what each document is known by."""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from langchain_core.documents import Document
from pydantic import Field

from caesura.errors import SettingError
from caesura.ids import digest
from caesura_documents.caller_warning import warn_caller
from caesura_documents.chunk_metadata import CONTEXT_KEY, ChunkMetadata, check_depth
from caesura_documents.layout import LAYOUT
from caesura_retrieval.ranking import Evidence

IMMUTABLE = frozenset([str, int, float, bool, type(None)])
"""Of what a copy is the same."""
PLACE = ("start_index", "end_index")
"""Where the metadata say that a chunk lies in its document."""
HIDDEN = ("text", "evidence")
"""What is not shown of matches."""
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
"""What is another one in every process, in the `repr` of an object that has none of its own."""

ADDRESSED = re.compile(r"[/\\]|\.\w{1,8}$")
"""What a path or an address has: a slash, or the ending of a file."""

_STATE = Document(id="", page_content="", metadata={}).__getstate__()
_FIELDS = ("id", "page_content", "metadata")


class WholeMetadata(dict[Any, Any]):
    """Metadata of a whole document, with its layout.

    Text splitters make a deep copy of the metadata for each chunk. Such a copy has no layout, because the layout
    describes the whole text, and vector stores such as Chroma refuse it. A copy of the document keeps it.
    """

    def __deepcopy__(self, memo: dict[int, Any]) -> dict[Any, Any]:
        if memo:  # the document is copied, which is in there
            return WholeMetadata(copy.deepcopy({**self}, memo))
        return copy.deepcopy({key: value for key, value in self.items() if key != LAYOUT})


def copy_metadata(document: Document) -> dict[str, Any]:
    """Returns a deep copy of a document's metadata, with the layout of a whole document."""
    return copy.deepcopy({**document.metadata})


class ScoredDocument(Document):
    """What a retriever returns: a document, how well it fits the question, and what in it was found.

    Its metadata are those of its document, and where the text stands in it: ``start_index``, and of a document with
    pages ``page_start``, ``page_end`` and ``page_label_start``, the printed number. [All
    names](../splitters.md#where-a-chunk-stands) can be chosen.

    Two are equal where text, id and metadata are, whatever the question was, so that retrievers of retrievers, as
    `MultiQueryRetriever` and `EnsembleRetriever`, know a passage again. LangChain writes it as a `Document`.
    """

    score: float | None = None
    """From 0 to 1 with a budget, else the vector store's; the higher the better. None where nothing says so."""
    matches: list[dict[str, Any]] = Field(default_factory=list)
    """What was found, best first: the ``id``, ``score`` and ``text`` of each small text, its ``start_index`` and its
    ``end_index`` in the document, and why it was found as ``evidence``, unless by vectors alone."""

    @classmethod
    def lc_id(cls) -> list[str]:
        """The name under which LangChain writes it."""
        return Document.lc_id()

    @property
    def evidence(self) -> Evidence | None:
        """Why the best of the matches was found; None without a budget."""
        own = self.matches[0].get("evidence") if self.matches else None
        return None if own is None else Evidence(**own)

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """What is shown: of matches all but their texts, which are in the document's, and their evidence."""
        for name, value in super().__repr_args__():
            hits = name == "matches" and [{key: hit[key] for key in hit if key not in HIDDEN} for hit in value]
            yield name, hits or value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Document):
            return NotImplemented
        return (self.page_content, self.id, self.metadata) == (other.page_content, other.id, other.metadata)

    def __hash__(self) -> int:
        return hash((self.page_content, self.id))


def iter_documents(documents: Iterable[Document], name: str = "documents") -> Iterator[Document]:
    """What is given as documents -> each. Raises `SettingError` for what is none, when it comes to it."""
    wanted = f"{name} must be a list of Document, got"
    if isinstance(documents, Document):
        raise SettingError(f"{wanted} one Document: pass [document]")
    if isinstance(documents, str) or not isinstance(documents, Iterable):
        raise SettingError(f"{wanted} {type(documents).__name__} {documents!r:.80}: of a text make [Document(text)]")
    for position, document in enumerate(documents):
        if not isinstance(document, Document):
            got = f"{type(document).__name__} {document!r:.80} at position {position}"
            raise SettingError(f"{wanted} {got}: of a text make a Document(text)")
        _check_metadata(document)
        yield document


def _check_metadata(document: Document) -> None:
    """Raises `SettingError` for metadata that cannot be copied, before anything is paid for that is to have a copy."""
    for key, value in document.metadata.items():
        if type(value) not in IMMUTABLE and key != LAYOUT:
            name = f"metadata {key!r:.80} of the document {document.id or document.page_content[:40]!r}"
            check_depth(name, value)
            try:
                copy.deepcopy(value)
            except Exception as error:
                raise SettingError(
                    f"{name} must be something that can be copied, as each text made of the document has its own: got "
                    f"{type(value).__name__} {value!r:.80} ({error}); leave it out, or say there where it is found"
                ) from error


def check_places(documents: Iterable[Document], places: Sequence[ChunkMetadata]) -> None:
    """Raises `SettingError` where metadata has a key of ours with another meaning, or a layout that is none.

    places: what is to be said of the parts of the documents.
    """
    for document in documents:
        for own in places:
            own.check(document.metadata)


def drop_layouts(documents: Iterable[Document]) -> list[Document]:
    """Documents -> the same without layouts that are not of their texts, as a splitter that is not ours copies the
    layout of a whole file to each chunk. Warns once of such chunks."""
    kept, dropped = list[Document](), 0
    for document in documents:
        layout = document.metadata.get(LAYOUT)
        last = layout[-1] if isinstance(layout, list) and layout else None
        start = last.get("start") if isinstance(last, dict) else None
        if type(start) is int and start > len(document.page_content):
            metadata = {key: value for key, value in document.metadata.items() if key != LAYOUT}
            document = document.model_copy(update={"metadata": metadata})
            dropped += 1
        kept.append(document)
    if dropped:
        warn_caller(
            f"{dropped} texts have the layout of a longer one, as chunks of a splitter that is not ours do: it is left "
            f"out, and they say no pages. Add whole documents, as from_pdf() and join_pages() return them, and give "
            f"your splitter as child_splitter; or, before you cut, document.metadata.pop({LAYOUT!r})"
        )
    return kept


def is_immutable(metadata: Mapping[Any, Any]) -> bool:
    """Whether all keys and values are plain ones that a copy may share."""
    return IMMUTABLE.issuperset(map(type, metadata)) and IMMUTABLE.issuperset(map(type, metadata.values()))


def part_metadata(
    document: Document, places: ChunkMetadata, said: Iterable[Mapping[str, Any]], starts: Iterable[int]
) -> list[dict[str, Any]]:
    """What the parts of a document have of its metadata, each a copy, with what is said of the part. starts: where each
    begins in there.

    A document that is itself a chunk no longer knows where its pages end: in a part of one that is on several, nobody
    knows where in its page that begins.
    """
    own = {key: value for key, value in document.metadata.items() if key != LAYOUT}
    plain = is_immutable(own)
    parts = [{**(own if plain else copy.deepcopy(own)), **each} for each in said]
    if LAYOUT in document.metadata:
        return parts
    first, last, offset = (places.keys.get(name, name) for name in ("page_start", "page_end", "page_offset"))
    for metadata, start in zip(parts, starts, strict=True):
        if start and first in metadata and last in metadata and type(metadata.get(offset)) is int:
            if metadata[first] == metadata[last]:
                metadata[offset] += start
            else:
                del metadata[offset]
    return parts


def document_of(text: str, id: str | None, metadata: dict[str, Any]) -> Document:
    """A document of what is known to be valid, made as unpickling makes one: pydantic need not look at it again."""
    own = {**_STATE["__dict__"], "id": id, "page_content": text, "metadata": metadata}
    document = Document.__new__(Document)
    document.__setstate__({**_STATE, "__dict__": own, "__pydantic_fields_set__": {*_FIELDS}})
    return document


def documents_from_texts(texts: list[str], metadatas: list[dict[Any, Any]] | None) -> list[Document]:
    """Texts and metadata -> documents. Raises `SettingError` where there is not one metadata per text."""
    if isinstance(texts, str):
        raise SettingError("texts must be a list of str, got one str: pass [text]")
    if metadatas and len(metadatas) != len(texts):
        raise SettingError(f"metadatas must be one per text: expected {len(texts)}, got {len(metadatas)}")
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise SettingError(f"a document must be a str, got {type(text).__name__} at position {number}")
    return [
        Document(page_content=text, metadata=metadata)
        for text, metadata in zip(texts, metadatas or [{}] * len(texts), strict=True)
    ]


def start_of(document: Document, key: str = "start_index") -> int | None:
    """Where a document stands in the one that it is a chunk of, if it is the chunk of a splitter that says so."""
    start = document.metadata.get(key)
    return start if isinstance(start, int) and not isinstance(start, bool) and start >= 0 else None


def unique_names(documents: Sequence[Document]) -> list[str]:
    """Documents -> what each is known by: its own id, or its metadata and text, and which of several alike it is."""
    names: list[str] = []
    counts: Counter[str] = Counter()
    for document in documents:
        name = document.id
        if name is None:
            name = _content_name(document)
            counts[name] += 1
            if counts[name] > 1:
                name = digest(name, str(counts[name]))
        names.append(name)
    return names


def owner_names(documents: Sequence[Document]) -> list[str]:
    """Documents -> what the ids of their chunks are made of: a document's own id, or its metadata where they say its
    source, or its metadata and text.

    Where it stands in another document, its layout and its context are no part of the metadata here. Documents of one
    name, such as the pages of a file, are one to the ids of their chunks.
    """
    return [_owner_name(document) if document.id is None else document.id for document in documents]


def _owner_name(document: Document) -> str:
    metadata = {key: value for key, value in document.metadata.items() if key not in (*PLACE, LAYOUT, CONTEXT_KEY)}
    return digest(metadata_key(metadata), *([document.page_content] if metadata.get("source") is None else []))


def check_ids(ids: Sequence[str] | None) -> list[str]:
    """What was given as ids -> the same as a list. Raises `SettingError`."""
    if ids is None or isinstance(ids, str):
        raise SettingError(f"ids must be a list of the documents' ids, got {ids!r}")
    names = list(ids)
    if other := [name for name in names if not isinstance(name, str)]:
        raise SettingError(f"ids must be str, as add_documents() returns them, got {other[0]!r}")
    return names


def document_names(documents: Sequence[Document], ids: Sequence[str] | None) -> list[str]:
    """Documents -> what each is stored under: `ids`, else its id, else its content."""
    if ids is not None:
        return storage_names(documents, ids, None)[0]
    return [each.id or _content_name(each) for each in documents]


def storage_names(
    documents: Sequence[Document], ids: Sequence[str] | None, source_id_key: str | None
) -> tuple[list[str], set[str]]:
    """Documents -> what each is stored under, and which of these names are sources.

    That is `ids`, else the source in its metadata, else its id, else its content. Without `source_id_key`, it is its
    id, else its ``source``, if that is a path or an address, else its content.
    """
    if ids is not None:
        if isinstance(ids, str) or len(ids) != len(documents) or not all(isinstance(name, str) for name in ids):
            raise SettingError(f"ids must be one str per document: expected {len(documents)}, got {ids!r:.200}")
        return list(ids), set()
    if source_id_key is None:
        sources = [None if document.id else _address(document.metadata.get("source")) for document in documents]
        names = [source or each.id or _content_name(each) for each, source in zip(documents, sources, strict=True)]
        return names, {source for source in sources if source}
    for document in documents:
        if document.metadata.get(source_id_key) is None:
            keys = sorted(map(str, document.metadata))
            raise SettingError(f"every document must have {source_id_key!r} in its metadata, one has {keys} only")
    names = [str(document.metadata[source_id_key]) for document in documents]
    return names, set(names)


def _address(source: object) -> str | None:
    """A source as a name, if it is a path or an address: a label, such as "tweets", may stand for many documents."""
    return str(source) if isinstance(source, (str, PurePath)) and ADDRESSED.search(str(source)) else None


def _content_name(document: Document) -> str:
    said = metadata_key({key: value for key, value in document.metadata.items() if key != LAYOUT})
    return digest(said, document.page_content)


def metadata_key(value: Any) -> str:
    """Metadata -> one string for equal metadata, whatever the order of its keys and sets."""
    if isinstance(value, dict):
        return "{" + ",".join(sorted(f"{metadata_key(key)}:{metadata_key(item)}" for key, item in value.items())) + "}"
    if isinstance(value, (set, frozenset)):
        return "{" + ",".join(sorted(map(metadata_key, value))) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(metadata_key, value)) + "]"
    return repr(value) if isinstance(value, str) else ADDRESS.sub("", repr(value))
