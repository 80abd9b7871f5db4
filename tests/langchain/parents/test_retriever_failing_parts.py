"""An embedder that fails, a batch among many, a cancelled call, and stores that refuse or take ids of their own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from fakes.langchain.failures import CUT, OLD, clocked, expected, state
from fakes.langchain.retrievers import kept, retriever, rows, sound
from fakes.langchain.splitters import Bag
from fakes.langchain.stores import BrokenError, ClockedVectors
from langchain_core.documents import Document
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import CharacterTextSplitter

from caesura.errors import SettingError
from langchain_caesura import ParentDocumentRetriever, SQLiteDocumentStore, StaticEmbeddings
from langchain_caesura.parents.rows import PROBE


def test_an_embedder_that_fails_leaves_nothing_that_is_found() -> None:
    class Failing(Bag):
        def embed_documents(self, texts: list[str]) -> object:
            raise BrokenError

    made = retriever(ClockedVectors(Failing()), **CUT)
    with pytest.raises(BrokenError):
        made.add_documents(OLD)
    assert rows(made) == {}
    made.vectorstore.embedding = Bag()
    made.add_documents(OLD)
    assert state(made) == expected(ClockedVectors, OLD)


@pytest.mark.parametrize("context", [0.0, 0.4])
def test_rows_that_came_before_a_failing_call_are_not_asked_for_again(context: float) -> None:
    class Down(Bag):
        turn = 0
        answered: list[str] = []  # noqa: RUF012 - of this test alone

        def embed_documents(self, texts: list[str]) -> object:
            self.turn += PROBE not in texts
            if self.turn == 3:
                self.turn += 1
                raise BrokenError
            self.answered += texts
            return super().embed_documents(texts)

    model = Down()
    cut = CharacterTextSplitter(separator=" ", chunk_size=6, chunk_overlap=0)
    made = ParentDocumentRetriever(
        vectorstore=InMemoryVectorStore(model),
        docstore=InMemoryStore(),
        child_splitter=cut,
        context=context,
        batch_size=4,
    )
    ships = Document(" ".join(f"ship{number:02}" for number in range(20)), id="a")
    with pytest.raises(BrokenError):
        made.add_documents([ships])
    before = len(model.answered)
    made.add_documents([ships])
    assert before > 4
    assert len(model.answered) == len({*model.answered}) == 21


def test_many_documents_fail_by_the_batch_and_go_on_where_they_stopped() -> None:
    many = [Document(f"The ship number{number} sails.", id=str(number)) for number in range(450)]
    made, clock = clocked(ClockedVectors)
    clock.at = 60
    with pytest.raises(BrokenError):
        made.add_documents(many)
    done = len(rows(made))
    assert 200 <= done < 450
    assert sound(made)
    embedded = len(made.vectorstore.embedding.texts)
    made.add_documents(many)
    assert len(kept(made)) == len(rows(made)) == 450
    assert len(made.vectorstore.embedding.texts) - embedded <= 450 - done


def test_a_store_that_says_it_did_not_delete_keeps_its_parents() -> None:
    class Refusing(ClockedVectors):
        def delete(self, ids: Any = None, **kwargs: Any) -> Any:
            return False

    made = retriever(Refusing(Bag()), **CUT)
    made.add_documents(OLD)
    with pytest.raises(RuntimeError, match="did not delete"):
        made.delete(["doc-0"])
    assert sound(made)
    assert len(rows(made)) == len(expected(ClockedVectors, OLD)[0])


def test_a_store_that_takes_ids_of_its_own_is_refused() -> None:
    class Own(ClockedVectors):
        def add_documents(self, documents: list[Document], ids: Any = None, **kwargs: Any) -> list[str]:
            return super().add_documents(documents, [f"own-{one}" for one in ids])

    with pytest.raises(ValueError, match="Own gave rows ids of its own, such as 'own-"):
        retriever(Own(Bag()), **CUT).add_documents(OLD)


async def test_a_retriever_can_be_made_while_another_fills_the_same_file(tmp_path: Path) -> None:
    begun, goes_on = asyncio.Event(), asyncio.Event()

    class Slow(StaticEmbeddings):
        async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
            if texts != [PROBE]:
                begun.set()
                await goes_on.wait()
            return self.embed_documents(texts)

    def made() -> ParentDocumentRetriever:
        return ParentDocumentRetriever(vectorstore=vectors, docstore=SQLiteDocumentStore(tmp_path / "texts.db"))

    vectors = InMemoryVectorStore(Slow())
    writing = asyncio.create_task(made().aadd_documents([Document("The tide mill stands in the inlet.", id="a")]))
    await begun.wait()
    other = made()  # in the event loop that the writer needs to go on
    with pytest.raises(SettingError, match=r"await the async method, such as adelete\(\)"):
        other.delete(["a"])
    goes_on.set()
    assert await writing == ["a"]
    assert [found.page_content for found in await other.ainvoke("mill")] == ["The tide mill stands in the inlet."]


async def test_what_is_added_after_a_cancelled_call_stays() -> None:
    begun, goes_on, is_slow = threading.Event(), threading.Event(), [False]

    class Vectors(InMemoryVectorStore):
        def delete(self, ids: Sequence[str] | None = None, **_: Any) -> None:
            if is_slow[0]:
                is_slow[0] = False
                begun.set()
                goes_on.wait(600)
            super().delete(ids)

        async def adelete(self, ids: Sequence[str] | None = None, **_: Any) -> None:
            await asyncio.to_thread(self.delete, ids)

    made = ParentDocumentRetriever(vectorstore=Vectors(StaticEmbeddings()), docstore=InMemoryStore())

    async def add(text: str) -> None:
        await made.aadd_documents([Document(text, id="a")])

    await add("The mill grinds wheat.")
    is_slow[0] = True
    cancelled = asyncio.create_task(add("The mill grinds rye."))
    await asyncio.to_thread(begun.wait)
    cancelled.cancel()
    again = asyncio.create_task(add("The mill grinds wheat."))
    await asyncio.sleep(0.05)
    goes_on.set()
    await asyncio.gather(cancelled, again, return_exceptions=True)
    assert cancelled.cancelled()
    assert [found.page_content for found in made.invoke("mill")] == ["The mill grinds wheat."]


def test_langchains_index_finds_again_what_the_vector_store_did_not_delete() -> None:
    class Vectors(InMemoryVectorStore):
        is_down = False

        def delete(self, ids: Sequence[str] | None = None, **_: Any) -> None:
            if self.is_down:
                raise ConnectionError
            super().delete(ids)

    vectors = Vectors(StaticEmbeddings())
    made = ParentDocumentRetriever(vectorstore=vectors, docstore=InMemoryStore())
    records = InMemoryRecordManager("notes")
    records.create_schema()
    honey = Document("Anna sells honey.", metadata={"source": "a"})
    bread = Document("Kurt bakes bread.", metadata={"source": "b"})

    def write(*documents: Document) -> Any:
        return index(documents, records, made, cleanup="full", source_id_key="source", key_encoder="sha256")

    write(honey, bread)
    vectors.is_down = True
    with pytest.raises(ConnectionError):
        write(bread)
    vectors.is_down = False
    assert write(honey, bread)["num_skipped"] == 2
    assert "Anna sells honey." in [found.page_content for found in made.invoke("honey")]
