"""Plan of rows: which small texts an edit embeds, and the vector that the store is given for each."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import EmbeddingError
from caesura.sansio import Calls
from caesura.vectors import as_rows
from caesura_retrieval.document_embedders import DocumentEmbedder, chunk_runs, embed_together, run_keys
from caesura_retrieval.leaning import AROUND, lean, share_contexts
from caesura_store.sqlite_store import release_in_child

KEPT_BYTES = 64 * 2**20
"""What the rows that an index embedded last may take in memory: 30,000 of the static model, with their texts."""
ENTRY_BYTES = 128
"""What an entry of a dictionary takes beside its key and value, rounded up."""

_LOCK = threading.RLock()  # of all `RowMemory`: it is never locked for long, and a fork has one lock to wait for

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_LOCK.acquire, after_in_parent=_LOCK.release, after_in_child=partial(release_in_child, _LOCK)
    )


class RowMemory:
    """Texts, and the rows that one model made of them.

    max_bytes: the most memory that they take; those that were used longest ago go first. behind: another memory of
    the same model, which is asked for what is not known here. Threads may share one object.

    >>> memory = RowMemory()
    >>> memory.keep(["tide"], [[0.6, 0.8]])
    >>> memory.find(["tide", "moon"])
    {'tide': array([0.6, 0.8])}
    """

    def __init__(self, max_bytes: int = KEPT_BYTES, behind: RowMemory | None = None) -> None:
        self.max_bytes: int = max_bytes
        self.behind: RowMemory | None = behind
        self.known: OrderedDict[str, NDArray[Any]] = OrderedDict()
        """Texts and their rows, used longest ago first."""
        self.known_bytes: int = 0

    def keep(self, texts: Iterable[str], rows: Iterable[Sequence[float] | NDArray[Any]]) -> None:
        """Takes in the vectors of some texts. rows: (n, d). Where several have one text, it gets them in turn."""
        by_text: dict[str, list[Any]] = {}
        for text, row in zip(texts, rows, strict=True):
            by_text.setdefault(text, []).append(row)
        for text, several in by_text.items():
            own = np.array(several if len(several) > 1 else several[0])  # not a view, which would keep all the others
            with _LOCK:
                self._forget(text)
                self.known[text] = own
                self.known_bytes += _entry_bytes(text, own)
                while self.known_bytes > self.max_bytes:
                    self._forget(next(iter(self.known)))

    def find(self, texts: Sequence[str]) -> dict[str, NDArray[Any]]:
        """Returns the rows of those texts that it knows, which count as just used: (d,), or (n, d) of several."""
        found: dict[str, NDArray[Any]] = {}
        with _LOCK:
            for text in dict.fromkeys(texts):
                if (row := self.known.get(text)) is not None:
                    found[text] = row
                    self.known.move_to_end(text)
                    if row.ndim > 1:
                        self.known[text] = np.roll(row, -texts.count(text), axis=0)
        if self.behind is not None:
            found.update(self.behind.find([text for text in texts if text not in found]))
        return found

    def forget(self) -> None:
        """Forgets all rows, because the model may make others now."""
        with _LOCK:
            self.known.clear()
            self.known_bytes = 0
        if self.behind is not None:
            self.behind.forget()

    def __getstate__(self) -> dict[str, Any]:
        """For a copy or a pickle, while other threads go on."""
        with _LOCK:
            return {**vars(self), "known": self.known.copy()}

    def _forget(self, text: str) -> None:
        row = self.known.pop(text, None)
        if row is not None:
            self.known_bytes -= _entry_bytes(text, row)


def _entry_bytes(text: str, row: NDArray[Any]) -> int:
    """What a known text takes in memory."""
    return sys.getsizeof(text) + sys.getsizeof(row) + ENTRY_BYTES


@dataclass(frozen=True, slots=True, eq=False)
class RowLine:
    """Small texts of one document in its order, whose rows lean toward each other.

    name: what errors call the document. texts: what is embedded of each. contexts: the context that each row has a
    share of, "" for none. share: how far a row leans toward those around it, see `lean`; 0: not at all. rows: the
    embeddings that are known already, by number.
    """

    name: str
    texts: Sequence[str]
    contexts: Sequence[str]
    share: float = 0.0
    rows: Mapping[int, Sequence[float]] = field(default_factory=dict)

    @property
    def reach(self) -> int:
        """How many neighbours on either side a row leans toward."""
        return AROUND if self.share else 0


def sign_rows(line: RowLine, contents: Sequence[str], model: DocumentEmbedder | None) -> list[str]:
    """Returns for each row of a line a string that changes with anything that its vector is made of.

    contents: what tells each text and its headings from others. model: what embeds the line's texts together, if
    anything does.
    """
    if model is not None:
        contents = [content + key for content, key in zip(contents, run_keys(model, line.texts), strict=True)]
    pairs = zip(contents, line.contexts, strict=True)
    contents = [f"{content}\0{context}" if context else content for content, context in pairs]
    windows = ("".join(contents[max(at - line.reach, 0) : at + line.reach + 1]) for at in range(len(contents)))
    return [sha256(f"{line.share} {window}".encode("utf-8", "surrogatepass")).hexdigest() for window in windows]


_Key: TypeAlias = tuple[RowLine, int]
"""A line, and the number of a row there."""


class _Stretch(NamedTuple):
    """Rows of a line that are wanted, in a range that also holds those that they lean toward."""

    line: RowLine
    range: range
    numbers: list[int]


@dataclass(slots=True)
class RowEmbedder:
    """Embeds the rows that are written, and of their neighbours those that they lean toward.

    embed: texts -> one row for each. model: what embeds the texts of a line together; None: `embed` does, each by
    itself. memory: the rows that `embed` made of texts before; those are not embedded again. batch_size: the most texts
    that a call of `embed` is given; None: all. What it returned is in the memory at once: another call may fail.
    progress: the numbers of the texts that calls begin at -> the same, where a bar shows how many are done. requests:
    how many calls are under way at once; more than one only where `calls` awaits. The embeddings of the last call are
    kept, since the next batch begins beside it, and those of all contexts.
    """

    calls: Calls
    embed: Callable[[list[str]], Awaitable[Sequence[Any] | NDArray[Any]]]
    model: DocumentEmbedder | None = None
    memory: RowMemory | None = None
    batch_size: int | None = None
    progress: Callable[[range], Iterable[int]] = iter
    requests: int = 1
    _rows: dict[Any, Any] = field(default_factory=dict)
    _contexts: dict[str, Any] = field(default_factory=dict)

    async def vectors(self, wanted: Sequence[tuple[RowLine, Sequence[int]]]) -> list[list[list[float]]]:
        """Returns the vectors of some rows of each line. They are given by their numbers, which rise.

        Raises `EmbeddingError` where there is not one row for each text, or rows differ in length. Of rows that differ
        the memory keeps none.
        """
        for _ in range(2):  # again, where rows that were remembered are another model's
            stretches, new, runs, known, remembered = await self.calls.compute(self._plan, wanted)
            texts = dict.fromkeys([*new] if self.model is not None else [*runs[0], *new])
            made = await self._embed([text for text in texts if text not in known], remembered)
            if _are_of_one_model(made, remembered):
                break
        known.update(made)
        if self.model is not None:
            known.update(await self._embed_runs(self.model, [run for run in runs if not known.keys() >= {*run}]))
        self._contexts.update((context, known[context]) for context in new)
        self._rows = known
        return await self.calls.compute(self._lean, wanted, stretches)

    def _plan(
        self, wanted: Sequence[tuple[RowLine, Sequence[int]]]
    ) -> tuple[list[_Stretch], list[str], list[list[Any]], dict[Any, Any], dict[str, NDArray[Any]]]:
        """Returns the stretches that are wanted, the contexts in them that were not embedded before, the keys of what
        is embedded together, or of all in one run, the embeddings that need not be made, and those of them that the
        memory has."""
        stretches = [stretch for line, numbers in wanted for stretch in _stretches(line, numbers)]
        contexts = {line.contexts[at] for line, span, _ in stretches for at in span if at not in line.rows}
        new = sorted(contexts - self._contexts.keys() - {""})
        if self.model is None:
            runs = [[self._key(line, at) for line, span, _ in stretches for at in span]]
        else:
            runs = _needed_runs(self.model, stretches)
        keys = [*dict.fromkeys([*(key for run in runs for key in run), *new])]
        known, remembered = self._known(stretches, keys), dict[str, NDArray[Any]]()
        if self.memory is not None:
            found = self.memory.find([key for key in keys if isinstance(key, str) and key not in known])
            remembered = _usable_rows({text: row if row.ndim == 1 else row[0] for text, row in found.items()})
            if len(_widths(remembered)) > 1:  # another thread wrote with another model
                self.memory.forget()
                remembered = {}
        return stretches, new, runs, {**known, **remembered}, remembered

    def _key(self, line: RowLine, at: int) -> Any:
        """What a row's embedding is kept under."""
        return line.texts[at] if self.model is None and at not in line.rows else (line, at)

    def _known(self, stretches: Sequence[_Stretch], keys: Sequence[Any]) -> dict[Any, Any]:
        """Returns the embeddings that need not be made: those of the last call, and those that the lines have."""
        known = {key: self._rows[key] for key in keys if key in self._rows}
        known.update(((line, at), row) for line, *_ in stretches for at, row in line.rows.items())
        return known

    async def _embed(self, texts: list[str], remembered: Mapping[str, NDArray[Any]]) -> dict[Any, Any]:
        """Returns the row of each text. remembered: the rows of others, of which the memory forgets all where they are
        another model's."""
        made: dict[Any, Any] = {}
        widths, known = set[int](), _widths(remembered)
        step = self.batch_size or max(len(texts), 1)

        async def embed(start: int) -> None:
            nonlocal known
            some = texts[start : start + step]
            rows = await self.embed(some)
            if len(rows) != len(some):
                raise EmbeddingError(
                    f"embed() must return one row per text: expected {len(some)} rows, got {len(rows)}"
                )
            own = dict(zip(some, rows, strict=True))
            usable = await self.calls.compute(_usable_rows, own)
            widths.update(_widths(usable))
            if len(widths) > 1:  # nobody knows which of them are the model's
                if self.memory is not None:
                    self.memory.forget()
                raise EmbeddingError(f"embed() must return rows of one length in every call, got {sorted(widths)}")
            if self.memory is not None:
                if widths and known and widths != known:
                    self.memory.forget()
                    known = widths
                self.memory.keep(usable, usable.values())
            made.update(own | usable)

        if texts:
            starts = range(0, len(texts), step)
            await _each(embed, self.progress(starts), min(self.requests, len(starts)))
        return made

    async def _embed_runs(self, model: DocumentEmbedder, runs: Sequence[Sequence[_Key]]) -> dict[Any, Any]:
        texts = [[line.texts[at] for line, at in run] for run in runs]
        rows = await embed_together(self.calls, model, texts, [run[0][0].name for run in runs])
        return {key: row for run, own in zip(runs, rows, strict=True) for key, row in zip(run, own, strict=True)}

    def _lean(
        self, wanted: Sequence[tuple[RowLine, Sequence[int]]], stretches: Sequence[_Stretch]
    ) -> list[list[list[float]]]:
        """Adds to each row the shares of its context and of its neighbours."""
        vectors: dict[RowLine, dict[int, list[float]]] = {line: {} for line, _ in wanted}
        for line, span, numbers in stretches:
            rows = [self._rows[self._key(line, at)] for at in span]
            with_context = [at for at in span if line.contexts[at] and at not in line.rows]
            if with_context:
                own = as_rows([rows[at - span.start] for at in with_context], len(with_context))
                contexts = as_rows([self._contexts[line.contexts[at]] for at in with_context], len(with_context))
                for at, row in zip(with_context, share_contexts(own, contexts), strict=True):
                    rows[at - span.start] = row
            if line.share:
                leaned = lean(as_rows(rows, len(rows)), line.share)
                made = leaned[[at - span.start for at in numbers]].tolist()
            else:
                made = [np.asarray(rows[at - span.start]).tolist() for at in numbers]
            vectors[line].update(zip(numbers, made, strict=True))
        return [[*map(vectors[line].__getitem__, numbers)] for line, numbers in wanted]


