"""A comparison of splitters: the time they take, their chunks, what is embedded, and what retrieval finds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from time import perf_counter

import numpy as np

from caesura import Background
from caesura.checks import check_number
from caesura.types import Embed, Sizer, Vectors
from caesura_lab.embedders import CountingEmbed, Embedder
from caesura_lab.inputs import Inputs, Questions, Texts, prepare_inputs
from caesura_lab.retrieval import score_cuttings
from caesura_lab.sizing import make_sizing, token_counter
from caesura_lab.splitters.methods import AnySplitters, Cutting, Method
from caesura_lab.tables import Row, Table

SHARES = ("recall", "precision", "iou", "precision_omega")
WRONG = ("wrong_first", "wrong_top")
"""Shown where there are several texts."""
PARTS = (
    ("seconds", "chunks", "mean_characters", "largest_characters", "mean_tokens", "largest_tokens"),
    ("total_tokens", "embedded_share", "embedded_tokens", "embedding_calls", "cost"),
)
NO_EMBEDDER = Embedder("none", lambda texts: [[1.0]] * len(texts), Background([0.0]))


def compare(
    texts: Texts,
    splitters: AnySplitters = None,
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
    that can run here. Splitters of other packages fill chunks up to `size`; ours aim at their ``target_size``, by
    default half of it. questions: a file of them or what `read_questions` returns; then retrieval is measured, see
    `evaluate_retrieval`. price: per million tokens, of what is embedded for cutting and of the chunks. say: is told
    which splitter runs.

    A splitter that fails has its message in the column `error`; where all do, that error is raised. Raises
    `SettingError` for a wrong option, `QuestionsError` for a file of questions that does not fit the texts.
    """
    if price is not None:
        check_number("price", price, 0, float("inf"))
    sizing = make_sizing(size, min_size, overlap, unit, tokenizer if unit == "tokens" else None)
    inputs = prepare_inputs(texts, splitters, questions, embedder, sizing)
    count = token_counter(tokenizer)
    vectors = inputs.question_vectors() if inputs.questions else None
    rows: list[Row] = []
    faults: list[Exception] = []
    for method in inputs.methods:
        say(method.name)
        row: Row = {"splitter": method.name}
        try:
            cuttings, costs = measure_method(method, inputs.texts, inputs.embedder, count)
            row |= costs
            if price is not None:
                row["cost"] = (costs["total_tokens"] + costs["embedded_tokens"]) * price / 1e6  # type: ignore[operator]
            if vectors is not None:
                row |= _score_retrieval(inputs, cuttings, vectors, k, budgets)
            lost = sum(cutting.lost for cutting in cuttings)
            row["error"] = f"{lost} of its chunks are not in the text" if lost else None
        except Exception as error:  # another's splitter may raise anything, and the others' figures are worth having
            faults.append(error)
            row["error"] = f"{type(error).__name__}: {error}".split("\n", 1)[0]
        rows.append(row)
    if len(faults) == len(rows):
        raise faults[0]
    return _make_table(rows, inputs, k, price)


def _score_retrieval(
    inputs: Inputs, cuttings: Sequence[Cutting], vectors: Vectors, k: int, budgets: Sequence[int]
) -> Row:
    """What retrieval finds of a splitter's chunks, on average over the questions. vectors: of the questions."""
    by_name = dict(zip(inputs.texts, cuttings, strict=True))
    scores = score_cuttings(by_name, inputs.questions, vectors, inputs.embedder, k, budgets)
    means = scores.means()
    within = [f"recall_{budget}" for budget in scores.budgets]
    return {name: means[name] for name in (*SHARES, *within, *(WRONG if len(inputs.texts) > 1 else ()))}


def measure_method(
    method: Method, texts: Mapping[str, str], embedder: Embedder, count: Sizer
) -> tuple[list[Cutting], Row]:
    """A splitter's cuttings, and the row of what they took and measure. texts: by name. count: of tokens."""
    with suppress(Exception):  # loads what it needs
        method(["One sentence. Another one. " * (min(method.sizing.max_size, 20_000) // 20 + 2)], NO_EMBEDDER)
    if method.splitter_for is None:
        background = NO_EMBEDDER.background
    else:
        method.splitter_for(embedder)  # calibrates, once for all splitters
        background = embedder.background
    counting = CountingEmbed(embedder.embed, count)
    start = perf_counter()
    cuttings = method(list(texts.values()), Embedder(embedder.name, counting, background), files=list(texts))
    seconds = perf_counter() - start - counting.counting_seconds
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
        "embedded_share": counting.characters / max(sum(map(len, texts.values())), 1),
        "embedded_tokens": counting.tokens,
        "embedding_calls": counting.calls,
    }


def _make_table(rows: list[Row], inputs: Inputs, k: int, price: float | None) -> Table:
    names = list(dict.fromkeys(name for row in rows for name in row if name != "error"))
    if any(row["error"] for row in rows):
        names.append("error")
    full = tuple({name: row.get(name) for name in names} for row in rows)
    within = tuple(name for name in names if name.startswith("recall_"))
    texts, questions = len(inputs.texts), len(inputs.questions)
    notes = [f"{texts} text{'s' * (texts > 1)}, embedder {inputs.embedder.name}."]
    if questions:
        notes.append(
            f"{questions} questions; recall, precision, iou: of the top {k} chunks by cosine; precision omega: of all "
            f"chunks that hold some of the answer; recall N: within the first N characters retrieved."
        )
        if texts > 1:
            notes.append(f"wrong first, wrong top: how often the first chunk, and the top {k}, are of another text.")
    if price is not None:
        notes.append(f"cost: of the tokens embedded for cutting and of the chunks, at {price:g} per million tokens.")
    ours = [method for method in inputs.methods if method.splitter_for is not None]
    if 0 < len(ours) < len(inputs.methods):
        notes.append(
            "Other packages' splitters fill chunks up to the size; ours aim at target_size, by default half of it: "
            "compare at equal sizes, as with double-pass:target_size=800."
        )
    if free := [method.name for method in inputs.methods if not method.limited]:
        notes.append(f"No limit to size: {', '.join(free)}.")
    percent = frozenset(("embedded_share", *SHARES, *within, *WRONG))
    return Table(full, "Splitters compared", tuple(notes), percent, (*PARTS, (*SHARES, *within, *WRONG), ("error",)))
