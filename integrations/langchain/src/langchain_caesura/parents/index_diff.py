"""The difference between what the stores hold for names and what they are to hold, and the writes that close it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, Self, TypeAlias

from langchain_core.documents import Document

from caesura_retrieval.row_plan import RowLine
from caesura_retrieval.word_index import WordDocument
from langchain_caesura.parents.owner import Owner
from langchain_caesura.parents.record import (
    ABSENT,
    DOUBTFUL,
    ParentRecord,
    StoredText,
    record_entry,
    rows_of,
)


class RowContent(NamedTuple):
    """What the vector store has under a row's id."""

    id: str
    text: str
    metadata: dict[Any, Any]
    """Several rows may share it."""
    is_plain: bool
    """Whether a copy may share what is in the metadata."""


class PlacedRow(NamedTuple):
    """A row, and the line in which it is embedded. A view is a line by itself."""

    content: RowContent
    line: RowLine
    number: int
    """Its number in the line."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part that was just cut, with its text and its rows in their order."""

    part: StoredText
    text: Document | None
    rows: list[RowContent] = field(default_factory=list)
    line: RowLine = field(default_factory=lambda: RowLine("", [], []))
    """The children as they are embedded."""
    words: Mapping[str, Callable[[], WordDocument]] = field(default_factory=dict)
    """What makes the children as their words are searched, by the names of their sections in the index of words."""

    def place_rows(self, ids: Set[str]) -> list[PlacedRow]:
        """Returns those of the rows that have one of these ids."""
        count = len(self.line.texts)
        children = [PlacedRow(row, self.line, at) for at, row in enumerate(self.rows[:count]) if row.id in ids]
        views = [row for row in self.rows[count:] if row.id in ids]
        return children + [PlacedRow(row, RowLine("", [row.text], [""], self.line.share), 0) for row in views]


@dataclass(frozen=True, slots=True)
class Family:
    """What is to be stored for a name: pieces in the place of those of their documents."""

    name: str
    pieces: list[Piece] = field(default_factory=list)
    replaced: frozenset[str] = frozenset()
    """The identities of the documents whose parts go."""
    alone: bool = False
    """Whether all other parts of the name go."""


@dataclass(frozen=True, slots=True, eq=False)
class IndexDiff:
    """The writes that bring the stores from one record of a name to the next."""

    first: ParentRecord
    """It lists all that is and will be there, and returns what was returned."""
    texts: list[tuple[str, Document]]
    written: set[str]
    """The rows to write."""
    words: dict[str, WordDocument]
    """What is to be in the index of words, by name; of none, nothing."""
    then: ParentRecord
    """It lists all that there is, and returns what is to be returned."""
    old_rows: list[str]
    old_texts: list[str]
    final: ParentRecord
    """It lists what is there at the end; without parts, the name has none."""
    leaves: bool
    """Whether something is to be taken away."""

    @classmethod
    def of(
        cls,
        family: Family,
        record: ParentRecord,
        present: Set[str] | None,
        force: bool,
        without: Set[str],
    ) -> Self:
        """A family that leaves no part is away at the end, with its record.

        record: what is known of the name. present: which rows of an incomplete record there are; None where the store
        cannot say. force: whether what is there is written anew. without: rows that the vector store may not be given.
        """
        cut_parts = [piece.part for piece in family.pieces]
        old, new, turn = rows_of(record.parts), rows_of(cut_parts), record.turn() + 1
        known = dict(chain.from_iterable(map(dict.items, [*old, record.rows])))
        known_texts, known_words = record.text_keys(), record.word_names()
        old_turns: dict[str, int] = {}
        for part, rows in zip(record.parts, old, strict=True):
            old_turns.update(zip(rows, part.turns, strict=True))
        absent = {key for key, turn in old_turns.items() if turn == ABSENT}
        there = (set(known) if record.complete else known.keys() & (present or ())) | absent
        staying = [
            (part, rows)
            for part, rows in zip(record.parts, old, strict=True)
            if not (family.alone or part.identity in family.replaced)
        ]
        stay, own = [part for part, _ in staying], [key for _, rows in staying for key in rows]
        cut = {key: signature for rows in new for key, signature in rows.items()}
        written = {key for key, signature in cut.items() if force or key not in there or known[key] != signature}
        turns = {**old_turns, **dict.fromkeys(written, turn), **dict.fromkeys(without, ABSENT)}
        parts = stay + [
            part._replace(turns=[turns.get(key, turn) for key in rows])
            for part, rows in zip(cut_parts, new, strict=True)
        ]
        wanted = {*own, *cut} - without
        keys = {part.key for part in parts}
        perhaps = known.keys() if record.complete or present is None else there
        kept = wanted | absent
        old_rows = [key for key in known if key in perhaps and key not in kept]
        old_texts = [key for key in known_texts if key not in keys]
        stored = set(known_texts) if record.complete and not force else set()
        texts = {piece.part.key: piece.text for piece in family.pieces if piece.text is not None}
        doubts = {key: DOUBTFUL for key in own if key not in there or known[key] == DOUBTFUL}
        coming = {key: DOUBTFUL if key in perhaps else signature for key, signature in cut.items() if key in written}
        final = ParentRecord(family.name, not doubts, record.mark, parts, doubts)
        given = {name: make for piece in family.pieces for name, make in piece.words.items()}
        staying_words = {section.words for part in stay for section in part.sections}
        if record.complete and not force:  # the name of a section's words says what they are
            sections = [section for part in record.parts for section in part.sections if section.said]
            staying_words |= given.keys() & {section.words for section in sections}
        words = {name: WordDocument(()) for name in known_words if name not in staying_words}
        words.update((name, make()) for name, make in given.items() if name not in staying_words)
        old_words = [name for name, texts in words.items() if not texts.texts]
        return cls(
            first=replace(
                record,
                complete=False,
                rows={**record.rows, **coming},
                texts=list(dict.fromkeys([*record.texts, *texts])),
                words=list(dict.fromkeys([*record.words, *words])),
            ),
            texts=[(key, text) for key, text in texts.items() if key not in stored],
            written=written,
            words=words,
            then=replace(
                final,
                complete=False,
                rows={**doubts, **dict.fromkeys(old_rows, DOUBTFUL)},
                texts=old_texts,
                words=old_words,
            ),
            old_rows=old_rows,
            old_texts=old_texts,
            final=final,
            leaves=bool(old_rows or old_texts or old_words),
        )


