"""Retrievers measured on one's own questions: how much of the answers they find within a budget, and whether a
difference between two may be chance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura import SettingError
from caesura.checks import check_int
from caesura.types import Embed
from caesura_lab.covering import AnsweringTexts, take_budget
from caesura_lab.embedders import Embedder, caching_embedder
from caesura_lab.inputs import Texts, collect_questions, collect_sources
from caesura_lab.questions import Question
from caesura_lab.retrievers.found import Find
from caesura_lab.retrievers.named import AnyRetrievers, Retriever, make_retrievers
from caesura_lab.significance import Interval, paired_interval
from caesura_lab.tables import Row, Table
from caesura_lab.tuning import FEWEST

BEST, EQUAL, WORSE, CHANCE = "best", "as good", "worse", "may be chance"
MEANING = """\
recall N: the share of the answer in the first N characters returned. behind N: how many points less than the best \
retriever, on the same questions; with 95 % confidence between from N and to N. If that range contains 0, the \
difference may be chance."""
FULL = 0.9
"""What returns less than this share of a budget is named."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What `measure` found.

    table: a row per retriever, the best first. recalls: by retriever, (budgets, questions) the share of each answer
    that was found. behind: by budget, by retriever, how far it is behind the best there. questions, budgets: what was
    asked.
    """

    table: Table
    recalls: Mapping[str, NDArray[np.float64]]
    behind: Mapping[int, Mapping[str, Interval]]
    questions: Sequence[Question]
    budgets: Sequence[int]

    def by_question(self) -> Table:
        """A row per question, with what each retriever found of its answer within each budget."""
        rows: list[Row] = [
            {"question": question.question, "corpus": question.corpus}
            | {
                f"{name}_{budget}": float(found[place, number])
                for place, budget in enumerate(self.budgets)
                for name, found in self.recalls.items()
            }
            for number, question in enumerate(self.questions)
        ]
        names = list(rows[0])[2:]
        return Table(tuple(rows), "Share of each answer within a budget of characters", percent=frozenset(names))

    def _repr_html_(self) -> str:
        return self.table._repr_html_()

    def __rich__(self) -> Any:
        return self.table


def measure(
    texts: Texts,
    questions: str | Path | Sequence[Question],
    retrievers: AnyRetrievers = None,
    *,
    embedder: str | Embed | Embedder = "static",
    budgets: Sequence[int] = (1_000, 4_000),
    seed: int = 0,
    say: Callable[[str], None] = lambda line: None,
) -> Measured:
    """Texts, questions with their answers, and retrievers -> how much of the answers each finds, as `Measured`.

    retrievers: names, functions from a question to texts, retrievers of a framework, or any of these by name; None:
    ``ours`` and three baselines over chunks of 400 characters, ``vectors``, ``bm25`` and ``equal-ranks``. A function
    that has a parameter ``budget`` is told the budget. What one returns counts as far as the budget of characters goes.
    embedder: of ours and of the baselines. seed: of the intervals.

    A retriever that fails has its message in the column `error`; where all do, that error is raised. Raises
    `SettingError` for a wrong option, `QuestionsError` for a file of questions that does not fit the texts.
    """
    if isinstance(budgets, int) or not budgets:
        raise SettingError(f"budgets must be at least one number of characters, as [4000], got {budgets!r}")
    for budget in budgets:
        check_int("budget", budget, 1)
    budgets = sorted(set(budgets))
    made, sources = make_retrievers(retrievers), collect_sources(texts)
    by_name = {source.path: source.text for source in sources}
    questions = collect_questions(questions, by_name)
    if not questions:
        raise SettingError("there must be a question to measure with, got none")
    if without := {question.corpus for question in questions} - set(by_name):
        raise SettingError(f"there are no texts {', '.join(sorted(without))}, which questions are of")
    answering = AnsweringTexts(by_name)
    cached = caching_embedder(embedder)
    cached([question.question for question in questions])  # in one call
    recalls: dict[str, NDArray[np.float64]] = {}
    returned: dict[str, NDArray[np.float64]] = {}
    rows: dict[str, Row] = {}
    faults: list[Exception] = []
    for retriever in made:
        row: Row = {"retriever": retriever.name, "error": None}
        rows[retriever.name] = row
        try:
            say(retriever.name)
            begun = perf_counter()
            find = retriever.prepare(sources, cached)
            row["seconds"] = None if retriever.is_indexed else perf_counter() - begun
            own = _ask_all(retriever, find, questions, answering, budgets, say)
            recalls[retriever.name], returned[retriever.name], row["milliseconds"] = own
        except Exception as error:  # a user's own may raise anything, and the others' figures are worth having
            faults.append(error)
            row["error"] = f"{type(error).__name__}: {error}".split("\n", 1)[0]
    if len(faults) == len(made):
        raise faults[0]
    behind = {
        budget: compare_with_best({name: own[place] for name, own in recalls.items()}, seed)
        for place, budget in enumerate(budgets)
    }
    table = _make_table(rows, recalls, returned, behind, budgets, len(by_name), cached.name)
    return Measured(table, recalls, behind, questions, budgets)


def _ask_all(
    retriever: Retriever,
    find: Find,
    questions: Sequence[Question],
    texts: AnsweringTexts,
    budgets: Sequence[int],
    say: Callable[[str], None],
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Asks a retriever -> (budgets, questions) shares of the answers, the characters returned, and the milliseconds of
    a search."""
    shares, characters = np.zeros((2, len(budgets), len(questions)))
    seconds = 0.0
    for number, question in enumerate(questions):
        if number:
            say(retriever.name)
        for place, budget in enumerate(budgets):
            begun = perf_counter()
            found = take_budget(find(question.question, budget), budget)
            seconds += perf_counter() - begun
            shares[place, number] = texts.covered_share(question, found)
            characters[place, number] = sum(len(piece.text) for piece in found)
    return shares, characters, 1000 * seconds / shares.size


