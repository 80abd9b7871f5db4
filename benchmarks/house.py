"""The house in figures, for people to judge; nothing asserts them.

python benchmarks/house.py            lines by distribution and by part of the core, the longest functions, the trips
python benchmarks/house.py --files    the files of each trip, in the order of first entry, with the stays in each
python benchmarks/house.py --only upsert    the trips whose names have that word

A trip is what one call does in our own files: the files it enters, its *stays* (how often a file is entered from
another) and its *returns* (stays less files: how often it comes back to a file that it had left). The second call is
traced, when everything is imported and the embedder's background is known.
"""

from __future__ import annotations

import argparse
import ast
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from fakes.servers.openai_server import OpenAIServer  # noqa: E402

OURS = tuple(f"{ROOT / folder}/" for folder in ("packages", "integrations"))
TEXT = """Yeast makes the dough rise, because it turns sugar into gas. A warm kitchen makes that quicker.

The moon pulls at the sea. So the water rises on the shore twice a day, and falls twice.
"""
TEXTS = (" ".join(reversed(TEXT.split())), TEXT)
"""The same words, so that the rows of the first are not known for the second."""
Job = Callable[[], object]


class Trace:
    """Calls in, the files that they go through: each in the order of its thread."""

    def __init__(self) -> None:
        self.entered: dict[str, int] = {}
        self._last: dict[int, str] = {}

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        if event != "call":
            return
        name, thread = frame.f_code.co_filename, threading.get_ident()
        if name.startswith(OURS) and self._last.get(thread) != name:
            self._last[thread] = name
            self.entered[name] = self.entered.get(name, 0) + 1

    @property
    def stays(self) -> int:
        return sum(self.entered.values())


@contextmanager
def tracing() -> Iterator[Trace]:
    """Follows this thread and those that start meanwhile."""
    trace = Trace()
    before = sys.getprofile()
    threading.setprofile(trace)
    sys.setprofile(trace)
    try:
        yield trace
    finally:
        sys.setprofile(before)
        threading.setprofile(None)


def trace_second(job: Job) -> Trace:
    """A job -> the trace of its second run."""
    job()
    with tracing() as trace:
        job()
    return trace


def langchain_split() -> Iterator[Job]:
    """A text through LangChain's splitter."""
    from langchain_caesura import DoublePassSemanticSplitter

    splitter = DoublePassSemanticSplitter()
    yield lambda: splitter.split_text(TEXT)


def llama_index_pipeline() -> Iterator[Job]:
    """A document through LlamaIndex's pipeline."""
    from llama_index.core import Document
    from llama_index.core.ingestion import IngestionPipeline

    from llama_index.node_parser.caesura import DoublePassSemanticSplitter

    pipeline = IngestionPipeline(transformations=[DoublePassSemanticSplitter()], disable_cache=True)
    yield lambda: pipeline.run(documents=[Document(text=TEXT, id_="a")])


@contextmanager
def langchain_retriever() -> Iterator[Any]:
    """LangChain's retriever over stores in memory."""
    from langchain_core.stores import InMemoryStore
    from langchain_core.vectorstores import InMemoryVectorStore

    from langchain_caesura import ParentDocumentRetriever, StaticEmbeddings

    yield ParentDocumentRetriever(vectorstore=InMemoryVectorStore(StaticEmbeddings()), docstore=InMemoryStore())


def langchain_add() -> Iterator[Job]:
    """A document into LangChain's retriever."""
    from langchain_core.documents import Document

    texts = cycle(TEXTS)
    with langchain_retriever() as retriever:
        yield lambda: retriever.add_documents([Document(own := next(texts), id=own[:5])])


def langchain_invoke() -> Iterator[Job]:
    """A question to LangChain's retriever, two documents held."""
    from langchain_core.documents import Document

    with langchain_retriever() as retriever:
        retriever.add_documents([Document(TEXT, id="a"), Document(TEXT, id="b")])
        yield lambda: retriever.invoke("What pulls at the sea?", budget=1000)


def llama_index_upsert() -> Iterator[Job]:
    """A document into LlamaIndex's index."""
    from llama_index.core import Document, Settings

    from llama_index.node_parser.caesura import HierarchyIndex, StaticEmbedding

    Settings.embed_model = StaticEmbedding()
    index, texts = HierarchyIndex(), cycle(TEXTS)
    yield lambda: index.upsert([Document(text=(own := next(texts)), id_=own[:5])])


