"""Sections of a long document: an edit cuts those that it changed, and all is stored as if it were indexed anew."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import pytest
from fakes.langchain.retrievers import SPLITTINGS, kept, parts, retriever, rows, stored
from fakes.langchain.splitters import Bag
from fakes.langchain.stores import ClockedVectors
from fakes.texts.sectioned_texts import MOST, QUESTIONS, cut_texts, edit, long_text
from langchain_core.documents import Document

from caesura_documents.chunk_metadata import ChunkMetadata
from caesura_documents.outline import RULES
from caesura_retrieval.word_index import WordDocument, WordIndex
from langchain_caesura import (
    DoublePassSemanticSplitter,
    OptimalSemanticSplitter,
    ParentDocumentRetriever,
    SemanticPercentileSplitter,
)
from langchain_caesura.parents.words import fill_words, word_index
from langchain_caesura.word_fields import WordFields

CHILDREN = {"child_splitter": DoublePassSemanticSplitter(chunk_size=120)}
SETTINGS: dict[str, dict[str, Any]] = {
    **SPLITTINGS,
    "words": {**CHILDREN, "words": 1, "context": 0.4, "embed_headings": True},
    "levels and words": {**SPLITTINGS["hierarchy"], "words": 1, "context": 0.4},
    "parents and headings": {**SPLITTINGS["both"], "context": 0.4, "embed_headings": True},
    "percentile": {"child_splitter": SemanticPercentileSplitter(chunk_size=120), "words": 1},
    "counted": {"child_splitter": OptimalSemanticSplitter(n_chunks=9), "words": 1},
    "overlap": {"child_splitter": OptimalSemanticSplitter(chunk_size=120, chunk_overlap=40), "words": 1},
    "fields": {**CHILDREN, "child_metadata_fields": ["source"], "words": 1, "context": 0.4},
}


@pytest.fixture(autouse=True)
def short_sections() -> Iterator[None]:
    with patch("caesura.batch.SECTION", MOST), patch("langchain_caesura.parents.splitting.SECTION", MOST):
        yield


def document(text: str, **metadata: Any) -> Document:
    return Document(text, id="long", metadata={"source": "long.md", **metadata})


def words(made: ParentDocumentRetriever) -> dict[str, Any]:
    """What is in the index of words, by the names of its documents."""
    index = word_index(made.docstore, made.owner.name)
    names = index.names()
    owned = index.owners(list(rows(made)))
    return {name: sorted(row for row, own in owned.items() if own == name) for name in sorted(names)}


def state(made: ParentDocumentRetriever) -> list[Any]:
    """All that is stored, but for when it was."""
    return [rows(made), stored(made), words(made) if made.words else {}]


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize(
    "seed", [1, pytest.param(2, marks=pytest.mark.thorough), pytest.param(3, marks=pytest.mark.thorough)]
)
def test_after_edits_all_is_stored_as_if_it_were_indexed_anew(name: str, seed: int) -> None:
    settings, drawn = SETTINGS[name], random.Random(seed)
    made, text = retriever(**settings), long_text(seed)
    made.add_documents([document(text)])
    for _ in range(4):
        text = edit(text, drawn)
        made.add_documents([document(text)])
        fresh = retriever(**settings)
        fresh.add_documents([document(text)])
        assert state(made) == state(fresh)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["words", "levels and words", "parents and headings"])
@pytest.mark.parametrize("seed", range(10, 18))
async def test_so_it_is_after_many_edits_and_awaited(name: str, seed: int) -> None:
    settings, drawn = SETTINGS[name], random.Random(seed)
    made, text = retriever(**settings), long_text(seed)
    for _ in range(12):
        await made.aadd_documents([document(text)])
        text = edit(text, drawn)
    await made.aadd_documents([document(text)])
    fresh = retriever(**settings)
    fresh.add_documents([document(text)])
    assert state(made) == state(fresh)


def test_an_edit_cuts_and_puts_words_of_few_sections() -> None:
    made, text, put = retriever(**SETTINGS["words"]), long_text(4), dict[str, WordDocument]()
    made.add_documents([document(text)])
    (part,) = parts(made)
    assert len(part.sections) > 8
    assert len({section.cut for section in part.sections}) > 6
    assert len(part.words) == len(set(part.words)) == len(part.sections)
    real = WordIndex.put

    def seen_put(self: WordIndex, documents: dict[str, WordDocument], keep: bool = False) -> None:
        put.update({name: each for name, each in documents.items() if each.texts})
        real(self, documents, keep)

    with cut_texts() as cut, patch.object(WordIndex, "put", seen_put):
        made.add_documents([document(text.replace("Part 3\n\n", "Part 3\n\nThe parrot spoke. ", 1))])
    assert 0 < sum(map(len, cut)) <= 3 * MOST
    assert len(put) <= 4
    assert "parrot" in made.invoke("parrot spoke")[0].page_content


def test_metadata_that_change_cut_nothing_again() -> None:
    made, text = retriever(**SETTINGS["words"]), long_text(5)
    made.add_documents([document(text)])
    with cut_texts() as cut:
        made.add_documents([document(text, version=2)])
    assert cut == []
    fresh = retriever(**SETTINGS["words"])
    fresh.add_documents([document(text, version=2)])
    assert state(made) == state(fresh)


@pytest.mark.parametrize("change", [{"context": 0.2}, {"child_splitter": DoublePassSemanticSplitter(chunk_size=90)}])
def test_other_settings_store_what_they_would_anew(change: dict[str, Any]) -> None:
    made, text = retriever(**SETTINGS["words"]), long_text(6)
    made.add_documents([document(text)])
    other = retriever(**{**SETTINGS["words"], "vectors": made.vectorstore, "docstore": made.docstore, **change})
    other.add_documents([document(edit(text, random.Random(1)))])
    fresh = retriever(**{**SETTINGS["words"], **change})
    fresh.add_documents([document(edit(text, random.Random(1)))])
    assert state(other) == state(fresh)


class KilledError(Exception):
    """Stands for a kill."""


@pytest.mark.parametrize("step", range(1, 12))
def test_an_edit_that_is_killed_is_mended_by_the_next(step: int) -> None:
    settings, text = SETTINGS["words"], long_text(7)
    model = Bag()
    made = retriever(ClockedVectors(model), **settings)
    made.add_documents([document(text)])
    changed = text.replace("Part 2\n\n", "Part 2\n\nThe parrot spoke. ", 1)
    calls = 0

    def counted(real: Any) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == step:
                raise KilledError
            return real(*args, **kwargs)

        return call

    store = type(made.docstore)
    with (
        patch.object(store, "mset", counted(store.mset)),
        patch.object(WordIndex, "put", counted(WordIndex.put)),
        patch.object(ClockedVectors, "add_documents", counted(ClockedVectors.add_documents)),
        patch.object(ClockedVectors, "delete", counted(ClockedVectors.delete)),
    ):
        try:
            made.add_documents([document(changed)])
        except KilledError:
            assert calls == step
    for again in (changed, changed.replace("parrot", "gull")):
        made.add_documents([document(again)])
        fresh = retriever(**settings)
        fresh.add_documents([document(again)])
        assert rows(made).keys() == rows(fresh).keys()
        assert words(made) == words(fresh)
        assert stored(made).keys() == stored(fresh).keys()
        assert kept(made) == kept(fresh)


def test_forced_writes_cut_all_again() -> None:
    made, text = retriever(**SETTINGS["words"]), long_text(8)
    made.add_documents([document(text)])
    before = state(made)
    with cut_texts() as cut:
        made.add_documents([document(text)], force=True)
    assert "".join(cut) == text
    assert state(made) == before


def test_an_index_of_words_that_is_filled_is_that_of_before() -> None:
    made = retriever(**SETTINGS["words"])
    made.add_documents([document(long_text(9))])
    found, index = words(made), word_index(made.docstore, made.owner.name)
    scores = [index.search(question).scores for question in QUESTIONS]
    assert len(found) > 8
    assert all(scores)
    index.delete(index.names())
    fill_words(made.docstore, made.owner, WordFields(ChunkMetadata.of(["headings"]), RULES), index)
    assert words(made) == found
    assert [index.search(question).scores for question in QUESTIONS] == scores
