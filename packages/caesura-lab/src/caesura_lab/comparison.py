"""A splitter, texts and an embedder -> its chunks, the seconds that they took, their sizes, and what was embedded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from time import perf_counter

import numpy as np

from caesura import Background
from caesura.checks import check_number
from caesura.types import Embed, Sizer
from caesura_lab.embedders import Counting, Embedder
from caesura_lab.inputs import Questions, Texts, prepared
from caesura_lab.retrieval import scores_of
from caesura_lab.sizing import sizing, token_counter
from caesura_lab.splitters.methods import Cutting, Method, Splitters
from caesura_lab.tables import Row, Table

NOTHING = Embedder("none", lambda texts: [[1.0]] * len(texts), Background([0.0]))


def measured(one: Method, texts: Sequence[str], embedder: Embedder, count: Sizer) -> tuple[list[Cutting], Row]:
    """A splitter's cuttings, and the row of what they took and measure. count: of tokens."""
    with suppress(Exception):
        one(["One sentence. Another one. " * (min(one.sizing.most, 20_000) // 20 + 2)], NOTHING)  # loads what it needs
    if one.make is not None:
        one.make(embedder)  # calibrates, once for all splitters
    counting = Counting(embedder.embed, count)
    began = perf_counter()
    cuttings = one(texts, Embedder(embedder.name, counting, NOTHING.ready if one.make is None else embedder.background))
    seconds = perf_counter() - began - counting.uncounted
    pieces = [piece for cutting in cuttings for piece in cutting.chunks]
    characters, tokens = [len(piece) for piece in pieces], [count(piece) for piece in pieces]
    return cuttings, {
        "seconds": seconds,
        "chunks": len(pieces),
        "mean_characters": float(np.mean(characters)) if pieces else None,
        "largest_characters": max(characters, default=None),
        "mean_tokens": float(np.mean(tokens)) if pieces else None,
        "largest_tokens": max(tokens, default=None),
        "total_tokens": sum(tokens),
        "embedded_share": counting.characters / max(sum(map(len, texts)), 1),
        "embedded_tokens": counting.tokens,
        "embedding_calls": counting.calls,
    }


SHARES = ("recall", "precision", "iou", "precision_omega")
PARTS = (
    ("seconds", "chunks", "mean_characters", "largest_characters", "mean_tokens", "largest_tokens"),
    ("total_tokens", "embedded_share", "embedded_tokens", "embedding_calls", "cost"),
)


def compare(
    texts: Texts,
    splitters: Splitters = None,
    questions: Questions = None,
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
    say: Callable[[str], None] = lambda line: None,
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
        check_number("price", price, 0, float("inf"))
    sizes = sizing(size, min_size, overlap, unit, tokenizer)
    held, ready, embed, asked = prepared(texts, splitters, questions, embedder, sizes)
    count = token_counter(tokenizer)
    vectors = embed([question.question for question in asked]) if asked else None
    rows: list[Row] = []
    faults: list[Exception] = []
    for one in ready:
        say(one.name)
        row: Row = {"splitter": one.name}
        try:
            cuttings, costs = measured(one, list(held.values()), embed, count)
            row |= costs
            if price is not None:
                row["cost"] = (costs["total_tokens"] + costs["embedded_tokens"]) * price / 1e6  # type: ignore[operator]
            if vectors is not None:
                scores = scores_of(dict(zip(held, cuttings, strict=True)), asked, vectors, embed, k, budgets)
                found = scores.means()
                row |= {name: found[name] for name in (*SHARES, *(f"recall_{budget}" for budget in scores.budgets))}
            lost = sum(cutting.lost for cutting in cuttings)
            row["error"] = f"{lost} of its chunks are not in the text" if lost else None
        except Exception as error:  # another's splitter may raise anything, and the others' figures are worth having
            faults.append(error)
            row["error"] = f"{type(error).__name__}: {error}".split("\n", 1)[0]
        rows.append(row)
    if len(faults) == len(rows):
        raise faults[0]
    return _table(rows, len(held), embed, len(asked), ready, k, price)


def _table(
    rows: list[Row],
    texts: int,
    embed: Embedder,
    questions: int,
    ready: Sequence[Method],
    k: int,
    price: float | None,
) -> Table:
    names = list(dict.fromkeys(name for row in rows for name in row if name != "error"))
    if any(row["error"] for row in rows):
        names.append("error")
    full = tuple({name: row.get(name) for name in names} for row in rows)
    within = tuple(name for name in names if name.startswith("recall_"))
    notes = [f"{texts} text{'s' * (texts > 1)}, embedder {embed.name}."]
    if questions:
        notes.append(
            f"{questions} questions; recall, precision, iou: of the top {k} chunks by cosine; precision omega: of all "
            f"chunks that hold some of the answer; recall N: within the first N characters retrieved."
        )
    if price is not None:
        notes.append(f"cost: of the tokens embedded for cutting and of the chunks, at {price:g} per million tokens.")
    if free := [one.name for one in ready if not one.limited]:
        notes.append(f"No limit to size: {', '.join(free)}.")
    percent = frozenset(("embedded_share", *SHARES, *within))
    return Table(full, "Splitters compared", tuple(notes), percent, (*PARTS, (*SHARES, *within), ("error",)))
