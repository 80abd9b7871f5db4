"""Texts and an embedder -> retrievers, each the product's own over a real store: ours at their defaults, and the peers.

A retriever without a budget gives so many texts that a budget can be filled, and is cut short at it.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import bm25s
import chromadb
from corpora import Asked
from embedders import ForLangChain, ForLlamaIndex, Memo
from langchain_chroma import Chroma
from langchain_classic.retrievers import EnsembleRetriever
from langchain_classic.retrievers import ParentDocumentRetriever as ClassicRetriever
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.stores import InMemoryStore
from langchain_text_splitters import RecursiveCharacterTextSplitter
from llama_index.core import Document as LlamaDocument
from llama_index.core import QueryBundle, StorageContext, VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever as LlamaRetriever
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import HierarchicalNodeParser, SentenceSplitter, get_leaf_nodes
from llama_index.core.retrievers import AutoMergingRetriever, QueryFusionRetriever
from llama_index.core.schema import BaseNode, MetadataMode, NodeWithScore, TransformComponent
from Stemmer import Stemmer

from langchain_caesura import BM25Retriever, ParentDocumentRetriever, SQLiteDocumentStore
from llama_index.node_parser.caesura import HierarchyIndex, SemanticHierarchyParser

Find = Callable[[str, int], Iterable[tuple[str, int, int]]]
"""(question, budget) -> what is returned, best first: text, start and end."""
Makers = dict[str, Callable[[], Find]]
"""What indexes the texts for a retriever and gives what asks it, by the name of the retriever."""

FILLING, NODES = 160, 12
"""The peers fetch a text for so many characters of the larger budget, and so many of LlamaIndex's larger nodes."""
BATCH = 5000
"""Chroma takes no more rows at a time."""
OURS, WITHOUT = "ours, LangChain", "ours, LangChain, words=0"
BM25, WORDS_ALONE = "recursive 400, BM25", "recursive 400, our BM25Retriever"
CLASSIC, DEFAULT, FUSION = "langchain-classic, parents", "LlamaIndex, defaults", "LlamaIndex, QueryFusion, 128 tokens"
STEMMERS = {"ar": "arabic", "de": "german", "en": "english", "es": "spanish", "ro": "romanian", "ru": "russian"}
STEMMERS |= {"tr": "turkish"}
STOP_WORDS = ("de", "en", "es", "ru", "tr", "zh")
"""The languages that bm25s has stop words of."""
WORDS, PAIRS = r"(?u)\b\w\w+\b", r"(?u)(?=(\w\w))"


class Words:
    """bm25s as its pages set it: stop words and stems of the language; Chinese by pairs of characters."""

    def __init__(self, texts: Sequence[str], language: str) -> None:
        self._settings: dict[str, Any] = {
            "stopwords": language if language in STOP_WORDS else None,
            "stemmer": Stemmer(STEMMERS[language]) if language in STEMMERS else None,
            "token_pattern": PAIRS if language == "zh" else WORDS,
            "show_progress": False,
        }
        self._index, self._texts = bm25s.BM25(), len(texts)
        self._index.index(bm25s.tokenize([*texts], **self._settings), show_progress=False)

    def best(self, question: str, most: int) -> list[tuple[int, float]]:
        """The numbers of the best texts, and their scores."""
        asked = bm25s.tokenize(question, **self._settings)
        numbers, scores = self._index.retrieve(asked, k=min(most, self._texts), show_progress=False)
        return [(int(number), float(score)) for number, score in zip(numbers[0], scores[0], strict=True) if score > 0]


class LangChainWords(BaseRetriever):
    """bm25s over documents."""

    documents: list[Document]
    words: Any
    k: int

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return [self.documents[number] for number, _ in self.words.best(query, self.k)]


class LlamaIndexWords(LlamaRetriever):
    """bm25s over nodes."""

    def __init__(self, nodes: Sequence[BaseNode], language: str, most: int) -> None:
        super().__init__()
        self._nodes, self._most = nodes, most
        self._words = Words([node.get_content(MetadataMode.EMBED) for node in nodes], language)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        best = self._words.best(query_bundle.query_str, self._most)
        return [NodeWithScore(node=self._nodes[number], score=score) for number, score in best]


def finders(data: Asked, memo: Memo, folder: Path) -> Makers:
    """Every retriever. The first is the one that the others are compared with."""
    return {**_ours(data, memo, folder), **_langchain_peers(data, memo), **_llama_index_peers(data, memo)}


def chosen(names: Iterable[str], parts: Sequence[str] | None) -> list[str]:
    """Retrievers' names -> the first, and those that have one of `parts` in them. None: all."""
    first, *others = names
    return [first, *(name for name in others if parts is None or any(part in name for part in parts))]


