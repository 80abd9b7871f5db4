"""Tables of documents -> tables of chunks, for Ray Data, Spark and Dask: it pickles, and has one model per process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from numbers import Integral
from typing import Any, NamedTuple, get_args
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from caesura.checks import OnFailure, check_choice, check_int
from caesura.errors import SettingError
from caesura.ids import chunk_ids
from caesura.sansio import Blocking, embed_in_batches, run
from caesura.splitter import Splitter
from caesura.types import Chunk, Embed
from caesura_scale.process_model import Load, ProcessModel, check_loader, process_model
from caesura_scale.stream import WINDOW, windows
from caesura_scale.tables import Columns, NewColumns, Rows, read_columns

LONGEST = 2000
"""Characters of an error that a cell keeps: some quote all that they were given."""


class _Row(NamedTuple):
    """A document of a table: the number of its row, its id and its text."""

    number: int
    id: str
    text: str


class _RowResult(NamedTuple):
    """What became of one row: its chunks and, where they are wanted, (k, d) vectors; or what it failed of."""

    row: int
    id: str
    chunks: list[Chunk]
    vectors: NDArray[np.float32] | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class _RowSplitter:
    """The settings of a `SplitBatch`, and the embedder of this process: rows -> what became of each, in order.

    Where failures are kept, a list that fails is halved until the rows that fail are alone.
    """

    splitter: Splitter
    embed: Embed
    batch_size: int | None
    overlap: int
    vectors: bool
    on_failure: OnFailure

    def __call__(self, rows: list[_Row]) -> list[_RowResult]:
        try:
            batch = self.splitter.prepare([row.text for row in rows])
            made = self.splitter.finish(
                batch, run(embed_in_batches(Blocking(), self.embed, batch.texts, self.batch_size))
            )
            return [
                _RowResult(row.number, row.id, one.chunks(self.overlap), one.vectors() if self.vectors else None)
                for row, one in zip(rows, made, strict=True)
            ]
        except Exception as error:
            if self.on_failure == "raise":
                error.add_note(f"raised for the documents {rows[0].id!r} to {rows[-1].id!r}, {len(rows)} in all")
                raise
            if len(rows) == 1:
                return [_RowResult(rows[0].number, rows[0].id, [], error=_describe_error(error))]
        half = len(rows) // 2
        return self(rows[:half]) + self(rows[half:])


def _describe_error(error: Exception) -> str:
    """An exception -> its name and what it says, in characters that every form of table can hold."""
    try:
        said = f"{type(error).__name__}: {error}"
    except Exception:
        said = type(error).__name__
    return said[:LONGEST].encode("utf-8", "backslashreplace").decode()


def _row_numbers(found: list[_RowResult]) -> Rows:
    """The number of the row that each chunk is of, or failure."""
    lengths = [1 if result.error else len(result.chunks) for result in found]
    return np.repeat(np.array([result.row for result in found], np.intp), lengths)


def _chunk_columns(
    found: list[_RowResult], text_column: str, errors: bool, width: Callable[[], int] | None
) -> NewColumns:
    """The columns of the chunks and failures. errors: whether one says what failed. width: of a vector, where vectors
    are wanted; called where there is none to see it of.
    """
    names, texts, said, places = list[str](), list[str](), list[str | None](), list[tuple[int, int, int]]()
    for result in found:
        rows = list(enumerate(result.chunks)) if result.error is None else [(-1, Chunk("", -1, -1))]
        names += chunk_ids((result.id, 0, chunk.text) for chunk in result.chunks) if result.error is None else [""]
        for number, chunk in rows:
            places.append((number, chunk.start, chunk.end))
            texts.append(chunk.text)
            said.append(result.error)
    numbers = zip(("chunk", "start", "end"), np.array(places, np.int64).reshape(-1, 3).T, strict=True)
    strings: dict[str, Sequence[str | None]] = {text_column: texts, "chunk_id": names}
    if errors:
        strings["error"] = said
    vectors = {} if width is None else {"vector": _vectors(found, width)}
    return NewColumns(text_column, strings, {name: column.copy() for name, column in numbers}, vectors)


def _vectors(found: list[_RowResult], width: Callable[[], int]) -> NDArray[np.float32]:
    """(rows, d), zero for what failed."""
    made = [one.vectors for one in found if one.vectors is not None and len(one.vectors)]
    d = made[0].shape[1] if made else width()
    parts = [np.zeros((1, d), np.float32) if one.error else one.vectors for one in found]
    return np.concatenate([np.zeros((0, d), np.float32), *(part for part in parts if part is not None and len(part))])


@dataclass(frozen=True, slots=True)
class _ColumnNames:
    """id, text: the columns that are read. vectors, errors: whether a column of them is made.

    Raises `SettingError` where they are one column, or one that is made.
    """

    id: str
    text: str
    vectors: bool
    errors: bool

    def __post_init__(self) -> None:
        if self.id == self.text or {self.id, self.text} & set(self.made()):
            raise SettingError(
                f"id_column={self.id!r} and text_column={self.text!r} must be two columns, and none of "
                f"{self.made()}, which are made: rename what is read"
            )

    def made(self) -> list[str]:
        """The columns that are made, beside the text."""
        more = [*(["vector"] if self.vectors else []), *(["error"] if self.errors else [])]
        return ["chunk", "start", "end", "chunk_id", *more]

    def ordered(self, names: list[Any]) -> list[Any]:
        """The columns of a table -> those of the table that comes of it. Raises `SettingError` where that cannot be."""
        if not {self.id, self.text} <= set(names):
            raise SettingError(
                f"rows must have the columns {self.id!r} and {self.text!r}, got {names}: "
                f"say which are meant by id_column and text_column"
            )
        made = self.made()
        taken = [name for name in made if name in names]
        if taken:
            raise SettingError(f"the columns {taken} would be overwritten by those that are made: rename them first")
        others = [name for name in names if name not in (self.id, self.text)]
        return [self.id, *made[:3], self.text, *made[3:], *others]

    def wrong(self, own: object, text: object) -> str | None:
        """What is the matter with a row's id or text, if anything."""
        if not isinstance(own, (str, Integral)) or isinstance(own, bool):
            return f"{self.id} must be a str or a whole number in every row, got {own!r:.80}"
        if not isinstance(text, str):
            return f"{self.text} must be a str, got {type(text).__name__} in the row of {own!r:.80}"
        return None


