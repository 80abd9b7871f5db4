"""PDF manuals and an embedder -> on which pages whole retrievers find answers within a budget, ours and the peers."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pypdf
from embedders import ForLlamaIndex, Memo
from langchain_community.document_loaders import PyPDFLoader
from langchain_core.documents import Document
from langchain_text_splitters import RecursiveCharacterTextSplitter
from llama_index.core import Document as LlamaDocument
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import BaseNode, NodeWithScore
from numpy.typing import NDArray
from pdf_manuals import CACHE, Passage, PdfQuestion, fetch, manuals, page_starts, placed, questions, squeeze, within
from retrievers import (
    CLASSIC,
    DEFAULT,
    FILLING,
    FUSION,
    WORDS_ALONE,
    chosen,
    classic_parents,
    flat_langchain,
    llama_index_default,
    make_ours,
    query_fusion,
)
from tables import Row, Table, scaled

from caesura_documents.layout import LAYOUT
from caesura_documents.pdf import has_pdf_reader
from caesura_lab import paired_interval
from caesura_retrieval.words import language_of, matching_words, question_terms
from langchain_caesura import BM25Retriever, from_pdf, join_pages
from llama_index.node_parser.caesura import HierarchyIndex, JoinPages
from llama_index.node_parser.caesura import from_pdf as llama_from_pdf

BUDGETS = (1_000, 4_000, 8_000)
LEAST = 50
"""A page is found if so many of its characters are there."""
OURS, READER = "ours, LangChain, PyPDFLoader and join_pages", "ours, LangChain, our reader of PDF"
FEW_WORDS = 0.5
"""A question is in other words if at most so many of its words are on the pages that answer it."""
MEASURES = ("answer", "page")
NOTES = """\
{} questions: {}. {} PDF manuals of Debian packages in one index, named by their paths.
{}
Ours: ParentDocumentRetriever(vectorstore, docstore) over Chroma and SQLite, no other setting but the budget; \
HierarchyIndex(embed_model=…) with a quarter of it in tokens.
Others: the pages of PyPDFLoader, or of PDFReader, each a document; RecursiveCharacterTextSplitter, Chroma; BM25 of \
bm25s with English stop words and stems; EnsembleRetriever of both by equal ranks; langchain-classic's \
ParentDocumentRetriever, 400 in 2,000; SentenceSplitter() at its defaults; QueryFusionRetriever of vectors and bm25s \
over SentenceSplitter(chunk_size=128, chunk_overlap=0), reciprocal ranks, no further queries.
Δ: {} less it, paired bootstrap interval of 95 %, bold where 0 is outside."""
SAID = {
    "answer": "The share of questions whose answer stands word for word in a passage among the first so many "
    "characters; whitespace, hyphens and other signs aside.",
    "page": f"The share of questions of which {LEAST} characters of an answering page are among the first so many.",
}


Find = Callable[[str, int], Sequence[Passage]]
"""(question, budget) -> what is returned, best first."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """The manuals as loaders give them.

    pages: a document for each page. parsed: a document for each file that our reader reads; empty without pypdfium2.
    parsed_llama: the same in LlamaIndex.
    """

    pages: list[Document]
    parsed: list[Document] = field(default_factory=list)
    parsed_llama: list[LlamaDocument] = field(default_factory=list)


def load(say: Callable[[str], None]) -> Loaded:
    """Fetches the manuals and reads them, with PyPDFLoader once."""
    sources = {manual.name: manual.source for manual in manuals()}
    pages, parsed, parsed_llama = [], [], []
    for name, file in fetch(say).items():
        pages += _pages(file, sources[name])
        if has_pdf_reader():
            read = from_pdf(file)
            parsed.append(Document(read.page_content, metadata={**read.metadata, "source": sources[name]}))
            own = llama_from_pdf(file)
            own.id_ = own.metadata["source"] = sources[name]
            parsed_llama.append(own)
    return Loaded(pages, parsed, parsed_llama)


def _pages(file: Path, source: str) -> list[Document]:
    kept = CACHE / f"{source.replace('/', '_')}.{pypdf.__version__}.json"
    if not kept.exists():
        read = [(page.page_content, page.metadata) for page in PyPDFLoader(str(file)).load()]
        kept.write_text(json.dumps(read), encoding="utf-8")
    given = json.loads(kept.read_text(encoding="utf-8"))
    return [Document(text, metadata={**metadata, "source": source}) for text, metadata in given]


def tables(shown: str, memo: Memo, retrievers: Sequence[str] | None, say: Callable[[str], None]) -> list[Table]:
    """Two tables per part of the questions: answers and pages found within each budget.

    retrievers: parts of the names of those that stand beside ours; None: all.
    """
    data = load(say)
    if not data.pages:
        return []
    there = {page.metadata["source"] for page in data.pages}
    sources = {manual.name: manual.source for manual in manuals() if manual.source in there}
    asked = [each for each in questions() if each.document in sources]
    parts = divide(asked, sources, data.pages)
    found: dict[str, dict[str, NDArray[np.float64]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        makers = finders(data, memo, Path(folder))
        for method in chosen(makers, retrievers):
            found[method] = shares(asked, sources, makers[method]())
            for part, own in parts.items():
                both = ", ".join(
                    f"{measure} " + " / ".join(f"{100 * each[own].mean():.1f}" for each in found[method][measure])
                    for measure in MEASURES
                )
                say(f"{shown}, pdf, {part}, {method}: {both}")
    return [
        _table(shown, part, measure, own, found, len(sources)) for part, own in parts.items() for measure in MEASURES
    ]


def divide(
    asked: Sequence[PdfQuestion], sources: Mapping[str, str], pages: Sequence[Document]
) -> dict[str, NDArray[np.bool_]]:
    """Returns for each part of the questions, by its name, which of them are in it: the two halves, and those in other
    words than the pages that answer them, of both halves."""
    texts = {(page.metadata["source"], page.metadata["page"] + 1): page.page_content for page in pages}
    shares = np.zeros(len(asked))
    for number, one in enumerate(asked):
        text = "\n".join(texts[sources[one.document], page] for page in one.pages)
        languages = [language_of(text)]
        there = matching_words(one.question, text, languages)
        shares[number] = len(there) / len(question_terms(one.question, tuple(languages)))
    kept = np.array([each.kept for each in asked])
    return {
        "the half that is open": ~kept,
        "the half that is kept": kept,
        f"at most {FEW_WORDS:.0%} of their words, function words aside, are on the pages that answer them": (
            shares <= FEW_WORDS
        ),
    }


def _table(
    shown: str,
    part: str,
    measure: str,
    own: NDArray[np.bool_],
    found: Mapping[str, Mapping[str, NDArray[np.float64]]],
    files: int,
) -> Table:
    made = Table(f"PDF manuals, {shown}, {measure}s found, {part}: percent")
    first = READER if READER in found else OURS
    made.notes = NOTES.format(int(own.sum()), part, files, SAID[measure], first).split("\n")
    for method, both in found.items():
        row: Row = {"retriever": method}
        for place, budget in enumerate(BUDGETS):
            rates = both[measure][place][own]
            row[f"{budget:,} characters"] = 100 * float(rates.mean())
            lead = None if method == first else scaled(paired_interval(found[first][measure][place][own], rates))
            row[f"Δ at {budget:,}"] = lead
        made.rows.append(row)
    return made


def shares(asked: Sequence[PdfQuestion], sources: Mapping[str, str], find: Find) -> dict[str, NDArray[np.float64]]:
    """Returns for each of `MEASURES` (budgets, questions): 1 where it is found, else 0."""
    made = {measure: np.zeros((len(BUDGETS), len(asked))) for measure in MEASURES}
    for place, budget in enumerate(BUDGETS):
        for number, question in enumerate(asked):
            own = list(within(find(question.question, budget), budget, sources[question.document]))
            made["answer"][place, number] = any(squeeze(question.answer) in squeeze(each.text) for each in own)
            sizes = [sum(each.sizes().get(page, 0) for each in own) for page in question.pages]
            made["page"][place, number] = max(sizes) >= LEAST
    return made


def finders(data: Loaded, memo: Memo, folder: Path) -> dict[str, Callable[[], Find]]:
    """Returns what indexes the manuals for each retriever, and then asks it."""
    made: dict[str, Callable[[], Find]] = {}
    most, model, pages = BUDGETS[-1] // FILLING, ForLlamaIndex(memo), _llama_pages(data)
    if data.parsed:
        made |= _ours(READER, data.parsed, memo, folder / "reader")
    made |= _ours(OURS, join_pages(data.pages), memo, folder / "pages")
    for size, overlap in ((400, 0), (1000, 200)):
        made |= _others(data.pages, size, overlap, memo)
    made[WORDS_ALONE] = lambda: _ask_pages(
        BM25Retriever.from_documents(_recursive(data.pages, 400, 0), k=most).invoke, _page_of_document
    )
    made[CLASSIC] = lambda: _ask_pages(classic_parents(data.pages, memo, most).invoke, _page_of_document)
    made[DEFAULT] = lambda: _ask_nodes(llama_index_default(pages, model), pages)
    made[FUSION] = lambda: _ask_nodes(query_fusion(pages, model, "en", most), pages)
    made["ours, LlamaIndex, JoinPages"] = lambda: _llama_index(JoinPages()(pages), model, "file_path")
    if data.parsed_llama:
        made["ours, LlamaIndex, our reader of PDF"] = lambda: _llama_index(data.parsed_llama, model, "source")
    return made


def _ours(name: str, documents: list[Document], memo: Memo, folder: Path) -> dict[str, Callable[[], Find]]:
    @cache
    def retriever() -> Any:
        folder.mkdir()
        own = make_ours(memo, folder)
        own.add_documents(documents)
        return own

    return {
        name: lambda: _ask_ours(retriever(), documents),
        f"{name}, words=0": lambda: _ask_ours(retriever().model_copy(update={"words": 0.0}), documents),
    }


def _others(pages: list[Document], size: int, overlap: int, memo: Memo) -> dict[str, Callable[[], Find]]:
    @cache
    def retrievers() -> Sequence[Any]:
        return flat_langchain(_recursive(pages, size, overlap), memo, "en", BUDGETS[-1] // FILLING)

    shown = f"recursive {size:,}" + f"/{overlap}" * bool(overlap)
    kinds = ("vectors", "BM25", "both by equal ranks")
    return {
        f"{shown}, {kind}": lambda place=place: _ask_pages(retrievers()[place].invoke, _page_of_document)  # type: ignore[misc]
        for place, kind in enumerate(kinds)
    }


def _recursive(pages: list[Document], size: int, overlap: int) -> list[Document]:
    return RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=overlap).split_documents(pages)


def _ask_ours(retriever: Any, documents: Sequence[Document]) -> Find:
    starts = {each.metadata["source"]: page_starts(each.metadata[LAYOUT]) for each in documents}

    def find(question: str, budget: int) -> list[Passage]:
        return [
            placed(one.metadata["source"], one.page_content, one.metadata["start_index"], starts)
            for one in retriever.invoke(question, budget=budget)
        ]

    return find


def _llama_pages(data: Loaded) -> list[LlamaDocument]:
    """Pages as SimpleDirectoryReader and PDFReader give them: the path is embedded and shown, the name is not."""
    hidden = {"excluded_embed_metadata_keys": ["file_name"], "excluded_llm_metadata_keys": ["file_name"]}
    pages = []
    for page in data.pages:
        source = page.metadata["source"]
        metadata = {"page_label": str(page.metadata["page"] + 1), "file_name": Path(source).name, "file_path": source}
        pages.append(LlamaDocument(text=page.page_content, metadata=metadata, **hidden))
    return pages


def _llama_index(documents: Sequence[BaseNode], model: ForLlamaIndex, key: str) -> Find:
    """key: of the metadata that name the file."""
    starts = {str(each.metadata[key]): page_starts(each.metadata[LAYOUT]) for each in documents}
    index = HierarchyIndex.from_documents(documents, embed_model=model)
    retrievers = {budget: index.as_retriever(budget=budget // 4) for budget in BUDGETS}

    def find(question: str, budget: int) -> list[Passage]:
        nodes = [one.node for one in retrievers[budget].retrieve(question)]
        return [placed(one.metadata[key], one.text, one.start_char_idx, starts) for one in nodes]

    return find


def _ask_pages(ask: Callable[[str], Iterable[Any]], passage: Callable[[Any], Passage]) -> Find:
    kept: dict[str, list[Passage]] = {}

    def find(question: str, budget: int) -> list[Passage]:
        if question not in kept:
            kept[question] = [passage(one) for one in ask(question)]
        return kept[question]

    return find


def _page_of_document(one: Document) -> Passage:
    return Passage(one.metadata["source"], one.page_content, [(0, one.metadata["page"] + 1)])


def _ask_nodes(retriever: BaseRetriever, pages: list[LlamaDocument]) -> Find:
    said = {page.id_: page.metadata for page in pages}  # nodes have metadata only by default

    def passage(one: NodeWithScore) -> Passage:
        own = said[one.node.ref_doc_id]  # type: ignore[index]
        return Passage(own["file_path"], one.text, [(0, int(own["page_label"]))])

    return _ask_pages(retriever.retrieve, passage)