Entries: TypeAlias = list[tuple[str, Document]]
"""What the document store is given: keys, and what is under each."""


@dataclass(frozen=True, slots=True)
class IndexWrites:
    """What is written for several names, in the order in which it is written."""

    first: Entries
    """Records of all that is and will be there."""
    texts: Entries
    rows: list[PlacedRow]
    words: dict[str, WordDocument]
    """They are put beside the old ones first, and in their place once records return them."""
    then: Entries
    """Records that return what is to be returned."""
    old_rows: list[str]
    old_words: dict[str, WordDocument]
    """The words of names that go; what fails till then is found as it was."""
    gone_first: Entries
    """Of `first`, the records of names that go."""
    gone_then: Entries
    """Records of these names that return nothing."""
    old_texts: list[str]
    last: Entries
    """All records as they were written last, where something was taken away since."""
    final: Entries
    """Records of what is there now."""
    gone: list[str]
    """Keys of records of which nothing stays."""


def plan_index_writes(
    families: Sequence[Family],
    owner: Owner,
    records: Mapping[str, ParentRecord],
    present: Set[str] | None,
    forced: Set[str],
    without: Set[str] = frozenset(),
) -> IndexWrites:
    """Returns the writes that store families in place of what the records list. forced: the names of those that
    are written anew. The other arguments: see `IndexDiff.of`."""
    known = [records.get(family.name) or ParentRecord(family.name, True, owner.mark) for family in families]
    diffs = [
        IndexDiff.of(family, record, present, family.name in forced, without)
        for family, record in zip(families, known, strict=True)
    ]
    stay, away = [diff for diff in diffs if diff.final.parts], [diff for diff in diffs if not diff.final.parts]
    entry = partial(record_entry, owner.prefix)
    first, then, final, gone_first, gone_then = (list[tuple[str, Document]]() for _ in range(5))
    for diff in stay:
        first.append(entry(diff.first))
        then.append(entry(diff.then if diff.leaves else diff.final))
        if diff.leaves:
            final.append(entry(diff.final))
    for diff in away:
        gone_first.append(entry(diff.first))
        gone_then.append(entry(diff.then))
    written = set().union(*(diff.written for diff in diffs))
    return IndexWrites(
        first=first + gone_first,
        texts=[pair for diff in diffs for pair in diff.texts],
        words={name: texts for diff in stay for name, texts in diff.words.items()},
        then=then,
        old_rows=[key for diff in diffs for key in diff.old_rows],
        old_words={name: texts for diff in away for name, texts in diff.words.items()},
        gone_first=gone_first,
        gone_then=gone_then,
        old_texts=[key for diff in diffs for key in diff.old_texts],
        last=then + gone_then if any(diff.leaves for diff in diffs) else [],
        final=final,
        gone=[key for key, _ in gone_then],
        rows=[row for family in families for piece in family.pieces for row in piece.place_rows(written)],
    )
