"""Questions and an embedder -> what whole retrievers find within a budget, ours at their defaults beside the peers'."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from corpora import MAKERS, Asked, asked, named
from embedders import Memo
from numpy.typing import NDArray
from quality_pieces import PIECES, pieces_table
from retrievers import OURS, Find, chosen, finders, ours_langchain, ours_llama_index
from tables import Row, Table, scaled

from caesura_lab import paired_interval

ENGLISH = ("papers", "corpora", "reports", "finance", "chatty", "meetings", "code", "handbook", "manuals")
SETS = {
    "static": (*ENGLISH, "en", "de", "es", "ro", "tr", "ru", "ar", "zh"),
    "minilm": ("papers", "reports", "finance", "chatty", "code", "handbook"),
}
"""The sets by the embedder: MiniLM reads English, and takes half an hour for a few megabytes that it has not seen."""
KNOWN = (*SETS["static"], PIECES)
ASKED, OF_ARTICLES = 400, 250
"""So many questions of a set at most, and of articles in one language, evenly spread."""
WEIGHED = KNOWN
"""How words are weighed was chosen on all of them together."""
NOTES = """\
{} questions, {} texts in one index, named as a loader names them. {}
Ours: ParentDocumentRetriever(vectorstore, docstore) over Chroma and SQLite, and HierarchyIndex(embed_model=…), no \
other setting but the budget, in LlamaIndex a quarter of it in tokens.
LangChain: RecursiveCharacterTextSplitter, Chroma; BM25 of bm25s with the language's stop words and stems; \
EnsembleRetriever of both by equal ranks; langchain-classic's ParentDocumentRetriever, 400 in 2,000.
LlamaIndex: SentenceSplitter() and AutoMergingRetriever at their defaults; QueryFusionRetriever of vectors and bm25s \
over SentenceSplitter(chunk_size=128, chunk_overlap=0), reciprocal ranks, no further queries.
Δ: ours in LangChain less it, paired bootstrap interval of 95 %, bold where 0 is outside."""
RECALL = "Recall: the share of the answer among the first so many characters returned."
SECTIONS = "The share of the answering sections of which {} characters are among the first so many returned."


def tables(
    embedder: str,
    shown: str,
    memo: Memo,
    sets: Sequence[str] | None,
    retrievers: Sequence[str] | None,
    say: Callable[[str], None],
) -> list[Table]:
    """One table per set of recall within each of its budgets, and one of all.

    sets: None for those of the embedder. retrievers: parts of the names of those that stand beside ours; None: all.
    """
    every = Table(f"Whole retrievers, {shown}, all sets: percent within the smaller / the larger budget")
    rows: dict[str, Row] = {}
    made: list[Table] = []
    names = sets or (*SETS[embedder], PIECES)
    parts = [(name, _thinned(name)) for name in names if name != PIECES]
    for _, same in groupby(parts, key=lambda part: (part[1].texts, part[1].budgets)):
        together = dict(same)  # one index for all of them
        found: dict[str, dict[str, NDArray[np.float64]]] = {name: {} for name in together}
        with tempfile.TemporaryDirectory() as folder:
            makers = finders(next(iter(together.values())), memo, Path(folder))
            for method in chosen(makers, retrievers):
                find = makers[method]()
                for name, data in together.items():
                    found[name][method] = recalls(data, find)
        for name, data in together.items():
            made.append(_table(shown, name, data, found[name]))
            for method, own in found[name].items():
                both = " / ".join(f"{100 * each.mean():.1f}" for each in own)
                rows.setdefault(method, {"retriever": method})[name] = both
            say(f"{shown}, {name}: " + ", ".join(f"{method} {rows[method][name]}" for method in found[name]))
    if PIECES in names:
        made.append(pieces_table(shown, memo, say))
    every.rows = [*rows.values()]
    every.notes = ["The notes of each set's own table say what is measured."]
    return [every, *made] if rows else made


def _table(shown: str, name: str, data: Asked, found: dict[str, NDArray[np.float64]]) -> Table:
    """A set's own table. found: by retriever, (budgets, questions) the share of each answer."""
    table = Table(f"Whole retrievers, {shown}, {named(name, WEIGHED)}: percent")
    measure = RECALL if data.least is None else SECTIONS.format(data.least)
    table.notes = NOTES.format(len(data.questions), len(data.texts), measure).split("\n")
    for method, own in found.items():
        row: Row = {"retriever": method}
        for place, budget in enumerate(data.budgets):
            row[f"{budget:,} characters"] = 100 * float(own[place].mean())
            lead = None if method == OURS else scaled(paired_interval(found[OURS][place], own[place]))
            row[f"Δ at {budget:,}"] = lead
        table.rows.append(row)
    return table


