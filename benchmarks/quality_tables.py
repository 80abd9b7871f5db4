"""Tables in five forms and an embedder -> which rows whole retrievers find within a budget, ours and the peers."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from corpora import Asked
from embedders import Memo
from numpy.typing import NDArray
from quality_retrieval import recalls
from retrievers import OURS, Makers, finders
from table_texts import FORMS, HALVES, asked_tables
from tables import Row, Table, scaled

from caesura_lab import paired_interval

NOTES = """\
{} questions about ten tables; the texts of twenty are in one index, in one form each time.
A question names a row and a column, or the title alone. Percent: the share of the rows it is about among the first \
so many characters returned, the smaller / the larger budget.
Δ: ours in LangChain less it at the larger budget, over all forms, paired bootstrap interval of 95 %, bold where 0 is \
outside."""

Finders = Callable[[Asked, Memo, Path], Makers]


def tables(
    shown: str,
    memo: Memo,
    say: Callable[[str], None],
    halves: Sequence[str] = HALVES,
    make: Finders = finders,
    forms: Sequence[str] = FORMS,
) -> list[Table]:
    """One table per half of the set. make: gives what asks each retriever."""
    found: dict[str, dict[str, list[NDArray[np.float64]]]] = {half: {} for half in halves}
    for form in forms:
        data = {half: asked_tables(form, half) for half in halves}
        with tempfile.TemporaryDirectory() as folder:
            for method, index in make(data[halves[0]], memo, Path(folder)).items():
                find = index()
                for half in halves:
                    found[half].setdefault(method, []).append(recalls(data[half], find))
                    say(f"{shown}, tables, {form}, {half}, {method}: {_both(found[half][method][-1])}")
    return [_table(shown, half, len(data[half].questions), own, forms) for half, own in found.items()]


def _both(shares: NDArray[np.float64]) -> str:
    return " / ".join(f"{100 * each.mean():.1f}" for each in shares)


def _table(
    shown: str, half: str, count: int, found: dict[str, list[NDArray[np.float64]]], forms: Sequence[str]
) -> Table:
    made = Table(f"Rows of tables, {shown}, the half that is {half}: percent", NOTES.format(count).split("\n"))
    for method, own in found.items():
        row: Row = {"retriever": method}
        row.update({form: _both(shares) for form, shares in zip(forms, own, strict=True)})
        every = np.concatenate(own, axis=1)
        row["all"] = _both(every)
        if method != OURS and OURS in found:
            row["Δ"] = scaled(paired_interval(np.concatenate(found[OURS], axis=1)[1], every[1]))
        made.rows.append(row)
    return made
