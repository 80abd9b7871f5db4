"""Questions and an embedder -> what whole retrievers find within a budget, ours at their defaults beside the peers'.

Every retriever is the product's own, over a real store. A retriever without a budget is cut short at it.
"""

from __future__ import annotations

import tempfile
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import chromadb
import numpy as np
from corpora import CHOSEN, Asked, asked, named
from embedders import ForLangChain, ForLlamaIndex, Memo
from langchain_chroma import Chroma
from langchain_classic.retrievers import EnsembleRetriever
from langchain_classic.retrievers import ParentDocumentRetriever as ClassicRetriever
from langchain_community.retrievers import BM25Retriever
from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_core.stores import InMemoryStore
from langchain_text_splitters import RecursiveCharacterTextSplitter
from llama_index.core import Document as LlamaDocument
from llama_index.core import StorageContext, VectorStoreIndex
from llama_index.core.node_parser import HierarchicalNodeParser, SentenceSplitter, get_leaf_nodes
from llama_index.core.retrievers import AutoMergingRetriever
from llama_index.core.schema import TransformComponent
from numpy.typing import NDArray
from tables import Row, Table, scaled

from caesura_lab import paired_interval
from caesura_lab.retrieval import count_covered, count_in_ranges
from caesura_retrieval.word_index import terms
from langchain_caesura import ParentDocumentRetriever, SQLiteDocumentStore
from llama_index.node_parser.caesura import HierarchyIndex, SemanticHierarchyParser

SETS = {
    "static": ("papers", "corpora", "meetings", "handbook", "en", "de", "zh", "ru", "ar"),
    "minilm": ("papers", "corpora"),
}
SMALL, LARGE, MOST = 400, 2000, 60
"""Characters of the peers' chunks and parents, and how many texts each fetches."""
BATCH = 5000
"""Chroma takes no more rows at a time."""
ASKED = 400
"""So many questions of a set at most, evenly spread."""
WEIGHED = {*CHOSEN, "zh"}
"""What the weight of words was chosen on, beside what the splitters' settings were."""
OURS = "ours, LangChain"
NOTES = """\
{} questions, {} texts in one index. Recall: the share of the answer among the first so many characters returned.
Ours: ParentDocumentRetriever(vectorstore, docstore) and HierarchyIndex(embed_model=…), no other setting but the budget.
Peers: Chroma, RecursiveCharacterTextSplitter 400 without overlap; BM25 of rank-bm25 over the same chunks and words; \
EnsembleRetriever of both by equal ranks; langchain-classic's ParentDocumentRetriever, parents of 2,000; LlamaIndex's \
SentenceSplitter and AutoMergingRetriever at their defaults.
Δ: less ours in LangChain, paired bootstrap interval of 95 %, bold where 0 is outside."""

Find = Callable[[str, int], Iterable[tuple[str, int, int]]]
"""(question, budget) -> what is returned, best first: text, start and end."""


