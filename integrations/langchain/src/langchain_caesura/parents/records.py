"""Records of what the stores hold for each name, and the difference between that and what they are to hold."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import astuple, dataclass, field, replace
from itertools import chain
from typing import NamedTuple, Self

from langchain_core.documents import Document
from langchain_core.vectorstores import VectorStore

from caesura.ids import digest
from caesura_documents.chunk_metadata import context_of
from caesura_retrieval.row_plan import RowLine

RECORDS = "caesura/documents/"
"""What the keys begin with under which a document store keeps the records of each name, one per owner."""
STORE_NAMES = (
    "collection_name",
    "_collection_name",
    "index_name",
    "_index_name",
    "table_name",
    "_table_name",
    "namespace",
    "_namespace",
)
"""Under which attributes vector stores have the name of what they write to."""
RETRIES = 5
"""Times at most that stores are read again, where what the one leads to is not in the other: it was just changed."""
ID, SIGNATURE = 32, 12
"""Characters of a row's id in a record, and of what tells its surroundings."""
ROW = "caesura_row"
"""In a row's metadata: its id, which not every vector store returns."""
DOUBTFUL = "?"
"""The surroundings of a row that was being written again when a writer was stopped."""


@dataclass(frozen=True, slots=True)
class Owner:
    """What tells a retriever from others that write to its document store, the same in every process."""

    id_key: str
    vectorstore: str
    """The name of the vector store's collection, index or table, where it has one; its class may change."""
    settings: str

    @classmethod
    def of(cls, id_key: str, vectorstore: VectorStore, settings: str) -> Self:
        """settings: their fingerprint."""
        names = [getattr(vectorstore, attribute, None) for attribute in STORE_NAMES]
        return cls(id_key, " ".join(dict.fromkeys(name for name in names if isinstance(name, str))), digest(settings))

    def may_be(self, other: Owner) -> bool:
        """Whether `other` is this one, or may be it with other settings: the rows in the vector store tell."""
        return (self.id_key, self.vectorstore) == (other.id_key, other.vectorstore)


