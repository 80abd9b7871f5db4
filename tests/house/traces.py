"""How many of our files a small job goes through.

python tests/house/traces.py    prints for each job: files entered, stays (how often one is entered from another),
                                and returns to a file that was left

The second run of a job is traced, when all is imported and an embedder's background is known.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).parents[2]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "tests"))

from fakes.openai_server import OpenAIServer  # noqa: E402

OURS = tuple(f"{ROOT / folder}/" for folder in ("packages", "integrations"))
TEXT = """Yeast makes the dough rise, because it turns sugar into gas. A warm kitchen makes that quicker.

The moon pulls at the sea. So the water rises on the shore twice a day, and falls twice.
"""
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
    def files(self) -> list[str]:
        """Those entered, as paths in the repository."""
        return sorted(str(Path(name).relative_to(ROOT)) for name in self.entered)

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


def traced(job: Job) -> Trace:
    """A job -> the trace of its second run."""
    job()
    with tracing() as trace:
        job()
    return trace


def langchain_split() -> Iterator[Job]:
    from langchain_core.documents import Document

    from langchain_caesura import DoublePassSemanticSplitter

    splitter = DoublePassSemanticSplitter()
    yield lambda: splitter.split_documents([Document(TEXT)])


def llama_index_split() -> Iterator[Job]:
    from llama_index.core import Document

    from llama_index.node_parser.caesura import DoublePassSemanticSplitter

    splitter = DoublePassSemanticSplitter()
    yield lambda: splitter.get_nodes_from_documents([Document(text=TEXT)])


def langchain_propositions() -> Iterator[Job]:
    from langchain_core.documents import Document
    from langchain_openai import ChatOpenAI

    from langchain_caesura import PropositionTransformer

    with OpenAIServer() as server:
        transformer = PropositionTransformer(ChatOpenAI(model="m", base_url=server.url, api_key="any"))  # type: ignore[arg-type]
        yield lambda: transformer.transform_documents([Document(TEXT)])


def llama_index_propositions() -> Iterator[Job]:
    from llama_index.core import Document
    from llama_index.llms.openai_like import OpenAILike

    from llama_index.node_parser.caesura import PropositionTransformer

    with OpenAIServer() as server:
        llm = OpenAILike(model="m", api_base=server.url, api_key="any", is_chat_model=True)
        transformer = PropositionTransformer(llm=llm)
        yield lambda: transformer([Document(text=TEXT)])


def langchain_parents() -> Iterator[Job]:
    from langchain_core.documents import Document
    from langchain_core.stores import InMemoryStore
    from langchain_core.vectorstores import InMemoryVectorStore

    from langchain_caesura import ParentDocumentRetriever, SemanticHierarchySplitter, StaticEmbeddings

    retriever = ParentDocumentRetriever(
        vectorstore=InMemoryVectorStore(StaticEmbeddings()),
        docstore=InMemoryStore(),
        child_splitter=SemanticHierarchySplitter(chunk_sizes=(120, 60)),
    )
    numbers = count()
    yield lambda: retriever.add_documents([Document(TEXT, id=f"{next(numbers)}")])


JOBS: dict[str, tuple[Callable[[], Iterator[Job]], int]] = {
    "LangChain: split_documents of one text": (langchain_split, 31),
    "LlamaIndex: get_nodes_from_documents of one text": (llama_index_split, 37),
    "LangChain: PropositionTransformer, one text": (langchain_propositions, 28),
    "LlamaIndex: PropositionTransformer, one text": (llama_index_propositions, 53),
    "LangChain: ParentDocumentRetriever.add_documents of one document": (langchain_parents, 50),
}
"""Each job, and how many files it may go through at most."""


def main() -> None:
    print(f"{'':66} files  at most  stays  returns")
    for name, (jobs, most) in JOBS.items():
        for job in jobs():
            trace = traced(job)
            files = len(trace.files)
            print(f"{name:66} {files:5}  {most:7}  {trace.stays:5}  {trace.stays - files:7}")


if __name__ == "__main__":
    main()
