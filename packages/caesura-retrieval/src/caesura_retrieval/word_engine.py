"""The search engine behind a `WordIndex`: tantivy, with the terms of texts and of the blocks that they lie in."""

from __future__ import annotations

import errno
import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import islice
from math import log
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, TypeAlias

import tantivy
from tantivy import Occur, Query

from caesura.errors import SettingError

FIELDS = {"text": 1.0, "title": 0.5, "headings": 0.5}
"""What BM25 of each field of a text counts."""
TEXT, BLOCK, MARK = range(3)
"""What a document of tantivy's is."""
AROUND = "around"
"""The field of a block: the terms of its texts."""
SLOTS = 64
"""A text's number is its block's times this, plus its place there. The last place is the block's own."""
BLOCKS_PLACE = SLOTS - 1
SEEN = 1000
"""How many of the best blocks are looked at. Texts in others count as in the last of these."""
WIDENED = 20
"""Of how many of the best blocks all texts are scored, also those that have few of the words."""
HEAP = 20_000_000
"""Bytes that tantivy fills in memory before it writes a segment: as many blocks as wait at most are one. With the least
that it takes, 15 MB, they are four, which takes longer."""
FILLING = "-"
"""A term that no text has. It stands where a field has to be as long as its average."""
UNUSABLE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.EEXIST, errno.ENOTDIR)
"""What is wrong where calling again will not help."""
PROBE = 1 << 20
"""Bytes that are written to see whether there is room on the disk."""
COUNTED = 10_000
"""Of how many terms it is remembered in how many texts they are, about 2 MB."""
KEYS = 50_000
"""Of how many keys the number is remembered, about 10 MB."""
TRIES = 0.01
"""Seconds between two tries to write where another process does."""

Clause: TypeAlias = "tuple[Occur, Query]"


class BrokenEngineError(Exception):
    """The folder of the engine is missing, damaged, or cannot be read."""


@dataclass(frozen=True, slots=True)
class Block:
    """Neighbouring texts of a document, as the engine has them: terms with a space between two."""

    number: int
    title: str
    keys: Sequence[str]
    texts: Sequence[str]
    headings: Sequence[str]


@dataclass(frozen=True, slots=True)
class EngineHits:
    """What the engine found.

    scores: of texts by number. near: the keys of those that were asked for, by number. rarities: by each term that was
    asked for, the inverse document frequency of its word.
    """

    scores: dict[int, float]
    near: dict[int, str]
    rarities: dict[str, float]


