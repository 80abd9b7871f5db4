"""What is returned for hits: passages within a budget, or parents with all that was found in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeAlias

from langchain_core.documents import Document

from caesura.ids import digest
from caesura.types import Chunk
from caesura_documents.chunk_metadata import ChunkMetadata
from caesura_documents.layout import LAYOUT, OF_PAGES, DocumentLayout
from caesura_documents.outline import Outliner
from caesura_documents.titles import HTML_HEAD
from caesura_retrieval.parent_merging import SCORES, Score, merge_up
from caesura_retrieval.passages import PackedPassage, PassageSpan, pack
from caesura_retrieval.ranking import Evidence
from caesura_retrieval.shortening import shorten_span
from langchain_caesura.documents import PLACE, ScoredDocument, part_metadata
from langchain_caesura.parents.hits import (
    LocatedHit,
    outermost_spans,
    parent_tree,
    range_span,
    whole_span,
)
from langchain_caesura.parents.record import StoredText
from langchain_caesura.parents.vector_search import Hit
from langchain_caesura.stores import StoredDocument

SAID = (*PLACE, "title")
"""What the metadata of a passage say in any case."""
AT_BEGINNING = frozenset(("start_index", "end_index", "title", *OF_PAGES))
"""What can be said of a place by the beginning of a text."""
Allows: TypeAlias = Callable[[PassageSpan], bool]
"""Whether a filter lets all text of a span through."""


@dataclass(frozen=True, slots=True)
class PassageMetadata:
    """What the metadata of what is returned say of its place, and what finds the headings of a text."""

    wanted: ChunkMetadata
    find: Outliner
    score_key: str | None
    """Where the score is said too."""
    read: Callable[[StoredText, Document], Document] | None = None
    """What of a text is read for headings; None: all of it."""

    def describe(
        self, given: Sequence[tuple[StoredText, StoredDocument, Sequence[PassageSpan]]], always: Sequence[str] = ()
    ) -> list[list[dict[str, Any]]]:
        """Texts and spans of each -> the metadata of each span, with its place. always: what it says in any case; the
        title, if the text has none of its own.

        Raises `SettingError` where the text's own has one of the keys with another meaning.
        """
        rows: list[tuple[ChunkMetadata, Document, list[Chunk], int | None]] = []
        starts: list[list[int]] = []
        for part, text, spans in given:
            pages = OF_PAGES[:2] if text.metadata.keys().isdisjoint(OF_PAGES) else ()  # also of pages not joined
            has_title = "title" in text.metadata or "title" in self.wanted.keys.values()
            names = {name: name for name in (*always, *pages) if name != "title" or not has_title}
            says = ChunkMetadata({**names, **self.wanted.keys}, self.wanted.name)
            chunks = [Chunk(text.page_content[own.start : own.end], own.start, own.end) for own in spans]
            rows.append((says, self._read_places(part, text, says), chunks, part.offset))
            starts.append([own.start for own in spans])
        said = [
            says.describe(seen.page_content, seen.metadata, chunks, (), offset, self.find)
            for says, seen, chunks, offset in rows
        ]
        return [
            part_metadata(text if isinstance(text, Document) else seen, says, own, places)
            for (_, text, _), (says, seen, *_), own, places in zip(given, rows, said, starts, strict=True)
        ]

    def _read_places(self, part: StoredText, text: StoredDocument, says: ChunkMetadata) -> Document:
        """What of a text is read for what is said of places in it."""
        if not isinstance(text, Document):
            headed = LAYOUT in text.metadata and DocumentLayout.of(text.metadata).has_headings
            text = text.until(HTML_HEAD if says.keys.keys() <= AT_BEGINNING and not headed else None)
        return text if self.read is None else self.read(part, text)

    def with_score(
        self, document: ScoredDocument, score: float | None, matches: list[dict[str, Any]]
    ) -> ScoredDocument:
        """The document with its score, and what was found in it."""
        said = {} if self.score_key is None else {self.score_key: score}
        metadata = {**document.metadata, **said}
        return document.model_copy(update={"score": score, "matches": matches, "metadata": metadata})


# -- passages within a budget ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What is to be returned: passages of at most `size` in all, as `measure` counts, and at most `most` of them.

    merge_ratio: the share of its children from which a parent takes their place, if it fits. exact: whether `measure`
    counts characters.
    """

    size: int
    most: int | None
    measure: Callable[[str], int]
    merge_ratio: float

    @property
    def exact(self) -> bool:
        """Whether it counts characters, for which no text need be read."""
        return self.measure is len

    def pack(
        self,
        ranking: Mapping[str, float],
        found: Mapping[str, LocatedHit],
        texts: Mapping[str, StoredDocument],
        allows: Allows | None = None,
        names: Mapping[str, str] = MappingProxyType({}),
        question: str = "",
        languages: Mapping[str, str] = MappingProxyType({}),
    ) -> tuple[list[PackedPassage], int]:
        """The ranking of hits -> what of it fits, and the room that is left; none where there are `most` of them.

        texts: of each part, by key; of none where only characters count. allows: None: all may be returned. names: of
        the document of each part, by key: hits with equal scores stand in their order. question: what has to be
        shortened, of a part whose text is there, keeps sentences with its words. languages: of parts, by key; of one
        that is not among them it is read in the text.
        """

        def size_of(span: PassageSpan) -> int:
            return self.measure(texts[span.document].page_content[span.start : span.end])

        def shorten(span: PassageSpan, room: int) -> PassageSpan | None:
            text = texts.get(span.document)
            language = languages.get(span.document)
            return (
                None if text is None else shorten_span(text.page_content, span, room, self.measure, question, language)
            )

        def parents_of(names: Sequence[str]) -> list[PassageSpan]:
            hits = [found[name] for name in names if name in found]
            return [span for hit in hits if hit.view is None for span in hit.spans_above()]

        spans: dict[str, PassageSpan] = {}
        passages = pack(
            list(self._order(ranking, found, spans, names)),
            spans,
            self.size,
            size=None if self.exact else size_of,
            most=self.most,
            shorten=shorten if question else None,
            parents=parents_of,
            merge_ratio=self.merge_ratio,
            allows=allows,
        )
        if self.most is not None and len(passages) >= self.most:
            return passages, 0
        taken = (passage.span for passage in passages)
        return passages, self.size - sum(span.end - span.start if self.exact else size_of(span) for span in taken)

    def spans_around(self, found: Mapping[str, LocatedHit]) -> Iterator[tuple[StoredText, PassageSpan, float]]:
        """Yields the spans that `pack` may take beside those of hits: parents, and what views lead to.

        Each comes with its text, and the share of its small texts that has to be taken before it.
        """
        for hit in found.values():
            spans, share = hit.spans_above(), self.merge_ratio
            if hit.view is not None:
                beginning = range_span(hit.part, hit.span.start, min(hit.span.start + self.size, hit.span.end))
                spans, share = [hit.span, beginning], 0.0
            for span in spans:
                if not self.exact or span.end - span.start <= self.size:
                    yield hit.part, span, share

    def _order(
        self,
        ranking: Mapping[str, float],
        found: Mapping[str, LocatedHit],
        spans: dict[str, PassageSpan],
        names: Mapping[str, str],
    ) -> Iterator[tuple[str, float]]:
        """Yields names and scores, and takes down their spans. After a view come the first children of its text. Equal
        scores stand in the order of the documents, not in that of ids, which another folder changes."""
        opened: set[tuple[str, int]] = set()
        places = {
            name: (-score, names.get(found[name].part.key, ""), found[name].part.identity, found[name].span.start)
            for name, score in ranking.items()
            if name in found
        }
        for name in sorted(places, key=places.__getitem__):
            score = ranking[name]
            part, span = found[name].part, found[name].span
            spans[name] = span
            yield name, score
            if found[name].view is not None and (part.key, span.start) not in opened and part.starts:
                opened.add((part.key, span.start))
                for child in range(span.first, span.last + 1):
                    if part.starts[child] - span.start > self.size:
                        break
                    beside = f"{part.key} {child}"
                    spans[beside] = PassageSpan(part.key, part.starts[child], part.ends[child], child, child)
                    yield beside, score


