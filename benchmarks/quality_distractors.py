"""Ever more texts that answer nothing -> what our retriever still finds of the same answers, and a search's cost."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from corpora import asked
from embedders import Memo
from langchain_core.documents import Document
from quality_retrieval import recalls
from retrievers import from_langchain, make_ours
from tables import Row, Table, scaled

from caesura import sentences
from caesura_lab import paired_interval

CHUNKS = (10_000, 30_000, 100_000)
CHUNK, DOCUMENT = 400, 20_000
"""What a chunk measures about, and a document that answers nothing, in characters."""
QUESTIONS = 100
"""So many questions of each set, evenly spread."""
ABOUT = ("papers", "code", "handbook")
FROM = ("meetings", "corpora", "en")
"""The sets of the questions, and those whose sentences are shuffled into documents that answer nothing."""
NOTES = """\
{} questions about papers, code and the handbook, the same in each row; the rest of the index are documents of 20,000 \
characters, shuffled sentences of meetings, corpora and English articles, which answer none of them.
Share of the answer among the first 1,000 and 4,000 characters. Ours for LangChain at its defaults, Chroma and SQLite. \
ms: CPU time of this process for a search, embedder and vector store included.
Δ: less the smallest collection, paired bootstrap interval of 95 %, bold where 0 is outside."""


def tables(shown: str, memo: Memo, say: Callable[[str], None]) -> list[Table]:
    """One row per size of the collection, with words and without."""
    made = Table(f"More and more texts in one index, {shown}: percent")
    parts = [asked(name) for name in ABOUT]
    thinned = [replace(data, questions=data.questions[:: -(-len(data.questions) // QUESTIONS)]) for data in parts]
    made.notes = NOTES.format(sum(len(data.questions) for data in thinned)).split("\n")
    own = {name: text for data in parts for name, text in data.texts.items()}
    left = CHUNK * CHUNKS[-1] - sum(map(len, own.values()))
    others = _shuffled(left)
    first: dict[str, np.ndarray] = {}
    with tempfile.TemporaryDirectory() as folder:
        with_words = make_ours(memo, Path(folder))
        without = with_words.model_copy(update={"words": 0.0})
        with_words.add_documents([Document(text, metadata={"source": name}) for name, text in own.items()])
        size = sum(map(len, own.values()))
        for chunks in CHUNKS:
            added = []
            while size < CHUNK * chunks and (text := next(others, None)) is not None:
                added.append(text)
                size += len(text)
            started = time.monotonic()
            names = [f"distractors/{chunks}-{number}.txt" for number in range(len(added))]
            with_words.add_documents(
                [Document(text, metadata={"source": name}) for name, text in zip(names, added, strict=True)]
            )
            say(f"{shown}, distractors: {size:,} characters, {time.monotonic() - started:.0f} s")
            count = with_words.vectorstore._collection.count()
            for method, retriever in (("ours", with_words), ("ours, words=0", without)):
                used = time.process_time()
                find = from_langchain(retriever, budgeted=True)
                shares = np.hstack([recalls(data, find) for data in thinned])
                used = time.process_time() - used
                first.setdefault(method, shares)
                row: Row = {"retriever": method, "chunks": f"{count:,}"}
                for place, budget in enumerate((1_000, 4_000)):
                    row[f"{budget:,} characters"] = 100 * float(shares[place].mean())
                    change = None if first[method] is shares else paired_interval(shares[place], first[method][place])
                    row[f"Δ at {budget:,}"] = change and scaled(change)
                row["ms"] = 1000 * used / shares.size
                made.rows.append(row)
                both = " / ".join(f"{100 * each.mean():.1f}" for each in shares)
                say(f"{shown}, distractors, {method}, {count:,}: {both}")
    return [made]


def _shuffled(size: int) -> Iterator[str]:
    """Documents of so many characters together, of sentences in any order."""
    texts = [text for name in FROM for text in asked(name).texts.values()]
    pool = [text[start:end].strip() for text in texts for start, end in pairwise(sentences(text).tolist())]
    random, made = np.random.default_rng(7), 0
    while made < size:
        own: list[str] = []
        length = 0
        while length < DOCUMENT:
            own.append(pool[int(random.integers(len(pool)))])
            length += len(own[-1]) + 1
        made += length
        yield " ".join(own)
