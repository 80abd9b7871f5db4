"""Documents of several sizes from one pass: nested, in their places, every sentence embedded once."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from fakes.langchain.splitters import AsyncBag, Bag, contents
from fakes.texts.articles import article, letters
from langchain_core.documents import Document

from caesura import ClusterCut, DistanceThreshold, SettingError, words
from langchain_caesura import SemanticHierarchySplitter

TEXT = article(80, 3)
SIZES = (900, 300, 100)


def by_level(documents: list[Document]) -> dict[int, list[Document]]:
    found: dict[int, list[Document]] = {}
    for document in documents:
        found.setdefault(document.metadata["level"], []).append(document)
    return found


def test_each_chunk_lies_in_its_parent_and_is_the_slice_at_its_place() -> None:
    made = SemanticHierarchySplitter(chunk_sizes=SIZES).split_documents([Document(TEXT, id="a")])
    known = {document.id: document for document in made}
    levels = by_level(made)
    assert sorted(levels) == [0, 1, 2]
    assert len(known) == len(made)
    assert len(levels[0]) < len(levels[1]) < len(levels[2])
    for document in made:
        start, end, level = (document.metadata[key] for key in ("start_index", "end_index", "level"))
        assert TEXT[start:end] == document.page_content
        assert len(document.page_content) <= SIZES[level]
        assert set(document.metadata) == {"level", "start_index", "end_index"} | ({"parent_id"} if level else set())
        if level:
            parent = known[document.metadata["parent_id"]].metadata
            assert parent["level"] == level - 1
            assert parent["start_index"] <= start < end <= parent["end_index"]
    for documents in levels.values():
        assert letters("".join(contents(documents))) == letters(TEXT)


def test_a_short_document_has_an_id_of_its_own_at_every_level() -> None:
    made = SemanticHierarchySplitter(chunk_sizes=SIZES).split_documents([Document("The tide turns.")])
    assert contents(made) == ["The tide turns."] * 3
    assert len({document.id for document in made}) == 3


@pytest.mark.parametrize("text", ["", " \n\n "])
def test_a_blank_document_gives_nothing(text: str) -> None:
    assert SemanticHierarchySplitter().create_documents([text]) == []


def test_a_chunk_of_a_chunk_has_its_place_in_the_document() -> None:
    outer = Document(TEXT[200:900], metadata={"start_index": 200})
    for one in SemanticHierarchySplitter(chunk_sizes=(300, 100)).split_documents([outer]):
        assert TEXT[one.metadata["start_index"] : one.metadata["end_index"]] == one.page_content


SCALARS = (str, int, float, bool)


def test_every_sentence_is_embedded_once_for_all_levels_and_documents() -> None:
    embeddings = Bag()
    texts = [article(30, seed) for seed in range(3)]
    SemanticHierarchySplitter(embeddings, chunk_sizes=SIZES, calibrated=False).create_documents(texts)
    assert len(embeddings.calls) == 1
    assert letters("".join(embeddings.texts)) == letters("".join(texts))


async def test_sync_and_async_make_the_same() -> None:
    documents = [Document(article(30, seed), metadata={"source": seed}) for seed in range(3)]
    made = SemanticHierarchySplitter(Bag(), chunk_sizes=SIZES).split_documents(documents)
    assert await SemanticHierarchySplitter(AsyncBag(), chunk_sizes=SIZES).asplit_documents(documents) == made
    assert await SemanticHierarchySplitter(AsyncBag(), chunk_sizes=SIZES).atransform_documents(documents) == made
    assert SemanticHierarchySplitter(Bag(), chunk_sizes=SIZES).split_text(TEXT) == contents(
        SemanticHierarchySplitter(Bag(), chunk_sizes=SIZES).create_documents([TEXT])
    )


def test_ids_are_the_same_on_every_run_and_others_for_an_edited_text() -> None:
    def ids(text: str, **more: Any) -> list[str | None]:
        splitter = SemanticHierarchySplitter(chunk_sizes=SIZES)
        return [document.id for document in splitter.split_documents([Document(text, **more)])]

    assert ids(TEXT, metadata={"source": "a"}) == ids(TEXT, metadata={"source": "a"})
    assert not set(ids(TEXT, metadata={"source": "a"})) & set(ids(TEXT, metadata={"source": "b"}))
    assert ids("One. Two.") != ids("One. Six.")


def test_metadata_is_copied_and_what_is_added_is_flat() -> None:
    metadata = {"source": "a.md", "nested": {"list": [1]}}
    document = Document(TEXT, metadata=copy.deepcopy(metadata))
    made = SemanticHierarchySplitter(chunk_sizes=SIZES).split_documents([document])
    made[0].metadata["nested"]["list"].append(2)
    assert document.metadata == metadata
    assert made[-1].metadata["nested"] == {"list": [1]}
    added = [value for one in made for key, value in one.metadata.items() if key not in metadata]
    assert all(type(value) in SCALARS for value in added)


def test_the_cut_and_the_measure_are_settings() -> None:
    cut = ClusterCut(stop=DistanceThreshold(1.0))
    made = SemanticHierarchySplitter(chunk_sizes=(60, 15), cut=cut, length_function=words).create_documents([TEXT])
    assert all(len(one.page_content.split()) <= (60, 15)[one.metadata["level"]] for one in made)


def test_a_splitter_survives_pickling() -> None:
    splitter = SemanticHierarchySplitter(chunk_sizes=SIZES)
    again = pickle.loads(pickle.dumps(splitter))
    assert again.create_documents([TEXT]) == splitter.create_documents([TEXT])


@pytest.mark.parametrize("sizes", [(), 300, "300", (100, 300), (300, 300), (300, 0), (300, 1.5), (None, 100)])
def test_sizes_that_cannot_be_are_refused(sizes: Any) -> None:
    with pytest.raises(SettingError, match="size"):
        SemanticHierarchySplitter(chunk_sizes=sizes)