@dataclass  # neither frozen nor slotted: Ray derives from the class, and sets attributes
class SplitBatch:
    """Documents in a table -> a table with a row for each of their chunks. Calls of it do not depend on one another.

    splitter: the settings. load: makes the embedder (list of str -> rows): a class, a function, a `functools.partial`,
    called without arguments, once in each process and not before it is needed. id_column, text_column: the names of the
    columns that are read. vectors: whether rows get their chunk's vector. overlap: as in `Segmentation.chunks`.
    on_failure: "raise" what a document fails of, or "keep" it in a column. calibrated: whether a splitter without a
    background gets the embedder's; every process makes its own. batch_size: the most texts in a call of the embedder.
    window: so many characters of documents are embedded together.

    A table is a dict of numpy arrays, a ``pandas.DataFrame``, a ``pyarrow.Table`` or ``RecordBatch``; so is what comes.

    Returns rows in the order of the documents and their chunks, such that a document's do not depend on what else is in
    the table: its id; `chunk`, which counts from 0; `start` and `end`, code points of the document's text; the text of
    the chunk; `chunk_id`, made of id, text and which of the document's equal chunks it is, so that a row that is
    written twice can be told, wherever it has moved; `vector`, if wanted; `error`, if kept; and the other columns as
    they were. A blank document has no chunk and no row. Columns and types do not depend on the rows.

    An id is a str or a whole number, a text a str. A document that fails is one row with -1 for `chunk`, `start` and
    `end`, "" for the text and its id, and what was the matter in `error`.

    Raises `SettingError` for a column that is missing or would be overwritten; what the embedder raises where it cannot
    be made or calibrated; and, unless failures are kept, what a document fails of.

    >>> from caesura import OptimalCut
    >>> splitter = Splitter(cut=OptimalCut(penalty=0))
    >>> cut = SplitBatch(splitter, lambda: lambda texts: [[1.0, "moon" in text] for text in texts])
    >>> made = cut({"id": ["a"], "text": ["The moon rose. Dogs bark."], "page": [7]})
    >>> made["start"].tolist(), made["text"].tolist(), made["page"].tolist()
    ([0, 15], ['The moon rose.', 'Dogs bark.'], [7, 7])
    """

    splitter: Splitter
    load: Load
    id_column: str = "id"
    text_column: str = "text"
    vectors: bool = False
    overlap: int = 0
    on_failure: OnFailure = "raise"
    calibrated: bool = True
    batch_size: int | None = None
    window: int = WINDOW
    _token: str = field(init=False, repr=False, compare=False, default_factory=lambda: uuid4().hex)
    _held: list[ProcessModel] = field(init=False, repr=False, compare=False, default_factory=list)

    def __post_init__(self) -> None:
        if not isinstance(self.splitter, Splitter):
            raise SettingError(f"splitter must be a Splitter, got {self.splitter!r:.120}")
        check_loader(self.load)
        check_choice("on_failure", self.on_failure, get_args(OnFailure))
        check_int("overlap", self.overlap, 0)
        check_int("window", self.window, 1)
        if self.batch_size is not None:
            check_int("batch_size", self.batch_size, 1)
        self._names()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_held": []}  # the model stays in its process

    def __dask_tokenize__(self) -> str:
        return self._token

    def __call__(self, rows: Any) -> Any:
        """A table of documents -> a table of chunks, in the same form."""
        table, names = read_columns(rows), self._names()
        order = names.ordered(table.names)
        found = self._results(table, names)
        numbers = _row_numbers(found)
        width = self._width if table.shaped or len(numbers) else lambda: 0
        new = _chunk_columns(found, self.text_column, names.errors, width if self.vectors else None)
        return table.rebuilt(numbers, new, order)

    def stream(self, tables: Iterable[Any]) -> Iterator[Any]:
        """Tables -> the table of each, one by one: what Spark's ``mapInPandas`` and ``mapInArrow`` ask for."""
        return map(self, tables)

    def _results(self, table: Columns, names: _ColumnNames) -> list[_RowResult]:
        """The rows of a table -> what became of each, in order."""
        found, good = list[_RowResult](), list[_Row]()
        ids, texts = table.values(self.id_column), table.values(self.text_column)
        for number, (own, text) in enumerate(zip(ids, texts, strict=True)):
            wrong = names.wrong(own, text)
            if wrong and self.on_failure == "raise":
                raise SettingError(f"{wrong}; mend or leave out such rows, or pass on_failure='keep'")
            if wrong:
                found.append(_RowResult(number, str(own), [], error=f"SettingError: {wrong}"))
            else:
                good.append(_Row(number, str(own), text))
        if good:
            split = self._row_splitter()
            found += chain.from_iterable(map(split, windows(good, self.window, lambda row: max(len(row.text), 1))))
        return sorted(found, key=lambda result: result.row)

    def _row_splitter(self) -> _RowSplitter:
        """What splits rows in this process: its model, and the splitter with its background."""
        model, splitter = self._model(), self.splitter
        if splitter.background is None and self.calibrated:
            splitter = replace(splitter, background=model.background())
        return _RowSplitter(splitter, model.embed, self.batch_size, self.overlap, self.vectors, self.on_failure)

    def _width(self) -> int:
        """How long a vector is; 0 where failures are kept and nobody says, as while a server is down."""
        model = self._model()
        try:
            return model.width(self.splitter.background)
        except Exception:
            if self.on_failure == "raise":
                raise
            return 0

    def _model(self) -> ProcessModel:
        if not self._held or not self._held[0].is_this_process():
            self._held[:] = [process_model(self._token, self.load)]
        return self._held[0]

    def _names(self) -> _ColumnNames:
        return _ColumnNames(self.id_column, self.text_column, self.vectors, self.on_failure == "keep")