def _ours(data: Asked, memo: Memo, folder: Path) -> Makers:
    """Our retrievers of both frameworks, and LangChain's with vectors alone over the same stores."""

    @cache
    def own() -> ParentDocumentRetriever:
        made = make_ours(memo, folder)
        made.add_documents(_documents(data))
        return made

    return {
        OURS: lambda: from_langchain(own(), budgeted=True),
        WITHOUT: lambda: from_langchain(own().model_copy(update={"words": 0.0}), budgeted=True),
        "ours, LlamaIndex": lambda: ours_llama_index(data, memo, folder),
    }


def make_ours(memo: Memo, folder: Path, **settings: Any) -> ParentDocumentRetriever:
    """Our retriever for LangChain over Chroma and SQLite, with no document yet."""
    store = SQLiteDocumentStore(folder / "documents.db")
    return ParentDocumentRetriever(vectorstore=chroma(memo), docstore=store, **settings)


def ours_langchain(
    data: Asked, memo: Memo, folder: Path, before: BaseDocumentTransformer | None = None, **settings: Any
) -> Find:
    """Our retriever. before: what is done with documents before they are added."""
    own, documents = make_ours(memo, folder, **settings), _documents(data)
    own.add_documents(documents if before is None else before.transform_documents(documents))
    return from_langchain(own, budgeted=True)


