"""An index of the words of small texts beside the SQLite file of a `Store`: a question -> scores of the texts.

It finds names, numbers and rare words, which vectors hardly tell apart.
"""

# ruff: noqa: S608 - what is put into statements is the table's name, which is checked to be one
from __future__ import annotations

import json
import logging
import re
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property, partial
from hashlib import blake2b
from itertools import chain, pairwise
from math import sqrt
from pathlib import Path
from secrets import randbits
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote
from weakref import WeakKeyDictionary

from caesura.errors import SettingError
from caesura_retrieval.word_engine import SLOTS, Block, BrokenEngineError, WordEngine
from caesura_retrieval.words import MOST_READ, joined_terms, language_of, question_terms, terms
from caesura_store.sqlite_store import AT_ONCE, Store, quote_table

logger: logging.Logger = logging.getLogger(__name__)
T = TypeVar("T")

MOST, FOR_EACH = 200, 50
"""The most texts that a search finds, beside those in `among`: so many, or one for so many characters of its budget."""
BUDGET = 4000
"""The characters that are to be filled, where nothing says so."""
BLOCK = 2400
"""About how many characters of neighbouring texts are looked at together."""
PHRASES = 0.25
"""What two neighbouring words of the question count, beside their own scores, where a text has them side by side."""
PHRASED = 30
"""In how many of the best texts neighbouring words are looked for."""
APPLIED = 500
"""How many blocks wait for the next search at most, and are written to the engine at a time."""
SMALL = 64
"""Up to so many blocks the engine is written whole, so that what was deleted counts in no average."""
DEAD = 1 / 8
"""The most that the engine may hold of what was deleted, for each that is there: with more, it is written whole."""
SEEN = 50_000
"""Of how many texts the key and the name of the document are remembered, about 10 MB."""
READ = 2000
"""Of how many blocks the terms are remembered, about 8 MB, and of as many that wait: what is in one never changes."""
FAULTS = 2
"""How often an engine is made anew in one call."""
QUICK = 1
"""The level of zlib at which blocks are packed: a higher one takes longer, and less than 3 % off."""
SAMPLE = 2500
"""How many characters of a document tell its language."""
BLOCKS = (
    "number INTEGER PRIMARY KEY AUTOINCREMENT, document INTEGER NOT NULL, place INTEGER NOT NULL, "
    "digest BLOB NOT NULL, language TEXT NOT NULL, content BLOB NOT NULL"
)
PLACES = 4
"""To how many decimal places scores are rounded, so that texts with the same words have the same."""
TAB = "\t"
UNLIKE, DAMAGED = "it holds another state of the texts than the file", "it has texts that the file has not"
"""What may be wrong with the engine's folder."""
FILLING = 0
"""The number of the mark that is there while a fill is not at its end."""
_UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class WordText(NamedTuple):
    """A small text, and the headings that it stands under. What is said of it, as a context, is part of its text."""

    key: str
    text: str
    headings: str = ""


@dataclass(frozen=True)
class WordDocument:
    """The texts of a document in its order, and its title: a name, a file's name or a path."""

    texts: Sequence[WordText]
    title: str = ""

    @cached_property
    def _given(self) -> _Given:
        return _Given.of(self)  # once: an edit puts a document beside what is there, then in its place


@dataclass(frozen=True, slots=True)
class WordHits:
    """What a question's words find.

    scores: of texts by key, over 0, the best first. documents: the names of their documents, and of those of the texts
    that were asked for, by key; of the latter, only where they were to be looked up.
    """

    scores: dict[str, float] = field(default_factory=dict)
    documents: dict[str, str] = field(default_factory=dict)


_engines: WeakKeyDictionary[Store, dict[str, WordEngine]] = WeakKeyDictionary()
"""Those that are open. What is in memory is shared by all indexes of a store."""


def weigh_around(budget: int) -> float:
    """Characters to be filled -> what the text around a small one counts beside it: the larger, the more."""
    return sqrt(max(budget, 0) / BUDGET)


