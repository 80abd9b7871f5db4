"""Texts, splitters and an embedder -> a table: time, chunks, sizes, cost, and with questions what retrieval finds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura import Background, SettingError
from caesura.errors import number
from caesura.types import Embed, Sizer
from caesura_lab.embedders import Counting, Embedder
from caesura_lab.embedders import embedder as embedder_of
from caesura_lab.methods import Cutting, Given, Method, available, methods
from caesura_lab.peers import Sizing
from caesura_lab.questions import Question, read_questions
from caesura_lab.retrieval import Scores, evaluate
from caesura_lab.sizers import limit, sizer, token_counter
from caesura_lab.sources import read
from caesura_lab.tables import Row, Table

Texts: TypeAlias = "str | Path | Sequence[Path] | Mapping[str, str]"
"""One text, a file, several files, or texts by their names."""
Splitters: TypeAlias = "Sequence[Given] | Mapping[str, Given] | None"
Say: TypeAlias = Callable[[str], None]

SHARES = ("recall", "precision", "iou", "precision_omega")
PARTS = (
    ("seconds", "chunks", "mean_characters", "largest_characters", "mean_tokens", "largest_tokens"),
    ("total_tokens", "embedded_share", "embedded_tokens", "embedding_calls", "cost"),
)
NOTHING = Embedder("none", lambda texts: [[1.0]] * len(texts), Background([0.0]))


def compare(
    texts: Texts,
    splitters: Splitters = None,
    questions: str | Path | Sequence[Question] | None = None,
    *,
    embedder: str | Embed | Embedder = "static",
    size: int | None = None,
    min_size: int = 0,
    overlap: int = 0,
    unit: str = "characters",
    tokenizer: str = "wordpiece",
    price: float | None = None,
    k: int = 5,
    budgets: Sequence[int] = (1_000, 4_000),
    say: Say = lambda line: None,
) -> Table:
    """Texts and splitters -> a `Table` with a row per splitter.

    splitters: names with settings, splitters of ours or of a framework, functions, or any of these by name; None: all
    that can run here. questions: a file of them or what `read_questions` returns; then retrieval is measured, see
    `evaluate_retrieval`. price: per million tokens, of what is embedded for cutting and of the chunks. say: is told
    which splitter runs.

    A splitter that fails has its message in the column `error`; where all do, that error is raised. Raises
    `SettingError` for a wrong option, `QuestionsError` for a file of questions that does not fit the texts.
    """
    if price is not None:
        number("price", price, 0, float("inf"))
    held, ready, embed, asked = prepared(
        texts,
        splitters,
        questions,
        embedder,
        Sizing(limit(size, unit), min_size, overlap, sizer(unit, tokenizer)),
    )
    count = token_counter(tokenizer)
    vectors = embed([question.question for question in asked]) if asked else None
    rows: list[Row] = []
    faults: list[Exception] = []
    for one in ready:
        say(one.name)
        row: Row = {"splitter": one.name}
        try:
            cuttings, costs = _timed(one, list(held.values()), embed, count)
            row |= _sizes(cuttings, costs, count, price)
            if vectors is not None:
                row |= _means(scores_of(dict(zip(held, cuttings, strict=True)), asked, vectors, embed, k, budgets))
            row["error"] = _lost(cuttings)
        except Exception as error:  # another's splitter may raise anything, and the others' figures are worth having
            faults.append(error)
            row["error"] = f"{type(error).__name__}: {error}".split("\n", 1)[0]
        rows.append(row)
    if len(faults) == len(rows):
        raise faults[0]
    return _table(rows, len(held), embed, asked, ready, k, price)


def texts_of(given: Texts) -> dict[str, str]:
    """What a user has -> texts by name. Raises `ReadingError` for a file, `SettingError` for what is no text."""
    if isinstance(given, str):
        return {"text": given}
    if isinstance(given, Path):
        given = [given]
    held = dict(given) if isinstance(given, Mapping) else {str(path): read(str(path)).text for path in given}
    strange = next((name for name, text in held.items() if not isinstance(text, str)), None)
    if strange is not None or not held:
        raise SettingError(f"texts must be str by name, a path, or paths, got {given!r:.80}")
    return held


def prepared(
    texts: Texts,
    splitters: Splitters,
    questions: str | Path | Sequence[Question] | None,
    embedder: str | Embed | Embedder,
    sizing: Sizing,
) -> tuple[dict[str, str], list[Method], Embedder, Sequence[Question]]:
    """What a user has -> texts by name, methods, an embedder and questions."""
    held, embed = texts_of(texts), embedder_of(embedder)
    ready = methods(available(sizing)[0] if splitters is None else splitters, sizing)
    asked = read_questions(questions, held) if isinstance(questions, (str, Path)) else (questions or ())
    return held, ready, embed, asked


def _timed(one: Method, texts: list[str], embedder: Embedder, count: Sizer) -> tuple[list[Cutting], Row]:
    """A splitter's cuttings, the seconds that they took, and what was embedded for them."""
    with suppress(Exception):
        one(["One sentence. Another one. " * (min(one.sizing.most, 20_000) // 20 + 2)], NOTHING)  # loads what it needs
    if one.make is not None:
        one.make(embedder)  # calibrates, once for all splitters
    counting = Counting(embedder.embed, count)
    began = perf_counter()
    cuttings = one(texts, Embedder(embedder.name, counting, NOTHING.ready if one.make is None else embedder.background))
    seconds = perf_counter() - began - counting.uncounted
    share = counting.characters / max(sum(map(len, texts)), 1)
    return cuttings, {
        "seconds": seconds,
        "embedded_share": share,
        "embedded_tokens": counting.tokens,
        "embedding_calls": counting.calls,
    }


def _sizes(cuttings: Sequence[Cutting], costs: Row, count: Sizer, price: float | None) -> Row:
    pieces = [cutting.chunk(number) for cutting in cuttings for number in range(len(cutting.spans))]
    characters, tokens = [len(piece) for piece in pieces], [count(piece) for piece in pieces]
    embedded = costs["embedded_tokens"]
    paid = None if price is None else (sum(tokens) + float(embedded or 0)) * price / 1e6
    return {
        "seconds": costs["seconds"],
        "chunks": len(pieces),
        "mean_characters": float(np.mean(characters)) if pieces else None,
        "largest_characters": max(characters, default=None),
        "mean_tokens": float(np.mean(tokens)) if pieces else None,
        "largest_tokens": max(tokens, default=None),
        "total_tokens": sum(tokens),
        "embedded_share": costs["embedded_share"],
        "embedded_tokens": embedded,
        "embedding_calls": costs["embedding_calls"],
        "cost": paid,
    }


def scores_of(
    cuttings: Mapping[str, Cutting],
    questions: Sequence[Question],
    vectors: NDArray[np.float32],
    embedder: Embedder,
    k: int,
    budgets: Sequence[int],
) -> Scores:
    """Cuttings by the name of their text -> scores: every chunk is embedded, and retrieved from one index of all."""
    chunks = {name: np.array(cutting.spans, np.intp).reshape(-1, 2) for name, cutting in cuttings.items()}
    flat = embedder([cutting.chunk(number) for cutting in cuttings.values() for number in range(len(cutting.spans))])
    ends = np.cumsum([len(cutting.spans) for cutting in cuttings.values()])[:-1]
    rows = dict(zip(cuttings, np.split(flat, ends), strict=True))
    return evaluate(chunks, rows, questions, vectors, k, budgets)


def _means(scores: Scores) -> Row:
    found = scores.means()
    within = {f"recall_{budget}": found[f"recall_{budget}"] for budget in scores.budgets}
    return {**{name: found[name] for name in SHARES}, **within}


def _lost(cuttings: Sequence[Cutting]) -> str | None:
    lost = sum(cutting.lost for cutting in cuttings)
    return f"{lost} of its chunks are not in the text" if lost else None


def _table(
    rows: list[Row],
    texts: int,
    embed: Embedder,
    asked: Sequence[Question],
    ready: Sequence[Method],
    k: int,
    price: float | None,
) -> Table:
    names = list(dict.fromkeys(name for row in rows for name in row if name != "error"))
    if price is None:
        names.remove("cost")
    if any(row["error"] for row in rows):
        names.append("error")
    full = tuple({name: row.get(name) for name in names} for row in rows)
    within = tuple(name for name in names if name.startswith("recall_"))
    notes = [f"{texts} text{'s' * (texts > 1)}, embedder {embed.name}."]
    if asked:
        notes.append(
            f"{len(asked)} questions; recall, precision, iou: of the top {k} chunks by cosine; precision omega: of all "
            f"chunks that hold some of the answer; recall N: within the first N characters retrieved."
        )
    if price is not None:
        notes.append(f"cost: of the tokens embedded for cutting and of the chunks, at {price:g} per million tokens.")
    if free := [one.name for one in ready if not one.limited]:
        notes.append(f"No limit to size: {', '.join(free)}.")
    percent = frozenset(("embedded_share", *SHARES, *within))
    return Table(full, "Splitters compared", tuple(notes), percent, (*PARTS, (*SHARES, *within), ("error",)))
