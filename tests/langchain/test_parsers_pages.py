"""Pages that a loader gave become one document, of which an edit of a page is an edit."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import pytest
from fakes.documents import report
from fakes.documents.pdf import pdf_bytes
from fakes.langchain.retrievers import kept, retriever, rows
from langchain_community.document_loaders import PyPDFLoader
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_text_splitters import RecursiveCharacterTextSplitter

from caesura.errors import SettingError
from langchain_caesura import DoublePassSemanticSplitter, StaticEmbeddings, join_pages

LAYOUT = "caesura_layout"


def pages(*texts: str, source: str | None = "a.pdf", **metadata: Any) -> list[Document]:
    named = {"source": source, **metadata} if source else metadata
    return [Document(text, metadata={**named, "page": number}) for number, text in enumerate(texts)]


class Kept(Embeddings):
    """Keeps what it was asked."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.texts += texts
        return StaticEmbeddings().embed_documents(texts)

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


def test_a_pdf_of_40_pages_is_one_text_with_every_page_at_its_place(tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(pdf_bytes(report.PAGES))
    loaded = PyPDFLoader(str(path)).load()
    (joined,) = join_pages(loaded)
    texts = {page.metadata["page"] + 1: page.page_content for page in loaded}
    report.check_joined(joined.page_content, joined.metadata[LAYOUT], texts)
    assert joined.id == joined.metadata["source"] == str(path)
    assert joined.metadata.keys() == {"source", LAYOUT}
    for key in ("page", "page_label"):
        assert [entry["page"] for entry in join_pages(loaded, page=key)[0].metadata[LAYOUT]] == [*range(1, 41)]
    assert [entry["label"] for entry in joined.metadata[LAYOUT]] == [str(number) for number in range(1, 41)]


def test_a_hyphenated_word_is_embedded_whole_and_its_chunk_is_the_text_as_it_is(tmp_path: Path) -> None:
    (joined,) = join_pages(pages("The divers found an exam-", "ple of a bell. It was made of bronze."))
    embeddings = Kept()
    chunks = DoublePassSemanticSplitter(embeddings, add_start_index=True).split_documents([joined])
    assert "The divers found an example of a bell." in embeddings.texts
    assert "".join(chunk.page_content for chunk in chunks).startswith("The divers found an exam-\nple of a bell.")


def test_metadata_that_pages_share_is_copied() -> None:
    given = pages("one", "two", title=["T"], size=1)
    given[1].metadata["size"] = 2
    (joined,) = join_pages(given)
    assert joined.metadata == {"source": "a.pdf", "title": ["T"], LAYOUT: joined.metadata[LAYOUT]}
    joined.metadata["title"].append("x")
    assert given[0].metadata == {"source": "a.pdf", "title": ["T"], "size": 1, "page": 0}


def test_sources_stay_apart_and_documents_alone_stay_as_they_are() -> None:
    alone = [Document("x", id="x"), Document("y", metadata={"source": "y.md"}), Document("z")]
    found = join_pages([*pages("one", "two"), alone[0], *pages("three", source="b.pdf"), *alone[1:]])
    assert [one.page_content for one in found] == ["one\ntwo", "x", "three", "y", "z"]
    assert [one.id for one in found] == ["a.pdf", "x", "b.pdf", None, None]
    assert all(any(one is other for other in found) for one in alone)
    assert join_pages(found) == found
    assert join_pages([]) == []


def test_scanned_pages_are_told_of() -> None:
    with pytest.warns(UserWarning, match=r"no text in 'a.pdf' \(2 pages\), .*read them with OCR first$") as told:
        (joined,) = join_pages(pages("", " \n"))
    assert (joined.page_content, told[0].filename) == ("", __file__)


def test_form_feeds_part_pages() -> None:
    found = join_pages([Document("one\ftwo\f", id="i"), Document("x\fy", id="j", metadata={"source": "x.txt"})])
    assert [(one.id, one.page_content, len(one.metadata[LAYOUT])) for one in found] == [
        ("i", "one\ntwo", 2),
        ("x.txt", "x\ny", 2),
    ]


def test_another_key_tells_two_files_of_one_name_apart() -> None:
    given = [*pages("one", "two", folder="a"), *pages("three", "four", folder="b")]
    with pytest.raises(SettingError, match=r"page 0 of the source 'a.pdf' came twice, .* source=…"):
        join_pages(given)
    assert [one.id for one in join_pages(given, source="folder")] == ["a", "b"]


def test_what_is_no_list_of_documents_is_refused() -> None:
    with pytest.raises(SettingError, match="documents must be a list of Document"):
        join_pages("a.pdf")  # type: ignore[arg-type]


@pytest.mark.parametrize("key", [None, "source"])
def test_an_edit_of_a_page_is_an_edit_of_its_document(key: str | None) -> None:
    """Another number of pages too, and another date."""
    texts = [" ".join(report.body(number)) for number in (1, 2, 3)]
    settings: dict[str, Any] = {"source_id_key": key, "child_splitter": DoublePassSemanticSplitter(chunk_size=120)}
    made, fresh = retriever(**settings), retriever(**settings)
    made.add_documents(join_pages(pages(*texts, date=1)))
    before = rows(made)
    edited = join_pages(pages("A whale was seen in the harbour.", *texts[1:], "The end came soon.", date=1))
    made.add_documents(edited)
    fresh.add_documents(edited)
    assert rows(made) == rows(fresh)
    assert kept(made) == kept(fresh)
    assert len(before.keys() & rows(made).keys()) > len(before) // 3
    made.add_documents(join_pages(pages(*texts, date=2)))
    assert {row["metadata"]["date"] for row in rows(made).values()} == {2}


def test_a_chunk_keeps_its_id_where_another_page_begins_elsewhere() -> None:
    splitter = DoublePassSemanticSplitter(chunk_size=100, target_size=None)
    texts = [" ".join(report.body(number)) for number in (1, 2)]
    first, second = (join_pages(pages(added, *texts))[0] for added in ("One.", "One. Two was longer than one."))
    for one in (first, second):
        one.id = None  # as of a store that has forgotten it
    ids = [{chunk.id for chunk in splitter.split_documents([one])} for one in (first, second)]
    assert len(ids[0] & ids[1]) > len(ids[0]) // 2


def test_chunks_of_another_splitter_have_no_layout_which_vector_stores_refuse() -> None:
    (document,) = join_pages(pages("The tide mill stands in the inlet.", "Anna sells the honey at the market."))
    chunks = RecursiveCharacterTextSplitter(chunk_size=20, chunk_overlap=0).split_documents([document])
    assert [chunk.metadata for chunk in chunks] == [{"source": "a.pdf"}] * len(chunks)
    for whole in (
        document,
        *copy.deepcopy([document]),
        document.model_copy(deep=True),
        pickle.loads(pickle.dumps(document)),
    ):
        assert LAYOUT in whole.metadata
        assert LAYOUT not in copy.deepcopy(whole.metadata)


def test_chunks_of_another_splitter_are_added_without_the_layout_of_the_file() -> None:
    (joined,) = join_pages(pages("The tide mill stands in the inlet.", "Anna sells the honey at the market."))
    splitter = RecursiveCharacterTextSplitter(chunk_size=20, chunk_overlap=0)
    chunks = splitter.split_documents([Document(joined.page_content, metadata=joined.metadata)])  # plain metadata
    own = retriever(child_splitter=splitter)
    with pytest.warns(UserWarning, match=f"^{len(chunks)} texts have the layout of a longer one.*child_splitter"):
        own.add_documents(chunks)
    assert all(LAYOUT in chunk.metadata for chunk in chunks)
    assert not any(LAYOUT in text.metadata for text in kept(own).values())
    assert sorted(text.page_content for text in kept(own).values()) == sorted(each.page_content for each in chunks)
