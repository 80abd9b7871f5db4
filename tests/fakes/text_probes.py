"""Every public name that takes a text, and a call of it: what `test_growth.py` times. A label begins with the name."""

from __future__ import annotations

import asyncio
import importlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fakes.documents.exports import zipped
from fakes.documents.opened import Opened, Page, Span
from fakes.embedders.rows_of_words import embed
from fakes.embedders.token_rows import Transformer
from langchain_core.documents import Document
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.vectorstores import InMemoryVectorStore
from llama_index.core import Document as Parent
from llama_index.core.llms import MockLLM
from llama_index.core.schema import TextNode
from llama_index.node_parser import caesura as llama_index

import caesura
import caesura_lab as lab
import caesura_testing
import langchain_caesura as langchain
from caesura import Limits, OptimalCut, Splitter, sentences
from caesura.hierarchy import Hierarchy, by_sizes
from caesura.sizers import without_surrogates
from caesura_documents import docling, html_page, pdf, unstructured
from caesura_documents.conversations import mail, messages, slack, transcripts, whatsapp
from caesura_lab import Question
from caesura_llm.contexts import Contexts, ContextSource
from caesura_llm.conversation import Message, Reply, Request
from caesura_llm.grouping import by_embedding
from caesura_llm.journal import Journal
from caesura_llm.passages import Passage
from caesura_llm.propositions import Propositions, as_sentences
from caesura_llm.representations import Representations, questions
from caesura_llm.topics import Topics
from caesura_retrieval import late_chunking
from caesura_retrieval.cached_documents import cached_documents
from caesura_scale.batch import SplitBatch
from caesura_scale.stream import asplit_stream, split_stream
from caesura_static import StaticEmbedder
from caesura_store.embedding_cache import cached
from caesura_store.sqlite_store import Store

API = Path(__file__).parents[2] / "docs" / "api"
PLUGIN = "llama_index.node_parser.caesura"
TRANSFORMERS = [f"{kind}Transformer" for kind in ("Proposition", "Summary", "Question", "Description", "Context")]
SPLITTERS = ("DoublePassSemanticSplitter", "OptimalSemanticSplitter", "ClusterSemanticSplitter")
FACES = ("caesura", "caesura_testing", "caesura_static", "caesura_lab", "langchain_caesura", PLUGIN)
MEMBERS = re.compile(r"^(?:>>> )?from (\S*caesura\S*) import (\w+)(?:, \w+)*$", re.MULTILINE)


def public_names() -> Iterator[str]:
    """What the packages export, and what the reference shows of their modules."""
    for package in FACES:
        yield from (f"{package}.{name}" for name in importlib.import_module(package).__all__)
    for page in sorted(API.glob("*.md")):
        yield from (f"{module}.{name}" for module, name in MEMBERS.findall(page.read_text("utf-8")))


def core(cut: Any = None, max_size: int | None = 100, overlap: int = 0, **settings: Any) -> Callable[[str], object]:
    """Text -> chunks and their vectors, by the core's splitter."""
    splitter = Splitter(Limits(max_size), **({"cut": cut} if cut else {}), **settings)

    def split(text: str) -> object:
        batch = splitter.prepare([text])
        (found,) = splitter.finish(batch, embed(batch.texts))
        return found.chunks(overlap), found.vectors()

    return split


def in_lab(call: Callable[..., object], *arguments: Any) -> Callable[[str], object]:
    return lambda text: call({"a": without_surrogates(text) or "a"}, *arguments, size=200)


def of_langchain(name: str, **settings: Any) -> Callable[[str], object]:
    splitter = getattr(langchain, name)(embed, calibrated=False, **settings)
    return lambda text: splitter.create_documents([text])


def of_llama_index(name: str, **settings: Any) -> Callable[[str], object]:
    parser = getattr(llama_index, name)(embed_model=embed, calibrated=False, **settings)
    return lambda text: parser([Parent(text=without_surrogates(text), id_="d")])


