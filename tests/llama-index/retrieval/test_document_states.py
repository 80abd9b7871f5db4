"""Documents whose reader gives them random ids are known again by their file and page, or by their content."""

from __future__ import annotations

import asyncio
import os
import warnings
from pathlib import Path
from typing import Any

import pytest
from fakes.llama_index.indexes import index
from llama_index.core import Document, SimpleDirectoryReader

from llama_index.node_parser.caesura import HierarchyIndex


def read(folder: Path) -> list[Document]:
    return SimpleDirectoryReader(str(folder)).load_data()


def held(made: HierarchyIndex) -> list[str]:
    """The texts of all documents."""
    return sorted(node.text for node in made.docstore.docs.values())


def page(text: str, label: str | None = None, path: str = "a.pdf", **metadata: Any) -> Document:
    labels = {} if label is None else {"page_label": label}
    return Document(text=text, metadata={"file_path": path, "file_size": 1, **labels, **metadata})


@pytest.mark.parametrize("awaited", [False, True])
async def test_files_that_are_read_twice_are_updates(awaited: bool, tmp_path: Path) -> None:
    made = index()
    for name, price in (("honey", "nine"), ("bread", "two")):
        (tmp_path / f"{name}.txt").write_text(f"A jar of {name} costs {price} pounds.")
    for expected in ((2, 0, 0, 0), (0, 0, 2, 0)):
        assert (await made.aupsert(read(tmp_path)) if awaited else made.upsert(read(tmp_path))) == expected
    (tmp_path / "honey.txt").write_text("A jar of honey costs eight pounds.")
    assert made.upsert(read(tmp_path)) == (0, 1, 1, 0)
    assert held(made) == ["A jar of bread costs two pounds.", "A jar of honey costs eight pounds."]
    os.remove(tmp_path / "bread.txt")
    assert made.mirror(read(tmp_path)) == (0, 0, 1, 1)


def test_a_file_that_was_renamed_is_the_same_and_a_copy_is_another(tmp_path: Path) -> None:
    made = index()
    old, new, copy = (tmp_path / name for name in ("old.txt", "new.txt", "copy.txt"))
    old.write_text("Anna sells honey.")
    made.upsert(read(tmp_path))
    old.rename(new)
    assert made.upsert(read(tmp_path)) == (0, 1, 0, 0)
    (node,) = made.docstore.docs.values()
    assert node.metadata["file_name"] == "new.txt"
    copy.write_text("Anna sells honey.")
    assert made.upsert(read(tmp_path)) == (1, 0, 1, 0)
    assert made.upsert(read(tmp_path)) == (0, 0, 2, 0)
    copy.write_text("Anna sells jam.")
    assert made.upsert(read(tmp_path)) == (0, 1, 1, 0)


def test_pages_are_told_apart_by_their_labels_in_any_number_of_calls() -> None:
    made = index()
    for number in "12":
        assert made.upsert([page(f"Page {number}.", number)]).added == 1
    assert made.upsert([page("Page 1, again.", "1", file_size=2)]).updated == 1
    assert made.upsert([page("Page 1, again.", "1", file_size=2), page("Page 2.", "2")]).unchanged == 2
    assert held(made) == ["Page 1, again.", "Page 2."]


@pytest.mark.parametrize("batch", [1, 2, 5, 12])
@pytest.mark.parametrize("per_page", [2, 3])
def test_parts_of_pages_in_batches_are_all_kept(batch: int, per_page: int) -> None:
    made = index()
    parts = [page(f"Part {number}.", str(number // per_page)) for number in range(12)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for start in range(0, 12, batch):
            made.upsert(parts[start : start + batch])
    assert held(made) == sorted(part.text for part in parts)
    again = [page(part.text, part.metadata["page_label"]) for part in parts]
    assert made.upsert(again).unchanged == 12


@pytest.mark.parametrize("label", [None, "1"])
@pytest.mark.parametrize("synced", [False, True])
async def test_parts_of_an_edited_file_that_come_at_once_are_all_kept(label: str | None, synced: bool) -> None:
    made = index()
    for version in range(2):
        parts = [page(f"Part {number} of {version}.", label, file_size=1 + version) for number in range(6)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if synced and not version:
                await made.amirror(parts)
            await asyncio.gather(*(made.aupsert([part]) for part in parts))
        assert {part.text for part in parts} <= {*held(made)}


def test_parts_without_labels_are_told_apart_and_what_may_be_an_update_is_a_warning() -> None:
    made = index()
    parts = ["One.", "Two.", "Three."]
    made.upsert([page(text) for text in parts])
    assert made.upsert([page(text) for text in parts]).unchanged == 3
    assert made.upsert([page("Two.")]).unchanged == 1
    changed = [page(text, file_size=2) for text in ("One!", "Two.", "Three.")]
    assert made.upsert(changed) == (0, 3, 0, 0), "of the metadata too"
    assert held(made) == ["One!", "Three.", "Two."]
    with pytest.warns(UserWarning, match=r"has a random id and the file of .*filename_as_id=True"):
        assert made.upsert([page("Four.", file_size=2)]).added == 1
    assert made.upsert([page("Four.", file_size=2)]).unchanged == 1


def test_without_a_file_the_same_content_is_the_same_document_and_other_metadata_are_another() -> None:
    made = index()
    assert made.upsert([Document(text="Honey.", metadata={"user": "anna"})]).added == 1
    assert made.upsert([Document(text="Honey.", metadata={"user": "anna"})]).unchanged == 1
    assert made.upsert([Document(text="Honey.", metadata={"user": "bob"})]).added == 1
    assert made.upsert([Document(text=""), Document(text="")]).added == 2


def test_another_users_document_of_the_same_file_name_is_not_replaced() -> None:
    made = index()
    made.upsert([page("Anna's.", "1", user="anna")])
    with pytest.warns(UserWarning, match=r"or other metadata: both are kept.*filename_as_id=True"):
        made.upsert([page("Bob's.", "1", user="bob")])
    assert held(made) == ["Anna's.", "Bob's."]


def test_a_random_id_that_the_index_knows_is_taken_as_it_is_and_is_forgotten_with_its_document() -> None:
    made = index()
    first = page("Honey.")
    made.upsert([first])
    assert made.upsert([first.model_copy(update={"text_resource": page("Jam.").text_resource})]).updated == 1
    assert held(made) == ["Jam."]
    made.delete_ref_doc(first.node_id)
    assert made.ref_doc_info == {}
    again = page("Jam.")
    made.upsert([again])
    assert made.docstore.get_ref_doc_info(again.node_id) is not None
