"""Rows of documents in, rows of chunks out, for Ray Data, Spark and Dask: it pickles, and has one model per process.

Not loaded by `import caesura`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from numbers import Integral
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from caesura.adapter import chunk_id
from caesura.asking import drive, requests
from caesura.columns import Columns, New, columns, told
from caesura.errors import SettingError, whole
from caesura.loaded import Load, Loaded, checked_load, shared
from caesura.splitter import Splitter
from caesura.stream import WINDOW
from caesura.types import Chunk

if TYPE_CHECKING:
    from caesura.llm.failures import OnFailure


class Row(NamedTuple):
    """A document of a table: the number of its row, its id and its text."""

    number: int
    id: str
    text: str


class Cutting(NamedTuple):
    """What became of one row: its chunks and, where they are wanted, (k, d) vectors; or what it failed of."""

    row: int
    id: str
    chunks: list[Chunk]
    vectors: NDArray[np.float32] | None = None
    error: str | None = None


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
    the chunk; `chunk_id`, made of id, place and text, so that a row that is written twice can be told; `vector`, if
    wanted; `error`, if kept; and the other columns as they were. A blank document has no chunk and no row. Columns and
    types do not depend on the rows.

    An id is a str or a whole number, a text a str. A document that fails is one row with -1 for `chunk`, `start` and
    `end`, "" for the text and its id, and what was the matter in `error`.

    Raises `SettingError` for a column that is missing or would be overwritten; what the embedder raises where it cannot
    be made or calibrated; and, unless failures are kept, what a document fails of.

    >>> from caesura import OptimalCut
    >>> cut = SplitBatch(Splitter(cut=OptimalCut()), lambda: lambda texts: [[1.0, "moon" in text] for text in texts])
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
    _held: list[Loaded] = field(init=False, repr=False, compare=False, default_factory=list)

    def __post_init__(self) -> None:
        if not isinstance(self.splitter, Splitter):
            raise SettingError(f"splitter must be a Splitter, got {self.splitter!r:.120}")
        checked_load(self.load)
        if self.on_failure not in ("raise", "keep"):
            raise SettingError(f"on_failure must be 'raise' or 'keep', got {self.on_failure!r}")
        whole("overlap", self.overlap, 0)
        whole("window", self.window, 1)
        if self.batch_size is not None:
            whole("batch_size", self.batch_size, 1)
        taken = [name for name in (self.id_column, self.text_column) if name in self._made()]
        if taken or self.id_column == self.text_column:
            raise SettingError(
                f"id_column={self.id_column!r} and text_column={self.text_column!r} must be two columns, and none of "
                f"{self._made()}, which are made: rename what is read"
            )

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_held": []}  # the model stays in its process

    def __dask_tokenize__(self) -> str:
        return self._token

    def __call__(self, rows: Any) -> Any:
        """A table of documents -> a table of chunks, in the same form."""
        table = columns(rows)
        self._check(table.names)
        found = self._cuttings(table)
        lengths = [1 if cutting.error else len(cutting.chunks) for cutting in found]
        numbers = np.repeat(np.array([cutting.row for cutting in found], np.intp), lengths)
        others = [name for name in table.names if name not in (self.id_column, self.text_column)]
        order = [self.id_column, "chunk", "start", "end", self.text_column, *self._made()[3:], *others]
        return table.rebuilt(numbers, self._new(found, table.shaped), order)

    def stream(self, tables: Iterable[Any]) -> Iterator[Any]:
        """Tables -> the table of each, one by one: what Spark's ``mapInPandas`` and ``mapInArrow`` ask for."""
        return map(self, tables)

    # -- the work ---------------------------------------------------------------------------------------------------

    def _cuttings(self, table: Columns) -> list[Cutting]:
        """The rows of a table -> what became of each, in order."""
        found, good = list[Cutting](), list[Row]()
        ids, texts = table.values(self.id_column), table.values(self.text_column)
        for number, (own, text) in enumerate(zip(ids, texts, strict=True)):
            wrong = self._wrong(own, text)
            if wrong and self.on_failure == "raise":
                raise SettingError(f"{wrong}; mend or leave out such rows, or pass on_failure='keep'")
            if wrong:
                found.append(Cutting(number, str(own), [], error=f"SettingError: {wrong}"))
            else:
                good.append(Row(number, str(own), text))
        if good:
            model, splitter = self._ready()
            found += chain.from_iterable(self._cut(model, splitter, some) for some in self._windows(good))
        return sorted(found, key=lambda cutting: cutting.row)

    def _cut(self, model: Loaded, splitter: Splitter, rows: list[Row]) -> list[Cutting]:
        """Rows -> their cuttings, those of failing ones apart: halved until they are alone."""
        try:
            batch = splitter.prepare([row.text for row in rows])
            made = splitter.finish(batch, drive(requests(batch.texts, self.batch_size), model.embed))
            return [
                Cutting(row.number, row.id, one.chunks(self.overlap), one.vectors() if self.vectors else None)
                for row, one in zip(rows, made, strict=True)
            ]
        except Exception as error:
            if self.on_failure == "raise":
                error.add_note(f"raised for the documents {rows[0].id!r} to {rows[-1].id!r}, {len(rows)} in all")
                raise
            if len(rows) == 1:
                return [Cutting(rows[0].number, rows[0].id, [], error=told(error))]
        half = len(rows) // 2
        return self._cut(model, splitter, rows[:half]) + self._cut(model, splitter, rows[half:])

    def _new(self, found: list[Cutting], shaped: bool) -> New:
        """What became of the rows -> the columns that are made."""
        names, texts, errors, places = list[str](), list[str](), list[str | None](), list[tuple[int, int, int]]()
        for cutting in found:
            rows = list(enumerate(cutting.chunks)) if cutting.error is None else [(-1, Chunk("", -1, -1))]
            for number, chunk in rows:
                places.append((number, chunk.start, chunk.end))
                texts.append(chunk.text)
                names.append(chunk_id(cutting.id, 0, chunk.start, chunk.end, chunk.text) if number >= 0 else "")
                errors.append(cutting.error)
        numbers = zip(("chunk", "start", "end"), np.array(places, np.int64).reshape(-1, 3).T, strict=True)
        strings: dict[str, Sequence[str | None]] = {self.text_column: texts, "chunk_id": names}
        if self.on_failure == "keep":
            strings["error"] = errors
        vectors = {"vector": self._vectors(found, shaped or len(texts) > 0)} if self.vectors else {}
        return New(self.text_column, strings, {name: column.copy() for name, column in numbers}, vectors)

    def _vectors(self, found: list[Cutting], shaped: bool) -> NDArray[np.float32]:
        """(rows, d), zero for what failed; where nothing was made, d is asked for only if it is wanted."""
        made = [one.vectors for one in found if one.vectors is not None and len(one.vectors)]
        width = made[0].shape[1] if made else self._width() if shaped else 0
        empty = np.zeros((0, width), np.float32)
        parts = [np.zeros((1, width), np.float32) if one.error else one.vectors for one in found]
        return np.concatenate([empty, *(part for part in parts if part is not None and len(part))])

    def _width(self) -> int:
        """d; 0 where failures are kept and nobody says, as while a server is down."""
        model = self._model()
        try:
            return model.width(self.splitter.background)
        except Exception:
            if self.on_failure == "raise":
                raise
            return 0

    # -- settings ---------------------------------------------------------------------------------------------------

    def _ready(self) -> tuple[Loaded, Splitter]:
        """This process's model, and the splitter with its background."""
        model = self._model()
        if self.splitter.background is not None or not self.calibrated:
            return model, self.splitter
        return model, replace(self.splitter, background=model.background())

    def _model(self) -> Loaded:
        if not self._held or not self._held[0].at_home():
            self._held[:] = [shared(self._token, self.load)]
        return self._held[0]

    def _made(self) -> list[str]:
        """The names of the columns that are made, beside the text."""
        more = [*(["vector"] if self.vectors else []), *(["error"] if self.on_failure == "keep" else [])]
        return ["chunk", "start", "end", "chunk_id", *more]

    def _check(self, names: list[Any]) -> None:
        if not {self.id_column, self.text_column} <= set(names):
            raise SettingError(
                f"rows must have the columns {self.id_column!r} and {self.text_column!r}, got {names}: "
                f"say which are meant by id_column and text_column"
            )
        taken = [name for name in self._made() if name in names]
        if taken:
            raise SettingError(f"the columns {taken} would be overwritten by those that are made: rename them first")

    def _wrong(self, own: object, text: object) -> str | None:
        """What is the matter with a row, if anything."""
        if not isinstance(own, (str, Integral)) or isinstance(own, bool):
            return f"{self.id_column} must be a str or a whole number in every row, got {own!r:.80}"
        if not isinstance(text, str):
            return f"{self.text_column} must be a str, got {type(text).__name__} in the row of {own!r:.80}"
        return None

    def _windows(self, rows: list[Row]) -> Iterator[list[Row]]:
        held, length = list[Row](), 0
        for row in rows:
            held.append(row)
            length += max(len(row.text), 1)
            if length >= self.window:
                yield held
                held, length = [], 0
        if held:
            yield held
