"""Splitting of documents into parents and the small texts that lead to them, each a range of its document's text."""

from __future__ import annotations

import copy
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any, NamedTuple, overload

from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter

from caesura.batch import SECTION
from caesura.errors import SettingError
from caesura.ids import digest
from caesura.sansio import Calls
from caesura.sizers import without_surrogates
from caesura.text.sections import section_edges
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
from langchain_caesura.base import BaseSemanticSplitter
from langchain_caesura.chunk_vectors import EmbeddedHeadings
from langchain_caesura.documents import PLACE, copy_metadata, is_immutable, metadata_key, start_of
from langchain_caesura.fragments import Fragment, split_fragments
from langchain_caesura.hierarchy_splitter import SemanticHierarchySplitter
from langchain_caesura.parents.index_diff import Family, Piece, RowContent
from langchain_caesura.parents.inputs import MODEL, DocumentInput
from langchain_caesura.parents.owner import Owner
from langchain_caesura.parents.record import (
    ID,
    ROW,
    SIGNATURE,
    VIEW,
    ParentRecord,
    StoredSection,
    StoredText,
    record_key,
)
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
    shown = [fragment for fragment in fragments if fragment.start is not None and fragment.text.strip()]
    if len({fragment.start for fragment in shown}) == len(shown):
        return sorted(shown, key=lambda fragment: fragment.start or 0)
    places = {(fragment.start, -len(fragment.text)): fragment for fragment in reversed(shown)}
    return [places[key] for key in sorted(places)]


class _Section(NamedTuple):
    """A part of a text that is cut by itself."""

    fragment: Fragment
    cut: str = ""
    """See `StoredSection`."""
    known: int | None = None
    """Its number in the stored text, where one was cut so."""


