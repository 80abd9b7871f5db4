"""A document whose sentences are of four kinds in turn; and what of a document some chunks rest on."""

from __future__ import annotations

from langchain_core.documents import Document

from caesura_llm.spans import from_text

WORDS = ("Bread", "Tides", "Chess", "Copper")


def mixed(count: int = 24, name: str = "mixed", first: int = 0) -> Document:
    """Sentences of four kinds in turn."""
    text = " ".join(f"{WORDS[k % 4]} number {k} was seen." for k in range(first, first + count))
    return Document(text, id=name, metadata={"source": f"{name}.md", "title": "A mixture"})


def covered(document: Document, chunks: list[Document]) -> str:
    """What of a document its chunks rest on, without whitespace: what two rest on, twice."""
    own = [one for one in chunks if one.metadata["parent_id"] == document.id]
    spans = sorted(span for one in own for span in from_text(one.metadata["spans"]))
    return "".join("".join(document.page_content[a:b] for a, b in spans).split())