def with_llm(name: str, **settings: Any) -> Callable[[str], object]:
    """A transformer of LangChain whose model says nothing that can be read."""
    llm = FakeListChatModel(responses=["{}"])
    made = getattr(langchain, name)(llm, on_failure="keep", **settings)
    return lambda text: made.transform_documents([Document(text)])


def with_mock(name: str, **settings: Any) -> Callable[[str], object]:
    """A transformer of LlamaIndex whose model repeats what it is asked."""
    made = getattr(llama_index, name)(MockLLM(), on_failure="keep", **settings)
    return lambda text: made([Parent(text=without_surrogates(text), id_="d")])


def conversed(make: Callable[[list[Passage]], Any]) -> Callable[[str], object]:
    """Text -> a conversation about it, each request answered by the text itself and then by nothing."""

    def converse(text: str) -> object:
        conversation = make([Passage(text)])
        for said in (text, "{}"):
            for request in conversation.pending():
                conversation.accept(request, Reply(said))
        return conversation.finished()

    return converse


def grouped(text: str) -> object:
    statements = [one.text for one in as_sentences([Passage(text)])[0].propositions]
    return by_embedding(statements, embed(statements))


def in_a_file(use: Callable[[Path, str], object]) -> Callable[[str], object]:
    """A call with the path of a new file, and a text that can be written to it."""

    def call(text: str) -> object:
        with TemporaryDirectory() as folder:
            return use(Path(folder) / "file.db", without_surrogates(text))

    return call


def retrieved(path: Path, text: str) -> object:
    with closing(langchain.SQLiteDocumentStore(path)) as store:
        retriever = langchain.ParentDocumentRetriever(
            vectorstore=InMemoryVectorStore(langchain.StaticEmbeddings()),
            docstore=store,
            child_splitter=langchain.DoublePassSemanticSplitter(embed, chunk_size=200, calibrated=False),
        )
        retriever.add_documents([Document(text)], ids=["a"])
        return retriever.invoke("aa")


def edited(path: Path, text: str) -> object:
    with closing(langchain.SQLiteDocumentStore(path)) as store:
        retriever = langchain.ParentDocumentRetriever(
            vectorstore=InMemoryVectorStore(langchain.StaticEmbeddings()), docstore=store
        )
        retriever.add_documents([Document(text)], ids=["a"])
        return retriever.add_documents([Document(f"{text} One more.")], ids=["a"])


def questioned(path: Path, text: str) -> object:
    with closing(langchain.SQLiteDocumentStore(path)) as store:
        retriever = langchain.ParentDocumentRetriever(
            vectorstore=InMemoryVectorStore(langchain.StaticEmbeddings()), docstore=store
        )
        retriever.add_documents([Document("Aa bb. The mill grinds. 北京市 is large.")], ids=["a"])
        return retriever.invoke(text)


def shortened(path: Path, text: str) -> object:
    with closing(langchain.SQLiteDocumentStore(path)) as store:
        retriever = langchain.ParentDocumentRetriever(
            vectorstore=InMemoryVectorStore(langchain.StaticEmbeddings()),
            docstore=store,
            child_splitter=None,
            length_function=caesura.words,
            budget=100,
        )
        view = Document("What does the mill grind?", metadata={"parent_id": "a"})
        retriever.add_documents([Document(f"The mill grinds. {text}", id="a")], views=[view])
        return retriever.invoke(view.page_content)


def joined_in_langchain(text: str) -> object:
    pages = [Document(text, metadata={"source": "a", "page": number}) for number in range(3)]
    return langchain.join_pages([*pages, Document("\f".join(text.split()))])


def joined_in_llama_index(text: str) -> object:
    pages = [Parent(text=without_surrogates(text), metadata={"file_name": "a", "page_label": n}) for n in range(3)]
    return llama_index.JoinPages()([*pages, Parent(text="\f".join(without_surrogates(text).split()))])