@lru_cache(KEYS)
def number_key(key: str) -> int:
    """A text's key -> a number that no other key has, as good as certainly."""
    return int.from_bytes(blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big", signed=True)


class WordEngine:
    """Blocks of texts by number in a tantivy index, and a search for terms. `mark` says what was last written.

    It promises nothing of its own: whoever calls it holds the lock of the `WordIndex` meanwhile, and keeps all that is
    in it elsewhere too.
    """

    def __init__(self, folder: Path | None, patience: float) -> None:
        """folder: where it is; None: in memory. patience: seconds to wait while another process writes."""
        self.folder: Path | None = folder
        self._patience = patience
        self._index: Any = None
        self._schema: Any = None
        self._searcher: Any = None
        self._count: Any = None
        self._writer: Any = None
        self.cleared: int = 0
        """How often it was emptied here."""
        self.mark: int | None = None
        """What was given to the last `write` that is seen; 0 where nothing was written, None where it is not open."""

    # -- opening ----------------------------------------------------------------------------------------------------

    def load(self) -> int | None:
        """Sees what was last written, by any process. Returns its mark; None where there is nothing that is whole."""
        self.mark = None
        try:
            with _named_faults():
                if self._index is None:
                    if self.folder is None or not (self.folder / "meta.json").exists():
                        return None
                    self._index = _prepared(tantivy.Index.open(str(self.folder)))
                self._schema = self._index.schema  # each look at it makes a new one
                self._index.reload()
                self._searcher = self._index.searcher()
                self._count = lru_cache(COUNTED)(self._searcher.doc_freq)
                marks = self._values("number", self._hits([(Occur.Must, self._term("block", 0))], 1))
                self.mark = next(iter(marks), None if self._searcher.num_docs else 0)
        except BrokenEngineError:
            self.forget()
        except OSError as error:  # it may not be read
            self.check_disk(error, must=True)
        return self.mark

    def forget(self) -> None:
        """Lets go of the index, so that it is opened or made again."""
        self._index = self._searcher = self._count = self.mark = None

    def clear(self) -> None:
        """Makes an empty index in the place of what there is. Raises `OSError` and `SettingError` where it cannot."""
        self.forget()
        self.cleared += 1
        try:
            if self.folder is not None:
                shutil.rmtree(self.folder, ignore_errors=True)
                self.folder.mkdir(parents=True, exist_ok=True)
            with _named_faults():
                self._index = _prepared(tantivy.Index(_schema(), None if self.folder is None else str(self.folder)))
            if self.load() != 0:
                raise BrokenEngineError("the folder cannot be emptied")
        except (OSError, BrokenEngineError) as error:
            self.forget()
            self.check_disk(error, must=True)

    def check_disk(self, fault: Exception, must: bool) -> None:
        """After a write has failed: raises `OSError` or `SettingError` if the folder can not be written to.

        must: raises `OSError` in any case.
        """
        found = fault if isinstance(fault, OSError) else None
        try:
            if self.folder is not None and found is None:
                with TemporaryFile(dir=self.folder) as probe:
                    probe.write(bytes(PROBE))
        except OSError as error:
            found = error
        if found is None and not must:
            return
        number = errno.EIO if found is None else found.errno or errno.EIO
        if number in UNUSABLE:
            raise SettingError(
                f"{self.folder} cannot be used as a folder to write to, where words are searched for ({found}): let "
                f"this process write there, or search without words"
            ) from fault
        what = "no room on the disk" if number == errno.ENOSPC else str(found or fault)
        remedy = "no words are lost; see whether the disk is full or fails, then call again"
        raise OSError(number, f"{what}: {remedy}", str(self.folder)) from fault

    # -- writing ----------------------------------------------------------------------------------------------------

    def write(self, mark: int, gone: Iterable[int], blocks: Iterable[Block], whole: bool = False) -> None:
        """Takes blocks away and adds others, all or none, and is marked. whole: these are all that there are.

        Raises `BrokenEngineError` where it fails; nothing is written then.
        """
        self._release()
        with _named_faults():
            self._writer = self._open_writer()
            try:
                if whole:
                    self._writer.delete_all_documents()
                else:
                    for number in (0, *gone):
                        self._writer.delete_documents_by_term("block", number)
                for block in blocks:
                    for document in _documents(block):
                        self._writer.add_document(document)
                self._writer.add_document(_document(MARK, 0, mark))
                self._writer.commit()
            finally:
                self._release()
            self.load()

    def _open_writer(self) -> Any:
        end = time.monotonic() + self._patience
        while True:
            try:
                return self._index.writer(HEAP, 1)
            except ValueError as error:
                if "LockBusy" not in str(error):
                    raise
                if time.monotonic() > end:
                    raise TimeoutError(
                        errno.ETIMEDOUT, f"another process writes words for more than {self._patience:g} s", self.folder
                    ) from error
                time.sleep(TRIES)

    def _release(self) -> None:
        """Ends the writer, where there is one, and with it the lock; what it did not commit is dropped.

        It waits until small files are merged to larger ones: else there would be ever more of them.
        """
        if self._writer is not None:
            try:
                with _named_faults():
                    self._writer.wait_merging_threads()
            finally:
                self._writer = None

    # -- searching --------------------------------------------------------------------------------------------------

    def search(self, words: Sequence[Sequence[str]], around: float, most: int, among: Iterable[str]) -> EngineHits:
        """Scores texts for words, each given as the terms that it may be.

        around: what BM25 of its block counts beside that of a text. among: keys of texts that are returned though they
        are not among the `most` best, with a score of 0 too. Raises `BrokenEngineError` where the index cannot be read.
        """
        wanted = {number_key(key): key for key in among}
        with _named_faults():
            texts, blocks, marks = (self._count("kind", kind) for kind in (TEXT, BLOCK, MARK))
            total = texts + blocks + marks
            counts = [[self._count("text", term) for term in terms] for terms in words]
            rarities = {
                term: _rarity(sum(own), texts) for terms, own in zip(words, counts, strict=True) for term in terms
            }
            of_texts = [
                self._clause(name, term, weight)
                for terms in words
                for term in terms
                for name, weight in FIELDS.items()
                if self._count(name, term)
            ]
            of_blocks = []
            for terms in words:
                for term in terms:
                    if count := self._count(AROUND, term):
                        mended = _rarity(count, blocks) / _rarity(count, total)
                        of_blocks.append(self._clause(AROUND, term, mended))
            best = self._hits(of_texts, most)
            best_keys = self._values("key", best)
            blocks_hit = self._hits(of_blocks, SEEN) if around else []
            least = blocks_hit[-1][0] if len(blocks_hit) == SEEN else 0.0
            near = dict(zip(self._values("number", blocks_hit), [score for score, _ in blocks_hit], strict=True))
            only = [self._term("key", key) for key in wanted.keys() - best_keys]
            fitting = len(only) + WIDENED * SLOTS
            only += [self._term("block", number // SLOTS) for number in islice(near, WIDENED)]
            found, keys = best, best_keys
            if only:
                among_these = Query.const_score_query(Query.disjunction_max_query(only), 0.0)
                rest = self._hits([(Occur.Must, among_these), *of_texts], fitting)
                found, keys = rest + best, self._values("key", rest) + best_keys
            numbers = self._values("number", found)
            scores = {
                number: score + around * near.get(number | BLOCKS_PLACE, least if score else 0.0)
                for number, (score, _) in zip(numbers, found, strict=True)
                if number % SLOTS < BLOCKS_PLACE
            }
            of_near = {number: wanted[key] for number, key in zip(numbers, keys, strict=True) if key in wanted}
            return EngineHits(scores, of_near, rarities)

    def dead_share(self) -> float:
        """What was taken away and is still counted in scores, for each that is there. Merges drop some of it."""
        if self.mark is None:  # what was written cannot be read: the next search sees to that
            return 0.0
        with _named_faults():
            live: int = self._searcher.num_docs
            total: int = sum(self._count("kind", kind) for kind in (TEXT, BLOCK, MARK))
            return (total - live) / max(live, 1)

    def _term(self, name: str, value: Any) -> Query:
        return Query.term_query(self._schema, name, value, "freq")

    def _clause(self, name: str, term: str, weight: float) -> Clause:
        query = self._term(name, term)
        return Occur.Should, query if weight == 1 else Query.boost_query(query, weight)

    def _hits(self, clauses: Sequence[Clause], most: int) -> list[tuple[float, Any]]:
        """Returns the scores and addresses of the best that match, the best first."""
        if not clauses or most < 1:
            return []
        hits: list[tuple[float, Any]] = self._searcher.search(Query.boolean_query(clauses), most, count=False).hits
        return hits

    def _values(self, name: str, hits: Sequence[tuple[float, Any]]) -> list[int]:
        """What a field has of each hit."""
        values: list[int] = self._searcher.fast_field_values(name, [address for _, address in hits])
        return values


def _rarity(count: int, total: int) -> float:
    """BM25's inverse document frequency."""
    return log(1 + (max(total - count, 0) + 0.5) / (count + 0.5))


def _schema() -> Any:
    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("number", fast=True)
    builder.add_integer_field("key", fast=True, indexed=True)
    builder.add_integer_field("kind", indexed=True)
    builder.add_integer_field("block", indexed=True)
    for name in (*FIELDS, AROUND):
        builder.add_text_field(name, tokenizer_name="terms", index_option="freq")
    return builder.build()


def _prepared(index: Any) -> Any:
    index.register_tokenizer("terms", tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())
    index.config_reader("manual")  # no thread of its own, which a forked child would lack
    return index


def _documents(block: Block) -> Iterator[Any]:
    """A block -> tantivy's documents: one of each text, and one of the block."""
    around = " ".join(filter(None, block.texts))
    for place, (text, headings) in enumerate(zip(block.texts, block.headings, strict=True)):
        document = _document(TEXT, block.number, block.number * SLOTS + place)
        document.add_integer("key", number_key(block.keys[place]))
        for name, value in (("text", text), ("title", block.title), ("headings", headings)):
            if value:
                document.add_text(name, value)
        if around and not place:  # tantivy's average is over all documents: those of texts have a block's length too
            document.add_text(AROUND, f"{FILLING} " * (len(block.texts) * (around.count(" ") + 1)))
        yield document
    if around:
        document = _document(BLOCK, block.number, block.number * SLOTS + BLOCKS_PLACE)
        document.add_text(AROUND, around)
        yield document


def _document(kind: int, block: int, number: int) -> Any:
    document = tantivy.Document()
    for name, value in (("kind", kind), ("block", block), ("number", number)):
        document.add_integer(name, value)
    return document


@contextmanager
def _named_faults() -> Iterator[None]:
    """Turns what tantivy raises, also its panics, which are no `Exception`, into `BrokenEngineError`."""
    try:
        yield
    except BaseException as error:
        if isinstance(error, (ValueError, RuntimeError)) or type(error).__name__ == "PanicException":
            raise BrokenEngineError(str(error).partition("\n")[0]) from error
        raise