class WordIndex:
    """Small texts by key, each in the order of its document, and a search for the words of a question.

    A text's score is BM25 of its own terms, of its headings and of the title of its document; and of the block of
    about 2,400 characters that it lies in, which counts the more, the larger the budget. Words that stand side by side
    in the question and in a text count once more. See `caesura_retrieval.words` for what a term is.

    The documents are kept in tables beside the store's own. A call that writes is one transaction: all threads and
    processes see all of it or nothing. The search engine, tantivy, is in the folder ``….db-words``, or in memory as the
    store is. It is given what has changed before the next search; if the folder is lost, damaged or another file's, it
    is made anew, with a warning in the log.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store(f"{folder}/words.db") as store:
    ...     index = WordIndex(store)
    ...     texts = [WordText("a", "The ferry leaves at nine."), WordText("b", "Tickets are sold on board.")]
    ...     index.put({"pier": WordDocument(texts, title="Timetable")})
    ...     list(index.search("When do ferries leave?").scores)
    ['a', 'b']
    """

    def __init__(self, store: Store, name: str = "") -> None:
        """See the class. name: tells several indexes of one store apart. Each has tables of its own."""
        self._store = store
        names = self._documents, self._blocks, self._texts, self._pending, self._marks = tuple(
            quote_table(store.table, name, part) for part in ("documents", "blocks", "texts", "pending", "marks")
        )
        columns = (
            "number INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE, title TEXT NOT NULL",
            BLOCKS,
            "number INTEGER PRIMARY KEY, document INTEGER NOT NULL, key BLOB NOT NULL UNIQUE",
            "block INTEGER PRIMARY KEY",
            "number INTEGER PRIMARY KEY, mark INTEGER NOT NULL",
        )
        indexes = ((self._blocks, "language"), (self._blocks, "document"))

        def create(connection: sqlite3.Connection) -> None:
            for table, own in zip(names, columns, strict=True):
                connection.execute(f"CREATE TABLE IF NOT EXISTS {table} ({own})")
            for table, column in indexes:
                index = f'"{table[1:-1]} by {column}"'
                connection.execute(f"CREATE INDEX IF NOT EXISTS {index} ON {table} ({column})")
            connection.execute(f"INSERT OR IGNORE INTO {self._marks} VALUES (1, 0)")

        there = "SELECT count(*) FROM sqlite_master WHERE name = ?"
        if not store.run(lambda held: held.execute(there, (self._marks.strip('"'),)).fetchone()[0]):
            store.run(create, "BEGIN IMMEDIATE")
        title = self._documents.strip('"').removesuffix("/documents")
        path = Path(f"{store.path}-words", quote(title, safe="")) if store.path.is_absolute() else None
        self._engine = _engines.setdefault(store, {}).setdefault(title, WordEngine(path, store.timeout))
        self._seen: dict[int, tuple[str, str]] = {}
        self._lines: dict[int, list[str]] = {}
        self._fresh: dict[bytes, tuple[list[str], list[str]]] = {}
        """Of blocks that wait for the engine, by digest: the keys of the texts, and their lines."""

    def __len__(self) -> int:
        """How many texts there are."""
        query = f"SELECT count(*) FROM {self._texts}"
        return int(self._run(lambda connection: connection.execute(query).fetchone()[0]))

    def names(self) -> list[str]:
        """The documents that there are."""
        query = f"SELECT name FROM {self._documents}"
        return [_text(name) for (name,) in self._run(lambda connection: connection.execute(query).fetchall())]

    def owners(self, keys: Sequence[str]) -> dict[str, str]:
        """Keys of texts -> the document of each that is there."""
        wanted = [_blob(key) for key in keys]

        def read(connection: sqlite3.Connection) -> dict[str, str]:
            return {_text(key): _text(name) for _, key, name in self._rows(connection, "key", wanted)}

        return self._run(read, "BEGIN")

    def is_whole(self) -> bool:
        """Whether no fill of it has begun and not ended, see `set_whole`."""
        query = f"SELECT count(*) FROM {self._marks} WHERE number = {FILLING}"
        return not self._run(lambda connection: connection.execute(query).fetchone()[0])

    def set_whole(self, whole: bool) -> None:
        """Notes in the file that a fill has begun or ended, so that it is known where a kill came between."""
        if self.is_whole() != whole:
            delete, insert = f"DELETE FROM {self._marks} WHERE number = {FILLING}", f"VALUES ({FILLING}, 0)"
            change = delete if whole else f"INSERT OR IGNORE INTO {self._marks} {insert}"
            self._run(lambda connection: connection.execute(change), "BEGIN IMMEDIATE")

    def _run(self, work: Callable[[sqlite3.Connection], T], begin: str = "") -> T:
        """`Store.run`. Raises `SettingError` where the tables are damaged, which SQLite may not see."""
        try:
            return self._store.run(work, begin)
        except (SettingError, OSError):
            raise
        except (sqlite3.OperationalError, TypeError, ValueError, LookupError, OverflowError, zlib.error) as error:
            if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) != sqlite3.SQLITE_ERROR:
                raise
            raise SettingError(
                f"{self._store.path} is damaged, its words cannot be read or written ({error}): restore it from a "
                f"copy, or index the documents into another file"
            ) from error

    # -- writing ----------------------------------------------------------------------------------------------------

    def put(self, documents: Mapping[str, WordDocument], keep: bool = False) -> None:
        """Replaces all texts of each document.

        A key has one text: of several, the first in a document, and the document that was put last. A document without
        texts is deleted. keep: texts whose keys are not among the new ones stay, after them.
        """
        if self.write(documents, keep):
            self.apply()

    def write(self, documents: Mapping[str, WordDocument], keep: bool = False) -> bool:
        """`put`, but for the search engine. Returns whether so much waits for it that `apply` is due."""
        given = [(_blob(name), document._given) for name, document in documents.items()]

        def write(connection: sqlite3.Connection) -> int:
            changed = False
            for name, document in given:
                changed = self._put(connection, name, document, keep) or changed
            if changed:
                self._add_mark(connection)
            return self._count_pending(connection)

        return self._run(write, "BEGIN IMMEDIATE") >= APPLIED

    def apply(self) -> None:
        """Gives the search engine what has changed, as the next search would. A thread may do so beside other work."""
        self._ask(lambda connection: None if self._count_pending(connection) else True)

    def delete(self, names: Iterable[str]) -> None:
        """Deletes these documents. Names that are not there are passed over."""
        self.put(dict.fromkeys(names, WordDocument(())))

    def delete_texts(self, keys: Iterable[str]) -> None:
        """Deletes single texts of documents. Keys that are not there are passed over."""
        gone = [_blob(key) for key in keys]

        def write(connection: sqlite3.Connection) -> None:
            documents = self._take(connection, gone)
            self._delete_empty(connection, documents)
            if documents:
                self._add_mark(connection)

        self._run(write, "BEGIN IMMEDIATE")

    def _put(self, connection: sqlite3.Connection, name: bytes, given: _Given, keep: bool) -> bool:
        """Replaces the texts of a document. Returns whether the engine has to be told something."""
        select = f"SELECT number FROM {self._documents} WHERE name = ?"
        held = connection.execute(select, (name,)).fetchone()
        if held is None:
            if not given.blocks:
                return False
            insert = f"INSERT INTO {self._documents} (name, title) VALUES (?, ?)"
            held = (connection.execute(insert, (name, given.title)).lastrowid,)
        elif given.blocks:
            update = f"UPDATE {self._documents} SET title = ?1 WHERE number = ?2 AND title != ?1"
            connection.execute(update, (given.title, *held))
        [document] = held
        select = f"SELECT digest, number, place FROM {self._blocks} WHERE document = ? ORDER BY place"
        rows = connection.execute(select, (document,)).fetchall()
        old = {digest: (number, place) for digest, number, place in rows if digest}
        stay = {block.digest for block in given.blocks} & old.keys()
        rest = [number for digest, number, _ in rows if digest not in stay]
        new = [(place, block) for place, block in enumerate(given.blocks) if block.digest not in stay]
        moved = [(place, old[each.digest][0]) for place, each in enumerate(given.blocks) if each.digest in stay]
        if keep:
            moved += enumerate(rest, len(given.blocks))
        else:
            self._delete_blocks(connection, rest)
        connection.executemany(f"UPDATE {self._blocks} SET place = ?1 WHERE number = ?2 AND place != ?1", moved)
        others = self._take(connection, [key for _, block in new for key in block.keys])
        blocks = []
        for place, block in new:
            lines = block.lines()
            if len(self._fresh) == READ:
                self._fresh.clear()
            self._fresh[block.digest] = [each.key for each in block.texts], lines
            blocks.append(((document, place, block.digest, block.language, _content(lines)), block.keys))
        self._insert_blocks(connection, blocks)
        self._delete_empty(connection, {document, *others})
        return bool(new or (rest and not keep))

    def _take(self, connection: sqlite3.Connection, keys: Sequence[bytes]) -> set[int]:
        """Takes keys out of the blocks that have them: what is left of each is a new block in its place.

        Returns the documents that they were taken from.
        """
        taken = dict(_select(connection, f"SELECT number, key FROM {self._texts} WHERE key", keys))
        blocks = sorted({number // SLOTS for number in taken})
        select = f"SELECT number, document, place, language, content FROM {self._blocks} WHERE number"
        held = _select(connection, select, blocks)
        gone = set(taken.values())
        left = {number: self._keys(connection, number) for number in blocks}
        self._delete_blocks(connection, blocks)
        rests = []
        for number, document, place, language, content in held:
            pairs = zip(left[number], _lines(content), strict=True)
            rest = [(key, line) for key, line in pairs if key not in gone]
            if rest:
                content = _content(line for _, line in rest)
                rests.append(((document, place, b"", language, content), [key for key, _ in rest]))
        self._insert_blocks(connection, rests)
        return {document for _, document, *_ in held}

    def _keys(self, connection: sqlite3.Connection, block: int) -> list[bytes]:
        """The keys of the texts of a block, in order."""
        select = f"SELECT key FROM {self._texts} WHERE number BETWEEN ? AND ? ORDER BY number"
        return [key for (key,) in connection.execute(select, (block * SLOTS, block * SLOTS + SLOTS - 1))]

    def _insert_blocks(
        self,
        connection: sqlite3.Connection,
        blocks: Iterable[tuple[tuple[int, int, bytes, str, bytes], Sequence[bytes]]],
    ) -> None:
        """blocks: document, place, digest, language and content of each, and the keys of its texts."""
        insert = f"INSERT INTO {self._blocks} (document, place, digest, language, content) VALUES (?, ?, ?, ?, ?)"
        numbers, texts = list[tuple[int]](), list[tuple[int, int, bytes]]()
        for row, keys in blocks:
            number = connection.execute(insert, row).lastrowid or 0
            numbers.append((number,))
            texts += [(number * SLOTS + at, row[0], key) for at, key in enumerate(keys)]
        connection.executemany(f"INSERT INTO {self._texts} VALUES (?, ?, ?)", texts)
        connection.executemany(f"INSERT INTO {self._pending} VALUES (?)", numbers)

    def _delete_blocks(self, connection: sqlite3.Connection, numbers: Sequence[int]) -> None:
        ranges = [(number * SLOTS, number * SLOTS + SLOTS - 1) for number in numbers]
        own = [(number,) for number in numbers]
        connection.executemany(f"DELETE FROM {self._texts} WHERE number BETWEEN ? AND ?", ranges)
        connection.executemany(f"DELETE FROM {self._blocks} WHERE number = ?", own)
        connection.executemany(f"INSERT OR IGNORE INTO {self._pending} VALUES (?)", own)

    def _delete_empty(self, connection: sqlite3.Connection, documents: Iterable[int]) -> None:
        """Deletes those of the documents that have no texts."""
        has = f"SELECT 1 FROM {self._blocks} WHERE document = ?1"
        delete = f"DELETE FROM {self._documents} WHERE number = ?1 AND NOT EXISTS ({has})"
        connection.executemany(delete, [(document,) for document in documents])

    # -- telling the engine -----------------------------------------------------------------------------------------

    def _add_mark(self, connection: sqlite3.Connection) -> None:
        connection.execute(
            f"INSERT INTO {self._marks} SELECT max(number) + 1, ? FROM {self._marks}", (randbits(62) + 1,)
        )

    def _get_marks(self, connection: sqlite3.Connection) -> list[int]:
        """What the engine may be marked with: the last one if it was told all, another where a kill came between."""
        select = f"SELECT mark FROM {self._marks} WHERE number > {FILLING} ORDER BY number"
        return [mark for (mark,) in connection.execute(select)]

    def _count_pending(self, connection: sqlite3.Connection) -> int:
        count: int = connection.execute(f"SELECT count(*) FROM {self._pending}").fetchone()[0]
        return count

    def _ask(self, work: Callable[[sqlite3.Connection], T | None]) -> T:
        """Returns what `work` makes of the engine; None: it is to be told first what has changed.

        An engine that cannot be used is made anew.
        """
        faults = 0
        while True:
            cleared = self._engine.cleared
            try:
                found = self._run(work, "BEGIN")
                if found is None:
                    found = self._run(lambda held: work(held) if self._apply(held) else None, "BEGIN IMMEDIATE")
                if found is not None:
                    return found
            except BrokenEngineError as error:
                fault = str(error)
                if faults == FAULTS:
                    raise SettingError(
                        f"{self._engine.folder} cannot be used, though it was made anew ({fault}): see whether its "
                        f"disk fails, or move {self._store.path} to another one"
                    ) from error
                faults += self._run(lambda held: self._begin_anew(held, fault, cleared), "BEGIN IMMEDIATE")  # noqa: B023

    def _apply(self, connection: sqlite3.Connection) -> bool:
        """Tells the engine what has changed, up to `APPLIED` blocks of it. Returns whether that is all.

        Where the engine then holds too much of what was deleted, all is to be told: each that is deleted costs at most
        `1 / DEAD` others. It is emptied only when no block is left in it that is not to be told.
        The engine has it on the disk before it is crossed out here. A kill between leaves it to be told again. Raises
        `BrokenEngineError` where the engine cannot be used.
        """
        engine, marks = self._engine, self._get_marks(connection)
        if (len(marks) > 1 or engine.mark not in marks) and engine.load() not in marks:
            raise BrokenEngineError(UNLIKE)
        numbers = self._column(connection, f"SELECT number FROM {self._blocks} LIMIT {SMALL + 1}")
        small = len(numbers) <= SMALL
        pending = self._column(connection, f"SELECT block FROM {self._pending} LIMIT {-1 if small else APPLIED}")
        told = f"SELECT 1 FROM {self._blocks} WHERE number NOT IN (SELECT block FROM {self._pending})"
        whole = small or not self._column(connection, f"{told} ORDER BY number LIMIT 1")
        if pending or engine.mark != marks[-1]:
            was_empty = not engine.mark
            try:
                blocks = self._read_blocks(connection, numbers if small else pending)
                engine.write(marks[-1], pending, blocks, whole)
            except BrokenEngineError as error:
                engine.check_disk(error, was_empty)
                raise
        connection.executemany(f"DELETE FROM {self._pending} WHERE block = ?", [(block,) for block in pending])
        if whole:
            connection.execute(f"DELETE FROM {self._pending} WHERE block NOT IN (SELECT number FROM {self._blocks})")
        connection.execute(f"DELETE FROM {self._marks} WHERE number > {FILLING} AND mark != ?", (marks[-1],))
        if self._count_pending(connection):
            self._add_mark(connection)
            return False
        if engine.dead_share() > DEAD:
            self._tell_all(connection)
            return False
        return True

    def _tell_all(self, connection: sqlite3.Connection) -> None:
        connection.execute(f"INSERT OR IGNORE INTO {self._pending} SELECT number FROM {self._blocks}")
        self._add_mark(connection)

    def _begin_anew(self, connection: sqlite3.Connection, fault: str, cleared: int) -> bool:
        """Empties the engine, and has it told all texts. Returns whether nobody else has done so meanwhile.

        cleared: how often this process had emptied it before it was seen to be at fault.
        """
        engine = self._engine
        if engine.cleared != cleared or (fault == UNLIKE and engine.load() in self._get_marks(connection)):
            return False
        engine.clear()
        [lost] = connection.execute(f"SELECT count(*) - (SELECT count(*) FROM {self._pending}) FROM {self._blocks}")
        if lost[0] > 0:
            logger.warning(
                "the words of %s are indexed anew: their folder is missing, damaged or another file's (%s)",
                self._store.path,
                fault,
            )
        connection.execute(f"UPDATE {self._marks} SET mark = 0 WHERE number > {FILLING}")
        self._tell_all(connection)
        return True

    def _read_blocks(self, connection: sqlite3.Connection, numbers: Sequence[int]) -> Iterator[Block]:
        select = (
            f"SELECT own.number, title, digest, content FROM {self._blocks} AS own JOIN {self._documents} AS held "
            f"ON document = held.number WHERE own.number"
        )
        for number, title, digest, content in _select(connection, select, numbers):
            if digest in self._fresh:
                keys, lines = self._fresh.pop(digest)
            else:
                keys, lines = [_text(key) for key in self._keys(connection, number)], _lines(content)
            texts, headings = zip(*(line.split(TAB) for line in lines), strict=True)
            yield Block(number, title, keys, texts, headings)

    @staticmethod
    def _column(connection: sqlite3.Connection, select: str, *values: Any) -> list[Any]:
        return [value for (value,) in connection.execute(select, values)]

    # -- searching --------------------------------------------------------------------------------------------------

    def search(
        self,
        question: str,
        among: Sequence[str] = (),
        most: int | None = None,
        budget: int = BUDGET,
        name_among: bool = True,
    ) -> WordHits:
        """Finds the `most` texts that score best for the words of a question, and scores those in `among` too.

        budget: the characters that are to be filled with what is found: the larger, the more counts what stands around
        a text. most: by default 200, or one for each 50 characters of a larger budget. name_among: whether the
        documents of the texts in `among` are looked up; not where they are known. Of a long question, the first
        `caesura_retrieval.words.MOST_ASKED` distinct words of its first `MOST_READ` characters are searched for. Raises
        `OSError` and `SettingError` where what has changed cannot be written for the engine.
        """
        count = max(MOST, budget // FOR_EACH) if most is None else most

        def read(connection: sqlite3.Connection) -> WordHits | None:
            return self._search(connection, question, among, count, weigh_around(budget), name_among)

        return self._ask(read)

    def _search(
        self,
        connection: sqlite3.Connection,
        question: str,
        among: Sequence[str],
        most: int,
        around: float,
        name_among: bool,
    ) -> WordHits | None:
        """None where the engine is to be told something first."""
        engine, marks = self._engine, self._get_marks(connection)
        if self._count_pending(connection) or len(marks) > 1:
            return None
        if marks == [0]:
            return WordHits()
        if engine.mark != marks[0] and engine.load() != marks[0]:
            return None
        languages = self._languages(connection)
        asked = question_terms(question, languages)
        hits = engine.search([word.terms for word in asked], around, max(most, MOST), among)
        scores = hits.scores
        best = sorted(scores, key=scores.__getitem__, reverse=True)
        said = list(map(partial(terms, question[:MOST_READ]), languages))
        self._add_phrases(connection, scores, best[:PHRASED], _neighbours(said, hits.rarities))
        if most < PHRASED:  # else phrases only change the order of some that are among the best
            best = sorted(scores, key=scores.__getitem__, reverse=True)
        near = hits.near
        own = {n: score for n in near.keys() | best[:most] if (score := round(scores[n], PLACES)) > 0}
        names = self._names(connection, near.keys() | own.keys() if name_among else own.keys() - near.keys())
        ranked = [(-own[number], name, key) for number, (key, name) in names.items() if number in own]
        if not name_among:
            ranked += [(-own[number], "", key) for number, key in near.items() if number in own]
        return WordHits({key: -score for score, _, key in sorted(ranked)}, dict(names.values()))

    def _names(self, connection: sqlite3.Connection, numbers: Set[int]) -> dict[int, tuple[str, str]]:
        """Numbers of texts -> the key of each, and the name of its document. No other text ever has its number."""
        seen = self._seen
        if missing := [number for number in numbers if number not in seen]:
            if len(seen) > SEEN:
                seen = self._seen = {number: seen[number] for number in numbers if number in seen}
            rows = self._rows(connection, "number", missing)
            texts = {name: _text(name) for name in {name for *_, name in rows}}
            seen.update((number, (_text(key), texts[name])) for number, key, name in rows)
            if len(rows) < len(missing):
                raise BrokenEngineError(DAMAGED)
        return {number: seen[number] for number in numbers}

    def explain(
        self, question: str, keys: Iterable[str], headings: bool = True
    ) -> dict[str, dict[str, tuple[str, ...]]]:
        """Keys of texts -> which of a question's words each has, as they are written there, by field.

        The fields are ``text``, ``headings`` and ``title``; one without such words is left out. headings: whether they
        are read too. Where a filter hides texts of a document, what is above another may stand in one of these.
        """
        wanted = [_blob(key) for key in keys]

        def read(connection: sqlite3.Connection) -> dict[str, dict[str, tuple[str, ...]]]:
            asked = question_terms(question, self._languages(connection))
            sought = {term for word in asked for term in word.terms}
            rows = self._rows(connection, "key", wanted, "title")
            lines = self._contents(connection, [number for number, *_ in rows])
            found: dict[str, dict[str, tuple[str, ...]]] = {}
            for number, key, title in rows:
                text, _, above = lines[number].partition(TAB)
                fields = {"text": text, "headings": above if headings else "", "title": title}
                there = {name: sought.intersection(value.split()) for name, value in fields.items()}
                found[_text(key)] = {
                    name: tuple(each.word for each in asked if not own.isdisjoint(each.terms))
                    for name, own in there.items()
                    if own
                }
            return found

        return self._run(read, "BEGIN")

    def languages(self, keys: Iterable[str]) -> dict[str, str]:
        """Keys of texts -> the language of each that is there, as `caesura_retrieval.words.language_of` names it.

        It is that of the text's document, as far as words tell: "" where they do not. Where all texts have the same,
        the keys are not looked up, and one that is not there has it too.
        """
        select = (
            f"SELECT key, language FROM {self._texts} AS own JOIN {self._blocks} AS held "
            f"ON own.number / {SLOTS} = held.number WHERE key"
        )

        def read(connection: sqlite3.Connection) -> dict[str, str]:
            spoken = self._languages(connection)
            if len(spoken) == 1:
                return dict.fromkeys(keys, *spoken)
            return {_text(key): own for key, own in _select(connection, select, [_blob(key) for key in keys])}

        return self._run(read, "BEGIN")

    def _languages(self, connection: sqlite3.Connection) -> tuple[str, ...]:
        """The languages of the texts, without reading them all."""
        languages, select = list[str](), f"SELECT min(language) FROM {self._blocks} WHERE language > ?"
        [last] = connection.execute(f"SELECT min(language) FROM {self._blocks}").fetchone()
        while last is not None:
            languages.append(last)
            [last] = connection.execute(select, (last,)).fetchone()
        return tuple(languages)

    def _rows(
        self, connection: sqlite3.Connection, column: str, values: Sequence[Any], said: str = "name"
    ) -> list[Any]:
        """Texts -> the number and the key of each, and what is said of its document."""
        select = (
            f"SELECT own.number, key, {said} FROM {self._texts} AS own LEFT JOIN {self._documents} AS held "
            f"ON document = held.number WHERE own.{column}"
        )
        return _select(connection, select, values)

    def _add_phrases(
        self,
        connection: sqlite3.Connection,
        scores: dict[int, float],
        best: Sequence[int],
        neighbours: Mapping[str, float],
    ) -> None:
        """Adds to the scores of the best texts what pairs of terms count there."""
        for number, line in self._contents(connection, best if neighbours else ()).items():
            own = f" {line.partition(TAB)[0]} "
            scores[number] += PHRASES * sum([count for pair, count in neighbours.items() if pair in own])

    def _contents(self, connection: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, str]:
        """Texts -> the terms of each, and behind a tab those of its headings."""
        blocks, lines = {number // SLOTS for number in numbers}, self._lines
        if missing := [block for block in blocks if block not in lines]:
            if len(lines) > READ:
                lines = self._lines = {block: lines[block] for block in blocks if block in lines}
            select = f"SELECT number, content FROM {self._blocks} WHERE number"
            lines.update((number, _lines(content)) for number, content in _select(connection, select, missing))
        if any(number % SLOTS >= len(lines.get(number // SLOTS, ())) for number in numbers):
            raise BrokenEngineError(DAMAGED)
        return {number: lines[number // SLOTS][number % SLOTS] for number in numbers}


@dataclass(frozen=True, slots=True)
class _GivenBlock:
    """A block to be put: the keys of its texts, what tells it from any other, and the texts."""

    keys: Sequence[bytes]
    digest: bytes
    texts: Sequence[WordText]
    language: str

    def lines(self) -> list[str]:
        """Of each text its terms, and behind a tab those of its headings."""
        lines, above = list[str](), dict[str, str]()
        for each in self.texts:
            if each.headings not in above:
                above[each.headings] = joined_terms(each.headings, self.language)
            lines.append(f"{joined_terms(each.text, self.language)}{TAB}{above[each.headings]}")
        return lines


@dataclass(frozen=True, slots=True)
class _Given:
    """A document to be put."""

    language: str
    title: str
    blocks: Sequence[_GivenBlock]

    @classmethod
    def of(cls, document: WordDocument) -> _Given:
        texts = {each.key: each for each in reversed(document.texts)}
        ordered = list(reversed(texts.values()))
        language = language_of(_sample(ordered))
        title = joined_terms(document.title, language) if ordered else ""
        blocks = []
        for group in group_texts(ordered):
            named = json.dumps([language, title, group])
            digest = blake2b(named.encode(), digest_size=16).digest()
            blocks.append(_GivenBlock([_blob(each.key) for each in group], digest, group, language))
        return cls(language, title, blocks)


def _sample(texts: Sequence[WordText]) -> str:
    """About `SAMPLE` characters from all over a document."""
    step, sample = max(1, sum(len(each.text) for each in texts) // SAMPLE), list[str]()
    for each in texts[::step]:
        sample.append(each.text[:SAMPLE])
    return "\n".join(sample)[: 2 * SAMPLE]


def group_texts(texts: Iterable[WordText]) -> Iterator[list[WordText]]:
    """Texts -> blocks of neighbouring ones, of about `BLOCK` characters.

    A block ends from two thirds of that on after a text whose checksum says so, so that a change in a document changes
    few blocks; and before four thirds.
    """
    group, size = list[WordText](), 0
    for each in texts:
        if group:
            grown = size + len(each.text)
            if len(group) == SLOTS - 1 or 3 * grown > 4 * BLOCK or (3 * size >= 2 * BLOCK and _ends(group[-1].text)):
                yield group
                group, size = [], 0
        group.append(each)
        size += len(each.text)
    if group:
        yield group


def _ends(text: str) -> bool:
    """Whether a block may end after a text, as its checksum says of one in four."""
    return not zlib.crc32(text.encode("utf-8", "replace")) % 4


def _neighbours(said: Iterable[Sequence[str]], rarities: Mapping[str, float]) -> dict[str, float]:
    """Pairs of words that stand side by side in a question, with spaces around -> what each counts.

    said: the question's terms in each language.
    """
    pairs: dict[str, float] = {}
    for one, other in chain.from_iterable(map(pairwise, said)):
        if one != other and one in rarities and other in rarities:
            pairs[f" {one} {other} "] = rarities[one] + rarities[other]
    return pairs


def _content(lines: Iterable[str]) -> bytes:
    return zlib.compress("\n".join(lines).encode(), QUICK)


def _lines(content: bytes) -> list[str]:
    return zlib.decompress(content).decode().split("\n")


def _select(connection: sqlite3.Connection, statement: str, values: Sequence[Any]) -> list[Any]:
    rows, ordered = list[Any](), sorted(values)  # in order SQLite finds them sooner
    for start in range(0, len(ordered), AT_ONCE):
        some = ordered[start : start + AT_ONCE]
        marks = ",".join("?" * len(some))
        rows += connection.execute(f"{statement} IN ({marks})", some)
    return rows


def _blob(text: str) -> bytes:
    """A name -> its bytes in the tables. A UUID, as most ids are, is 16 bytes after one that no text begins with."""
    if _UUID.fullmatch(text):
        return b"\xff" + bytes.fromhex(text.replace("-", ""))
    return text.encode("utf-8", "surrogatepass")


def _text(blob: bytes) -> str:
    if blob[:1] != b"\xff":
        return blob.decode("utf-8", "surrogatepass")
    digits = blob.hex()
    return f"{digits[2:10]}-{digits[10:14]}-{digits[14:18]}-{digits[18:22]}-{digits[22:]}"
