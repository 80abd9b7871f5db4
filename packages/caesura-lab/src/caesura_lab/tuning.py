"""A search for the settings of our splitters that do best, and the calls that construct them, to be pasted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isclose
from pathlib import Path
from typing import Any

import numpy as np

from caesura import SettingError
from caesura.host.settings import Size
from caesura.types import Embed
from caesura_lab.embedders import Embedder, caching_embedder
from caesura_lab.inputs import Inputs, Texts, prepare_inputs
from caesura_lab.questions import Question
from caesura_lab.retrieval import PerQuestion, Scores, score_cuttings
from caesura_lab.significance import Interval, paired_interval
from caesura_lab.sizing import make_sizing
from caesura_lab.splitters.methods import OURS, SIZES, parse_spec
from caesura_lab.tables import Table

DEFAULT = "double-pass"
SHARES = (0.25, 0.375, 0.75)
"""Targets that are tried, as shares of the largest size; half of it is the default."""
FEWEST = 6
"""Questions from which on a lead can be more than chance: fewer that all go one way do so by chance once in twenty."""
NO_BETTER = "No setting is better than the default on your questions."
MEASURES = ("recall", "precision", "iou", "precision_omega", "recall_N")


@dataclass(frozen=True, slots=True)
class Tuned:
    """What `tune` found.

    best: the splitter to use, with its settings: another than the default only where its lead is more than chance.
    interval: the lead over the default, on the other half of the questions, of the one that the first half chose.
    table: all candidates. code: the calls to paste, for both frameworks, that construct `best`.
    """

    best: str
    interval: Interval
    table: Table
    code: str

    def _repr_html_(self) -> str:
        from html import escape

        return f"{self.table._repr_html_()}<pre>{escape(self.code)}</pre>"

    def __rich__(self) -> Any:
        from rich.console import Group
        from rich.text import Text

        return Group(self.table, Text(f"\n{self.code}"))


def tune(
    texts: Texts,
    questions: str | Path | Sequence[Question],
    splitters: Sequence[str] | None = None,
    *,
    measure: str = "recall_4000",
    embedder: str | Embed | Embedder = "static",
    size: int | None = None,
    unit: str = "characters",
    tokenizer: str | None = None,
    k: int = 5,
    seed: int = 0,
    say: Callable[[str], None] = lambda line: None,
) -> Tuned:
    """Tries splitters on texts and questions, and returns the best as `Tuned`.

    splitters: names of our splitters with settings; None tries those of `list_candidates`. measure: recall, precision
    or iou of the top k chunks, precision_omega, or recall_N, which is recall within N characters.

    `seed` halves the questions at random. The first half chooses the candidate that is best by `measure`. The second
    half compares it with the default splitter, because a choice looks too good on the questions that made it. The
    default stays if it is among the best, if the lead over it may be chance, or if under twelve questions are asked.

    Raises `SettingError` for under four questions, an unknown measure, or a splitter that is none of ours.
    """
    budget = _parse_budget(measure)
    sizing = make_sizing(size, unit=unit, tokenizer=tokenizer)
    splitters = list_candidates(sizing.max_size) if splitters is None else splitters
    for spec in splitters:
        if parse_spec(spec)[0] not in OURS:
            raise SettingError(f"splitter must be one of ours to be tuned, {', '.join(OURS)}, got {spec!r}")
    inputs = prepare_inputs(texts, list(dict.fromkeys((DEFAULT, *splitters))), questions, embedder, sizing)
    count = len(inputs.questions)
    if count < 4:
        raise SettingError(f"tuning needs at least 4 questions, two for each half, got {count}")
    inputs = replace(inputs, embedder=caching_embedder(inputs.embedder))
    scores = _score_methods(inputs, k, budget, say)
    order = np.random.default_rng(seed).permutation(count)
    chosen, rest = order[: count // 2], order[count // 2 :]
    values = {name: _scores_by(own, measure, budget) for name, own in scores.items()}
    means = {name: float(row[chosen].mean()) for name, row in values.items()}
    top = [name for name, mean in means.items() if isclose(mean, max(means.values()))]
    first = DEFAULT if DEFAULT in top else max(top, key=lambda name: scores[name].iou[chosen].mean())
    interval = paired_interval(values[first][rest], values[DEFAULT][rest], seed=seed)
    best = first if interval.low > 0 and len(rest) >= FEWEST else DEFAULT
    notes = _note_tie(top, means, measure, len(chosen)) or describe_best(first, interval, len(chosen), len(rest))
    if best == DEFAULT:
        notes = (f"{NO_BETTER} {notes[0]}", *notes[1:])
    others = {name: float(values[name][rest].mean()) for name in (first, DEFAULT)}
    table = _make_table(scores, means, others, measure, notes)
    largest: Size = next(method.sizing.size for method in inputs.methods if method.name == best)
    code = write_code(best, largest, unit, tokenizer or "wordpiece", inputs.embedder.name)
    return Tuned(best, interval, table, code)


def _make_table(
    scores: Mapping[str, Scores],
    means: Mapping[str, float],
    others: Mapping[str, float],
    measure: str,
    notes: tuple[str, ...],
) -> Table:
    """A row for each splitter, the best first. means: on the one half of the questions; others: on the other."""
    rows = tuple(
        {
            "splitter": name,
            f"{measure}_one_half": means[name],
            f"{measure}_other_half": others.get(name),
            "chunks": len(scores[name].sizes),
            "mean_characters": float(scores[name].sizes.mean()),
        }
        for name in sorted(scores, key=lambda name: -means[name])
    )
    percent = frozenset(name for name in rows[0] if name.startswith(measure))
    return Table(rows, f"Settings tried, by {measure}", notes, percent)


def list_candidates(largest: int) -> list[str]:
    """The largest size of a chunk -> settings to try: other targets, other cuts, and cuts by meaning alone."""
    targets = [f"target_size={max(1, int(share * largest))}" for share in SHARES]
    return [
        DEFAULT,
        *(f"{name}:{target}" for name in (DEFAULT, "optimal") for target in targets),
        *(name for name in OURS if name != DEFAULT),
        *(f"{name}:target_size=none" for name in OURS),
        *(f"optimal:penalty={penalty}" for penalty in (0.6, 1.2)),
    ]


def _score_methods(inputs: Inputs, k: int, budget: int | None, say: Callable[[str], None]) -> dict[str, Scores]:
    vectors, budgets = inputs.question_vectors(), (budget,) if budget else ()
    scores: dict[str, Scores] = {}
    for method in inputs.methods:
        say(method.name)
        cuttings = inputs.cut_texts(method)
        scores[method.name] = score_cuttings(cuttings, inputs.questions, vectors, inputs.embedder, k, budgets)
    return scores


def _parse_budget(measure: str) -> int | None:
    kind, _, number = measure.rpartition("_")
    if kind == "recall" and number.isdecimal() and int(number):
        return int(number)
    if measure not in MEASURES[:-1]:
        raise SettingError(f"measure must be one of {', '.join(MEASURES)} (as recall_4000), got {measure!r}")
    return None


def _scores_by(scores: Scores, measure: str, budget: int | None) -> PerQuestion:
    row: PerQuestion = scores.budgets[budget] if budget else getattr(scores, measure)
    return row


def _note_tie(top: Sequence[str], means: Mapping[str, float], measure: str, chosen: int) -> tuple[str, ...]:
    """What to say where the default is not alone at the top: nothing where it is, or is not there."""
    if DEFAULT not in top or len(top) == 1:
        return ()
    where = f"{100 * means[DEFAULT]:.1f} % on {chosen} questions"
    if len(top) < len(means):
        return (f"The default, {DEFAULT}, has {where}, and no other has more: there is nothing to change.",)
    remedy = "Take harder questions, or a measure that counts less text: iou, or recall_N with a smaller N."
    return (f"All have {where}: {measure} decides nothing here, and the default, {DEFAULT}, stays. {remedy}",)


def describe_best(first: str, interval: Interval, chosen: int, rest: int) -> tuple[str, ...]:
    """What to say of the one that was best on the first half, by its lead on the other."""
    if first == DEFAULT:
        return (f"The default, {DEFAULT}, is the best of these on {chosen} questions: there is nothing to change.",)
    low, high, lead = (f"{100 * value:+.1f}" for value in (interval.low, interval.high, interval.difference))
    measured = f"its lead over {DEFAULT} is {lead} points, 95 % from {low} to {high}"
    if interval.low > 0 and rest < FEWEST:
        verdict = f"of so few questions that may be chance, and {DEFAULT} stays. Ask {2 * FEWEST} or more"
    elif interval.low > 0:
        verdict = "more than chance"
    elif interval.high < 0:
        verdict = f"it is worse, and {DEFAULT} stays"
    else:
        verdict = f"that may be chance, and {DEFAULT} stays. More questions may decide it"
    return (f"{first} was best on {chosen} questions. On the other {rest} {measured}: {verdict}.",)


def write_code(
    spec: str,
    size: Size,
    unit: str = "characters",
    tokenizer: str = "wordpiece",
    embedder: str = "static",
) -> str:
    """A splitter of ours with its settings, and the size where they set none -> the calls."""
    kind, settings = parse_spec(spec)
    class_name = OURS[kind].class_name
    sizes = {"chunk_size": size} | {SIZES[key]: settings.pop(key) for key in SIZES if key in settings}
    arguments = [f"{key}={value!r}" for key, value in (sizes | settings).items()]
    other, tokens = embedder != "static", unit == "tokens"
    with_embedder = ["from caesura_lab import embedder"] if other else []
    with_tokens = ["from caesura_lab import token_counter"] if tokens else []
    langchain = (
        [f'embedder("{embedder}")'] * other + arguments + [f'length_function=token_counter("{tokenizer}")'] * tokens
    )
    llama_index = [f'embed_model=embedder("{embedder}")'] * other + arguments + ["tokenizer=list"] * (not tokens)
    lines = [
        "# LangChain",
        *with_embedder,
        *with_tokens,
        f"from langchain_caesura import {class_name}",
        f"splitter = {class_name}({', '.join(langchain)})",
    ]
    if sizes.get("chunk_overlap"):
        return "\n".join([*lines, "# LlamaIndex: its node parsers of ours have no overlap"])
    lines += [
        "# LlamaIndex" + (", whose chunk_size counts its own tokenizer's tokens" if tokens else ""),
        *with_embedder,
        f"from llama_index.node_parser.caesura import {class_name}",
        f"splitter = {class_name}({', '.join(llama_index)})",
    ]
    return "\n".join(lines)