def _stretches(line: RowLine, numbers: Sequence[int]) -> list[_Stretch]:
    """Joins the numbers whose neighbours meet: rows that are written together are leaned together."""
    reach, groups = line.reach, list[list[int]]()
    for at in numbers:
        if groups and at - groups[-1][-1] <= 2 * reach + 1:
            groups[-1].append(at)
        else:
            groups.append([at])
    return [
        _Stretch(line, range(max(own[0] - reach, 0), min(own[-1] + reach + 1, len(line.texts))), own) for own in groups
    ]


def _usable_rows(rows: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """Returns those rows that are worth to be kept. Any other may have been a fault that passes."""
    try:
        numbers = np.asarray([*rows.values()])
    except ValueError:  # rows of several lengths
        return {text: row for each in rows.items() for text, row in _usable_rows(dict([each])).items()}
    if numbers.ndim != 2 or numbers.dtype.kind not in "fiu":
        return {}
    is_usable = np.isfinite(numbers).all(1) & numbers.any(1)
    return {text: row for text, row, usable in zip(rows, numbers, is_usable.tolist(), strict=True) if usable}


async def _each(work: Callable[[int], Awaitable[None]], items: Iterable[int], most: int) -> None:
    """Does the work for each item, `most` of them at once. Where it fails for one, no other is begun, and the error is
    raised when those that were begun are done."""
    rest, errors = iter(items), list[BaseException]()

    async def work_on() -> None:
        for item in rest:
            if errors:
                return
            try:
                await work(item)
            except BaseException as error:
                errors.append(error)
                raise

    if most == 1:
        await work_on()
        return
    await asyncio.gather(*(work_on() for _ in range(most)), return_exceptions=True)
    if errors:
        raise errors[0]


def _widths(rows: Mapping[str, NDArray[Any]]) -> set[int]:
    """The lengths of rows."""
    return {len(row) for row in rows.values()}


def _are_of_one_model(rows: Mapping[str, Any], others: Mapping[str, NDArray[Any]]) -> bool:
    """Whether rows are as long as others, where there are any."""
    return not rows or not others or np.shape(next(iter(rows.values()))) == next(iter(others.values())).shape


def _needed_runs(model: DocumentEmbedder, stretches: Sequence[_Stretch]) -> list[list[_Key]]:
    """Returns the runs that hold a row of the stretches, in their order."""
    needed: dict[RowLine, set[int]] = {}
    for line, span, _ in stretches:
        needed.setdefault(line, set()).update(span)
    return [
        [(line, at) for at in range(start, end)]
        for line, numbers in needed.items()
        for start, end in pairwise(accumulate(map(len, chunk_runs(model, line.texts)), initial=0))
        if not numbers.isdisjoint(range(start, end))
    ]
