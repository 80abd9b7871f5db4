"""embed_headings: small texts are embedded after their headings; words and what is returned do not know of it."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fakes.langchain.passages import lines, made
from fakes.langchain.retrievers import kept, parts, rows
from fakes.langchain.splitters import Bag, scattered
from fakes.langchain.stores import ClockedVectors
from fakes.texts.articles import article
from langchain_core.documents import Document
from langchain_text_splitters import RecursiveCharacterTextSplitter

from caesura.types import Chunk
from caesura_documents.chunk_metadata import ChunkMetadata
from caesura_documents.layout import LAYOUT
from caesura_retrieval.leaning import AROUND, lean
from langchain_caesura import (
    OptimalSemanticSplitter,
    ParentDocumentRetriever,
    SemanticHierarchySplitter,
    SQLiteDocumentStore,
)
from langchain_caesura.parents.words import word_index

SECTIONS = ["Fares", "Crews", "Ropes"]
ROWS = "".join(f"| boat {number} | {number} coins |\n" for number in range(30))


def sections(titles: list[str] = SECTIONS, rows: int = 20) -> Document:
    """A document of lines under headings, and one table under the last of them."""
    texts = [f"## {title}\n\n" + "\n".join(lines(rows, chr(97 + at))) for at, title in enumerate(titles)]
    table = f"| vessel | toll |\n|---|---|\n{ROWS}"
    return Document("\n\n".join(["# Ferries", *texts, table]), id="a", metadata={"source": "a"})


HEADINGS = ChunkMetadata.of(["headings", "table_header"])


def shown(retriever: Any, most: int = 10**6) -> list[str]:
    """What is to be embedded for each child, in the order of the text."""
    (part,) = parts(retriever)
    document = kept(retriever)[part.key]
    chunks = [Chunk(document.page_content[a:b], a, b) for a, b in zip(part.starts, part.ends, strict=True)]
    said = HEADINGS.describe(document.page_content, document.metadata, chunks, ())
    return [HEADINGS.headings_text(own, len, most) + chunk.text for own, chunk in zip(said, chunks, strict=True)]


def vectors(retriever: Any) -> np.ndarray[Any, Any]:
    (part,) = parts(retriever)
    return np.array([rows(retriever)[row]["vector"] for row, _ in part.rows()])


def small(**settings: Any) -> dict[str, Any]:
    splitter = RecursiveCharacterTextSplitter(chunk_size=200, chunk_overlap=0, separators=["\n"])
    return {"child_splitter": splitter, **settings}


@pytest.mark.parametrize("batch_size", [3, 1000])
@pytest.mark.parametrize("context", [0, 0.4])
async def test_a_row_is_that_of_the_headings_and_the_text(context: float, batch_size: int) -> None:
    settings = small(embed_headings=True, context=context, batch_size=batch_size)
    model = Bag(scattered)
    one, other = made(ClockedVectors(model), **settings), made(**settings)
    one.add_documents([sections()])
    await other.aadd_documents([sections()])
    texts = shown(one, 50)
    assert sum(text.startswith("Ferries > Ropes\n| vessel | toll |\n| boat") for text in texts) > 2
    assert set(texts) == set(model.texts)
    expected = np.array(scattered(texts), np.float32)
    assert np.allclose(vectors(one), lean(expected, context) if context else expected, atol=1e-5)
    assert np.array_equal(vectors(one), vectors(other))
    document = kept(one)[parts(one)[0].key]
    assert all(row["text"] in document.page_content for row in rows(one).values())


def test_words_are_found_in_headings_whether_they_are_embedded_or_not_and_passages_have_none() -> None:
    one, plain = made(embed_headings=True, **small()), made(**small())
    for retriever in (one, plain):
        retriever.add_documents([sections()])
    indexes = [word_index(retriever.docstore, retriever.owner.name) for retriever in (one, plain)]
    words, others = ([*index.search("Sailors vessel c7 tide").scores.values()] for index in indexes)
    assert words == others != []
    for found in one.invoke("c7 tide deck"):
        start, end = found.metadata["start_index"], found.metadata["end_index"]
        assert sections().page_content[start:end] == found.page_content
        assert found.metadata.keys() == {"source", "start_index", "end_index", "title"}


@pytest.mark.parametrize("context", [0, 0.4])
def test_an_edited_heading_embeds_what_stands_under_it_again(context: float) -> None:
    model = Bag(scattered)
    store = ClockedVectors(model)
    one = made(store, embed_headings=True, context=context, **small())
    one.add_documents([sections()])
    before, texts = {row: own["vector"] for row, own in rows(one).items()}, shown(one, 50)
    model.calls.clear()
    one.add_documents([sections()])
    assert model.calls == []
    one.add_documents([sections(["Fares", "Sailors", "Ropes"])])
    under = [text for text in shown(one, 50) if text not in texts]
    assert {text for text in model.texts if text not in texts} == set(under)
    assert sum(text.startswith("Ferries > Sailors\n") for text in under) > 1
    changed = [own["vector"] != before.get(row) for row, own in rows(one).items()]
    assert sum(changed) == store.written[-1] <= len(under) + 1 + 2 * AROUND * (context > 0)
    fresh = made(embed_headings=True, context=context, **small())
    fresh.add_documents([sections(["Fares", "Sailors", "Ropes"])])
    assert np.allclose(vectors(one), vectors(fresh), atol=1e-6)


@pytest.mark.parametrize("context", [0, 0.4])
def test_the_setting_changes_vectors_and_no_row(context: float) -> None:
    one = made(context=context, embed_headings=False, **small())
    one.add_documents([sections()])
    ids, before = set(rows(one)), vectors(one)
    other = one.model_copy(update={"embed_headings": True})
    other.add_documents([sections()])
    assert set(rows(one)) == ids
    assert not np.allclose(vectors(other), before)
    one.add_documents([sections()])
    assert np.allclose(vectors(one), before)


def test_where_vectors_lean_headings_are_embedded_too() -> None:
    for context, embedded in ((0.4, True), (0, False)):
        one, said = made(context=context, **small()), made(context=context, embed_headings=embedded, **small())
        one.add_documents([sections()])
        said.add_documents([sections()])
        assert np.allclose(vectors(one), vectors(said))


@pytest.mark.parametrize("kind", ["children", "parents", "hierarchy"])
def test_headings_and_a_child_of_ours_together_fit_the_limit(kind: str) -> None:
    child: Any = OptimalSemanticSplitter(chunk_size=200, target_size=190)
    parent = None
    if kind == "parents":
        parent = OptimalSemanticSplitter(chunk_size=600)
    if kind == "hierarchy":
        child = SemanticHierarchySplitter(chunk_sizes=(600, 200))
    model = Bag(scattered)
    one = made(ClockedVectors(model), embed_headings=True, child_splitter=child, parent_splitter=parent)
    long = Document(f"# Ferries\n\n{article(30)}\n\n## Fares of the harbour\n\n{article(30, 2)}", id="a")
    one.add_documents([long])
    assert set(shown(one, 50)) == set(model.texts)
    assert max(map(len, model.texts)) <= 200
    assert sum(text.startswith("Ferries > Fares of the harbour\n") for text in model.texts) > 8


def test_headings_of_a_layout_are_embedded_and_a_new_layout_writes_them_again() -> None:
    plain = "\n".join(lines(30))
    layouts = [
        [{"start": 0, "headings": ["Ropes"]}, {"start": plain.index("\n14 ") + 1, "headings": [name]}]
        for name in ("Masts", "Tides")
    ]
    model = Bag(scattered)
    one = made(ClockedVectors(model), embed_headings=True, context=0, **small())
    for layout, name in zip(layouts, ("Masts", "Tides"), strict=True):
        model.calls.clear()
        one.add_documents([Document(plain, id="a", metadata={LAYOUT: layout})])
        assert {text.partition("\n")[0] for text in shown(one, 50)} == {"Ropes", name}
        assert {text for text in shown(one, 50) if name in text} <= set(model.texts)
    assert not any("Ropes" in text for text in model.texts)


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ValueError, match=r"embed_headings=True is for what a child_splitter cuts"):
        made(embed_headings=True, child_splitter=None)
    with pytest.raises(ValueError, match=r"metadata=\['headings'\] of the splitters.*passage_metadata"):
        made(child_splitter=OptimalSemanticSplitter(metadata=["headings"]))
    with pytest.raises(ValueError, match=r"passage_metadata cannot have \['chunk_index', 'next_id'\]"):
        made(passage_metadata=["next_id", "headings", "chunk_index"])
    with pytest.raises(ValueError, match=r"passage_metadata must be names.*got 'headings': pass \['headings'\]"):
        made(passage_metadata="headings")
    with pytest.raises(ValueError, match=r"LangChain shows its callbacks.*passage_metadata"):
        made(metadata=["headings"])
    assert made(metadata={"run": "x"}, passage_metadata={"headings": "section"}).metadata == {"run": "x"}


def test_a_store_that_hides_its_model_is_told_of_by_the_setting() -> None:
    class Hidden(ClockedVectors):
        embeddings = property(lambda self: None)

    def build(**settings: Any) -> ParentDocumentRetriever:
        return made(Hidden(Bag(scattered)), **small(), **settings)  # type: ignore[no-any-return]

    with pytest.warns(UserWarning, match="hides its embeddings.*set context=0 and embed_headings=False"):
        build(embed_headings=True)
    with pytest.warns(UserWarning, match="set embed_headings=False"):
        build(embed_headings=True, context=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        build(context=0)


@pytest.mark.parametrize("settings", [{}, {"embed_headings": True}, {"child_splitter": SemanticHierarchySplitter()}])
def test_a_lone_surrogate_in_a_heading_keeps_no_document_out(settings: dict[str, Any], tmp_path: Path) -> None:
    retriever = ParentDocumentRetriever(
        vectorstore=ClockedVectors(Bag()), docstore=SQLiteDocumentStore(tmp_path / "texts.db"), **settings
    )
    odd = Document("# Prices \ud83d\n\nBees swarm.", id="odd", metadata={"title": "\ud83d"})
    retriever.add_documents([Document("# Tides\n\nBoats sail.", id="plain"), odd])
    assert retriever.invoke("prices")[0].page_content == odd.page_content
