"""Who reads an index while another writes to it gets documents as they were or as they become."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from fakes.llama_index.indexes import index, texts
from fakes.llama_index.parsers import ARTICLE
from fakes.llama_index.retrievers import Fixed, scored, stored, tree
from llama_index.core import Document
from llama_index.core.schema import BaseNode
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import SimpleVectorStore

from llama_index.node_parser.caesura import HierarchyIndex, MergingRetriever, SQLiteDocumentStore

SHORT = "Bees make honey."
VERSIONS = [[Document(text=f"{SHORT} Version {number}.", id_="a")] for number in range(2)]
ARTICLES = [[Document(text=f"Version {number}. {ARTICLE}", id_="a")] for number in range(2)]


class Between:
    """Does something at one of the calls that it is told of, once."""

    def __init__(self) -> None:
        self.at, self.calls = -1, 0
        self.does: Callable[[], Any] = lambda: None

    def __call__(self) -> None:
        self.calls += 1
        if self.calls - 1 == self.at:
            self.does()


class Searched(SimpleVectorStore):
    """A vector store that tells of the end of every search."""

    tell: Any = None

    def query(self, *args: Any, **kwargs: Any) -> Any:
        found = super().query(*args, **kwargs)
        self.tell()
        return found


class Fetched(SimpleDocumentStore):
    """A document store that tells before a node is fetched, as an index's part of it does."""

    def __init__(self) -> None:
        super().__init__()
        self.tells: list[Between] = []

    def get_document(self, *args: Any, **kwargs: Any) -> Any:
        self.tells[0]()
        return super().get_document(*args, **kwargs)

    async def aget_document(self, *args: Any, **kwargs: Any) -> Any:
        self.tells[0]()
        return await super().aget_document(*args, **kwargs)


FERRIES = "The ferry leaves at nine from which pier?"


class Read(SimpleDocumentStore):
    """A document store that tells after a node of "a" was read, as an index's part of it does."""

    def __init__(self, *tells: Between) -> None:
        super().__init__()
        self.tells = tells

    def get_document(self, *args: Any, **kwargs: Any) -> Any:
        found = super().get_document(*args, **kwargs)
        if found is not None and found.ref_doc_id == "a":
            self.tells[0]()
        return found


def changing(write: Between, numbers: Iterator[int], **stores: Any) -> HierarchyIndex:
    """An index of two documents, the nearer of which `write` changes each time that it is told from now on."""
    made = index(**stores)

    def change() -> None:
        write.at = -1  # what is read in order to write
        made.upsert([Document(text=f"The ferry leaves at nine from the pier, version {next(numbers)}.", id_="a")])
        write.at = write.calls

    made.upsert([Document(text="A ferry also leaves the island in the late evening.", id_="b")])
    change()
    write.at, write.does = -1, change
    return made


def told(versions: Sequence[list[Document]], tell: Between) -> HierarchyIndex:
    """An index of the first version, that tells of what is read; `tell` updates it to the second."""
    vectors, nodes = Searched(), Fetched()
    vectors.tell, nodes.tells[:] = tell, [tell]
    made = index(vector_store=vectors, docstore=nodes)
    made.upsert(versions[0])
    tell.calls, tell.does = 0, lambda: made.upsert(versions[1])
    return made


@pytest.mark.thorough
@pytest.mark.parametrize("versions", [VERSIONS, ARTICLES])
@pytest.mark.parametrize("awaited", [False, True])
async def test_an_update_at_any_point_of_a_retrieval_is_no_error_and_leaves_something_to_find(
    versions: list[list[Document]], awaited: bool, caplog: pytest.LogCaptureFixture
) -> None:
    async def read(made: HierarchyIndex) -> list[str]:
        retriever = made.as_retriever(similarity_top_k=2)
        found = await retriever.aretrieve("Version honey") if awaited else retriever.retrieve("Version honey")
        return [each.text for each in found]

    counted = Between()
    await read(told(versions, counted))
    assert counted.calls > 1
    for at in range(counted.calls):
        between = Between()
        made = told(versions, between)
        between.at = at
        found = await read(made)
        assert between.calls > at
        assert found
        assert all(any(text in version[0].text for version in versions) for text in found)
        assert await read(made) == await read(told(versions[1:] * 2, Between()))
    assert "not in the docstore" not in caplog.text


