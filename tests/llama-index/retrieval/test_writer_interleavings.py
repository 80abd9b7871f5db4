"""A writer and readers, stopped at every call of a store, or killed there: a reader gets one version, whole."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from fakes.llama_index.embeddings import Words
from fakes.llama_index.indexes import index, parser
from fakes.stores.stepped import Stepped, stopping_files, wait
from llama_index.core import Document
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.storage.kvstore import SimpleKVStore
from llama_index.core.vector_stores import SimpleVectorStore

from llama_index.node_parser.caesura import HierarchyIndex, SQLiteDocumentStore

OLD = "Anna keeps bees. A jar of honey costs nine pounds. The hives stand in the garden. Kurt buys nine jars."
EDITS = {
    "edited": OLD.replace("nine", "eight"),
    "longer": f"Fog came in at night. {OLD.replace('nine', 'ten')} Kurt likes honey.",
    "shorter": "A jar of honey costs eight pounds.",
    "metadata": OLD,
    "deleted": None,
}
OTHER = Document(text="The tide mill grinds the grain.", id_="mill")
QUERY = "What does a jar of honey cost?"


class Vectors(SimpleVectorStore):
    """Stops before each call."""

    def add(self, *args: Any, **kwargs: Any) -> Any:
        wait()
        return super().add(*args, **kwargs)

    def delete_nodes(self, *args: Any, **kwargs: Any) -> None:
        wait()
        super().delete_nodes(*args, **kwargs)

    def query(self, *args: Any, **kwargs: Any) -> Any:
        wait()
        return super().query(*args, **kwargs)


class Entries(SimpleKVStore):
    """Stops before each look. A commit in memory is no call of a store."""

    def get(self, *args: Any, **kwargs: Any) -> Any:
        wait()
        return super().get(*args, **kwargs)


@pytest.fixture(autouse=True)
def stops(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with stopping_files(monkeypatch):
        yield


class Scene:
    """An index of two documents, of which a writer changes one, and what readers may find of it."""

    def __init__(self, folder: Path | None, edit: str) -> None:
        self.vectors, self.folder = Vectors(), folder
        self.entries = SimpleDocumentStore(Entries())
        self.edit, self.text = edit, EDITS[edit]
        self.index = self.open()
        self.index.upsert([Document(text=OLD, id_="bees"), OTHER])

    def open(self) -> HierarchyIndex:
        """The index, as another process has it."""
        docstore = self.entries if self.folder is None else SQLiteDocumentStore(self.folder / "nodes.db")
        model, levels = Words(), [parser(chunk_sizes=[100, 14])]
        return index(vector_store=self.vectors, docstore=docstore, embed_model=model, transformations=levels)

    def documents(self) -> list[Document]:
        """What the writer leaves."""
        metadata = {"kind": "offer"} if self.edit == "metadata" else {}
        return [OTHER, *([] if self.text is None else [Document(text=self.text, id_="bees", metadata=metadata)])]

    def write(self) -> None:
        if self.text is None:
            self.index.delete_ref_doc("bees")
        else:
            self.index.upsert(self.documents()[1:])

    def read(self, made: HierarchyIndex, budget: int | None) -> str | None:
        """What is found of the document; without a budget, of its nearest leaf."""
        if budget is None:
            found = made.as_retriever(None, similarity_top_k=1, merge_ratio=1).retrieve(QUERY)
        else:
            found = made.as_retriever(budget).retrieve(QUERY)
        texts = [each.text for each in found if each.node.ref_doc_id == "bees"]
        assert len(texts) <= 1, f"mixed: {texts}"
        return texts[0] if texts else None

    def check(self, found: str | None, budget: int | None, wanted: tuple[str | None, ...]) -> None:
        """Holds that what was found is one of these versions: with a budget all of it, else a part."""
        is_one = (
            found in wanted if budget else any(found == text or (found and text and found in text) for text in wanted)
        )
        assert is_one, f"{found!r} of {wanted!r}"


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
    others = [scene.index, scene.open() if is_file else scene.index]
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
    for reader in readers:
        scene.check(reader.end(), budget, (OLD, scene.text))
    scene.check(scene.read(others[1], budget), budget, (scene.text,))


def kill(folder: Path, edit: str, budget: int | None, at: int) -> bool:
    """Returns whether the writer had come to its end."""
    scene = Scene(folder, edit)
    writer = Stepped(scene.write)
    writer.step(at)
    is_done = writer.is_done
    writer.kill()
    made = scene.open()
    for _ in range(2):
        scene.check(scene.read(made, budget), budget, (OLD, scene.text))
    scene.write()
    scene.check(scene.read(made, budget), budget, (scene.text,))
    fresh = index(embed_model=Words(), transformations=[parser(chunk_sizes=[100, 14])])
    fresh.upsert(scene.documents())
    ours, theirs = scene.vectors.data.embedding_dict, fresh.vector_store.data.embedding_dict
    assert ours.keys() == theirs.keys()
    assert made.docstore.docs.keys() == fresh.docstore.docs.keys()
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