def passage_documents(
    passages: Sequence[PackedPassage],
    found: Mapping[str, LocatedHit],
    texts: Mapping[str, StoredDocument],
    metadata: PassageMetadata,
    evidence: Mapping[str, Evidence],
    words: Mapping[str, Mapping[str, Sequence[str]]],
) -> list[ScoredDocument]:
    """Passages and the texts that they are of -> documents, the best first.

    evidence, words: for what was found, and which of the question's words it has, by field.
    """
    parts = {hit.part.key: hit.part for hit in found.values()}
    passages = [passage for passage in passages if passage.span.document in texts]
    spans: dict[str, list[PassageSpan]] = {}
    for passage in passages:
        spans.setdefault(passage.span.document, []).append(passage.span)
    given = [(parts[key], texts[key], own) for key, own in spans.items()]
    described = dict(zip(spans, map(iter, metadata.describe(given, SAID)), strict=True))
    ids = _span_ids([(texts[passage.span.document], passage.span) for passage in passages])
    results: list[ScoredDocument] = []
    for passage, id in zip(passages, ids, strict=True):
        span, text = passage.span, texts[passage.span.document]
        matches: list[dict[str, Any]] = []
        for name in passage.found:
            if name in found:
                own, has = evidence[name], {key: [*own] for key, own in words.get(name, {}).items()}
                why = {**{each: getattr(own, each) for each in Evidence.__slots__}, "found": has}
                matches.append({**_match(name, found[name], own.score, texts, span), "evidence": why})
        result = ScoredDocument(
            page_content=text.page_content[span.start : span.end], id=id, metadata=next(described[span.document])
        )
        results.append(metadata.with_score(result, passage.score, matches))
    return results


