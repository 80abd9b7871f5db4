"""Splitting of documents into parents and the small texts that lead to them, each a range of its document's text."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from typing import Any

from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter

from caesura.errors import SettingError
from caesura.ids import digest
from caesura.sansio import Calls
from caesura.sizers import without_surrogates
from caesura.types import Chunk
from caesura_documents.caller_warning import warn_caller
from caesura_documents.chunk_metadata import context_of
from caesura_documents.join_pages import LoadedPage, warn_of_glued_pages
from caesura_documents.layout import LAYOUT
from caesura_documents.outline import Outliner
from caesura_documents.titles import file_of
from caesura_retrieval.document_embedders import DocumentEmbedder
from caesura_retrieval.row_plan import RowLine, sign_rows
from caesura_retrieval.word_index import WordDocument
from langchain_caesura.chunk_vectors import EmbeddedHeadings
from langchain_caesura.documents import PLACE, copy_metadata, is_immutable, metadata_key, start_of
from langchain_caesura.fragments import Fragment, split_fragments
from langchain_caesura.hierarchy_splitter import SemanticHierarchySplitter
from langchain_caesura.parents.index_diff import Family, Piece, RowContent
from langchain_caesura.parents.inputs import DocumentInput
from langchain_caesura.parents.owner import Owner
from langchain_caesura.parents.record import ROW, SIGNATURE, VIEW, ParentRecord, StoredText, record_key
from langchain_caesura.word_fields import WordFields


def _scalars(metadata: dict[Any, Any]) -> dict[Any, Any]:
    """What every vector store takes: text, numbers and truth values under a name; no place, which changes."""
    return {
        key: value
        for key, value in metadata.items()
        if isinstance(key, str) and isinstance(value, (str, int, float)) and key not in (*PLACE, ROW)
    }


def _distinct(fragments: Iterable[Fragment]) -> list[Fragment]:
    """Fragments with places -> those that are not blank, in the order of the text, each place once."""
    places = {
        (fragment.start, -len(fragment.text)): fragment
        for fragment in reversed(list(fragments))
        if fragment.start is not None and fragment.text.strip()
    }
    return [places[key] for key in sorted(places)]


@dataclass(slots=True)
class _Text:
    """A text whose ranges are stored, what lies in it, and what is kept of it."""

    fragment: Fragment
    document: Document
    offset: int | None
    parents: list[Fragment] = field(default_factory=list)
    children: list[Fragment] = field(default_factory=list)
    loose: list[tuple[Fragment, Fragment]] = field(default_factory=list)
    """Children that are no slices, each with what it was cut from."""


@dataclass(slots=True)
class _Source:
    """A document as it was given, and the texts that are stored of it: its own, and parents that are no slices."""

    name: str
    record: tuple[str, str]
    """The key and the mark of its record."""
    identity: str
    fingerprint: str
    views: list[Document]
    texts: list[_Text]


@dataclass(frozen=True, slots=True, kw_only=True)
class ParentSplitter:
    """Cuts documents into parents and children. The settings are those of `ParentDocumentRetriever`."""

    settings: str
    """The fingerprint of how documents are cut."""
    child_splitter: TextSplitter | None
    parent_splitter: TextSplitter | None
    id_key: str
    child_metadata_fields: Sequence[str] | None
    context: float
    words: bool
    """Whether children are in the index of words."""
    fields: WordFields
    """What stands above children, and what their words are searched in."""
    headings: EmbeddedHeadings | None
    """Of children; None: none are embedded."""
    find: Outliner
    model: DocumentEmbedder | None = None
    """What embeds the children of a text together; None: each is embedded by itself."""

    def sign(self, inputs: Mapping[str, DocumentInput]) -> None:
        """Adds the fingerprint of each document."""
        kinds = map(bool, (self.words, self.headings, self.model))
        settings = self.settings, str(self.context), *map(str, kinds)
        for own in inputs.values():
            for identity, (document, views) in own.identities.items():
                said = [
                    part for text in (document, *views) for part in (text.page_content, metadata_key(text.metadata))
                ]
                own.fingerprints[identity] = digest(*settings, str(document.id), *said)

    async def split(
        self,
        calls: Calls,
        inputs: dict[str, DocumentInput],
        owner: Owner,
        records: Mapping[str, ParentRecord],
        gone: Mapping[str, frozenset[str]],
    ) -> list[Family]:
        """Returns one family per name, in which each document has its pieces.

        records: what is stored of the names. gone: the documents of each that go.
        """
        keys = {
            name: (record_key(owner.prefix, name), records[name].mark if name in records else owner.mark)
            for name in inputs
        }
        sources = [
            _Source(name, keys[name], identity, own.print_of(identity), views, [_whole_text(document, name)])
            for name, own in inputs.items()
            for identity, (document, views) in own.identities.items()
        ]
        if isinstance(self.child_splitter, SemanticHierarchySplitter):
            whole = [source.texts[0] for source in sources]
            rooms = await calls.compute(self._rooms, sources) if self.headings else []
            texts, files = [text.fragment.text for text in whole], [file_of(text.fragment.metadata) for text in whole]
            await self.child_splitter.split_levels(calls, texts, rooms, files, partial(_keep_levels, whole))
            return await calls.compute(self._families, sources, [], [], owner, gone)
        spaces, cut = await self._split_parents(calls, sources)
        return await calls.compute(self._families, sources, spaces, cut, owner, gone)

    async def _split_parents(
        self, calls: Calls, sources: list[_Source]
    ) -> tuple[list[tuple[_Text, Fragment]], list[list[Fragment]]]:
        """Cuts parents, and children in them; a parent that is no slice of its document is a text of its own.

        Returns each parent, and the text that it is a range of, and the children of each; of none, if none are cut.
        """
        spaces = [(source.texts[0], source.texts[0].fragment) for source in sources]
        fragments = [fragment for _, fragment in spaces]
        rooms = await calls.compute(self._rooms, sources) if self.headings else []
        if self.parent_splitter is not None:
            cut = await split_fragments(calls, self.parent_splitter, fragments)
            spaces = [
                _parent_text(source, parent) for source, parents in zip(sources, cut, strict=True) for parent in parents
            ]
            rooms = [room for room, parents in zip(rooms, cut, strict=False) for _ in parents]
            fragments = [fragment for _, fragment in spaces]
        if self.child_splitter is None:
            return [], []
        return spaces, await split_fragments(calls, self.child_splitter, fragments, rooms)

    def _rooms(self, sources: Sequence[_Source]) -> list[int]:
        """What the children of each document leave to headings; nothing where none are embedded."""
        if (own := self.headings) is None:
            return []
        documents = [source.texts[0].document for source in sources]
        room = partial(own.metadata.room, size=own.size, most=own.most or 0, find=self.find)
        return [room(each.page_content, each.metadata) for each in documents]

    def _describe(self, source: _Source, text: _Text, children: Sequence[Fragment]) -> list[dict[str, Any]]:
        """What stands above each child in the document, as far as its place there is known, by key."""
        document, whole, shift = text.document, source.texts[0], 0
        if text.offset is not None:
            document, shift = whole.document, text.offset - (whole.offset or 0)
        chunks = [Chunk(child.text, shift + start, shift + end) for child in children for start, end in [_span(child)]]
        return self.fields.describe(document, chunks)

    def _families(
        self,
        sources: list[_Source],
        spaces: Sequence[tuple[_Text, Fragment]],
        cut: Sequence[Sequence[Fragment]],
        owner: Owner,
        gone: Mapping[str, frozenset[str]],
    ) -> list[Family]:
        """spaces, cut: what children were cut from, each a range of a text, and the children of each."""
        for (text, parent), children in zip(spaces, cut, strict=True):
            text.children += [child for child in children if child.start is not None]
            text.loose += [(child, parent) for child in children if child.start is None and child.text.strip()]
        families = {name: Family(name, replaced=goes) for name, goes in gone.items()}
        pages: list[LoadedPage] = []
        for source in sources:
            whole = source.texts[0].document
            pages.append(LoadedPage(str(whole.metadata.get("source", source.name)), whole.metadata, whole.page_content))
            seen = Counter[str]()
            pieces = [self._piece(source, number, owner, seen) for number in range(len(source.texts))]
            blank = not source.texts[0].fragment.text.strip()
            if self.child_splitter is None and not blank and not any(piece.rows for piece in pieces):
                fault = f"the document {source.name!r} has no views and there is no child_splitter: nothing leads to it"
                raise SettingError(f"{fault}; give it a view, such as its summary, or the retriever a child_splitter")
            kept = [piece for piece in pieces if piece.rows] or pieces[:1]
            family = families[source.name]
            replaced = family.replaced | {source.identity}
            families[source.name] = replace(family, pieces=[*family.pieces, *kept], replaced=replaced)
        warn_of_glued_pages(pages, warn_caller)
        return list(families.values())

    def _piece(self, source: _Source, number: int, owner: Owner, seen: Counter[str]) -> Piece:
        """A text -> its part, with its rows; without rows nothing is kept of it."""
        text, views = source.texts[number], source.views if number == 0 else []
        children = _distinct(text.children)
        spans = list(_nested({_span(parent) for parent in text.parents}, {_span(child) for child in children}))
        shown = [view for view in views if view.page_content.strip()]
        loose = [child for child, _ in text.loose]
        kept = text.document
        key, words, rows = self._rows(source, number, [*children, *loose], shown, owner, seen)
        names, texts = [row.id for row in rows[: len(children)]], [child.text for child in children]
        said = self._describe(source, text, children) if self.headings or (self.words and number == 0) else []
        context, searched = context_of(source.texts[0].document.metadata), WordDocument(())
        if self.words and children:
            own = said  # a text of its own has words that say what stands above a child there
            if number:
                own = self.fields.describe(kept, [Chunk(child.text, *_span(child)) for child in children])
            searched = self.fields.of(kept, names, texts, own, context_of(kept.metadata))
        above = [] if self.headings is None else self.headings.texts(said)
        leads = [spans.index(span) if (span := _span(parent)) in spans else -1 for _, parent in text.loose]
        ids = [row.id.replace("-", "") for row in rows]
        heads = above or [""] * len(children)
        texts = [head + child for head, child in zip(heads, texts, strict=True)]
        line = RowLine(source.name, texts, [context] * len(texts), self.context)
        signatures: list[str] = []
        if self.context or above or context or self.model is not None:
            contents = [id + head for id, head in zip(ids, heads, strict=False)]
            signatures = sign_rows(line, contents, self.model)
        part = StoredText(
            identity=source.identity,
            fingerprint=source.fingerprint,
            key=key if rows else "",
            words=words if self.words and children else "",
            size=len(text.fragment.text),
            offset=text.offset,
            ids="".join(ids),
            signatures="".join(signature[:SIGNATURE] for signature in signatures),
            turns=[],
            starts=[start for start, _ in map(_span, children)],
            ends=[end for _, end in map(_span, children)],
            parents=[list(span) for span in spans],
            views=[*([lead] for lead in leads), *([VIEW, *_places(view)] for view in shown)],
        )
        return Piece(part, kept.model_copy(update={"id": kept.id or key}) if rows else None, rows, line, searched)

    def _rows(
        self,
        source: _Source,
        number: int,
        children: Sequence[Fragment],
        views: Sequence[Document],
        owner: Owner,
        seen: Counter[str],
    ) -> tuple[str, str, list[RowContent]]:
        """Returns the key of a text of a document, that of its words, and the rows of some children and views of it.

        A row's id is made of owner, name, document, its own text and metadata, and which of several alike it is. Its
        metadata has nothing that an edit elsewhere in the document changes. seen: how many of each kind there are.
        """
        kept, record = source.texts[number].document, "/".join(source.record)
        given: list[tuple[str, str, dict[Any, Any], bool, str]] = []
        for _, group in groupby(children, key=_metadata_shared):
            alike = list(group)
            own = self.inherit({**alike[0].metadata, **alike[0].added})
            said = metadata_key((self.child_metadata_fields, own))
            of_metadata = {**own, owner.id_key: record}, is_immutable(own), said
            for child in alike:
                given.append(("child", child.text, *of_metadata))
        for view in views:
            own = _without_surrogates(_scalars(view.metadata))
            said = metadata_key((self.child_metadata_fields, own))
            given.append(("view", view.page_content, {**own, owner.id_key: record}, is_immutable(own), said))
        key_said = metadata_key(kept.metadata)
        of, rows = (owner.prefix, source.record[1], source.name, source.identity), list[RowContent]()
        for kind, text, own, plain, said in given:
            same = digest(kind, *of, text, said)
            seen[same] += 1
            rows.append(RowContent(digest(same, str(seen[same])), text, own, plain))
        key = digest(owner.prefix, source.name, str(number), str(kept.id), kept.page_content, key_said)
        words = f"{source.record[0]} {digest(source.identity, str(number))}"
        return key, words, rows

    def inherit(self, metadata: dict[Any, Any]) -> dict[Any, Any]:
        """What a child has of the metadata: the fields wanted, or all that any vector store takes."""
        fields = self.child_metadata_fields
        wanted = _scalars(metadata) if fields is None else {key: metadata[key] for key in fields if key in metadata}
        return {_without_surrogates(key): _without_surrogates(value) for key, value in wanted.items()}


def _without_surrogates(value: Any) -> Any:
    """Metadata without lone surrogates, which many vector stores cannot write."""
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    return [_without_surrogates(item) for item in value] if isinstance(value, list) else value


def _places(view: Document) -> list[int]:
    """A view -> where in the document it says that it is from, if it does."""
    places = [view.metadata.get(key) for key in PLACE]
    return [place for place in places if type(place) is int] if all(type(place) is int for place in places) else []


def _keep_levels(texts: Sequence[_Text], cut: Sequence[Sequence[Sequence[Chunk]]]) -> None:
    """Keeps the chunks of each text's levels: the smallest are children, all others parents."""
    for text, levels in zip(texts, cut, strict=True):
        text.parents = text.fragment.parts(chunk for level in levels[:-1] or levels for chunk in level)
        text.children = text.fragment.parts(levels[-1])


