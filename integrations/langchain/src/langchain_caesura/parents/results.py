"""What is returned for small texts that were found: passages within a budget, or parents with all that was found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.documents import Document

from caesura.ids import digest
from caesura.types import Chunk
from caesura_documents.chunk_metadata import ChunkMetadata, Outliner
from caesura_retrieval.merging import SCORES, Score, merge_up
from caesura_retrieval.passages import PackedPassage, PassageSpan, pack
from caesura_retrieval.shortening import shorten_span
from langchain_caesura.documents import PLACE, ScoredDocument, part_metadata
from langchain_caesura.parents.findings import Found
from langchain_caesura.parents.records import Part, Place
from langchain_caesura.parents.search import Hit


@dataclass(frozen=True, slots=True)
class PassagePlaces:
    """What the metadata of what is returned say of its place, and what finds the headings of a text."""

    wanted: ChunkMetadata
    find: Outliner

    def metadata(
        self, part: Part, text: Document, spans: Sequence[tuple[int, int]], always: Sequence[str] = ()
    ) -> list[dict[str, Any]]:
        """Ranges of a text -> the metadata of each, with its place. always: what it says in any case.

        Raises `SettingError` where the text's own has one of the keys with another meaning.
        """
        says = ChunkMetadata({**{name: name for name in always}, **self.wanted.keys}, self.wanted.name)
        chunks = [Chunk(text.page_content[start:end], start, end) for start, end in spans]
        said = says.describe(text.page_content, text.metadata, chunks, (), part.offset, self.find)
        return part_metadata(text, says, said, [start for start, _ in spans])


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

    def passages(
        self,
        ranking: Mapping[str, float],
        found: Mapping[str, Found],
        texts: Mapping[str, Document],
        query: Sequence[str] = (),
    ) -> list[PackedPassage]:
        """The ranking of rows -> what of it fits. texts: of each part, by key; of none where only characters count.

        query: the question's words; what has to be shortened, of a part whose text is there, keeps sentences with them.
        """
        spans: dict[str, PassageSpan] = {}
        order = list(self._order(ranking, found, spans))

        def shorten(span: PassageSpan, room: int) -> PassageSpan | None:
            text = texts.get(span.document)
            return None if text is None else shorten_span(text.page_content, span, room, self.measure, query)

        return pack(
            order,
            spans,
            self.size,
            size=None if self.exact else lambda span: self.size_of(span, texts),
            most=self.most,
            shorten=shorten if query else None,
            parents=_Parents(found),
            merge_ratio=self.merge_ratio,
        )

    def size_of(self, span: PassageSpan, texts: Mapping[str, Document]) -> int:
        """What a range of a text measures."""
        if self.exact:
            return span.end - span.start
        return self.measure(texts[span.document].page_content[span.start : span.end])

    def room(self, passages: Sequence[PackedPassage], texts: Mapping[str, Document]) -> int:
        """What passages leave of it; nothing where there are as many as there may be."""
        if self.most is not None and len(passages) >= self.most:
            return 0
        return self.size - sum(self.size_of(passage.span, texts) for passage in passages)

    def _order(
        self, ranking: Mapping[str, float], found: Mapping[str, Found], spans: dict[str, PassageSpan]
    ) -> Iterator[tuple[str, float]]:
        """Yields names and scores, and takes down their spans. After a view come the first children of its text."""
        opened: set[tuple[str, int]] = set()
        for name, score in ranking.items():
            if name not in found:
                continue
            part, place = found[name].part, found[name].place
            spans[name] = PassageSpan(part.key, *place)
            yield name, score
            if found[name].is_view and (part.key, place.start) not in opened and part.starts:
                opened.add((part.key, place.start))
                for child in range(place.first, place.last + 1):
                    if part.starts[child] - place.start > self.size:
                        break
                    beside = f"{part.key} {child}"
                    spans[beside] = PassageSpan(part.key, *part.target(child))
                    yield beside, score


@dataclass(frozen=True, slots=True, eq=False)
class _Parents(Mapping[str, Sequence[PassageSpan]]):
    """The parents of each child that was found, the smallest first; without parents the whole text is one."""

    found: Mapping[str, Found]

    def __getitem__(self, name: str) -> list[PassageSpan]:
        if self.found[name].is_view:
            raise KeyError(name)
        part, place = self.found[name].part, self.found[name].place
        parents = [part.place(*part.parents[number]) for number in part.parents_of(place.start, place.end)]
        return [PassageSpan(part.key, *parent) for parent in parents or [part.whole()]]

    def __iter__(self) -> Iterator[str]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)


def passage_documents(
    passages: Sequence[PackedPassage],
    scores: Mapping[str, float],
    found: Mapping[str, Found],
    texts: Mapping[str, Document],
    hits: Mapping[str, Hit],
    places: PassagePlaces,
) -> list[ScoredDocument]:
    """Passages and the texts that they are of -> documents, the best first."""
    parts = {where.part.key: where.part for where in found.values()}
    results: list[ScoredDocument] = []
    spans: dict[str, list[tuple[int, int]]] = {}
    for span in (passage.span for passage in passages):
        spans.setdefault(span.document, []).append((span.start, span.end))
    metadata = {
        key: iter(places.metadata(parts[key], texts[key], own, PLACE)) for key, own in spans.items() if key in texts
    }
    for passage in passages:
        span = passage.span
        if span.document not in texts:
            continue
        ends = span.start, span.end
        matches = [
            _match(name, found[name], scores[name], texts, hits, ends) for name in passage.found if name in found
        ]
        result = _slice(texts[span.document], span.start, span.end, next(metadata[span.document]))
        results.append(result.model_copy(update={"score": passage.score, "matches": matches}))
    return results


def _match(
    name: str,
    found: Found,
    score: float | None,
    texts: Mapping[str, Document],
    hits: Mapping[str, Hit],
    within: tuple[int, int],
) -> dict[str, Any]:
    """What is said of a small text that was found, as far as it is within a range of its text; fit for JSON."""
    start, end = max(found.place.start, within[0]), min(found.place.end, within[1])
    offset = found.part.offset
    if found.is_view:
        places = found.part.views[found.row - len(found.part.starts)][1:]
    else:
        places = [] if offset is None else [start + offset, end + offset]
    place = dict(zip(PLACE, places or (None, None), strict=True))
    text = hits[name].document.page_content if found.is_view else texts[found.part.key].page_content[start:end]
    return {"id": name, **place, "score": score, "text": text}


def _slice(text: Document, start: int, end: int, metadata: dict[str, Any]) -> ScoredDocument:
    """A range of a text -> it as a document; its id is made of document, range and text."""
    content = text.page_content[start:end]
    identity = digest(str(text.id), str(start), str(end), content)
    return ScoredDocument(page_content=content, id=identity, metadata=metadata)


# -- whole parents -----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class HitGroup:
    """The hits that lead to one range of a text, best first."""

    part: Part
    place: Place
    hits: list[Hit] = field(default_factory=list)

    def total(self, score: Score) -> float | None:
        """The range's score."""
        scores = [hit.score for hit in self.hits if hit.score is not None]
        return SCORES[score](scores) if scores else None


