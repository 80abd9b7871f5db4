"""Questions and an embedder -> the table of chunk vectors: the mean of their units' rows, or embedded again."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from embedders import Memo
from ours import OURS
from quality_splitters import prepared
from tables import Row, Table, scaled

from caesura import Background, Splitter
from caesura.host.settings import chunk_limits
from caesura_lab import evaluate, paired_interval

NOTES = """\
{} questions, three corpora, chunks as the plugins make them, top 5 by cosine. Pooled: `Segmentation.vectors()`, what \
`embed_chunks` gives an index, at no further embedding.
Differences to the chunks embedded again, in percentage points, with their paired bootstrap interval of 95 %."""


def tables(name: str, memo: Memo, background: Background, say: Callable[[str], None]) -> list[Table]:
    """One row per cut."""
    data = prepared("corpora", memo, say)
    texts, questions, budgets = data.asked.texts, data.questions, data.asked.budgets
    made = Table(f"Pooled chunk vectors, {name}: percent")
    made.notes = NOTES.format(len(questions)).split("\n")
    for method, ours in OURS.items():
        splitter = Splitter(limits=chunk_limits(), cut=ours.default, background=background)
        ranges, pooled, again = {}, {}, {}
        for corpus, text in texts.items():
            batch = splitter.prepare([text])
            found = splitter.finish(batch, memo(batch.texts))[0]
            chunks = found.chunks()
            ranges[corpus] = np.array([(chunk.start, chunk.end) for chunk in chunks], np.intp)
            pooled[corpus], again[corpus] = found.vectors(), memo([chunk.text for chunk in chunks])
        cheap = evaluate(ranges, pooled, questions, data.rows, 5, budgets)
        dear = evaluate(ranges, again, questions, data.rows, 5, budgets)
        row: Row = {"method": method, "recall": 100 * float(dear.recall.mean())}
        row |= {"recall, pooled": 100 * float(cheap.recall.mean())}
        row |= {"Δ recall": scaled(paired_interval(cheap.recall, dear.recall))}
        for budget in budgets:
            difference = paired_interval(cheap.budgets[budget], dear.budgets[budget])
            row[f"Δ recall at {budget:,}"] = scaled(difference)
        made.rows.append(row)
        say(f"pooled, {method}: {100 * dear.recall.mean():.1f} -> {100 * cheap.recall.mean():.1f}")
    return [made]
