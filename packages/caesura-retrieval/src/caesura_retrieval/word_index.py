"""An index of the words of small texts in the SQLite file of a `Store`: a question -> scores of the texts.

It finds names, numbers and rare words, which vectors hardly tell apart.
"""

# ruff: noqa: S608 - what is put into statements is the table's name, which is checked to be one
from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log
from typing import Any, TypeVar
from unicodedata import normalize
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from caesura.errors import SettingError
from caesura.sizers import without_hyphenation
from caesura_retrieval.leaning import AROUND
from caesura_store.sqlite_store import AT_ONCE, Store, quote_table

T = TypeVar("T")
SATURATION = 1.2
"""BM25's k1: how soon further texts with the same word stop adding to a score."""
MOST = 500
"""The most texts that a search finds, beside those in `among`."""
WIDENED = 100
"""The number of best texts whose neighbours are scored too."""
MOST_READ = 10_000
"""How many places of words a search reads. It reads the rarest word first, and that one always."""
MOST_ASKED = 128
"""How many distinct words of a question are searched for, the first ones: others wait while a search reads."""
LONGEST = 64
"""How many letters of a word are looked at."""
SERIAL = 2**32
"""A text's number is its document's number times this, plus a number that the document has not used before."""
FTS = "terms, key UNINDEXED, detail=none, columnsize=0, tokenize='porter ascii'"
DOCUMENTS = "number INTEGER PRIMARY KEY, name BLOB UNIQUE, next INTEGER NOT NULL, chunks BLOB NOT NULL"
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Thai, Lao, Burmese, Khmer, Japanese and Chinese: scripts without spaces. Each pair of characters is a word."""
MARKED = "\u07a6-\u07b0\u0900-\u0963\u0966-\u0dff\u0f71-\u0f84\u0f90-\u0fbc"
"""Maldivian, the scripts of India and Tibetan, whose vowels are marks: without them words would end at each."""
_RUN = re.compile(f"([{UNSPACED}]+)|[^\\W_{UNSPACED}]+(?:[{MARKED}]+[^\\W_{UNSPACED}]*)*")
_UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_MARKS = re.compile(
    "[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u0652\u0670\ud800-\udfff]"
)
"""Accents, the points of Hebrew and of Arabic, and halves of surrogates: taken off."""
_UNSEEN = re.compile("[\u00ad\u2060\ufeff]")
_SET_APART = re.compile(
    r"[\u2120\u2122]|(?<=[^\W\d_]{3})[\u00b2\u00b3\u00b9\u2070-\u207f]|(?<=\d)[\u00bc-\u00be\u2150-\u215f]"
)
"""Marks of trade, of notes behind a word, and fractions behind a number: no letters and digits of it."""


def terms(text: str, most: int | None = None) -> list[str]:
    """Text -> its distinct words, in the order of the first of each, without case, accents and hyphens at line ends.

    most: how many are returned at most, the first ones.

    >>> terms("Déjà vu: the 3 cats of Vu, 北京市")
    ['deja', 'vu', 'the', '3', 'cats', 'of', '北京', '京市']
    """
    text = without_hyphenation(text) if "-\n" in text else text
    if not text.isascii():
        text = normalize("NFKC", _SET_APART.sub(r" \g<0>", _UNSEEN.sub("", text)))
    folded = text.casefold()
    if not folded.isascii():
        folded = normalize("NFKC", _MARKS.sub("", normalize("NFKD", folded)))
    found: dict[str, None] = {}
    for run in _RUN.finditer(folded):
        word = run[0]
        if run[1] is None or len(word) == 1:
            found[word[:LONGEST]] = None
        else:
            found.update((word[at : at + 2], None) for at in range(len(word) - 1))
        if most is not None and len(found) >= most:
            break
    return list(found)[:most]


class WordIndex:
    """Small texts by key, each in the order of its document, and a search for the words of a question.

    A text's score is a sum of two BM25 scores: whether it has a word, and how many of the texts around it have the
    word, itself and `AROUND` on either side. So a text in a passage about the question comes before one that only has
    its words. English endings are taken off (Porter's rules). Chinese, Japanese and Thai, which have no spaces, count
    by pairs of characters.

    Kept in tables beside the store's own. A call that writes is one transaction: all threads and processes see all of
    it or nothing. It writes only what has changed. Raises `SettingError` if this Python's SQLite has no FTS5.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store(f"{folder}/words.db") as store:
    ...     index = WordIndex(store)
    ...     index.put({"pier": [("a", "The ferry leaves at nine."), ("b", "Tickets are sold on board.")]})
    ...     list(index.search("When do ferries leave?"))
    ['a', 'b']
    """

    def __init__(self, store: Store, name: str = "") -> None:
        """See the class. name: tells several indexes of one store apart. Each has tables of its own."""
        self._store = store
        words, chunks, documents = self._words, self._chunks, self._documents = tuple(
            quote_table(store.table, name, part) for part in ("words", "chunks", "documents")
        )
        statements = (
            f"CREATE VIRTUAL TABLE IF NOT EXISTS {words} USING fts5({FTS})",
            f"CREATE TABLE IF NOT EXISTS {chunks} (key BLOB PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID",
            f"CREATE TABLE IF NOT EXISTS {documents} ({DOCUMENTS})",
            f"INSERT OR IGNORE INTO {documents} VALUES (0, NULL, 0, x'')",  # how many texts there are, and `set_whole`
        )

        def create(connection: sqlite3.Connection) -> None:
            for statement in statements:
                connection.execute(statement)

        try:
            there = "SELECT count(*) FROM sqlite_master WHERE name = ?"
            if not store.run(lambda held: held.execute(there, (documents.strip('"'),)).fetchone()[0]):
                store.run(create, "BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if "fts5" not in str(error):
                raise
            raise SettingError(
                f"words need SQLite's FTS5, which SQLite {sqlite3.sqlite_version} of this Python is built without: "
                f"words=0 does without them, and Python from python.org, conda or a distribution has it"
            ) from error

    def __len__(self) -> int:
        """How many texts there are."""
        return int(self._run(self._total))

    def names(self) -> list[str]:
        """The documents that there are."""
        query = f"SELECT name FROM {self._documents} WHERE number > 0"
        return [_text(name) for (name,) in self._run(lambda connection: connection.execute(query).fetchall())]

    def owners(self, keys: Sequence[str]) -> dict[str, str]:
        """Keys of texts -> the document of each that is there."""
        wanted = [_blob(key) for key in keys]

        def read(connection: sqlite3.Connection) -> dict[str, str]:
            numbers = dict(_select(connection, f"SELECT key, number FROM {self._chunks} WHERE key", wanted))
            documents = sorted({number // SERIAL for number in numbers.values()})
            names = dict(_select(connection, f"SELECT number, name FROM {self._documents} WHERE number", documents))
            return {_text(key): _text(names[number // SERIAL]) for key, number in numbers.items()}

        return self._run(read, "BEGIN")

    def is_whole(self) -> bool:
        """Whether no fill of it has begun and not ended, see `set_whole`."""
        query = f"SELECT chunks FROM {self._documents} WHERE number = 0"
        return bool(self._run(lambda connection: connection.execute(query).fetchone()[0]) == b"")

    def set_whole(self, whole: bool) -> None:
        """Notes in the file that a fill has begun or ended, so that it is known where a kill came between."""
        if self.is_whole() != whole:
            update = f"UPDATE {self._documents} SET chunks = ? WHERE number = 0"
            self._run(lambda connection: connection.execute(update, (b"" if whole else b"\1",)), "BEGIN IMMEDIATE")

    def _run(self, work: Callable[[sqlite3.Connection], T], begin: str = "") -> T:
        """`Store.run`. Raises `SettingError` where the tables are damaged, which SQLite may not see."""
        try:
            return self._store.run(work, begin)
        except SettingError:
            raise
        except (sqlite3.OperationalError, TypeError, ValueError, LookupError, OverflowError) as error:
            if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) != sqlite3.SQLITE_ERROR:
                raise
            raise SettingError(
                f"{self._store.path} is damaged, its words cannot be read or written ({error}): restore it from a "
                f"copy, or index the documents into another file"
            ) from error

    # -- writing ----------------------------------------------------------------------------------------------------

    def put(self, documents: Mapping[str, Iterable[tuple[str, str]]], keep: bool = False) -> None:
        """Replaces all texts of each document. documents: name -> pairs of key and text, in the document's order.

        A key has one text: of several, the first in a document, and the document that was put last. A document without
        texts is deleted. keep: texts whose keys are not among the new ones stay, after them.
        """
        rows = {
            _blob(name): {_blob(key): " ".join(terms(text)) for key, text in reversed(list(texts))}
            for name, texts in documents.items()
        }
        ordered = {name: dict(reversed(texts.items())) for name, texts in rows.items()}

        def write(connection: sqlite3.Connection) -> None:
            change = sum(self._put(connection, name, texts, keep) for name, texts in ordered.items())
            connection.execute(f"UPDATE {self._documents} SET next = next + ? WHERE number = 0", (change,))

        self._run(write, "BEGIN IMMEDIATE")

    def delete(self, names: Iterable[str]) -> None:
        """Deletes these documents. Names that are not there are passed over."""
        self.put(dict.fromkeys(names, ()))

    def _put(self, connection: sqlite3.Connection, name: bytes, texts: dict[bytes, str], keep: bool) -> int:
        """Replaces the texts of a document. Returns how many more it has than before."""
        words, chunks, documents = self._words, self._chunks, self._documents
        select = f"SELECT number, next, chunks FROM {documents} WHERE name = ?"
        held = connection.execute(select, (name,)).fetchone()
        if held is None:
            if not texts:
                return 0
            insert = f"INSERT INTO {documents} (name, next, chunks) VALUES (?, 0, x'')"
            held = connection.execute(insert, (name,)).lastrowid or 0, 0, b""
        number, following, order = held
        first = number * SERIAL
        rows = connection.execute(
            f"SELECT key, rowid, terms FROM {words} WHERE rowid BETWEEN ? AND ?", (first, first + SERIAL - 1)
        )
        known = {key: (rowid, old) for key, rowid, old in rows}
        numbers: list[int] = []
        new: list[tuple[int, str, bytes]] = []
        for key, text in texts.items():
            rowid, old = known.get(key, (0, ""))
            if rowid and old == text:
                numbers.append(known.pop(key)[0])
            else:
                numbers.append(first + following)
                new.append((first + following, text, key))
                following += 1
        numbers += [rowid for key, (rowid, _) in known.items() if keep and key not in texts]
        gone = [(rowid, key) for key, (rowid, _) in known.items() if not keep or key in texts]
        connection.executemany(f"DELETE FROM {words} WHERE rowid = ?", [(rowid,) for rowid, _ in gone])
        connection.executemany(f"DELETE FROM {chunks} WHERE number = ? AND key = ?", gone)
        connection.executemany(f"INSERT INTO {words} (rowid, terms, key) VALUES (?, ?, ?)", new)
        put = f"INSERT OR REPLACE INTO {chunks} (key, number) VALUES (?, ?)"
        connection.executemany(put, [(key, rowid) for rowid, _, key in new])
        if numbers:
            update = f"UPDATE {documents} SET next = ?, chunks = ? WHERE number = ?"
            connection.execute(update, (following, np.array(numbers, np.int64).tobytes(), number))
        else:
            connection.execute(f"DELETE FROM {documents} WHERE number = ?", (number,))
        return len(numbers) - len(order) // 8

    # -- searching --------------------------------------------------------------------------------------------------

    def search(self, query: str, among: Sequence[str] = (), most: int = MOST) -> dict[str, float]:
        """A question -> keys and scores over 0, the highest first: the `most` that have its words, and `among`.

        Of a long question, the first `MOST_ASKED` distinct words are searched for.
        """
        asked = terms(query, MOST_ASKED)
        wanted = [_blob(key) for key in among]

        def read(connection: sqlite3.Connection) -> dict[bytes, float]:
            return self._search(connection, asked, wanted, most)

        found = self._run(read, "BEGIN") if asked else {}
        return {_text(key): score for key, score in found.items()}

    def _search(
        self, connection: sqlite3.Connection, asked: Sequence[str], among: Sequence[bytes], most: int
    ) -> dict[bytes, float]:
        places = self._places(connection, asked)
        if not places:
            return {}
        total = self._total(connection)
        rarity = [log(1 + (total - len(own) + 0.5) / (len(own) + 0.5)) for own in places]
        numbers, at = np.unique(np.concatenate(places), return_inverse=True)
        worth = np.bincount(at, np.repeat(rarity, [len(each) for each in places]))
        numbers = numbers[np.argsort(-worth, kind="stable")[:most]]
        keys = dict(_select(connection, f"SELECT key, number FROM {self._chunks} WHERE key", among))
        best, numbers = numbers[:WIDENED], np.union1d(numbers, np.array(list(keys.values()), np.int64))
        line = self._line(connection, numbers)
        numbers = np.union1d(numbers, _around(line, best))
        numbers = numbers[numbers >= 0]
        near = _around(line, numbers)
        scores = np.zeros(len(numbers))
        for own, rare in zip(places, rarity, strict=True):
            there = own[np.minimum(np.searchsorted(own, near), len(own) - 1)] == near
            count = there.sum(axis=1)
            scores += rare * (there[:, AROUND] + count * (SATURATION + 1) / (count + SATURATION))
        kept = np.argsort(-scores, kind="stable")[:most].tolist()
        names = {number: key for key, number in keys.items()}
        missing = [number for number in numbers[kept].tolist() if number not in names]
        names.update(_select(connection, f"SELECT rowid, key FROM {self._words} WHERE rowid", missing))
        pairs = zip(numbers.tolist(), scores.tolist(), strict=True)
        found = [(score, number) for number, score in pairs if number in names and score > 0]
        return {names[number]: score for score, number in sorted(found, key=lambda pair: (-pair[0], pair[1]))}

    def _places(self, connection: sqlite3.Connection, asked: Sequence[str]) -> list[NDArray[np.int64]]:
        """Words -> for each word that is read, the rarest first, the rising numbers of the texts that have it."""
        there = f"SELECT rowid FROM {self._words} WHERE {self._words} MATCH ?"

        def read(term: str, most: int) -> NDArray[np.int64]:
            joined = f"SELECT group_concat(rowid) FROM ({there} LIMIT ?)"  # a fourth of the time that rows take
            numbers = connection.execute(joined, (f'"{term}"', most)).fetchone()[0]
            return np.sort(np.fromstring(numbers or "", np.int64, sep=","))

        places = [own for term in asked if len(own := read(term, MOST_READ + 1))]
        places.sort(key=len)
        read_up_to = np.cumsum([len(own) for own in places])
        if len(places) and read_up_to[0] > MOST_READ:
            count = f"SELECT count(*) FROM ({there})"
            counts = [connection.execute(count, (f'"{term}"',)).fetchone()[0] for term in asked]
            many, term = min((many, term) for many, term in zip(counts, asked, strict=True) if many)
            return [read(term, many)]
        return [own for own, total in zip(places, read_up_to, strict=True) if total <= MOST_READ]

    def _line(self, connection: sqlite3.Connection, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Numbers of texts -> those of all texts of their documents, in order, with gaps of -1 between documents."""
        documents = np.unique(numbers // SERIAL).tolist()
        gap = np.full(AROUND, -1, np.int64)
        line = [gap]
        for _, chunks in _select(connection, f"SELECT number, chunks FROM {self._documents} WHERE number", documents):
            line += [np.frombuffer(chunks, np.int64), gap]
        return np.concatenate(line)

    def _total(self, connection: sqlite3.Connection) -> int:
        found: int = connection.execute(f"SELECT next FROM {self._documents} WHERE number = 0").fetchone()[0]
        return found


def _around(line: NDArray[np.int64], numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """(n,) numbers of texts -> (n, 2 * AROUND + 1) those around each, itself in the middle; -1 where there is none."""
    order = np.argsort(line, kind="stable")
    at = order[np.searchsorted(line, numbers, sorter=order)]
    near: NDArray[np.int64] = line[at[:, None] + np.arange(-AROUND, AROUND + 1)]
    return near


def _select(connection: sqlite3.Connection, statement: str, values: Sequence[Any]) -> list[tuple[Any, Any]]:
    rows: list[tuple[Any, Any]] = []
    for start in range(0, len(values), AT_ONCE):
        some = values[start : start + AT_ONCE]
        marks = ",".join("?" * len(some))
        rows += connection.execute(f"{statement} IN ({marks})", some)
    return rows


def _blob(text: str) -> bytes:
    """A name -> its bytes in the tables. A UUID, as most ids are, is 16 bytes after one that no text begins with."""
    if _UUID.fullmatch(text):
        return b"\xff" + bytes.fromhex(text.replace("-", ""))
    return text.encode("utf-8", "surrogatepass")


def _text(blob: bytes) -> str:
    return str(UUID(bytes=blob[1:])) if blob[:1] == b"\xff" else blob.decode("utf-8", "surrogatepass")
