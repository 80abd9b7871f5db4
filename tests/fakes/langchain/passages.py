"""A retriever at its defaults over exact stores in memory, what it would cut, and how passages lie in documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fakes.langchain.retrievers import parts
from fakes.langchain.splitters import Bag, scattered
from fakes.langchain.stores import ClockedDocuments, ClockedVectors
from langchain_core.documents import Document
from langchain_core.vectorstores import VectorStore
from langchain_text_splitters import RecursiveCharacterTextSplitter

from langchain_caesura import ParentDocumentRetriever, ScoredDocument

LINES = RecursiveCharacterTextSplitter(chunk_size=1, chunk_overlap=0, separators=["\n"], keep_separator=False)


def made(vectors: VectorStore | None = None, **settings: Any) -> Any:
    """A retriever whose children are lines, and all else as it is by default."""
    settings = {"docstore": ClockedDocuments(), "child_splitter": LINES, **settings}
    return ParentDocumentRetriever(vectorstore=vectors or ClockedVectors(Bag(scattered)), **settings)


def lines(count: int, word: str = "", start: int = 0) -> list[str]:
    """Lines of 40 characters or a few less, no two alike."""
    words = ["harbour", "cargo", "anchor", "sailor", "deck", "crew", "hull", "rope", "mast", "tide"]
    return [
        f"{word}{number} {words[number % 10]} {words[number * 7 % 10]} {words[number // 10 % 10]}"
        for number in range(start, start + count)
    ]


def document(name: str, rows: Sequence[str], **metadata: Any) -> Document:
    return Document("\n".join(rows), id=name, metadata={"source": name, **metadata})


def spans(found: Sequence[Document], texts: dict[str, str]) -> list[tuple[str, int, int]]:
    """Passages -> where they lie, each an exact slice of its document."""
    places = []
    for one in found:
        assert isinstance(one, ScoredDocument)
        name, start, end = (one.metadata[key] for key in ("source", "start_index", "end_index"))
        assert texts[name][start:end] == one.page_content
        assert one.matches
        for match in one.matches:
            assert texts[name][match["start_index"] : match["end_index"]] == match["text"]
            assert start <= match["start_index"] < match["end_index"] <= end
        places.append((name, start, end))
    return places


def left_out(retriever: Any, places: Sequence[tuple[str, int, int]], budget: int, most: int | None) -> list[str]:
    """The children that would fit beside these passages, joined with their neighbours."""
    spare = budget - sum(end - start for _, start, end in places)
    fitting = []
    for part in parts(retriever):
        text = retriever.docstore.store[part.key]
        own = [(start, end) for name, start, end in places if name == text.metadata["source"]]
        inside = [
            any(low <= start and end <= high for low, high in own)
            for start, end in zip(part.starts, part.ends, strict=True)
        ]
        for at, there in enumerate(inside):
            if not there:
                low, high = part.starts[at], part.ends[at]
                beside = [at + step for step in (-1, 1) if 0 <= at + step < len(inside) and inside[at + step]]
                joined = {span for span in own for each in beside if span[0] <= part.starts[each] < span[1]}
                more = max([high, *(end for _, end in joined)]) - min([low, *(start for start, _ in joined)])
                more -= sum(end - start for start, end in joined)
                if more <= spare and (joined or most is None or len(places) < most):
                    fitting.append(text.page_content[low:high])
    return fitting