def _thinned(name: str) -> Asked:
    data = asked(name)
    most = ASKED if name in MAKERS else OF_ARTICLES
    return replace(data, questions=data.questions[:: -(-len(data.questions) // most)])


def headings(shown: str, memo: Memo, say: Callable[[str], None]) -> list[Table]:
    """One table per set: what headings as context for the embedder gain, in both frameworks."""
    made = []
    for name in ("manuals", "papers"):
        data = asked(name)
        table = Table(f"Headings as context for the embedder, {shown}, {named(name, WEIGHED)}: percent")
        for words in ({}, {"words": 0.0}):
            for framework, maker in (("LangChain", ours_langchain), ("LlamaIndex", ours_llama_index)):

                def make(folder: Path, on: bool, data: Asked = data, maker: Any = maker, words: Any = words) -> Find:
                    return maker(data, memo, folder, embed_headings=on, **words)  # type: ignore[no-any-return]

                add_gain(table, data, f"{framework}{', words=0' * bool(words)}", "headings", make, say)
        made.append(table)
    return made


def add_gain(
    table: Table, data: Asked, method: str, what: str, make: Callable[[Path, bool], Find], say: Callable[[str], None]
) -> None:
    """Adds two rows, of a retriever without something and with it. make: a folder, and whether with it -> what asks."""
    table.notes = [
        f"{len(data.questions)} questions, {len(data.texts)} texts in one index.",
        "Others: the share of the first five passages within the larger budget that are of another text.",
        f"Δ: with {what} less without, paired bootstrap interval of 95 %, bold where 0 is outside.",
    ]
    pair = []
    for on in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            find = make(Path(folder), on)
            pair.append((recalls(data, find), _others(data, find)))
    for on, (shares, others) in zip((False, True), pair, strict=True):
        row: Row = {"retriever": f"{method}{f', {what}' * on}"}
        for place, budget in enumerate(data.budgets):
            row[f"{budget:,} characters"] = 100 * float(shares[place].mean())
            gain = scaled(paired_interval(pair[1][0][place], pair[0][0][place])) if on else None
            row[f"Δ at {budget:,}"] = gain
        row["others"] = 100 * float(others.mean())
        row["Δ of others"] = scaled(paired_interval(others, pair[0][1])) if on else None
        table.rows.append(row)
        both = " / ".join(f"{100 * each.mean():.1f}" for each in (*shares, others))
        say(f"{table.title}, {row['retriever']}: {both}")


def _others(data: Asked, find: Find) -> NDArray[np.float64]:
    """(questions,) the share of the first five passages within the larger budget that are of another text."""
    shares = np.zeros(len(data.questions))
    for number, question in enumerate(data.questions):
        right = {text for text, _, _ in question.places}
        names = [text for text, _, _ in find(question.question, data.budgets[1])][:5]
        shares[number] = sum(name not in right for name in names) / max(len(names), 1)
    return shares


def recalls(data: Asked, find: Find) -> NDArray[np.float64]:
    """(budgets, questions) the share of each answer among what is returned, cut short at the budget."""
    shares = np.zeros((len(data.budgets), len(data.questions)))
    for place, budget in enumerate(data.budgets):
        for number, question in enumerate(data.questions):
            left, ranges = budget, []
            for text, start, end in find(question.question, budget):
                taken = min(left, end - start)
                left -= taken
                if taken:
                    ranges.append((text, start, start + taken))
            shares[place, number] = data.found(question, ranges)
    return shares