@dataclass(slots=True)
class _Text:
    """A text whose ranges are stored, what lies in it, and what is kept of it."""

    fragment: Fragment
    document: Document
    offset: int | None
    sections: list[_Section] = field(default_factory=list)
    """Those of a document, which tile its text."""
    before: StoredText | None = None
    """What is stored of the document, of which sections are known."""
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
        forced: Set[str] = frozenset(),
    ) -> list[Family]:
        """Returns one family per name, in which each document has its pieces.

        records: what is stored of the names; sections of long texts that are there are not cut again, unless the name
        is among `forced`. gone: the documents of each that go.
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
        known = {name: record.parts for name, record in records.items() if name not in forced}
        if isinstance(self.child_splitter, SemanticHierarchySplitter):
            _, spaces, rooms = await calls.compute(self._divide, sources, known)
            texts, files = [part.text for _, part in spaces], [file_of(part.metadata) for _, part in spaces]
            await self.child_splitter.split_levels(calls, texts, rooms, files, partial(_keep_levels, spaces))
            return await calls.compute(self._families, sources, [], [], owner, gone)
        spaces, cut = await self._split_parents(calls, sources, known)
        return await calls.compute(self._families, sources, spaces, cut, owner, gone)

    async def _split_parents(
        self, calls: Calls, sources: Sequence[_Source], stored: Mapping[str, Sequence[StoredText]]
    ) -> tuple[list[tuple[_Text, Fragment]], list[list[Fragment]]]:
        """Cuts parents, and children in them; a parent that is no slice of its document is a text of its own.

        stored: see `_divide`. Returns each parent, and the text that it is a range of, and the children of each; of
        none, if none are cut.
        """
        owners, spaces, rooms = await calls.compute(self._divide, sources, stored)
        fragments = list(map(itemgetter(1), spaces))
        if self.parent_splitter is not None:
            cut = await split_fragments(calls, self.parent_splitter, fragments)
            spaces = [
                _parent_text(source, parent) for source, parents in zip(owners, cut, strict=True) for parent in parents
            ]
            rooms = [room for room, parents in zip(rooms, cut, strict=False) for _ in parents]
            fragments = [fragment for _, fragment in spaces]
        if self.child_splitter is None:
            return [], []
        return spaces, await split_fragments(calls, self.child_splitter, fragments, rooms)

    def _divide(
        self, sources: Sequence[_Source], stored: Mapping[str, Sequence[StoredText]]
    ) -> tuple[list[_Source], list[tuple[_Text, Fragment]], list[int]]:
        """Finds the sections of documents. Returns of those that are to be cut the documents, the texts that each is a
        range of, and what children leave there to headings, nothing where none are embedded. stored: the texts of each
        name, of which sections are known.

        A text of our splitters alone has sections: what others make of one may depend on all of it.
        """
        owners, spaces, rooms = list[_Source](), list[tuple[_Text, Fragment]](), list[int]()
        every = self._rooms(sources) if self.headings else [0] * len(sources)
        for source, room in zip(sources, every, strict=True):
            text, whole = source.texts[0], source.texts[0].fragment
            long = len(whole.text) > SECTION and self._is_ours()
            edges = section_edges(whole.text, SECTION).tolist() if long else []
            if len(edges) < 3:
                text.sections = [_Section(whole)]
                owners.append(source)
                spaces.append((text, whole))
                rooms.append(room)
                continue
            model = source.fingerprint.partition(MODEL)[2]
            how = digest(self.settings, model, str(room), file_of(whole.metadata))
            before = next((each for each in stored.get(source.name, ()) if each.identity == source.identity), None)
            known: dict[str, list[int]] = {}
            for number, section in enumerate(before.sections if before is not None else ()):
                known.setdefault(section.cut, []).append(number)
            text.before = before
            for start, end in pairwise(edges):
                fragment = Fragment(whole.text[start:end], start, whole.metadata)
                cut = digest(how, fragment.text)
                same = known.get(cut)
                text.sections.append(_Section(fragment, cut, same.pop(0) if same else None))
            spaces += [(text, each.fragment) for each in text.sections if each.known is None]
            owners += [source] * (len(spaces) - len(owners))
            rooms += [room] * (len(spaces) - len(rooms))
        return owners, spaces, rooms if self.headings else []

    def _is_ours(self) -> bool:
        """Whether all splitters cut each section of a text by itself."""
        splitters = [each for each in (self.child_splitter, self.parent_splitter) if each is not None]
        ours = [isinstance(each, BaseSemanticSplitter) and each._by_section for each in splitters]
        return bool(ours) and all(ours)

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
        return self.fields.describe(document, _chunks(children, shift))

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
        for source in sources:
            _keep_known(source.texts[0])
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
        spans = list(_nested({*map(_span, text.parents)}, {*map(_span, children)})) if text.parents else []
        shown = [view for view in views if view.page_content.strip()]
        loose = [child for child, _ in text.loose]
        kept = text.document
        sections = self._sections(source, number, owner)
        starts = [child.start or 0 for child in children]
        edges = [*(bisect_left(starts, section.start) for section in sections), len(children)]
        parts = [children[first:end] for first, end in pairwise(edges)]
        old = _old_numbers(text, sections, edges)
        key, name, rows, repeated = self._rows(source, number, [*children, *loose], shown, owner, seen, old)
        ids, names = [row.id.replace("-", "") for row in rows], [row.id for row in rows[: len(children)]]
        own_texts = [child.text for child in children]

        @cache
        def said(at: int) -> list[dict[str, Any]]:
            return self._describe(source, text, parts[at])

        @cache
        def words_of(at: int) -> WordDocument:
            own = slice(edges[at], edges[at + 1])
            above = self.fields.describe(kept, _chunks(parts[at])) if number else said(at)
            return self.fields.of(kept, names[own], own_texts[own], above, context_of(kept.metadata))

        words: dict[str, Callable[[], WordDocument]] = {}
        for at, section in enumerate(sections):
            if self.words and parts[at]:
                of = f" {digest(section.said, *ids[edges[at] : edges[at + 1]])}" if section.said else ""
                sections[at] = section._replace(words=name + of)
                words[name + of] = make = partial(words_of, at)
                if len(sections) == 1:  # it is written with its text
                    make()
        context = context_of(source.texts[0].document.metadata)
        heads: Sequence[str] = [""] * len(children)
        texts: Sequence[str] = own_texts
        if (headings := self.headings) is not None:
            heads = made = _by_section(edges, lambda at: headings.texts(said(at)))
            texts = _by_section(edges, lambda at: [made[each] + own_texts[each] for each in range(*edges[at : at + 2])])
        leads = [spans.index(span) if (span := _span(parent)) in spans else -1 for _, parent in text.loose]
        line = RowLine(source.name, texts, [context] * len(children), self.context)
        signatures: list[str] = []
        if self.context or (self.headings and children) or context or self.model is not None:
            signatures = self._signatures(line, ids, heads, text.before, old)
        part = StoredText(
            identity=source.identity,
            fingerprint=source.fingerprint,
            key=key if rows else "",
            sections=sections,
            size=len(text.fragment.text),
            offset=text.offset,
            ids="".join(ids),
            signatures="".join(signature[:SIGNATURE] for signature in signatures),
            turns=[],
            starts=starts,
            ends=[start + len(child.text) for start, child in zip(starts, children, strict=True)],
            parents=[list(span) for span in spans],
            repeated=repeated if len(sections) > 1 else [],
            views=[*([lead] for lead in leads), *([VIEW, *_places(view)] for view in shown)],
        )
        return Piece(part, kept.model_copy(update={"id": kept.id or key}) if rows else None, rows, line, words)

    def _sections(self, source: _Source, number: int, owner: Owner) -> list[StoredSection]:
        """The sections of a text as they are stored, but for the names of their words."""
        text = source.texts[number]
        if len(text.sections) < 2:
            return [StoredSection(0)]
        document, kinds = text.document, map(bool, (self.words, self.headings, self.model))
        metadata = metadata_key((document.metadata, dict(self.fields.headings.keys)))
        own = owner.prefix, *source.record, source.name, source.identity, str(document.id), str(self.context)
        common = digest(*own, *map(str, kinds), metadata)
        starts = [section.fragment.start or 0 for section in text.sections]
        outlines = self.fields.outline(document).by_section([*starts, len(document.page_content)])
        placed = LAYOUT in document.metadata  # which says what is where
        return [
            StoredSection(start, section.cut, digest(common, section.cut, outline, str(start if placed else "")))
            for start, section, outline in zip(starts, text.sections, outlines, strict=True)
        ]

    def _signatures(
        self, line: RowLine, ids: Sequence[str], heads: Sequence[str], before: StoredText | None, old: Sequence[int]
    ) -> list[str]:
        """What tells the surroundings of each child. old: its number in what is stored; less than 0: it is new."""
        count = len(line.texts)
        if before is None or self.model is not None or not before.signatures:
            contents = [own + head for own, head in zip(ids, heads, strict=False)]
            return sign_rows(line, contents, self.model)
        reach = line.reach
        signatures, done, at = list[str](), 0, 0

        def sign(end: int) -> None:
            first, last = max(done - reach, 0), min(end + reach, count)
            contents = [ids[each] + heads[each] for each in range(first, last)]
            some = replace(line, texts=(), contexts=line.contexts[first:last])
            signatures.extend(sign_rows(some, contents, None)[done - first : end - first])

        while at < count:
            end = at + 1
            while old[at] >= 0 and end < count and old[end] == old[end - 1] + 1:
                end += 1
            same = before.ids[max(old[at], 0) * ID : (old[at] + end - at) * ID] == "".join(ids[at:end])
            first = 0 if at == old[at] == 0 else at + reach
            last = end if end == count and old[at] + end - at == len(before.starts) else end - reach
            if old[at] >= 0 and same and first < last:
                sign(first)
                span = old[at] + first - at, old[at] + last - at
                signatures += before.signatures_of(*span)
                done = last
            at = end
        sign(count)
        return signatures

    def _rows(
        self,
        source: _Source,
        number: int,
        children: Sequence[Fragment],
        views: Sequence[Document],
        owner: Owner,
        seen: Counter[str],
        old: Sequence[int],
    ) -> tuple[str, str, list[RowContent], list[int]]:
        """Returns the key of a text of a document, that of its words, the rows of some children and views of it, and
        the numbers of those that are equal to an earlier one.

        A row's id is made of owner, name, document, its own text and metadata, and which of several alike it is. Its
        metadata has nothing that an edit elsewhere in the document changes. seen: how many of each kind there are. old:
        the numbers of children in what is stored of the document.
        """
        text, record = source.texts[number], "/".join(source.record)
        kept, ids = text.document, _old_ids(text.before, old, len(children) + len(views))
        there = {name: at for at, name in enumerate(ids) if name}
        given: list[tuple[str, list[str], dict[Any, Any], bool, str]] = []
        for _, group in groupby(children, key=_metadata_shared):
            some = list(group)
            contents, own = [each.text for each in some], self.inherit({**some[0].metadata, **some[0].added})
            said = metadata_key((self.child_metadata_fields, own))
            given.append(("child", contents, {**own, owner.id_key: record}, is_immutable(own), said))
        for view in views:
            own = _without_surrogates(_scalars(view.metadata))
            said = metadata_key((self.child_metadata_fields, own))
            given.append(("view", [view.page_content], {**own, owner.id_key: record}, is_immutable(own), said))
        key_said = metadata_key(kept.metadata)
        of = owner.prefix, source.record[1], source.name, source.identity
        alike: dict[str, list[int]] = {}
        at = 0
        for kind, contents, *_, said in given:
            for content in contents:
                if not ids[at]:
                    alike.setdefault(digest(kind, *of, content, said), []).append(at)
                at += 1
        repeated: list[int] = []
        for same, places in alike.items():
            first = digest(same, str(seen[same] + 1))
            if first in there:  # of those that are alike, only the first is known by its id
                places = sorted([*places, there[first]])
            for at in places:
                ids[at] = digest(same, str(seen[same] + 1)) if seen[same] else first
                repeated += [at] * bool(seen[same])
                seen[same] += 1
        key = digest(owner.prefix, source.name, str(number), str(kept.id), kept.page_content, key_said)
        words, name = f"{source.record[0]} {digest(source.identity, str(number))}", iter(ids)
        rows = [RowContent(next(name), each, own, plain) for _, some, own, plain, _ in given for each in some]
        return key, words, rows, sorted(repeated)

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


def _old_numbers(text: _Text, sections: Sequence[StoredSection], edges: Sequence[int]) -> list[int]:
    """Returns of each child of a text its number in what is stored of it, -1 where it is new or is told something else.

    edges: the numbers of the children that sections begin with.
    """
    old = [-1] * edges[-1]
    for at, section in enumerate(text.sections):
        if text.before is not None and section.known is not None:
            rows, _ = text.before.section(section.known)
            if text.before.sections[section.known].said == sections[at].said:
                old[edges[at] : edges[at + 1]] = rows
    return old


def _old_ids(before: StoredText | None, old: Sequence[int], count: int) -> list[str]:
    """Returns the ids of so many rows; "" for one that is new, or was one of several that are alike."""
    if before is None:
        return [""] * count
    several, names = set(before.repeated), before.names(0, len(before.starts))
    known = ["" if at < 0 or at in several else names[at] for at in old]
    return [*known, *[""] * (count - len(known))]


def _by_section(edges: Sequence[int], make: Callable[[int], list[str]]) -> Sequence[str]:
    """Returns the strings of all sections. edges: the numbers that sections begin with, and their count."""
    return make(0) if len(edges) == 2 else _Lazy(edges, make)


class _Lazy(Sequence[str]):
    """Strings of several sections, made for those that are looked at."""

    def __init__(self, edges: Sequence[int], make: Callable[[int], list[str]]) -> None:
        self._edges, self._make = edges, cache(make)

    def __len__(self) -> int:
        return self._edges[-1]

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...
    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        if isinstance(at, slice):
            return [self[each] for each in range(*at.indices(len(self)))]
        place = range(len(self))[at]
        section = bisect_right(self._edges, place) - 1
        return self._make(section)[place - self._edges[section]]


def _places(view: Document) -> list[int]:
    """A view -> where in the document it says that it is from, if it does."""
    places = [view.metadata.get(key) for key in PLACE]
    return [place for place in places if type(place) is int] if all(type(place) is int for place in places) else []


def _keep_levels(parts: Sequence[tuple[_Text, Fragment]], cut: Sequence[Sequence[Sequence[Chunk]]]) -> None:
    """Keeps the chunks of each part's levels: the smallest are children, all others parents."""
    for (text, fragment), levels in zip(parts, cut, strict=True):
        text.parents += fragment.parts(chunk for level in levels[:-1] or levels for chunk in level)
        text.children += fragment.parts(levels[-1])