def group_hits(hits: Sequence[Hit], found: Mapping[str, Found], merge_ratio: float | None) -> list[HitGroup]:
    """Hits -> the parents to be returned, by `merge_ratio` children too. A hit found twice counts once."""
    groups: dict[tuple[str, int, int], HitGroup] = {}
    views: set[tuple[str, int, int]] = set()
    for hit in {hit.name: hit for hit in reversed(hits)}.values():
        name = hit.name
        if name in found:
            place, part = found[name].place, found[name].part
            outer = part.parents_of(place.start, place.end)
            if not found[name].is_view:
                place = part.place(*part.parents[outer[-1]]) if outer else part.whole()
            key = part.key, place.start, place.end
            groups.setdefault(key, HitGroup(part, place)).hits.append(hit)
            if found[name].is_view or not part.ids:
                views.add(key)
    for group in groups.values():
        group.hits.sort(key=lambda hit: hit.rank)
    parts = [
        each
        for key, group in groups.items()
        for each in ((group,) if merge_ratio is None or key in views else _merge(group, found, merge_ratio))
    ]
    return sorted(parts, key=lambda group: group.hits[0].rank)


def _merge(group: HitGroup, found: Mapping[str, Found], merge_ratio: float) -> Iterator[HitGroup]:
    """A parent with what was found in it -> what is to be returned: chunks instead of what lies in them where enough of
    that was found, step by step from the children to the parent; what was merged counts as found."""
    part = group.part
    of_children, of_parents = part.tree()
    counts: dict[str, int] = {}
    for number in [*of_children, *of_parents]:
        counts[f"parent {number}"] = counts.get(f"parent {number}", 0) + 1
    if part.parents:
        counts.pop("parent -1", None)
    hits = {hit.name: hit for hit in group.hits}
    around = {name: f"parent {of_children[found[name].row]}" for name in hits}
    around |= {f"parent {number}": f"parent {outer}" for number, outer in enumerate(of_parents) if outer >= 0}
    for name, finds in merge_up(list(hits), around, counts, merge_ratio).items():
        if name in hits:
            place = found[name].place
        else:
            number = int(name.removeprefix("parent "))
            place = part.whole() if number < 0 else part.place(*part.parents[number])
        yield HitGroup(part, place, [hits[find] for find in finds])


def parent_documents(
    groups: Sequence[HitGroup],
    found: Mapping[str, Found],
    texts: Mapping[str, Document],
    score: Score,
    places: PassagePlaces,
) -> list[ScoredDocument]:
    """What is to be returned and the texts -> documents, the best first.

    By "max" the order is the store's own: that of the best hit of each.
    """
    rows: list[tuple[float, int, ScoredDocument]] = []
    for group in groups:
        if (text := texts.get(group.part.key)) is not None:
            total = group.total(score)
            by_name = {hit.name: hit for hit in group.hits}
            ends = group.place.start, group.place.end
            matches = [_match(name, found[name], hit.score, texts, by_name, ends) for name, hit in by_name.items()]
            result = parent_document(group.part, text, group.place, places)
            order = 0.0 if total is None or score == "max" else -total
            rows.append((order, group.hits[0].rank, result.model_copy(update={"score": total, "matches": matches})))
    return [document for _, _, document in sorted(rows, key=lambda row: row[:2])]


def parent_document(part: Part, text: Document, place: Place, places: PassagePlaces) -> ScoredDocument:
    """A range of a text -> it as a document; where there are no parents, the document as it was given."""
    if not part.parents and (place.start, place.end) == (0, part.size):
        (metadata,) = places.metadata(part, text, [(place.start, place.end)])
        return ScoredDocument(page_content=text.page_content, id=text.id, metadata=metadata)
    (metadata,) = places.metadata(part, text, [(place.start, place.end)], PLACE)
    return _slice(text, place.start, place.end, metadata)