def tables(embedder: str, shown: str, memo: Memo, say: Callable[[str], None]) -> list[Table]:
    """One table per set: recall within each of its budgets."""
    made = []
    for name in SETS[embedder]:
        data = asked(name)
        data = replace(data, questions=data.questions[:: -(-len(data.questions) // ASKED)])
        with tempfile.TemporaryDirectory() as folder:
            recalls = {method: _recalls(data, find) for method, find in _finders(data, memo, Path(folder), say)}
        table = Table(f"Whole retrievers, {shown}, {named(name, WEIGHED)}: recall, percent")
        table.notes = NOTES.format(len(data.questions), len(data.texts)).split("\n")
        for method, own in recalls.items():
            row: Row = {"retriever": method}
            for place, budget in enumerate(data.budgets):
                row[f"{budget:,} characters"] = 100 * float(own[place].mean())
                other = None if method == OURS else scaled(paired_interval(own[place], recalls[OURS][place]))
                row[f"Δ at {budget:,}"] = other
            table.rows.append(row)
            say(f"{name}, {method}: " + " / ".join(f"{100 * each.mean():.1f}" for each in own))
        made.append(table)
    return made


def headings(shown: str, memo: Memo, say: Callable[[str], None]) -> list[Table]:
    """One table per set: what headings as context for the embedder gain, in both frameworks."""
    made = []
    for name in ("handbook", "papers"):
        data = asked(name)
        table = Table(f"Headings as context for the embedder, {shown}, {named(name, WEIGHED)}: percent")
        for words in ({}, {"words": 0.0}):
            for framework, maker in (("LangChain", ours_langchain), ("LlamaIndex", ours_llama_index)):
                make = partial(maker, data, memo, **words)
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
            pair.append((_recalls(data, find), _others(data, find)))
    for on, (recalls, others) in zip((False, True), pair, strict=True):
        row: Row = {"retriever": f"{method}{f', {what}' * on}"}
        for place, budget in enumerate(data.budgets):
            row[f"{budget:,} characters"] = 100 * float(recalls[place].mean())
            gain = scaled(paired_interval(pair[1][0][place], pair[0][0][place])) if on else None
            row[f"Δ at {budget:,}"] = gain
        row["others"] = 100 * float(others.mean())
        row["Δ of others"] = scaled(paired_interval(others, pair[0][1])) if on else None
        table.rows.append(row)
        shares = " / ".join(f"{100 * each.mean():.1f}" for each in (*recalls, others))
        say(f"{table.title}, {row['retriever']}: {shares}")


def _others(data: Asked, find: Find) -> NDArray[np.float64]:
    """(questions,) the share of the first five passages within the larger budget that are of another text."""
    shares = np.zeros(len(data.questions))
    for number, question in enumerate(data.questions):
        names = [text for text, _, _ in find(question.question, data.budgets[1])][:5]
        shares[number] = sum(name != question.corpus for name in names) / max(len(names), 1)
    return shares


def ours_langchain(
    data: Asked,
    memo: Memo,
    folder: Path,
    headings: bool = False,
    before: BaseDocumentTransformer | None = None,
    **settings: Any,
) -> Find:
    """Our retriever. before: what is done with documents before they are added."""
    store = SQLiteDocumentStore(folder / "documents.db")
    ours = ParentDocumentRetriever(vectorstore=_chroma(memo), docstore=store, embed_headings=headings, **settings)
    documents = [Document(content, metadata={"text": text}) for text, content in data.texts.items()]
    ours.add_documents(documents if before is None else before.transform_documents(documents))
    return _langchain(ours, budgeted=True)


def ours_llama_index(
    data: Asked,
    memo: Memo,
    folder: Path,
    headings: bool = False,
    before: TransformComponent | None = None,
    **settings: Any,
) -> Find:
    """Our index. before: what is done with documents before they are parsed."""
    own = [LlamaDocument(text=content, id_=text) for text, content in data.texts.items()]
    parsers = [*([] if before is None else [before]), SemanticHierarchyParser(embed_headings=headings)]
    index = HierarchyIndex.from_documents(own, embed_model=ForLlamaIndex(memo), transformations=parsers)
    retrievers = {budget: index.as_retriever(budget=budget // 4, **settings) for budget in data.budgets}
    return lambda question, budget: _llama_index(retrievers[budget])(question, budget)


def _recalls(data: Asked, find: Find) -> NDArray[np.float64]:
    """(budgets, questions) the share of each answer among what is returned."""
    recalls = np.zeros((len(data.budgets), len(data.questions)))
    for place, budget in enumerate(data.budgets):
        for number, question in enumerate(data.questions):
            left, ranges = budget, []
            for text, start, end in find(question.question, budget):
                taken = min(left, end - start)
                left -= taken
                if text == question.corpus and taken:
                    ranges.append((start, start + taken))
            recalls[place, number] = count_covered(question.spans, ranges) / count_in_ranges(question.spans)
    return recalls


def _finders(data: Asked, memo: Memo, folder: Path, say: Callable[[str], None]) -> Iterable[tuple[str, Find]]:
    """Indexes the texts and gives what asks each retriever."""
    documents = [Document(content, metadata={"text": text}) for text, content in data.texts.items()]
    small = RecursiveCharacterTextSplitter(chunk_size=SMALL, chunk_overlap=0, add_start_index=True)
    chunks = small.split_documents(documents)
    flat = _chroma(memo)
    for at in range(0, len(chunks), BATCH):
        flat.add_documents(chunks[at : at + BATCH])
    vectors = flat.as_retriever(search_kwargs={"k": MOST})
    words = BM25Retriever.from_documents(chunks, preprocess_func=terms, k=MOST)
    yield "recursive 400, vectors", _langchain(vectors)
    yield "recursive 400, BM25", _langchain(words)
    yield "recursive 400, both by equal ranks", _langchain(EnsembleRetriever(retrievers=[vectors, words]))
    large = RecursiveCharacterTextSplitter(chunk_size=LARGE, chunk_overlap=0, add_start_index=True)
    classic = ClassicRetriever(
        vectorstore=_chroma(memo), docstore=InMemoryStore(), child_splitter=small, parent_splitter=large
    )
    classic.search_kwargs = {"k": MOST}
    for document in documents:
        classic.add_documents([document])
    yield "langchain-classic, parents", _langchain(classic)
    yield OURS, ours_langchain(data, memo, folder)
    yield f"{OURS}, words=0", ours_langchain(data, memo, folder / "without", words=0.0)

    own = [LlamaDocument(text=content, id_=text) for text, content in data.texts.items()]
    model = ForLlamaIndex(memo)
    plain = VectorStoreIndex.from_documents(own, embed_model=model, transformations=[SentenceSplitter()])
    yield "LlamaIndex, defaults", _llama_index(plain.as_retriever(similarity_top_k=12))
    nodes = HierarchicalNodeParser.from_defaults().get_nodes_from_documents(own)
    context = StorageContext.from_defaults()
    context.docstore.add_documents(nodes)
    leaves = VectorStoreIndex(get_leaf_nodes(nodes), storage_context=context, embed_model=model)
    yield (
        "LlamaIndex, auto-merging",
        _llama_index(AutoMergingRetriever(leaves.as_retriever(similarity_top_k=12), context), data.texts),
    )
    yield "ours, LlamaIndex", ours_llama_index(data, memo, folder)


def _chroma(memo: Memo) -> Chroma:
    settings = chromadb.Settings(anonymized_telemetry=False)
    configuration: Any = {"hnsw": {"space": "cosine", "ef_search": 400}}  # so that it is nearly exact
    return Chroma(
        uuid.uuid4().hex,
        ForLangChain(memo),
        client=chromadb.EphemeralClient(settings),
        collection_configuration=configuration,
    )


def _langchain(retriever: Any, budgeted: bool = False) -> Find:
    def find(question: str, budget: int) -> Iterable[tuple[str, int, int]]:
        options = {"budget": budget} if budgeted else {}
        for document in retriever.invoke(question, **options):
            start = int(document.metadata.get("start_index", 0))
            yield document.metadata["text"], start, start + len(document.page_content)

    return find


def _llama_index(retriever: Any, texts: Mapping[str, str] | None = None) -> Find:
    """texts: where nodes are looked for; those of HierarchicalNodeParser say where they are in their parent."""

    def find(question: str, budget: int) -> Iterable[tuple[str, int, int]]:
        for found in retriever.retrieve(question):
            name, content = found.node.ref_doc_id, found.node.get_content()
            start = found.node.start_char_idx if texts is None else texts[name].find(content)
            yield name, start, start + len(content)

    return find
