"""A writer and readers, stopped at every call of a store, or killed there: a reader gets one version, whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from fakes.langchain.retrievers import retriever
from fakes.langchain.splitters import Bag
from fakes.stores.stepped import Stepped, stopping_files, wait
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import RecursiveCharacterTextSplitter

from langchain_caesura import ParentDocumentRetriever, SQLiteDocumentStore

OLD = "Anna keeps bees.\nA jar of honey costs nine pounds.\nThe hives stand in the garden.\nKurt buys nine jars."
EDITS = {
    "edited": OLD.replace("nine", "eight"),
    "longer": f"Fog came in at night.\n{OLD.replace('nine', 'ten')}\nKurt likes honey.",
    "shorter": "A jar of honey costs eight pounds.",
    "metadata": OLD,
    "deleted": None,
}
OTHER = Document("The tide mill grinds the grain.", id="mill")
QUERY = "What does a jar of honey cost?"
LINES = RecursiveCharacterTextSplitter(chunk_size=40, chunk_overlap=0, separators=["\n"])


class Vectors(InMemoryVectorStore):
    """Stops before each call."""

    def add_documents(self, *args: Any, **kwargs: Any) -> list[str]:
        wait()
        return super().add_documents(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> None:
        wait()
        super().delete(*args, **kwargs)

    def similarity_search_with_score(self, *args: Any, **kwargs: Any) -> list[tuple[Document, float]]:
        wait()
        return super().similarity_search_with_score(*args, **kwargs)

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        wait()
        return super().get_by_ids(ids)


class Texts(InMemoryStore):
    """Stops before each call."""

    def mget(self, keys: Sequence[str]) -> list[Any]:
        wait()
        return super().mget(keys)

    def mset(self, key_value_pairs: Sequence[tuple[str, Any]]) -> None:
        wait()
        super().mset(key_value_pairs)

    def mdelete(self, keys: Sequence[str]) -> None:
        wait()
        super().mdelete(keys)


@pytest.fixture(autouse=True)
def stops(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with stopping_files(monkeypatch):
        yield


class Scene:
    """An index of two documents, of which a writer changes one, and what readers may find of it."""

    def __init__(self, folder: Path | None, edit: str) -> None:
        self.vectors, self.folder, self.edit, self.text = Vectors(Bag()), folder, edit, EDITS[edit]
        self.texts = Texts()
        self.made = self.open()
        self.made.add_documents([Document(OLD, id="bees"), OTHER])

    def open(self) -> ParentDocumentRetriever:
        """The index, as another process has it."""
        docstore = self.texts if self.folder is None else SQLiteDocumentStore(self.folder / "texts.db")
        return retriever(self.vectors, docstore=docstore, child_splitter=LINES, words=None, context=0.4, budget=400)

    def documents(self) -> list[Document]:
        """What the writer leaves."""
        metadata = {"kind": "offer"} if self.edit == "metadata" else {}
        return [OTHER, *([] if self.text is None else [Document(self.text, id="bees", metadata=metadata)])]

    def write(self) -> None:
        if self.text is None:
            self.made.delete(["bees"])
        else:
            self.made.add_documents(self.documents()[1:])

    def kept(self) -> tuple[list[str], int]:
        """The texts of all rows, and how many keys the document store has."""
        return sorted(row["text"] for row in self.vectors.store.values()), len([*self.made.docstore.yield_keys()])

    def read(self, made: ParentDocumentRetriever, budget: int | None) -> str | None:
        """What is found of the document; without a budget, if it is the nearest."""
        found = made.invoke(QUERY, budget=budget, **({} if budget else {"k": 1}))
        texts = [passage.page_content for passage in found if passage.page_content != OTHER.page_content]
        assert len(texts) <= 1, f"mixed: {texts}"
        return texts[0] if texts else None


Schedule = tuple[str, int | None, bool, list[int]]


def schedules(count: int) -> list[Schedule]:
    """An edit, a budget, whether in a file, and how many calls writer and readers make in turns."""
    random = Random(31)
    return [
        (
            random.choice([*EDITS]),
            random.choice([None, 400]),
            random.random() < 0.8,
            [random.randint(0, 9) for _ in range(6)],
        )
        for _ in range(count)
    ]


def interleave(folder: Path, schedule: Schedule) -> None:
    edit, budget, is_file, steps = schedule
    scene = Scene(folder if is_file else None, edit)
    others = [scene.made, scene.open()]
    writer = Stepped(scene.write)
    readers: list[Stepped] = []
    for number, calls in enumerate(steps):
        if number % 3 == 0:
            writer.step(calls)
            continue
        if len(readers) < 2:
            made = others[len(readers)]
            readers.append(Stepped(lambda made=made: scene.read(made, budget)))
        readers[number % 3 - 1].step(calls)
    writer.end()
    assert {reader.end() for reader in readers} <= {OLD, scene.text}
    assert scene.read(others[1], budget) == scene.text


def kill(folder: Path, edit: str, budget: int | None, at: int) -> bool:
    """Returns whether the writer had come to its end."""
    scene = Scene(folder, edit)
    writer = Stepped(scene.write)
    writer.step(at)
    is_done = writer.is_done
    writer.kill()
    made = scene.open()
    for _ in range(2):
        assert scene.read(made, budget) in (OLD, scene.text)
    scene.write()
    assert scene.read(made, budget) == scene.text
    assert made.mirror(scene.documents()) == (0, 0, len(scene.documents()), 0)
    fresh = Scene(None, edit)
    fresh.write()
    assert scene.kept() == fresh.kept()
    return is_done


@pytest.mark.parametrize("number", range(12))
def test_readers_of_a_document_that_is_written_get_one_version(number: int, tmp_path: Path) -> None:
    interleave(tmp_path, schedules(12)[number])


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(15))
def test_readers_get_one_version_in_1500_interleavings(part: int, tmp_path: Path) -> None:
    for number, schedule in enumerate(schedules(1500)[part::15]):
        interleave(tmp_path / str(number), schedule)


@pytest.mark.parametrize("edit", EDITS)
def test_after_a_kill_readers_get_one_version_and_the_next_write_mends_it(edit: str, tmp_path: Path) -> None:
    for at in (3, 7):
        kill(tmp_path / str(at), edit, 400, at)


@pytest.mark.thorough
@pytest.mark.parametrize("budget", [None, 400])
@pytest.mark.parametrize("edit", EDITS)
def test_after_a_kill_at_any_call_too(edit: str, budget: int | None, tmp_path: Path) -> None:
    at = 0
    while not kill(tmp_path / str(at), edit, budget, at):
        at += 1
    assert at > 5