def _whole_text(document: Document, name: str) -> _Text:
    """A document -> it as it is stored, and cut; places count in it."""
    metadata = {key: value for key, value in document.metadata.items() if key not in (*PLACE, LAYOUT)}
    kept = Document(document.page_content, id=document.id or name, metadata=copy_metadata(document))
    return _Text(Fragment(document.page_content, 0, metadata), kept, start_of(document) or 0)


def _parent_text(source: _Source, parent: Fragment) -> tuple[_Text, Fragment]:
    """A parent -> the text that it is a range of, its document's, or its own where it is no slice; and the range."""
    whole = source.texts[0]
    if parent.start is not None and not parent.added:
        whole.parents.append(parent)
        return whole, parent
    offset = None if parent.start is None or whole.offset is None else whole.offset + parent.start
    metadata = copy.deepcopy({**whole.fragment.metadata, **parent.added})
    text = _Text(replace(parent, start=0), Document(parent.text, metadata=metadata), offset)
    source.texts.append(text)
    return text, text.fragment


def _metadata_shared(fragment: Fragment) -> tuple[int, int]:
    """What neighbours have in common that were cut from one fragment by a splitter that adds nothing."""
    return id(fragment.metadata), id(fragment.added) if fragment.added else 0


def _span(fragment: Fragment) -> tuple[int, int]:
    start = fragment.start or 0
    return start, start + len(fragment.text)


def _nested(parents: set[tuple[int, int]], children: set[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Parents -> those that hold more than one child holds, or are the outermost, what holds another before it."""
    reach = -1
    for start, end in sorted(parents, key=lambda span: (span[0], -span[1])):
        if end > reach or (start, end) not in children:
            yield start, end
        reach = max(reach, end)