def compare_with_best(recalls: Mapping[str, NDArray[np.float64]], seed: int = 0) -> dict[str, Interval]:
    """(q,) shares by retriever -> how far each is behind the one with the highest mean, with the 95 % interval of it,
    question by question. The best, the first of several, is behind itself by nothing.

    >>> found = compare_with_best({"a": np.ones(8), "b": np.zeros(8)})
    >>> [(name, own.difference) for name, own in found.items()]
    [('a', 0.0), ('b', 1.0)]
    """
    best = max(recalls, key=lambda name: float(recalls[name].mean()))
    return {name: paired_interval(recalls[best], own, seed=seed) for name, own in recalls.items()}


def judge_distance(interval: Interval, questions: int, is_best: bool) -> str:
    """How far a retriever is behind the best -> what may be said of it in a word."""
    if is_best:
        return BEST
    if interval.low == interval.high == 0:
        return EQUAL
    return WORSE if interval.low > 0 and questions >= FEWEST else CHANCE


def _make_table(
    rows: Mapping[str, Row],
    recalls: Mapping[str, NDArray[np.float64]],
    returned: Mapping[str, NDArray[np.float64]],
    behind: Mapping[int, Mapping[str, Interval]],
    budgets: Sequence[int],
    texts: int,
    embedder: str,
) -> Table:
    """The best first, by the mean over the budgets; those that failed last."""
    asked = next(iter(recalls.values())).shape[1]
    ordered = sorted(rows, key=lambda name: -float(recalls[name].mean()) if name in recalls else 1.0)
    made: list[Row] = []
    for name in ordered:
        row: Row = {"retriever": name}
        for place, budget in enumerate(budgets):
            own = behind[budget].get(name)
            is_best = name == max(recalls, key=lambda each: float(recalls[each][place].mean()))
            row[f"recall_{budget}"] = None if own is None else float(recalls[name][place].mean())
            for column, value in zip(("behind", "from", "to"), own or (None, None, None), strict=True):
                row[f"{column}_{budget}"] = None if is_best else value
            row[f"against_best_{budget}"] = None if own is None else judge_distance(own, asked, is_best)
        for column in ("seconds", "milliseconds"):
            row[column] = rows[name].get(column)
        if any(row["error"] for row in rows.values()):
            row["error"] = rows[name]["error"]
        made.append(row)
    parts = [tuple(name for name in made[0] if name.endswith(f"_{budget}")) for budget in budgets]
    percent = frozenset(name for part in parts for name in part if not name.startswith("against"))
    notes = [
        f"{asked} question{'s' * (asked != 1)}, {texts} text{'s' * (texts != 1)}, embedder {embedder}.",
        MEANING,
    ]
    if asked < FEWEST:
        notes.append(f"With under {FEWEST} questions any difference may be chance.")
    if len(budgets) > 1:
        notes.append("The best stands first, by the mean over the budgets.")
    notes += _note_unfilled(returned, budgets)
    notes.append(
        "seconds: to index the texts. milliseconds: per search, without embedding the question, except for your own "
        "retrievers."
    )
    return Table(
        tuple(made), "Retrievers measured", tuple(notes), percent, (*parts, ("seconds", "milliseconds"), ("error",))
    )


def _note_unfilled(returned: Mapping[str, NDArray[np.float64]], budgets: Sequence[int]) -> list[str]:
    """What to say of retrievers that leave room within the largest budget, which others fill."""
    means = {name: float(own[-1].mean()) for name, own in returned.items()}
    most = max(means.values())
    low = [f"{name} {mean:,.0f}" for name, mean in means.items() if mean < FULL * min(most, budgets[-1])]
    if not low:
        return []
    return [f"Of {budgets[-1]:,} characters, on average fewer were returned by {', '.join(low)}: let it return more."]