def of_unstructured(made: Callable[[Any], object]) -> Callable[[str], object]:
    def probe(text: str) -> object:
        prose = [{"type": "NarrativeText", "text": part, "metadata": {}} for part in [text, *text.split()]]
        table = {"type": "Table", "text": text, "metadata": {"text_as_html": text}}
        return made([*prose, table])

    return probe


def of_whatsapp(made: Callable[[Any], object]) -> Callable[[str], object]:
    return lambda text: made(f"12/03/2024, 09:12 - Ada: {text}\n12/03/2024, 09:13 - {text[:50]}: Hi.\n")


def of_slack(made: Callable[[Any], object]) -> Callable[[str], object]:
    def probe(text: str) -> object:
        shown = without_surrogates(text)
        said = [{"type": "message", "user": part[:20], "ts": "1.2", "text": part} for part in [shown, *shown.split()]]
        return made(zipped({"general/2024-03-12.json": json.dumps(said)}))

    return probe


def of_transcript(made: Callable[[Any], object]) -> Callable[[str], object]:
    def probe(text: str) -> object:
        cues = "\n\n".join(f"00:01.000 --> 00:02.000\n{part}" for part in ["Hi.", *text.split()])
        return made(f"WEBVTT\n\n{cues}\n\n00:01.000 --> 00:02.000\n{text}\n")

    return probe


def of_mail(made: Callable[[Any], object]) -> Callable[[str], object]:
    def probe(text: str) -> object:
        first = f"From: Ada\nMessage-ID: <1@x>\nSubject: {text[:50]!r}\n\n{text}\n"
        return made(f"From x\n{first}\nFrom x\nIn-Reply-To: <1@x>\n{first}\n> {text}\n")

    return probe


def of_messages(made: Callable[[Any], object]) -> Callable[[str], object]:
    return lambda text: made([{"author": part[:20], "time": 0, "text": part} for part in [text, *text.split()]])


def of_pymupdf(made: Callable[[Any], object]) -> Callable[[str], object]:
    """A page of words in lines, of which some are far apart."""
    return lambda text: made(
        Opened(Page([[Span(line, 72 + 40 * (n % 3), 80 + 12 * n)] for n, line in enumerate(["x", *text.split()])]))
    )


def of_html(made: Callable[..., object]) -> Callable[[str], object]:
    """A page of paragraphs, whose text is markup too."""
    return lambda text: made(f"<title>{text[:50]}</title><h1>x</h1>{text}<p>{'<p>'.join(text.split())}", main=True)


def of_docling(made: Callable[[Any], object]) -> Callable[[str], object]:
    def probe(text: str) -> object:
        texts = [
            {"self_ref": f"#/texts/{number}", "label": "text", "text": part, "prov": []}
            for number, part in enumerate([text, *text.split()])
        ]
        cells = [
            {"start_row_offset_idx": row, "start_col_offset_idx": column, "text": part}
            for number, part in enumerate(text.split())  # a wide row, and short ones
            for row, column in ((0, number), (number, 0))
        ]
        table = {"label": "table", "data": {"table_cells": cells}}
        body = {"self_ref": "#/body", "children": [{"$ref": each["self_ref"]} for each in texts]}
        document = {"schema_name": "DoclingDocument", "name": "a", "body": body, "texts": texts, "tables": [table]}
        return made(document)

    return probe


def indexed(text: str) -> object:
    index = llama_index.HierarchyIndex(embed_model=llama_index.StaticEmbedding())
    index.upsert([Parent(text=without_surrogates(text), id_="d")])
    index.as_retriever().retrieve(without_surrogates(text))
    return llama_index.MergingRetriever(index.as_retriever(None), index.docstore).retrieve("aa")


def edited_index(text: str) -> object:
    index = llama_index.HierarchyIndex(embed_model=llama_index.StaticEmbedding())
    index.upsert([Parent(text=without_surrogates(text), id_="d")])
    return index.upsert([Parent(text=f"{without_surrogates(text)} One more.", id_="d")])