def ours_llama_index(
    data: Asked,
    memo: Memo,
    folder: Path,
    embed_headings: bool = True,
    before: TransformComponent | None = None,
    sentence_splitter: Any = None,
    **settings: Any,
) -> Find:
    """Our index. before: what is done with documents before they are parsed. sentence_splitter: None: our rules."""
    parser = SemanticHierarchyParser(embed_headings=embed_headings, sentence_splitter=sentence_splitter)
    parsers = [*([] if before is None else [before]), parser]
    own, model = _llama_documents(data), ForLlamaIndex(memo)
    index = HierarchyIndex.from_documents(own, embed_model=model, transformations=parsers)
    retrievers = {budget: index.as_retriever(budget=budget // 4, **settings) for budget in data.budgets}
    return lambda question, budget: from_llama_index(retrievers[budget])(question, budget)


def _langchain_peers(data: Asked, memo: Memo) -> Makers:
    documents, most = _documents(data), data.budgets[1] // FILLING
    small = RecursiveCharacterTextSplitter(chunk_size=400, chunk_overlap=0, add_start_index=True)
    chunks = small.split_documents(documents)
    tutorial = RecursiveCharacterTextSplitter(chunk_size=1000, chunk_overlap=200, add_start_index=True)

    @cache
    def flat() -> tuple[BaseRetriever, BaseRetriever, BaseRetriever]:
        return flat_langchain(chunks, memo, data.language, most)

    return {
        "recursive 400, vectors": lambda: from_langchain(flat()[0]),
        BM25: lambda: from_langchain(flat()[1]),
        WORDS_ALONE: lambda: from_langchain(BM25Retriever.from_documents(chunks, k=most)),
        "recursive 400, both by equal ranks": lambda: from_langchain(flat()[2]),
        "recursive 1,000/200, vectors": lambda: from_langchain(
            _vectors(tutorial.split_documents(documents), memo, most)
        ),
        CLASSIC: lambda: from_langchain(classic_parents(documents, memo, most)),
    }


def classic_parents(documents: Sequence[Document], memo: Memo, most: int) -> BaseRetriever:
    """langchain-classic's retriever over documents: chunks of 400 in parents of 2,000."""
    small, large = (
        RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=0, add_start_index=True) for size in (400, 2000)
    )
    classic = ClassicRetriever(
        vectorstore=chroma(memo), docstore=InMemoryStore(), child_splitter=small, parent_splitter=large
    )
    classic.search_kwargs = {"k": most}
    for document in documents:
        if document.page_content.strip():  # a page without text has no chunk, and Chroma refuses to add none
            classic.add_documents([document])
    return classic


def flat_langchain(
    chunks: Sequence[Document], memo: Memo, language: str, most: int
) -> tuple[BaseRetriever, BaseRetriever, BaseRetriever]:
    """Retrievers over chunks: by vectors, by words, and by both with equal ranks."""
    vectors = _vectors(chunks, memo, most)
    words = LangChainWords(documents=chunks, words=Words([chunk.page_content for chunk in chunks], language), k=most)
    return vectors, words, EnsembleRetriever(retrievers=[vectors, words])


def _vectors(chunks: Sequence[Document], memo: Memo, most: int) -> BaseRetriever:
    store = chroma(memo)
    for at in range(0, len(chunks), BATCH):
        store.add_documents([*chunks[at : at + BATCH]])
    return store.as_retriever(search_kwargs={"k": most})


def _llama_index_peers(data: Asked, memo: Memo) -> Makers:
    documents, model, most = _llama_documents(data), ForLlamaIndex(memo), data.budgets[1] // FILLING
    return {
        DEFAULT: lambda: from_llama_index(llama_index_default(documents, model)),
        "LlamaIndex, auto-merging": lambda: from_llama_index(_auto_merging(documents, model), data.texts),
        FUSION: lambda: from_llama_index(query_fusion(documents, model, data.language, most)),
    }


def _auto_merging(documents: Sequence[LlamaDocument], model: ForLlamaIndex) -> LlamaRetriever:
    nodes = HierarchicalNodeParser.from_defaults().get_nodes_from_documents([*documents])
    context = StorageContext.from_defaults()
    context.docstore.add_documents(nodes)
    leaves = VectorStoreIndex(get_leaf_nodes(nodes), storage_context=context, embed_model=model)
    return AutoMergingRetriever(leaves.as_retriever(similarity_top_k=NODES), context)


def llama_index_default(documents: Sequence[LlamaDocument], model: ForLlamaIndex) -> LlamaRetriever:
    """LlamaIndex's defaults over documents: SentenceSplitter() and vectors."""
    plain = VectorStoreIndex.from_documents([*documents], embed_model=model, transformations=[SentenceSplitter()])
    return plain.as_retriever(similarity_top_k=NODES)


def query_fusion(
    documents: Sequence[LlamaDocument], model: ForLlamaIndex, language: str, most: int
) -> QueryFusionRetriever:
    """LlamaIndex's vectors and BM25 by reciprocal ranks, over chunks of 128 tokens of documents."""
    splitter = SentenceSplitter(chunk_size=128, chunk_overlap=0, include_metadata=False)
    small = splitter.get_nodes_from_documents(documents)
    vectors = VectorStoreIndex(small, embed_model=model).as_retriever(similarity_top_k=most)
    return QueryFusionRetriever(
        [vectors, LlamaIndexWords(small, language, most)],
        llm=MockLLM(),
        mode="reciprocal_rerank",  # type: ignore[arg-type]
        similarity_top_k=most,
        num_queries=1,
        use_async=False,
    )


def _documents(data: Asked) -> list[Document]:
    return [Document(content, metadata={"source": name}) for name, content in data.texts.items()]


def _llama_documents(data: Asked) -> list[LlamaDocument]:
    """Documents as SimpleDirectoryReader gives them: the path is embedded and shown, the name is not."""
    hidden = {"excluded_embed_metadata_keys": ["file_name"], "excluded_llm_metadata_keys": ["file_name"]}
    return [
        LlamaDocument(text=content, id_=name, metadata={"file_path": name, "file_name": Path(name).name}, **hidden)
        for name, content in data.texts.items()
    ]


def chroma(memo: Memo) -> Chroma:
    """An empty store in memory."""
    settings = chromadb.Settings(anonymized_telemetry=False)
    configuration: Any = {"hnsw": {"space": "cosine", "ef_search": 400}}  # so that it is nearly exact
    return Chroma(
        uuid.uuid4().hex,
        ForLangChain(memo),
        client=chromadb.EphemeralClient(settings),
        collection_configuration=configuration,
    )


def from_langchain(retriever: Any, budgeted: bool = False) -> Find:
    """What asks a retriever; one that is not budgeted is asked once for all budgets."""

    def ask(question: str, **options: int) -> list[tuple[str, int, int]]:
        found = []
        for document in retriever.invoke(question, **options):
            start = int(document.metadata.get("start_index", 0))
            found.append((document.metadata["source"], start, start + len(document.page_content)))
        return found

    if budgeted:
        return lambda question, budget: ask(question, budget=budget)
    return _once(ask)


def from_llama_index(retriever: Any, texts: Mapping[str, str] | None = None) -> Find:
    """What asks a retriever. texts: where nodes are looked for; those of HierarchicalNodeParser say where they are in
    their parent."""

    def ask(question: str) -> list[tuple[str, int, int]]:
        made = []
        for found in retriever.retrieve(question):
            name, content = found.node.ref_doc_id, found.node.get_content()
            start = found.node.start_char_idx if texts is None else texts[name].find(content)
            made.append((name, start, start + len(content)))
        return made

    return _once(ask)


def _once(ask: Callable[[str], list[tuple[str, int, int]]]) -> Find:
    kept: dict[str, list[tuple[str, int, int]]] = {}

    def find(question: str, budget: int) -> list[tuple[str, int, int]]:
        if question not in kept:
            kept[question] = ask(question)
        return kept[question]

    return find