class Place(NamedTuple):
    """A piece of a text: its characters, and which of the text's children lie in it, `last` included."""

    start: int
    end: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Part:
    """A text of a name, and where in it the small texts and the parents are. Offsets count in the text."""

    identity: str
    """What its document is known by among those of the name."""
    fingerprint: str
    """Tells its document, with metadata, views and settings, from others."""
    key: str
    """Of the text in the document store; "" where it is blank, and nothing is kept."""
    words: str
    """Under which name its children are in the index of words; "" where they are not."""
    size: int
    """The text's characters."""
    offset: int | None
    """Where the text stands in what it was cut from; None where that is not known."""
    ids: str
    """The rows: of the children in the order of the text, then of the views; each id in 32 characters."""
    signatures: str
    """Of the children: what tells the surroundings that a row's vector leans to, each in 12 characters; "" if none."""
    turns: list[int]
    """Of the rows: the number of the call that wrote each."""
    starts: list[int]
    """Of the children: where each begins, rising."""
    ends: list[int]
    parents: list[list[int]]
    """Where each begins and ends, the one that holds another before it."""
    views: list[list[int]]
    """Of the views: the number of the parent that each leads to, -1: the whole text; and where in the document it says
    that it is from, if it does."""

    def rows(self) -> Iterator[tuple[str, str]]:
        """Yields the id of each row, and what tells its surroundings."""
        for at in range(len(self.ids) // ID):
            signature = self.signatures[at * SIGNATURE : (at + 1) * SIGNATURE]
            yield _long(self.ids[at * ID : (at + 1) * ID]), signature if at < len(self.starts) else ""

    def find(self, short: str) -> int | None:
        """A row's id without hyphens -> its number."""
        at = self.ids.find(short)
        while at > 0 and at % ID:
            at = self.ids.find(short, at + 1)
        return None if at < 0 else at // ID

    def place(self, start: int, end: int) -> Place:
        """A range of characters -> the same, and the children that lie in it."""
        last = bisect_right(self.starts, end) - 1
        while last >= 0 and self.ends[last] > end:
            last -= 1
        return Place(start, end, bisect_left(self.starts, start), last)

    def whole(self) -> Place:
        """All of the text."""
        return Place(0, self.size, 0, max(len(self.starts) - 1, 0))

    def target(self, row: int) -> Place:
        """The number of a row -> the child, or what a view leads to."""
        if row < len(self.starts):
            return Place(self.starts[row], self.ends[row], row, row)
        parent = self.views[row - len(self.starts)][0]
        return self.whole() if parent < 0 else self.place(*self.parents[parent])

    def outermost(self) -> Iterator[Place]:
        """Yields the parents that lie in no other; without parents, all of the text."""
        reach = -1
        for start, end in self.parents:
            if end > reach:
                yield self.place(start, end)
                reach = end
        if not self.parents:
            yield self.whole()

    def tree(self) -> tuple[list[int], list[int]]:
        """Returns the number of the smallest parent around each child and around each parent, -1: the whole text."""
        spans = [(start, -end, 0) for start, end in self.parents]
        spans += [(start, -end, 1) for start, end in zip(self.starts, self.ends, strict=True)]
        around: tuple[list[int], list[int]] = [], []
        line: list[int] = []
        for _, end, is_child in sorted(spans):
            while line and self.parents[line[-1]][1] < -end:
                line.pop()
            around[1 - is_child].append(line[-1] if line else -1)
            if not is_child:
                line.append(len(around[1]) - 1)
        return around

    def parents_of(self, start: int, end: int) -> list[int]:
        """The numbers of the parents that hold these characters, the smallest first."""
        found = [number for number, (low, high) in enumerate(self.parents) if low <= start and end <= high]
        return sorted(found, key=lambda number: (self.parents[number][1] - self.parents[number][0], -number))


@dataclass(frozen=True, slots=True)
class Record:
    """What the stores hold of one owner for a name; while it is not `complete`, what they may hold beside."""

    name: str
    complete: bool
    owner: Owner
    parts: list[Part]
    """What is found and returned."""
    rows: dict[str, str] = field(default_factory=dict)
    """What else may be in the vector store: ids, and what tells their surroundings."""
    texts: list[str] = field(default_factory=list)
    """What else may be in the document store: keys."""
    words: list[str] = field(default_factory=list)
    """What else may be in the index of words: names."""

    @classmethod
    def merge(cls, records: Sequence[Record], owner: Owner) -> Record | None:
        """Records of one name that are all the owner's -> the one; of several, what there may be."""
        if len(records) < 2:
            return replace(records[0], owner=owner) if records else None
        parts = {part.identity: record for record in records for part in record.parts}
        return cls(
            records[0].name,
            False,
            owner,
            [part for record in records for part in record.parts if parts[part.identity] is record],
            {key: DOUBTFUL for record in records for key in record.known()},
            list(dict.fromkeys(key for record in records for key in record.text_keys())),
            list(dict.fromkeys(name for record in records for name in record.word_names())),
        )

    def known(self) -> dict[str, str]:
        """The rows that there are or may be, and what tells their surroundings."""
        return {**dict(chain.from_iterable(part.rows() for part in self.parts)), **self.rows}

    def text_keys(self) -> list[str]:
        """The texts that there are or may be."""
        return list(dict.fromkeys([*(part.key for part in self.parts if part.key), *self.texts]))

    def word_names(self) -> list[str]:
        """The names in the index of words that there are or may be."""
        return list(dict.fromkeys([*(part.words for part in self.parts if part.words), *self.words]))

    def turn(self) -> int:
        """The number of the last call that wrote rows."""
        return max((turn for part in self.parts for turn in part.turns), default=0)

    def last(self) -> str | None:
        """The row that was written last."""
        turn, found = 0, None
        for part in self.parts:
            for at, number in enumerate(part.turns):
                if number >= turn:
                    turn, found = number, part.ids[at * ID : (at + 1) * ID]
        return None if found is None else _long(found)

    def find(self, row: str) -> tuple[Part, int] | None:
        """A row's id -> the part that has it, and its number there."""
        short = row.replace("-", "")
        if len(short) == ID:
            for part in self.parts:
                number = part.find(short)
                if number is not None:
                    return part, number
        return None


def _long(short: str) -> str:
    return f"{short[:8]}-{short[8:12]}-{short[12:16]}-{short[16:20]}-{short[20:]}"


def read_records(document: Document | None) -> list[Record]:
    """What a document store has under a record's key -> the record of each owner."""
    rows = [] if document is None else json.loads(document.page_content)
    return [
        Record(name, complete, Owner(*owner), [Part(*part) for part in parts], *more)
        for name, complete, owner, parts, *more in rows
    ]


def record_entry(name: str, records: Iterable[Record]) -> tuple[str, Document]:
    """The records of one name -> them as a document store keeps them: the key, and what is under it."""
    rows = [list(astuple(record)) for record in records]
    return record_key(name), Document(json.dumps(rows, separators=(",", ":")))


def record_key(name: str) -> str:
    """A document's name -> where its record is, in characters that every store takes."""
    return RECORDS + digest(name)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part that was just cut, with its text and its rows in their order."""

    part: Part
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

    first: Record
    """Of all that is and will be there, what is returned being as it was."""
    texts: list[tuple[str, Document]]
    written: set[str]
    """The rows to write."""
    words: dict[str, list[tuple[str, str]]]
    """What is to be in the index of words, by name; of none, nothing."""
    then: Record
    """Of all that there is, what is returned being as it is to be."""
    old_rows: list[str]
    old_texts: list[str]
    final: Record
    """Of what is there at the end."""
    others: list[Record]
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
        record: Record | None,
        others: list[Record],
        present: Set[str] | None,
        force: bool,
    ) -> Self:
        """A family that leaves no part is away at the end, with its record.

        record: the owner's, None where nothing is known of it. others: of other owners. present: which rows of an
        incomplete record there are; None where that cannot be told. force: whether what is there is written anew.
        """
        record = record or Record(family.name, True, owner, [])
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
        final = Record(family.name, not doubts, owner, parts, doubts)
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


def word_rows(children: Iterable[tuple[str, str]], document: Document | None) -> list[tuple[str, str]]:
    """The ids and texts of a document's children, in order -> what their words are searched in.

    A context counts with the first of those that have it: words that all of a document have find none of them.
    """
    context = "" if document is None else context_of(document.metadata)
    return [(key, f"{context}\n{text}" if context and not at else text) for at, (key, text) in enumerate(children)]