def _span_ids(spans: Iterable[tuple[StoredDocument, PassageSpan]]) -> list[str]:
    """Ids made of document, range and text."""
    return [
        digest(str(text.id), str(span.start), str(span.end), text.page_content[span.start : span.end])
        for text, span in spans
    ]


def _match(
    name: str, hit: LocatedHit, score: float | None, texts: Mapping[str, StoredDocument], within: PassageSpan
) -> dict[str, Any]:
    """What is said of a small text that was found, as far as it is within a range of its text; fit for JSON."""
    start, end = max(hit.span.start, within.start), min(hit.span.end, within.end)
    offset = hit.part.offset
    if hit.view is not None:
        text, places = hit.text, hit.view
    else:
        text = texts[hit.part.key].page_content[start:end]
        places = [] if offset is None else [start + offset, end + offset]
    place = dict(zip(PLACE, places or (None, None), strict=True))
    return {"id": name, **place, "score": score, "text": text}


# -- whole parents -----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class HitGroup:
    """The hits that lead to one range of a text, best first."""

    part: StoredText
    span: PassageSpan
    hits: list[Hit] = field(default_factory=list)

    def total(self, score: Score) -> float | None:
        """The range's score."""
        scores = [hit.score for hit in self.hits if hit.score is not None]
        return SCORES[score](scores) if scores else None


def parents_around(
    hits: Sequence[Hit], found: Mapping[str, LocatedHit], k: int, share: float
) -> Iterator[tuple[StoredText, PassageSpan, float]]:
    """Yields the parents of the first hits, each with its text and `share`, until there are `k` outermost ones."""
    outermost: set[PassageSpan] = set()
    for located in [found[hit.name] for hit in hits if hit.name in found]:
        spans = located.spans_above()
        outermost.add(spans[-1])
        if len(outermost) > k:
            return
        yield from ((located.part, span, share if located.view is None else 0.0) for span in spans)


