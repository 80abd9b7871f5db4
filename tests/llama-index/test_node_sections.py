"""Sections of a long document: an edit makes the nodes of those that it changed, and all is stored as if anew."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from fakes.llama_index.embeddings import Words
from fakes.texts.sectioned_texts import MOST, QUESTIONS, cut_texts, edit, long_text
from llama_index.core import Document
from llama_index.core.schema import BaseNode, ImageDocument, NodeRelationship, TextNode
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.storage.kvstore import SimpleKVStore
from llama_index.core.vector_stores import SimpleVectorStore

from caesura.text.sections import section_edges
from caesura_documents.source_code import Code
from caesura_retrieval.word_index import WordDocument, WordIndex
from llama_index.node_parser.caesura import HierarchyIndex, SemanticHierarchyParser, SQLiteDocumentStore
from llama_index.node_parser.caesura.retrieval.docstore import SQLiteKVStore, sections_of
from llama_index.node_parser.caesura.retrieval.leaf_words import open_leaf_words

SETTINGS: dict[str, dict[str, Any]] = {
    "headings": {"chunk_sizes": [60, 20], "embed_headings": True},
    "three levels": {"chunk_sizes": [90, 40, 15]},
    "one level": {"chunk_sizes": [20], "embed_headings": True},
    "named": {"chunk_sizes": [60, 20], "metadata": {"headings": "section", "open_blocks": "blocks"}},
    "percentile": {"chunk_sizes": [60, 20], "cut": "percentile"},
    "unlinked": {"chunk_sizes": [60, 20], "include_prev_next_rel": False},
    "places": {"chunk_sizes": [60, 20], "metadata": ["headings", "start_index", "line_start"]},
    "code": {"chunk_sizes": [60, 20], "sentence_splitter": Code()},
}
BLANKS = [" \n\n" * 400]
THOROUGH = pytest.mark.thorough
IN_FILE = pytest.mark.parametrize(
    "in_file", [pytest.param(True, marks=THOROUGH), False], ids=["in a file", "in memory"]
)


@pytest.fixture(autouse=True)
def short_sections() -> Iterator[None]:
    modules = (
        "caesura.batch",
        "llama_index.node_parser.caesura.node_sections",
        "llama_index.node_parser.caesura.retrieval.writer",
    )
    with (
        patch(f"{modules[0]}.SECTION", MOST),
        patch(f"{modules[1]}.SECTION", MOST),
        patch(f"{modules[2]}.SECTION", MOST),
    ):
        yield


def document(text: str, **metadata: Any) -> Document:
    return Document(text=text, id_="long", metadata={"source": "long.md", **metadata})


def index(path: Path | None, model: Any = None, store: Any = None, **settings: Any) -> HierarchyIndex:
    """An index in a file, or in memory."""
    return HierarchyIndex(
        vector_store=SimpleVectorStore() if store is None else store,
        docstore=SimpleDocumentStore() if path is None else SQLiteDocumentStore(path),
        transformations=[SemanticHierarchyParser(**{**SETTINGS["headings"], **settings})],
        embed_model=Words() if model is None else model,
    )


def stored(made: HierarchyIndex) -> dict[str, Any]:
    """All that the document store has of nodes, as it is kept, but for when it was written."""
    store, part = made.docstore._kvstore, made.docstore
    if isinstance(part, SQLiteDocumentStore):
        names = [*part.kvstore.store.keys("")]
        entries = dict(zip(names, part.kvstore.store.get(names), strict=True))
        kept = {name: entry for name, entry in entries.items() if "/metadata\n" not in name and "/turn\n" not in name}
        assert all("/hierarchy/" in name for name in kept)
        return kept
    assert isinstance(part, SimpleDocumentStore)
    collections = part._node_collection, part._ref_doc_collection, sections_of(part)
    return {name: store.get_all(name) for name in collections}


def words(made: HierarchyIndex) -> dict[str, list[str]]:
    """What is in the index of words, by the names of its documents."""
    found = open_leaf_words(made.docstore)
    owned = found.owners([*made.docstore.docs])
    assert len(found) == len(owned)
    return {name: sorted(key for key, own in owned.items() if own == name) for name in sorted(found.names())}


def same(made: HierarchyIndex, fresh: HierarchyIndex, text: str) -> None:
    """Holds that two indexes have stored the same of a text, and answer alike."""
    ours, theirs = made.vector_store, fresh.vector_store
    assert isinstance(ours, SimpleVectorStore)
    assert isinstance(theirs, SimpleVectorStore)
    assert stored(made) == stored(fresh)
    assert words(made) == words(fresh)
    assert made.index_struct.nodes_dict == fresh.index_struct.nodes_dict
    assert ours.data.embedding_dict.keys() == theirs.data.embedding_dict.keys()
    assert ours.data.metadata_dict == theirs.data.metadata_dict
    for name, row in theirs.data.embedding_dict.items():
        assert np.allclose(ours.data.embedding_dict[name], row, atol=1e-6)
    nodes = made.docstore.docs
    for node in nodes.values():
        assert isinstance(node, TextNode)
        assert text[node.start_char_idx : node.end_char_idx] == node.text
    assert {name: node.to_dict() for name, node in nodes.items()} == {
        name: node.to_dict() for name, node in fresh.docstore.docs.items()
    }
    for question in QUESTIONS:
        assert answers(made, question) == answers(fresh, question)


def answers(made: HierarchyIndex, question: str) -> list[tuple[str, str]]:
    found = made.as_retriever(budget=60).retrieve(question)
    return [(each.node.node_id, each.text) for each in found]


@IN_FILE
@pytest.mark.parametrize("name", ["headings", *(pytest.param(name, marks=THOROUGH) for name in [*SETTINGS][1:])])
@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=THOROUGH) for seed in (2, 3, 4))])
def test_after_edits_all_is_stored_as_if_it_were_indexed_anew(
    name: str, in_file: bool, seed: int, tmp_path: Path
) -> None:
    settings, drawn, text = SETTINGS[name], random.Random(seed), long_text(seed)
    made = index(tmp_path / "made.db" if in_file else None, **settings)
    made.upsert([document(text)])
    for number in range(4 if seed > 1 else 1):
        text = edit(text, drawn, BLANKS)
        made.upsert([document(text)])
        fresh = index(tmp_path / f"fresh {number}.db" if in_file else None, **settings)
        fresh.upsert([document(text)])
        same(made, fresh, text)


@pytest.mark.thorough
@IN_FILE
@pytest.mark.parametrize("seed", range(10, 14))
async def test_so_it_is_after_many_edits_and_awaited(in_file: bool, seed: int, tmp_path: Path) -> None:
    drawn, text = random.Random(seed), long_text(seed)
    made = index(tmp_path / "made.db" if in_file else None)
    for _ in range(12):
        await made.aupsert([document(text), Document(text="A short one.", id_="short")])
        text = edit(text, drawn, BLANKS)
    await made.aupsert([document(text), Document(text="A short one.", id_="short")])
    await made.adelete_ref_doc("short")
    fresh = index(tmp_path / "fresh.db" if in_file else None)
    fresh.upsert([document(text)])
    same(made, fresh, text)


@IN_FILE
def test_an_edit_cuts_embeds_writes_and_puts_words_of_few_sections(in_file: bool, tmp_path: Path) -> None:
    model, text = Words(), long_text(4)
    made = index(tmp_path / "made.db" if in_file else None, model)
    made.upsert([document(text)])
    parts = len(words(made))
    model.all_calls.clear()
    put, real = dict[str, WordDocument](), WordIndex.put
    before = stored(made)

    def seen_put(self: WordIndex, documents: dict[str, WordDocument], keep: bool = False) -> None:
        put.update({name: each for name, each in documents.items() if each.texts})
        real(self, documents, keep)

    with cut_texts() as cut, patch.object(WordIndex, "put", seen_put):
        made.upsert([document(text.replace("Part 1\n\n", "Part 1\n\nThe parrot spoke. ", 1))])
    assert parts > 8
    assert 0 < sum(map(len, cut)) <= 3 * MOST
    assert 0 < len(put) <= 3
    assert 0 < len({each for call in model.calls for each in call}) <= 6
    if in_file:
        new = stored(made)
        written = [name for name, entry in new.items() if before.get(name) != entry and "/data\n" in name]
        assert 0 < len(written) < len(new) / 3
    assert "parrot" in answers(made, "parrot spoke")[0][1]


@pytest.mark.thorough
@IN_FILE
def test_a_document_that_grows_into_sections_and_shrinks_out_of_them_is_as_new(in_file: bool, tmp_path: Path) -> None:
    path, text = tmp_path / "made.db" if in_file else None, long_text(5)
    made = index(path)
    for number, some in enumerate((text[: MOST - 9], text[: 3 * MOST], text[: MOST - 9], text, "")):
        made.upsert([document(some)])
        fresh = index(tmp_path / f"fresh {number}.db" if in_file else None)
        fresh.upsert([document(some)])
        same(made, fresh, some)
    made.upsert([document(text)])
    made.delete_ref_doc("long")
    assert words(made) == {}
    assert [name for name, entry in stored(made).items() if entry] == []


@pytest.mark.thorough
@pytest.mark.parametrize("change", [{"chunk_sizes": [50, 25]}, {"embed_headings": False}])
def test_other_settings_store_what_they_would_anew(change: dict[str, Any], tmp_path: Path) -> None:
    made, text = index(tmp_path / "made.db"), long_text(6)
    made.upsert([document(text)])
    made.transformations = [SemanticHierarchyParser(**{**SETTINGS["headings"], **change})]
    text = edit(text, random.Random(1), BLANKS)
    made.upsert([document(text)])
    fresh = index(tmp_path / "fresh.db", **change)
    fresh.upsert([document(text)])
    same(made, fresh, text)


@pytest.mark.thorough
def test_other_metadata_store_what_they_would_anew(tmp_path: Path) -> None:
    made, fresh, text = index(tmp_path / "made.db"), index(tmp_path / "fresh.db"), long_text(6)
    made.upsert([document(text)])
    for each in (made, fresh):
        each.upsert([document(text, title="Ferries")])
    same(made, fresh, text)


def test_a_section_that_goes_alone_leaves_nodes_as_new() -> None:
    """Nothing is made then, though equal texts behind it are counted anew."""
    same = "Equal words stand here, and there."
    lines = [
        same if at % 3 == 2 else f"The boat of line {at} pays a toll, and carries dough to harbour {at}."
        for at in range(90)
    ]
    text = "\n\n".join(lines)
    edges = section_edges(text, MOST).tolist()
    gone = [
        (text[:start] + text[end:], edges[:at] + [each - end + start for each in edges[at + 1 :]])
        for at, (start, end) in enumerate(pairwise(edges))
    ]
    shorter = [one for one, left in gone if section_edges(one, MOST).tolist() == left]
    assert shorter
    for one in shorter[:2]:
        made, fresh = index(None), index(None)
        made.upsert([document(text)])
        made.upsert([document(one)])
        fresh.upsert([document(one)])
        assert made.ref_doc_info["long"].node_ids == fresh.ref_doc_info["long"].node_ids
        assert stored(made) == stored(fresh)


@pytest.mark.parametrize("kind", ["a number of numpy's", "an image", "a node"])
def test_what_is_no_plain_document_is_written_whole(kind: str, tmp_path: Path) -> None:
    def given(text: str) -> BaseNode:
        if kind == "an image":
            return ImageDocument(text=text, id_="long")
        if kind == "a node":
            return TextNode(text=text, id_="long", start_char_idx=3, end_char_idx=9)
        return document(text, score=np.float64(0.5))

    text, made, fresh = long_text(0), index(tmp_path / "a.db"), index(tmp_path / "b.db")
    made.upsert([given(text)])
    made.upsert([given(text[:900] + text[2500:])])
    fresh.upsert([given(text[:900] + text[2500:])])
    assert stored(made) == stored(fresh)


def test_nodes_are_those_of_the_parser(tmp_path: Path) -> None:
    made, text = index(tmp_path / "made.db"), long_text(7)
    made.upsert([document(text)])
    nodes = SemanticHierarchyParser(**SETTINGS["headings"])([document(text)])
    kept = made.docstore.docs
    assert [each.node_id for each in nodes] == made.ref_doc_info["long"].node_ids
    for node in nodes:
        assert node.source_node is not None
        node.source_node.hash = None  # which is not kept
        assert kept[node.node_id].to_dict() == node.to_dict()


class KilledError(Exception):
    """Stands for a kill."""


@IN_FILE
@pytest.mark.thorough
@pytest.mark.parametrize("step", range(1, 10))
def test_an_edit_that_is_killed_is_mended_by_the_next(step: int, in_file: bool, tmp_path: Path) -> None:
    made, text = index(tmp_path / "made.db" if in_file else None), long_text(7)
    made.upsert([document(text)])
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

    store = SQLiteKVStore if in_file else SimpleKVStore
    with (
        patch.object(store, "put_all", counted(store.put_all)),
        patch.object(SQLiteKVStore, "commit", counted(SQLiteKVStore.commit)),
        patch.object(WordIndex, "put", counted(WordIndex.put)),
        patch.object(SimpleVectorStore, "add", counted(SimpleVectorStore.add)),
        patch.object(SimpleVectorStore, "delete_nodes", counted(SimpleVectorStore.delete_nodes)),
    ):
        try:
            made.upsert([document(changed)])
        except KilledError:
            assert calls == step
    for number, again in enumerate((changed, changed.replace("parrot", "gull"))):
        made.upsert([document(again)])
        fresh = index(tmp_path / f"fresh {number}.db" if in_file else None)
        fresh.upsert([document(again)])
        same(made, fresh, again)


def test_sections_in_memory_are_as_before_once_they_are_loaded(tmp_path: Path) -> None:
    made, text = index(None), long_text(8)
    made.upsert([document(text)])
    text = f"The parrot spoke. {text}"
    made.upsert([document(text)])
    made.persist(tmp_path / "folder")
    loaded = HierarchyIndex.load(
        tmp_path / "folder", transformations=made.transformations, embed_model=made.embed_model
    )
    assert words(loaded) == words(made)
    with cut_texts() as cut:
        loaded.upsert([document(f"{text} The end.")])
    assert 0 < sum(map(len, cut)) <= 3 * MOST
    made.upsert([document(f"{text} The end.")])
    same(loaded, made, f"{text} The end.")


@pytest.mark.thorough
def test_a_node_that_is_lost_beside_an_edit_is_made_again(tmp_path: Path) -> None:
    made, fresh, text = index(tmp_path / "made.db"), index(tmp_path / "fresh.db"), long_text(9)
    made.upsert([document(text)])
    part = made.docstore
    assert isinstance(part, SQLiteDocumentStore)
    at = text.index("Part 3")
    lost = [name for name, node in part.docs.items() if isinstance(node, TextNode) and (node.start_char_idx or 0) > at]
    part.kvstore.store.delete([f"{part._node_collection}\n{name}" for name in lost])
    text = f"{text[: at - 50]} The parrot spoke. {text[at - 50 :]}"
    made.upsert([document(text)])
    fresh.upsert([document(text)])
    assert part.get_nodes(made.ref_doc_info["long"].node_ids, raise_error=False) != []
    assert answers(made, "parrot spoke") == answers(fresh, "parrot spoke")


def test_nodes_are_read_with_their_places_in_the_document(tmp_path: Path) -> None:
    made, text = index(tmp_path / "made.db"), long_text(3)
    made.upsert([document(text)])
    store = made.docstore
    assert isinstance(store, SQLiteDocumentStore)
    names = made.ref_doc_info["long"].node_ids
    nodes = store.get_nodes(names)
    each = [store.get_node(name) for name in names]
    for node in (*nodes, *each):
        assert isinstance(node, TextNode)
        assert text[node.start_char_idx : node.end_char_idx] == node.text
    assert {kind for node in nodes for kind in node.relationships} == {*NodeRelationship}