def llama_index_retrieve() -> Iterator[Job]:
    """A question to LlamaIndex's index, two documents held."""
    from llama_index.core import Document, Settings

    from llama_index.node_parser.caesura import HierarchyIndex, StaticEmbedding

    Settings.embed_model = StaticEmbedding()
    index = HierarchyIndex()
    index.upsert([Document(text=TEXT, id_="a"), Document(text=TEXT + TEXT, id_="b")])
    retriever = index.as_retriever(budget=200)
    yield lambda: retriever.retrieve("What pulls at the sea?")


def langchain_propositions() -> Iterator[Job]:
    """A document's propositions in LangChain, from a server of ours."""
    from langchain_core.documents import Document
    from langchain_openai import ChatOpenAI

    from langchain_caesura import PropositionTransformer

    with OpenAIServer() as server:
        transformer = PropositionTransformer(ChatOpenAI(model="m", base_url=server.url, api_key="any"))  # type: ignore[arg-type]
        yield lambda: transformer.transform_documents([Document(TEXT)])


def llama_index_propositions() -> Iterator[Job]:
    """A document's propositions in LlamaIndex, from a server of ours."""
    from llama_index.core import Document
    from llama_index.llms.openai_like import OpenAILike

    from llama_index.node_parser.caesura import PropositionTransformer

    with OpenAIServer() as server:
        llm = OpenAILike(model="m", api_base=server.url, api_key="any", is_chat_model=True)
        transformer = PropositionTransformer(llm=llm)
        yield lambda: transformer([Document(text=TEXT)])


TRIPS: dict[str, Callable[[], Iterator[Job]]] = {
    "LangChain: split_text": langchain_split,
    "LlamaIndex: pipeline.run with a splitter": llama_index_pipeline,
    "LangChain: ParentDocumentRetriever.add_documents": langchain_add,
    "LangChain: ParentDocumentRetriever.invoke(budget=)": langchain_invoke,
    "LlamaIndex: HierarchyIndex.upsert": llama_index_upsert,
    "LlamaIndex: HierarchyIndex retriever.retrieve": llama_index_retrieve,
    "LangChain: PropositionTransformer": langchain_propositions,
    "LlamaIndex: PropositionTransformer": llama_index_propositions,
}


def print_trips(only: str, files: bool) -> None:
    """Files, stays and returns of each trip."""
    print(f"\n{'trip':52} files  stays  returns")
    for name, jobs in TRIPS.items():
        if only not in name:
            continue
        for job in jobs():
            trace = trace_second(job)
            print(f"{name:52} {len(trace.entered):5}  {trace.stays:5}  {trace.stays - len(trace.entered):7}")
            if files:
                for path, stays in trace.entered.items():
                    print(f"    {stays:4}  {path.partition('/src/')[2]}")


def print_sizes() -> None:
    """Lines by distribution, and those of the core by its root and folders: files, lines, of them docstrings."""
    sources = sorted(path for top in ("packages", "integrations") for path in (ROOT / top).glob("*/src/**/*.py"))
    rooms: dict[str, list[Path]] = {}
    for path in sources:
        distribution = path.relative_to(ROOT).parts[1]
        rooms.setdefault(distribution, []).append(path)
        if distribution == "caesura":
            parts = path.relative_to(ROOT / "packages/caesura/src/caesura").parts
            rooms.setdefault(f"  caesura/{'/'.join(parts[:-1])}", []).append(path)
    print(f"{'':36} files  lines")
    for name, paths in rooms.items():
        print(f"{name:36} {len(paths):5}  {sum(len(path.read_text('utf-8').splitlines()) for path in paths):5}")
    print(f"{'all':36} {len(sources):5}  {sum(len(path.read_text('utf-8').splitlines()) for path in sources):5}")
    functions = [
        (node.end_lineno - node.lineno + 1, f"{path.as_posix().partition('/src/')[2]}:{node.lineno} {node.name}")
        for path in sources
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno
    ]
    print("\nthe ten longest functions, in lines")
    for length, name in sorted(functions, reverse=True)[:10]:
        print(f"{length:5}  {name}")


def main() -> None:
    """Prints the sizes, then the trips."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="WORD", help="the trips with this word in their names")
    parser.add_argument("--files", action="store_true", help="the files of each trip")
    options = parser.parse_args()
    if not options.only:
        print_sizes()
    print_trips(options.only, options.files)


if __name__ == "__main__":
    main()