def questioned_index(text: str) -> object:
    index = llama_index.HierarchyIndex(embed_model=llama_index.StaticEmbedding())
    index.upsert([Parent(text="Aa bb. The mill grinds. 北京市 is large.", id_="d")])
    return index.as_retriever().retrieve(without_surrogates(text))


def stored_nodes(path: Path, text: str) -> object:
    with closing(llama_index.SQLiteDocumentStore(path)) as store:
        store.add_documents([TextNode(id_="a", text=text)])
        return store.get_document("a")


def stored_documents(path: Path, text: str) -> object:
    with closing(langchain.SQLiteDocumentStore(path)) as store:
        store.mset([("a", Document(text))])
        return store.mget(["a"])


def stored_bytes(path: Path, text: str) -> object:
    with Store(path) as store:
        store.put([(text, text.encode())])
        return store.get([text])


def stored_rows(path: Path, text: str) -> object:
    with cached(embed, path, "words") as rows:
        return rows([text, *text.splitlines()])


def stored_together(path: Path, text: str) -> object:
    with cached_documents(late_chunking.late_chunking.of(Transformer()), path, "words") as model:
        return model.embed_document([text, *text.splitlines()])


def journalled(path: Path, text: str) -> object:
    with Journal(path) as journal:
        journal.put("a", Request((Message("user", text),)), Reply(text))
        return journal.get("a", Request((Message("user", text),)))


def read(path: Path, text: str) -> object:
    path.write_text(text, "utf-8")
    return lab.read_texts([path])