def _keep_known(text: _Text) -> None:
    """Keeps the children and parents of sections as they are stored."""
    metadata, content, nothing = text.fragment.metadata, text.fragment.text, dict[Any, Any]()
    for fragment, _, number in text.sections:
        if (before := text.before) is None or number is None:
            continue
        moved = (fragment.start or 0) - before.sections[number].start
        children, parents = (slice(rows.start, rows.stop) for rows in before.section(number))
        spans = zip(before.starts[children], before.ends[children], strict=True)
        for kept, found in ((text.children, spans), (text.parents, before.parents[parents])):
            kept += [
                Fragment(content[start + moved : end + moved], start + moved, metadata, nothing) for start, end in found
            ]


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


def _chunks(fragments: Iterable[Fragment], shift: int = 0) -> list[Chunk]:
    """Fragments -> the chunks that they are, so far behind their places."""
    return [Chunk(each.text, shift + start, shift + end) for each in fragments for start, end in [_span(each)]]


def _nested(parents: set[tuple[int, int]], children: set[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Parents -> those that hold more than one child holds, or are the outermost, what holds another before it."""
    reach = -1
    for start, end in sorted(parents, key=lambda span: (span[0], -span[1])):
        if end > reach or (start, end) not in children:
            yield start, end
        reach = max(reach, end)
