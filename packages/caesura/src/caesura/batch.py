"""Rows of documents in, rows of chunks out, for Ray Data, Spark and Dask: it pickles, and has one model per process.

Not loaded by `import caesura`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any
from uuid import uuid4

from caesura.errors import SettingError, whole
from caesura.llm.failures import OnFailure, checked
from caesura.loaded import Load, Loaded, checked_load, shared
from caesura.splitter import Splitter
from caesura.stream import WINDOW
from caesura.tables.chunk_columns import chunk_columns, row_numbers
from caesura.tables.columns import Columns, columns
from caesura.tables.cutting import Cutter, Cutting, Row
from caesura.tables.names import Names
from caesura.windows import windows


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
        checked(self.on_failure)
        whole("overlap", self.overlap, 0)
        whole("window", self.window, 1)
        if self.batch_size is not None:
            whole("batch_size", self.batch_size, 1)
        self._names()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_held": []}  # the model stays in its process

    def __dask_tokenize__(self) -> str:
        return self._token

    def __call__(self, rows: Any) -> Any:
        """A table of documents -> a table of chunks, in the same form."""
        table, names = columns(rows), self._names()
        order = names.ordered(table.names)
        found = self._cuttings(table, names)
        numbers = row_numbers(found)
        width = self._width if table.shaped or len(numbers) else lambda: 0
        new = chunk_columns(found, self.text_column, names.errors, width if self.vectors else None)
        return table.rebuilt(numbers, new, order)

    def stream(self, tables: Iterable[Any]) -> Iterator[Any]:
        """Tables -> the table of each, one by one: what Spark's ``mapInPandas`` and ``mapInArrow`` ask for."""
        return map(self, tables)

    def _cuttings(self, table: Columns, names: Names) -> list[Cutting]:
        """The rows of a table -> what became of each, in order."""
        found, good = list[Cutting](), list[Row]()
        ids, texts = table.values(self.id_column), table.values(self.text_column)
        for number, (own, text) in enumerate(zip(ids, texts, strict=True)):
            wrong = names.wrong(own, text)
            if wrong and self.on_failure == "raise":
                raise SettingError(f"{wrong}; mend or leave out such rows, or pass on_failure='keep'")
            if wrong:
                found.append(Cutting(number, str(own), [], error=f"SettingError: {wrong}"))
            else:
                good.append(Row(number, str(own), text))
        if good:
            cut = self._cutter()
            found += chain.from_iterable(map(cut, windows(good, self.window, lambda row: max(len(row.text), 1))))
        return sorted(found, key=lambda cutting: cutting.row)

    def _cutter(self) -> Cutter:
        """What cuts rows in this process: its model, and the splitter with its background."""
        model, splitter = self._model(), self.splitter
        if splitter.background is None and self.calibrated:
            splitter = replace(splitter, background=model.background())
        return Cutter(splitter, model.embed, self.batch_size, self.overlap, self.vectors, self.on_failure)

    def _width(self) -> int:
        """How long a vector is; 0 where failures are kept and nobody says, as while a server is down."""
        model = self._model()
        try:
            return model.width(self.splitter.background)
        except Exception:
            if self.on_failure == "raise":
                raise
            return 0

    def _model(self) -> Loaded:
        if not self._held or not self._held[0].at_home():
            self._held[:] = [shared(self._token, self.load)]
        return self._held[0]

    def _names(self) -> Names:
        return Names(self.id_column, self.text_column, self.vectors, self.on_failure == "keep")
