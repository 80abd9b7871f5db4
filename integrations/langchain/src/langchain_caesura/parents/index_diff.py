"""The difference between what the stores hold for a name and what they are to hold."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field, replace
from typing import Self

from langchain_core.documents import Document

from caesura_retrieval.row_plan import RowLine
from langchain_caesura.parents.record import DOUBTFUL, Owner, ParentRecord, StoredText
from langchain_caesura.parents.words import word_rows


@dataclass(frozen=True, slots=True)
class Piece:
    """A part that was just cut, with its text and its rows in their order."""

    part: StoredText
    text: Document | None
    rows: list[Document] = field(default_factory=list)
    line: RowLine | None = None
    """The children as they are embedded."""


@dataclass(frozen=True, slots=True)
class Family:
    """What is to be stored for a name: pieces in the place of those of their documents."""

    name: str
    pieces: list[Piece] = field(default_factory=list)
    replaced: frozenset[str] = frozenset()
    """The identities of the documents whose parts go."""
    alone: bool = False
    """Whether all other parts of the name go."""


@dataclass(frozen=True, slots=True)
class IndexDiff:
    """What makes of that which is stored for a name that which is to be."""

    first: ParentRecord
    """Of all that is and will be there, what is returned being as it was."""
    texts: list[tuple[str, Document]]
    written: set[str]
    """The rows to write."""
    words: dict[str, list[tuple[str, str]]]
    """What is to be in the index of words, by name; of none, nothing."""
    then: ParentRecord
    """Of all that there is, what is returned being as it is to be."""
    old_rows: list[str]
    old_texts: list[str]
    final: ParentRecord
    """Of what is there at the end."""
    others: list[ParentRecord]
    """Of other owners, as they are: what they know stays."""

    @property
    def leaves(self) -> bool:
        """Whether something is to be taken away."""
        return bool(self.old_rows or self.old_texts)

    @classmethod
    def of(
        cls,
        family: Family,
        owner: Owner,
        record: ParentRecord | None,
        others: list[ParentRecord],
        present: Set[str] | None,
        force: bool,
    ) -> Self:
        """A family that leaves no part is away at the end, with its record.

        record: the owner's, None where nothing is known of it. others: of other owners. present: which rows of an
        incomplete record there are; None where that cannot be told. force: whether what is there is written anew.
        """
        record = record or ParentRecord(family.name, True, owner, [])
        known, turn = record.known(), record.turn() + 1
        there = set(known) if record.complete else known.keys() & (present or ())
        stay = [part for part in record.parts if not (family.alone or part.identity in family.replaced)]
        cut = [row for piece in family.pieces for row in piece.part.rows()]
        written = {key for key, signature in cut if force or key not in there or known[key] != signature}
        old_turns = {key: turn for part in record.parts for (key, _), turn in zip(part.rows(), part.turns, strict=True)}
        pieces = [
            replace(part, turns=[turn if key in written else old_turns.get(key, turn) for key, _ in part.rows()])
            for part in (piece.part for piece in family.pieces)
        ]
        parts = [*stay, *pieces]
        wanted = {key for part in parts for key, _ in part.rows()}
        keys = {part.key for part in parts}
        perhaps = known.keys() if record.complete or present is None else there
        old_rows = [key for key in known if key in perhaps and key not in wanted]
        kept = {key for other in others for key in other.text_keys()}
        old_texts = [key for key in record.text_keys() if key not in keys | kept]
        stored = set(record.text_keys()) if record.complete and not force else set()
        texts = {piece.part.key: piece.text for piece in family.pieces if piece.text is not None}
        own = [key for part in stay for key, _ in part.rows()]
        doubts = {key: DOUBTFUL for key in own if key not in there or known[key] == DOUBTFUL}
        coming = {key: DOUBTFUL if key in perhaps else signature for key, signature in cut if key in written}
        final = ParentRecord(family.name, not doubts, owner, parts, doubts)
        staying = {part.words for part in stay}
        words = {name: list[tuple[str, str]]() for name in record.word_names() if name not in staying}
        for piece in family.pieces:
            if piece.part.words:
                children = piece.rows[: len(piece.part.starts)]
                texts_of = ((str(child.id), child.page_content) for child in children)
                words[piece.part.words] = word_rows(texts_of, piece.text)
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
            then=replace(final, complete=False, rows={**doubts, **dict.fromkeys(old_rows, DOUBTFUL)}, texts=old_texts),
            old_rows=old_rows,
            old_texts=old_texts,
            final=final,
            others=others,
        )