def read_answers(path: Path, text: str) -> object:
    """An answer is looked for in the text, from its beginning and from its middle."""
    answers = [text.strip()[:200], text[len(text) // 2 :].strip()[:200]]
    lines = [json.dumps({"question": "a?", "answer": answer}) for answer in answers if answer]
    path.write_text("\n".join(lines), "utf-8")
    return lab.read_questions(path, {"a": text}) if lines else None


def streamed(text: str) -> object:
    async def rows(texts: Sequence[str]) -> object:
        return embed(texts)

    async def stream() -> object:
        return [found async for found in asplit_stream(Splitter(Limits(100)), [text], rows)]

    return asyncio.run(stream())


def measured(call: Callable[..., object], *arguments: Any) -> Callable[[str], object]:
    """A text and questions about it -> what the lab measures."""

    def measure(text: str) -> object:
        questions = [Question("aa?", "a", [(at, at + 1)]) for at in range(min(len(text), 6))]
        return call({"a": text}, questions, *arguments, size=200)

    return measure


def kept(text: str) -> object:
    splitter = langchain.DoublePassSemanticSplitter(embed, chunk_size=200, calibrated=False, embed_chunks=True)
    return splitter.chunk_embeddings.embed_documents(splitter.split_text(text))


def tabled(text: str) -> object:
    return SplitBatch(Splitter(Limits(100)), lambda: embed)({"id": ["a"], "text": [text]})


def asked(text: str) -> object:
    question = Question("a?", "a", [(0, 1), (len(text) // 2, len(text) // 2 + 200)])
    return lab.ask(lambda _: text, [question], {"a": text})


CUTS: dict[str, Any] = {
    "DoublePassCut": caesura.DoublePassCut(),
    "DoublePassCut looks far ahead": caesura.DoublePassCut(look_ahead=10**6, confidence=None, structure=0),
    "OptimalCut": OptimalCut(),
    "OptimalCut by penalty": OptimalCut(penalty=0.5),
    "OptimalCut by n_chunks": OptimalCut(n_chunks=40),
    "ClusterCut": caesura.ClusterCut(),
    "PercentileCut": caesura.PercentileCut(),
    **{name: caesura.PercentileCut(getattr(caesura, name)()) for name in ("Adjacent", "Overlapping")},
    **{
        name: caesura.PercentileCut(threshold=threshold)
        for name, threshold in {
            "Percentile": caesura.Percentile(50),
            "StandardDeviation": caesura.StandardDeviation(),
            "Interquartile": caesura.Interquartile(),
            "Gradient": caesura.Gradient(),
            "Count": caesura.Count(9),
        }.items()
    },
    **{name: caesura.ClusterCut(getattr(caesura, name)()) for name in ("Average", "Cohesion", "Ward")},
    **{name: caesura.ClusterCut(stop=getattr(caesura, name)()) for name in ("Elbow", "Silhouette")},
    "NClusters": caesura.ClusterCut(stop=caesura.NClusters(40)),
    "DistanceThreshold": caesura.ClusterCut(stop=caesura.DistanceThreshold(0.5)),
}

CONVERSATIONS = {
    "from_whatsapp": of_whatsapp,
    "from_slack": of_slack,
    "from_transcript": of_transcript,
    "from_mail": of_mail,
    "from_messages": of_messages,
}
MODULES = {
    "from_whatsapp": whatsapp,
    "from_slack": slack,
    "from_transcript": transcripts,
    "from_mail": mail,
    "from_messages": messages,
}

PROBES: dict[str, Callable[[str], object]] = {
    "caesura.sentences": sentences,
    "caesura.units": caesura.units,
    "caesura.utf8_bytes": caesura.utf8_bytes,
    "caesura.words": caesura.words,
    "caesura.tokens": caesura.tokens(str.split),
    "caesura.tokens as a size": core(size=caesura.tokens(str.split)),
    "caesura.aligned": caesura.aligned(str.splitlines),
    "caesura.joined": core(view=caesura.joined(1)),
    "caesura.Splitter": core(),
    "caesura.Splitter into bytes": core(max_size=7, size=caesura.utf8_bytes, trim=False),
    "caesura.Splitter without a limit": core(max_size=None),
    "caesura.Splitter of lines": core(segment=caesura.aligned(str.splitlines), max_size=2000),
    "caesura.Segmentation overlaps": core(OptimalCut(), 20, 5),
    **{f"caesura.{name}": core(cut) for name, cut in CUTS.items()},
    "caesura_testing.check_chunks": lambda text: (
        caesura_testing.check_chunks(text, [caesura.Chunk(text, 0, len(text))]) if text.strip() else None
    ),
    "caesura.hierarchy.Hierarchy": lambda text: Hierarchy(by_sizes(400, 100, 20)).split(text, embed).chunks(),
    "caesura_scale.stream.split_stream": lambda text: list(split_stream(Splitter(Limits(100)), [text], embed)),
    "caesura_scale.batch.SplitBatch": tabled,
    "caesura_scale.stream.asplit_stream": streamed,
    "caesura_store.sqlite_store.Store": in_a_file(stored_bytes),
    "caesura_store.embedding_cache.cached": in_a_file(stored_rows),
    "caesura_retrieval.cached_documents.cached_documents": in_a_file(stored_together),
    "caesura_static.StaticEmbedder": lambda text: StaticEmbedder()([text]),
    "caesura_static.StaticEmbedder of lines": lambda text: StaticEmbedder()(text.splitlines() or [""]),
    "caesura_lab.split": in_lab(lab.split),
    "caesura_lab.compare": in_lab(lab.compare, ["double-pass", "fixed"]),
    "caesura_lab.view": in_lab(lab.view, ["double-pass"]),
    "caesura_lab.known_items": lambda text: lab.known_items({"a": text}) if text.strip() else None,
    "caesura_lab.evaluate_segmentation": in_lab(lab.evaluate_segmentation, [1], ["double-pass"]),
    "caesura_lab.evaluate_retrieval": measured(lab.evaluate_retrieval, ["double-pass"]),
    "caesura_lab.measure": lambda text: lab.measure({"a": text}, [Question("aa?", "a", [(0, 1)])]) if text else None,
    "caesura_lab.tune": measured(lab.tune, ["double-pass", "optimal"]),
    "caesura_lab.read_texts": in_a_file(read),
    "caesura_lab.read_questions": in_a_file(read_answers),
    "caesura_lab.token_counter": lambda text: lab.token_counter()(text),
    "caesura_lab.ask": asked,
    **{f"langchain_caesura.{name}": of_langchain(name, chunk_size=100, chunk_overlap=20) for name in SPLITTERS},
    "langchain_caesura.SemanticPercentileSplitter": of_langchain("SemanticPercentileSplitter", chunk_size=2000),
    "langchain_caesura.SemanticSplitter": of_langchain("SemanticSplitter", cut=OptimalCut(), min_chunk_size=50),
    "langchain_caesura.SemanticHierarchySplitter": of_langchain("SemanticHierarchySplitter", chunk_sizes=(400, 60)),
    "caesura_documents.unstructured.from_unstructured": of_unstructured(unstructured.from_unstructured),
    "caesura_documents.docling.from_docling": of_docling(docling.from_docling),
    "langchain_caesura.from_unstructured": of_unstructured(langchain.from_unstructured),
    "langchain_caesura.from_docling": of_docling(langchain.from_docling),
    f"{PLUGIN}.from_unstructured": of_unstructured(llama_index.from_unstructured),
    f"{PLUGIN}.from_docling": of_docling(llama_index.from_docling),
    **{
        f"{place}.from_html": of_html(made)
        for place, made in (
            ("caesura_documents.html_page", html_page.from_html),
            ("langchain_caesura", langchain.from_html),
            (PLUGIN, llama_index.from_html),
        )
    },
    **{
        f"{place}.{name}": probe(getattr(made, name))
        for name, probe in CONVERSATIONS.items()
        for place, made in (
            (MODULES[name].__name__, MODULES[name]),
            ("langchain_caesura", langchain),
            (PLUGIN, llama_index),
        )
    },
    "caesura_documents.pdf.from_pymupdf": of_pymupdf(pdf.from_pymupdf),
    "langchain_caesura.from_pymupdf": of_pymupdf(langchain.from_pymupdf),
    f"{PLUGIN}.from_pymupdf": of_pymupdf(llama_index.from_pymupdf),
    "langchain_caesura.join_pages": joined_in_langchain,
    f"{PLUGIN}.JoinPages": joined_in_llama_index,
    "langchain_caesura.BM25Retriever": lambda text: langchain.BM25Retriever.from_texts([text]).invoke(text),
    "langchain_caesura.ParentDocumentRetriever": in_a_file(retrieved),
    "langchain_caesura.StaticEmbeddings": lambda text: langchain.StaticEmbeddings().embed_documents([text]),
    "langchain_caesura.ChunkEmbeddings": kept,
    "langchain_caesura.ScoredDocument": lambda text: hash(langchain.ScoredDocument(page_content=text, id=text)),
    "langchain_caesura.SQLiteDocumentStore": in_a_file(stored_documents),
    "langchain_caesura.AgenticSplitter": with_llm("AgenticSplitter", grouping="llm"),
    **{f"langchain_caesura.{name}": with_llm(name) for name in TRANSFORMERS},
    **{f"{PLUGIN}.{name}": of_llama_index(name, chunk_size=60) for name in (*SPLITTERS, "SemanticPercentileSplitter")},
    f"{PLUGIN}.SemanticSplitter": of_llama_index("SemanticSplitter", cut=OptimalCut(), tokenizer=list),
    f"{PLUGIN}.SemanticHierarchyParser": of_llama_index("SemanticHierarchyParser", chunk_sizes=[300, 60]),
    f"{PLUGIN}.BM25Retriever": lambda text: llama_index.BM25Retriever([TextNode(text=text)]).retrieve(text),
    f"{PLUGIN}.HierarchyIndex": indexed,
    f"{PLUGIN}.StaticEmbedding": lambda text: llama_index.StaticEmbedding().get_text_embedding(text),
    f"{PLUGIN}.SQLiteDocumentStore": in_a_file(stored_nodes),
    f"{PLUGIN}.AgenticSplitter": with_mock("AgenticSplitter", grouping="llm"),
    **{f"{PLUGIN}.{name}": with_mock(name) for name in TRANSFORMERS},
    "caesura_llm.propositions.Propositions": conversed(partial(Propositions, on_failure="keep")),
    "caesura_llm.propositions.as_sentences": lambda text: as_sentences([Passage(text)]),
    "caesura_llm.topics.Topics": conversed(
        lambda some: Topics([some[0].text], embed([some[0].text]), on_failure="keep")
    ),
    "caesura_llm.contexts.Contexts": conversed(lambda some: Contexts([ContextSource(some[0].text)], on_failure="keep")),
    "caesura_llm.grouping.by_embedding": grouped,
    "caesura_llm.representations.Representations": conversed(partial(Representations, on_failure="keep")),
    "caesura_llm.representations.questions": conversed(partial(questions, on_failure="keep")),
    "caesura_llm.journal.Journal": in_a_file(journalled),
    "langchain_caesura.ParentDocumentRetriever edits": in_a_file(edited),
    "langchain_caesura.ParentDocumentRetriever is asked": in_a_file(questioned),
    "langchain_caesura.ParentDocumentRetriever shortens": in_a_file(shortened),
    f"{PLUGIN}.HierarchyIndex edits": edited_index,
    f"{PLUGIN}.HierarchyIndex is asked": questioned_index,
}

NO_TEXT = """
caesura Background Batch CaesuraError Chunk EmbeddingError Limits SegmentError SettingError Span calibrate
caesura.errors ReplyError
caesura.hierarchy Nested by_sizes
caesura_documents.source_code find_language
caesura_retrieval.document_embedders DocumentEmbedder
caesura_testing Record check_cut odd_texts
caesura_lab FoundChunk FoundPassage Interval Page Question QuestionsError
caesura_lab Measured Scores Table Tuned embedder evaluate interpolated leads
caesura_lab WrittenQuestions paired_interval pk window window_diff
caesura_lab.reading ReadingError
caesura_llm.contexts ContextResult ContextSource
caesura_llm.conversation Conversation Failure Image Message Reply Request Schema Tally
caesura_llm.driver Driver Options
caesura_llm.grouping Topic
caesura_llm.journal Memory
caesura_llm.passages Passage
caesura_llm.prompts Prompt
caesura_llm.propositions PassageResult Proposition
caesura_llm.repair_ladder PassageSettings
caesura_llm.report Prices Report
caesura_llm.representations ChunkResult
llama_index.node_parser.caesura FoundNode
"""
"""What takes no text, or keeps it and does nothing with it."""
ELSEWHERE = """
caesura_documents.pdf from_pdf
caesura_documents.source_code Code
caesura_documents.spacy spacy_sentences spacy_vectors
caesura_retrieval.document_embedders embed_together
caesura_retrieval.late_chunking late_chunking late_rows
caesura_scale.files Part SplitFile
caesura_store.embedding_cache async_cached
caesura_testing acheck_adapter acheck_embedder check_adapter check_embedder check_segmenter check_sizer
caesura_lab PassageIndex plot plot_recalls write_questions
caesura_llm.document_vectors jina_vectors voyage_vectors
caesura_llm.openai async_openai_chat async_openai_vectors openai_chat openai_vectors
caesura_static LoadedEmbedder
langchain_caesura ContextualEmbeddings from_pdf
langchain_caesura.base BaseSemanticSplitter
langchain_caesura.transformers.llm_transformer LLMTransformer
llama_index.node_parser.caesura ContextualEmbedding MergingRetriever from_pdf spans_of
llama_index.node_parser.caesura.base BaseSemanticSplitter
llama_index.node_parser.caesura.transformers.llm_node_parser LLMNodeParser
"""
"""What another does the work of that has a probe, or that takes its time in another library."""