def group_hits(
    hits: Sequence[Hit], found: Mapping[str, LocatedHit], merge_ratio: float | None, allows: Allows | None = None
) -> list[HitGroup]:
    """Hits -> the parents to be returned, by `merge_ratio` children too. A hit found twice counts once.

    allows: None: all may be returned. In the place of a parent of which not all may be, what was found in it is.
    """
    groups: dict[tuple[str, int, int], HitGroup] = {}
    views: set[tuple[str, int, int]] = set()
    for hit in {hit.name: hit for hit in reversed(hits)}.values():
        if (located := found.get(hit.name)) is not None:
            part, spans = located.part, located.spans_above()
            span = spans[-1]
            if allows is not None and (merge_ratio is None or located.view is not None):
                allowed = [each for each in (located.span, *spans) if allows(each)]
                if not allowed:
                    continue
                span = allowed[-1]
            key = part.key, span.start, span.end
            groups.setdefault(key, HitGroup(part, span)).hits.append(hit)
            if located.view is not None:
                views.add(key)
    for group in groups.values():
        group.hits.sort(key=lambda hit: hit.rank)
    parts = [
        each
        for key, group in groups.items()
        for each in ((group,) if merge_ratio is None or key in views else _merge(group, found, merge_ratio, allows))
    ]
    return sorted(parts, key=lambda group: group.hits[0].rank)


def _merge(
    group: HitGroup, found: Mapping[str, LocatedHit], merge_ratio: float, allows: Allows | None
) -> Iterator[HitGroup]:
    """A parent with what was found in it -> what is to be returned: chunks instead of what lies in them where enough of
    that was found, step by step from the children to the parent; what was merged counts as found."""
    part = group.part
    of_children, of_parents = parent_tree(part)
    counts: dict[str, int] = {}
    for number in [*of_children, *of_parents]:
        counts[f"parent {number}"] = counts.get(f"parent {number}", 0) + 1
    if part.parents:
        counts.pop("parent -1", None)
    hits = {hit.name: hit for hit in group.hits}
    around = {name: f"parent {of_children[found[name].span.first]}" for name in hits}
    around |= {f"parent {number}": f"parent {outer}" for number, outer in enumerate(of_parents) if outer >= 0}
    if allows is not None:
        spans = {f"parent {number}": range_span(part, *span) for number, span in enumerate(part.parents)}
        spans["parent -1"] = whole_span(part)
        around = {name: parent for name, parent in around.items() if allows(spans[parent])}
    for name, finds in merge_up(list(hits), around, counts, merge_ratio).items():
        if name in hits:
            span = found[name].span
        else:
            number = int(name.removeprefix("parent "))
            span = whole_span(part) if number < 0 else range_span(part, *part.parents[number])
        yield HitGroup(part, span, [hits[find] for find in finds])


def parent_documents(
    groups: Sequence[HitGroup],
    found: Mapping[str, LocatedHit],
    texts: Mapping[str, StoredDocument],
    score: Score,
    metadata: PassageMetadata,
) -> list[ScoredDocument]:
    """What is to be returned and the texts -> documents, the best first.

    By "max" the order is the store's own: that of the best hit of each.
    """
    rows: list[tuple[float, int, ScoredDocument]] = []
    for group in groups:
        if (text := texts.get(group.part.key)) is not None:
            total = group.total(score)
            by_name = {hit.name: hit for hit in group.hits}
            matches = [_match(name, found[name], hit.score, texts, group.span) for name, hit in by_name.items()]
            result = _parent_document(group.part, text, group.span, metadata)
            order = 0.0 if total is None or score == "max" else -total
            rows.append((order, group.hits[0].rank, metadata.with_score(result, total, matches)))
    return [document for _, _, document in sorted(rows, key=lambda row: row[:2])]


def outermost_documents(
    stored: Sequence[tuple[StoredText, StoredDocument]], metadata: PassageMetadata
) -> list[ScoredDocument]:
    """Stored texts -> their outermost parents as documents."""
    return [_parent_document(part, text, span, metadata) for part, text in stored for span in outermost_spans(part)]


def _parent_document(
    part: StoredText, text: StoredDocument, span: PassageSpan, metadata: PassageMetadata
) -> ScoredDocument:
    """A range of a text -> it as a document; where there are no parents, the document as it was given."""
    whole = not part.parents and (span.start, span.end) == (0, part.size)
    ((described,),) = metadata.describe([(part, text, [span])], () if whole else SAID)
    id = text.id if whole else _span_ids([(text, span)])[0]
    return ScoredDocument(page_content=text.page_content[span.start : span.end], id=id, metadata=described)
