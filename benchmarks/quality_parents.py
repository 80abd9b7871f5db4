"""Questions and an embedder -> the table of parent retrieval: small chunks are found, larger ones returned.

By the product's own `ParentDocumentRetriever` over LangChain's exact in-memory stores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from embedders import ForLangChain, Memo
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore
from numpy.typing import NDArray
from peers import RECURSIVE, recursive
from quality_retrieval import Retrieval, Split, prepared, spans
from tables import Row, Table, scaled

from caesura import Background, Limits, OptimalCut, Splitter
from caesura.plugin.settings import chunk_limits
from caesura_lab import paired_interval
from caesura_lab.retrieval import count_covered, count_in_ranges
from langchain_caesura import ParentDocumentRetriever, SemanticHierarchySplitter

LARGE, SMALL, FETCHED, BUDGET = 1600, 400, 40, 4_000
RATIOS = (0.5, 0.75)
NOTES = f"""\
The first {BUDGET:,} characters of what is retrieved, the last text cut short; {{}} questions, three corpora.
Parents up to {LARGE:,} characters, children up to {SMALL}, SemanticHierarchySplitter's defaults; {FETCHED} children \
are fetched, and their parent returned where a share of `merge_ratio` of its children is among them, else themselves.
Flat: the chunks of the parents' level, or OptimalSemanticSplitter()'s, ranked by their own vectors.
Differences with their paired bootstrap interval of 95 %, bold where 0 is outside."""


def tables(name: str, memo: Memo, background: Background, say: Callable[[str], None]) -> list[Table]:
    """One table: recall within the budget, flat and by parents."""
    data = prepared("corpora", memo, say)
    size = f"flat, at the parents' size {LARGE:,}"
    flat = {size: Limits(LARGE, 0, 2 * LARGE // 3), "flat, as the plugins split": chunk_limits()}
    recalls = {
        method: _flat(data, partial(spans, Splitter(limits=limits, cut=OptimalCut(), background=background), memo))
        for method, limits in flat.items()
    }
    best = max(recalls, key=lambda method: recalls[method].mean())
    recalls[f"flat, {RECURSIVE}, {LARGE:,}"] = _flat(data, partial(recursive, size=LARGE))
    indexed = _retriever(data, memo, background)
    for ratio in RATIOS:
        retriever = indexed.model_copy(update={"merge_ratio": ratio})
        recalls[f"parents, merge_ratio={ratio}"] = _recalls(data, retriever)
    recalls["parents always"] = _recalls(data, indexed)
    table = Table(f"Search small, return large, {name}: recall at {BUDGET:,} characters, percent")
    table.notes = NOTES.format(len(data.asked.questions)).split("\n")
    for method, own in recalls.items():
        row: Row = {"method": method, "recall": 100 * float(own.mean())}
        parents = method.startswith("parents")
        row["Δ flat at the parents' size"] = scaled(paired_interval(own, recalls[size])) if parents else None
        row["Δ best flat of all"] = scaled(paired_interval(own, recalls[best])) if parents else None
        table.rows.append(row)
        say(f"{method}: recall at {BUDGET:,} {100 * own.mean():.1f}")
    return [table]


def _flat(data: Retrieval, split: Split) -> NDArray[np.float64]:
    return data.scores("flat", split).budgets[BUDGET]


def _retriever(data: Retrieval, memo: Memo, background: Background) -> ParentDocumentRetriever:
    """All corpora, indexed."""
    embeddings = ForLangChain(memo)
    splitter = SemanticHierarchySplitter(embeddings, chunk_sizes=(LARGE, SMALL), background=background)
    retriever = ParentDocumentRetriever(
        vectorstore=InMemoryVectorStore(embeddings),
        docstore=InMemoryStore(),
        child_splitter=splitter,
        budget=None,
        words=0,
        context=0,
        k=FETCHED,
        over_fetch=1,
        max_fetch=FETCHED,
    )
    retriever.add_documents(
        [Document(page_content=text, metadata={"corpus": corpus}) for corpus, text in data.asked.texts.items()]
    )
    return retriever


def _recalls(data: Retrieval, retriever: ParentDocumentRetriever) -> NDArray[np.float64]:
    """(q,) the share of each answer within the budget."""
    recalls = []
    for question in data.asked.questions:
        ranges = _within(retriever.invoke(question.question), question.corpus)
        recalls.append(count_covered(question.spans, ranges) / count_in_ranges(question.spans))
    return np.array(recalls)


def _within(documents: Sequence[Document], corpus: str) -> list[tuple[int, int]]:
    """The ranges of a corpus among the first characters retrieved."""
    left, ranges = BUDGET, []
    for document in documents:
        start = int(document.metadata["start_index"])
        taken = min(left, len(document.page_content))
        left -= taken
        if document.metadata["corpus"] == corpus and taken:
            ranges.append((start, start + taken))
    return ranges