@pytest.mark.parametrize(
    "later", [ARTICLES[1], [Document(text=ARTICLES[0][0].text, id_="a", metadata={"kind": "article"})]]
)
def test_a_document_is_found_at_every_point_of_its_update(later: list[Document]) -> None:
    class Watched(SimpleVectorStore):
        """Looks what can be found after every write."""

        seen: list[list[str]] = []  # noqa: RUF012 - pydantic copies it

        def add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
            ids = super().add(nodes, **kwargs)
            self.seen.append(list(self.data.embedding_dict))
            return ids

        def delete_nodes(self, *args: Any, **kwargs: Any) -> None:
            super().delete_nodes(*args, **kwargs)
            self.seen.append(list(self.data.embedding_dict))

    vectors = Watched()
    made = index(vector_store=vectors, docstore=SimpleDocumentStore())
    made.upsert(ARTICLES[0])
    before = len(vectors.seen[-1])
    vectors.seen.clear()
    made.upsert(later)
    assert vectors.seen
    assert all(len(seen) >= before - 1 for seen in vectors.seen)


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize("settings", [{"budget": 14}, {"budget": 14, "words": 0}, {"budget": None}])
async def test_a_document_that_changes_during_all_searches_hides_no_other(
    settings: dict[str, Any], awaited: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """Though it is the nearest, and its passage alone fills the budget."""
    write, numbers = Between(), count()
    made = changing(write, numbers, vector_store=SimpleVectorStore(), docstore=Read(write))
    retriever = made.as_retriever(similarity_top_k=1, **settings)
    for writes, wanted in ((False, "a"), (True, "b"), (False, "a")):
        write.at = write.calls if writes else -1
        found = await retriever.aretrieve(FERRIES) if awaited else retriever.retrieve(FERRIES)
        assert [each.node.ref_doc_id for each in found] == [wanted]
        assert ("document 'a' is left out: it changed during each of 6 searches" in caplog.text) == writes
        caplog.clear()


@pytest.mark.thorough
async def test_a_document_that_changes_in_a_file_during_all_searches_hides_no_other(tmp_path: Path) -> None:
    write, numbers = Between(), count()
    vectors = Searched()
    vectors.tell = write
    docstore = SQLiteDocumentStore(tmp_path / "nodes.db")
    made = changing(write, numbers, vector_store=vectors, docstore=docstore)
    retriever = made.as_retriever(14)
    assert [each.node.ref_doc_id for each in retriever.retrieve(FERRIES)] == ["a"]
    for awaited in (False, True):
        write.at = write.calls
        found = await retriever.aretrieve(FERRIES) if awaited else retriever.retrieve(FERRIES)
        assert [each.node.ref_doc_id for each in found] == ["b"]
    docstore.close()


def test_a_search_that_a_writer_broke_into_is_made_again() -> None:
    class Growing(SimpleVectorStore):
        """Is written to while it is searched, once."""

        tell: Any = None

        def query(self, *args: Any, **kwargs: Any) -> Any:
            for _ in self.data.embedding_dict:
                self.tell()
            return super().query(*args, **kwargs)

    tell, vectors = Between(), Growing()
    made = index(vector_store=vectors, docstore=SimpleDocumentStore())
    made.upsert(VERSIONS[0])
    vectors.tell, tell.at, tell.does = tell, 0, lambda: made.upsert([Document(text="Bread.", id_="b")])
    assert texts(made, "honey")[0] == VERSIONS[0][0].text


def test_a_search_that_fails_for_good_fails_as_it_did() -> None:
    class Changing(SimpleVectorStore):
        """Is written to by somebody else whenever it is searched."""

        def query(self, *args: Any, **kwargs: Any) -> Any:
            raise RuntimeError("dictionary changed size during iteration")

    made = index(vector_store=Changing(), docstore=SimpleDocumentStore())
    made.upsert(VERSIONS[0])
    with pytest.raises(RuntimeError, match="changed size"):
        texts(made, "honey")


def test_a_row_that_the_index_does_not_list_is_found_all_the_same() -> None:
    made = index()
    made.upsert(VERSIONS[0])
    made.index_struct.nodes_dict.clear()
    assert texts(made, "honey") == [VERSIONS[0][0].text]


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize("budget", [None, 1000])
async def test_a_row_whose_node_is_lost_is_left_out_and_the_others_are_found(budget: int | None, awaited: bool) -> None:
    made = index()
    made.upsert([*VERSIONS[0], Document(text="Knead the dough.", id_="b")])
    infos = made.docstore.get_all_ref_doc_info() or {}
    made.docstore.delete_document(infos["b"].node_ids[0])
    retriever = made.as_retriever(budget, similarity_top_k=1)
    found = await retriever.aretrieve("Knead dough") if awaited else retriever.retrieve("Knead dough")
    assert [each.text for each in found] == [VERSIONS[0][0].text]


def test_a_docstore_that_was_not_written_with_the_vector_store_is_told_of(caplog: pytest.LogCaptureFixture) -> None:
    vectors = SimpleVectorStore()
    index(vector_store=vectors, docstore=SimpleDocumentStore()).upsert(VERSIONS[0])
    assert texts(index(vector_store=vectors, docstore=SimpleDocumentStore()), "honey") == []
    assert "none of the 1 rows that were found is of a document of" in caplog.text


def test_a_missing_parent_is_told_of_when_two_searches_miss_it_with_what_helps(
    caplog: pytest.LogCaptureFixture,
) -> None:
    nodes = tree({"p": ["a", "b"], "q": ["c", "d"]})
    kept = {name: node for name, node in nodes.items() if name not in ("p", "q")}

    class Moving(Fixed):
        """Finds something else every time it is asked, in the end the same."""

        def _retrieve(self, query_bundle: Any) -> Any:
            found = super()._retrieve(query_bundle)
            self.found = scored(nodes, c=0.8)
            return found

    retriever = Moving(scored(nodes, a=0.9))
    with caplog.at_level(logging.WARNING):
        found = MergingRetriever(retriever, stored(kept)).retrieve("?")
    assert [each.node.node_id for each in found] == ["c"]
    assert len(retriever.queries) == 4
    assert "q, the parent of c" in caplog.text
    assert "p, the parent" not in caplog.text
    assert "delete_ref_doc(id) and upsert" in caplog.text
