"""An edit embeds and writes what it touches: a row stays where its text, its metadata and what is around it stay."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fakes.llama_index.embeddings import AsyncWords, Words
from fakes.llama_index.indexes import index, parser, rows, whole
from llama_index.core import Document, StorageContext
from llama_index.core.schema import BaseNode, MetadataMode, TransformComponent
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.storage.kvstore import SimpleKVStore
from llama_index.core.vector_stores import SimpleVectorStore

from caesura_retrieval.leaning import AROUND
from llama_index.node_parser.caesura import HierarchyIndex, SQLiteDocumentStore, StaticEmbedding
from llama_index.node_parser.caesura.retrieval.docstore import Versions

PLACES = "harbour mill inlet tower garden quarry bridge market chapel forge orchard".split()  # noqa: SIM905
THINGS = "keeps loses finds paints counts".split()  # noqa: SIM905
TEXT = " ".join(
    f"The {place} {thing} its {number} lamps." for number, (place, thing) in enumerate(product(PLACES, THINGS))
)


class Kept(SimpleVectorStore):
    """Keeps which rows it was given, and which it was told to delete."""

    added: list[str] = []  # noqa: RUF012 - pydantic copies it
    deleted: list[str] = []  # noqa: RUF012 - pydantic copies it

    def add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        self.added += [node.node_id for node in nodes]
        return super().add(nodes, **kwargs)

    def delete_nodes(self, node_ids: Any = None, filters: Any = None, **kwargs: Any) -> None:
        self.deleted += node_ids
        super().delete_nodes(node_ids, filters, **kwargs)


def written(text: str = TEXT, **settings: Any) -> tuple[HierarchyIndex, Kept, Words]:
    store, model = Kept(), settings.pop("embed_model", Words())
    transformations = [parser(chunk_sizes=[60, 20])]
    made = index(
        **{"vector_store": store, "docstore": SimpleDocumentStore(), "transformations": transformations, **settings},
        embed_model=model,
    )
    made.upsert([Document(text=text, id_="a")])
    store.added, store.deleted = [], []
    model.all_calls.clear()
    return made, store, model


def embedded(model: Words) -> list[str]:
    return [text for call in model.calls for text in call]


def fresh(made: HierarchyIndex, text: str, **settings: Any) -> None:
    """Holds that places, rows and vectors are those of a new index of the text."""
    new, store, _ = written(text, **settings)
    settings.setdefault("transformations", made.transformations)
    whole(made, [Document(text=text, id_="a")], **settings)
    ours = made.vector_store
    assert isinstance(ours, SimpleVectorStore)
    for name, vector in store.data.embedding_dict.items():
        assert np.allclose(ours.data.embedding_dict[name], vector, atol=1e-6)
    for name, node in made.docstore.docs.items():
        assert text[node.start_char_idx : node.end_char_idx] == node.text
        assert node.to_dict() == new.docstore.docs[name].to_dict()


EDITS = {
    "a sentence at the top": f"Fog came in at night. {TEXT}",
    "a word in the middle": TEXT.replace("chapel keeps", "chapel sells"),
    "a sentence at the end": f"{TEXT} Fog came in at night.",
    "a sentence less": TEXT.replace("The tower paints its 18 lamps. ", ""),
}


@pytest.mark.thorough
@pytest.mark.parametrize("text", EDITS.values(), ids=EDITS)
def test_an_edit_writes_the_rows_that_it_changes_and_those_around_and_all_is_as_in_a_new_index(text: str) -> None:
    made, store, model = written()
    before = rows(made)
    assert made.upsert([Document(text=text, id_="a")]) == (0, 1, 0, 0)
    new = rows(made) - before
    assert len(before) > 30
    assert 0 < len(new) <= 4
    assert new <= set(store.added)
    assert len(store.added) <= len(new) + 2 * AROUND + 1
    assert set(store.deleted) & before == before - rows(made)
    assert len(embedded(model)) <= len(store.added) + 2 * AROUND
    fresh(made, text)


def leaf_texts(made: HierarchyIndex) -> list[str]:
    """What is embedded of each leaf."""
    nodes = made.docstore.docs.values()
    return [node.get_content(MetadataMode.EMBED) for node in nodes if not node.child_nodes]


@pytest.mark.parametrize("context", [0, 0.4])
@pytest.mark.parametrize("text", EDITS.values(), ids=EDITS)
def test_an_edit_embeds_only_what_is_new_and_its_vectors_are_those_of_an_index_that_remembers_nothing(
    text: str, context: float
) -> None:
    made, store, model = written(context=context)
    before, forgetful = leaf_texts(made), copy.deepcopy(made)
    made.upsert([Document(text=text, id_="a")])
    assert sorted(embedded(model)) == sorted({*leaf_texts(made)} - {*before})
    assert len(embedded(model)) <= 4
    model.all_calls.clear()
    forgetful.upsert([Document(text=text, id_="a")])
    other = forgetful.vector_store
    assert isinstance(other, SimpleVectorStore)
    assert other.data.embedding_dict == store.data.embedding_dict
    copied = forgetful.embed_model
    assert isinstance(copied, Words)
    assert len(embedded(copied)) > AROUND * bool(context)


async def test_an_awaited_edit_embeds_only_what_is_new() -> None:
    made, _, _ = written()
    made.embed_model = model = AsyncWords()
    await made.aupsert([Document(text=TEXT, id_="a")])
    model.all_calls.clear()
    before = leaf_texts(made)
    await made.aupsert([Document(text=EDITS["a word in the middle"], id_="a")])
    assert sorted(embedded(model)) == sorted({*leaf_texts(made)} - {*before}) != []


def test_another_model_and_other_settings_of_it_are_given_every_text() -> None:
    made, _, model = written()
    every = sorted(set(leaf_texts(made)))
    made.embed_model = other = Words()
    made.upsert([Document(text=TEXT, id_="b")])
    assert sorted(embedded(other)) == every
    other.all_calls.clear()
    made.upsert([Document(text=TEXT, id_="c")])
    assert embedded(other) == []
    other.model_name = "trained anew"
    made.upsert([Document(text=TEXT, id_="d")])
    assert sorted(embedded(other)) == every
    assert embedded(model) == []


class Large(Words):
    """Keeps something that is not to be read: with each write, or at all."""

    table: Any = None


class Unread(list[Any]):
    """Cannot be gone through."""

    def __iter__(self) -> Iterator[Any]:
        raise AssertionError("the field was read")


def test_fields_of_a_model_that_are_no_plain_values_are_not_read() -> None:
    around: dict[str, Any] = {}
    around["self"] = around
    for table in (Unread("ab"), around):
        model = Large()
        model.table = table
        made, _, _ = written(embed_model=model)
        model.all_calls.clear()
        made.upsert([Document(text=TEXT, id_="b")])
        assert embedded(model) == []


def test_what_is_made_anew_is_embedded_anew() -> None:
    made, store, model = written()
    every = sorted(set(leaf_texts(made)))
    made.context = 0.2
    made.upsert([Document(text=TEXT, id_="a")])
    assert sorted(embedded(model)) == every
    model.all_calls.clear()
    store.clear()
    made.upsert([Document(text=TEXT, id_="a")])
    assert sorted(embedded(model)) == every


def test_with_an_embedding_cache_an_edit_embeds_the_text_that_is_new() -> None:
    made, _, model = written(embed_model=Words(embeddings_cache=SimpleKVStore()))
    before = {node.text for node in made.docstore.docs.values()}
    text = EDITS["a word in the middle"]
    model.batches.clear()
    made.upsert([Document(text=text, id_="a")])
    new = {node.text for node in made.docstore.docs.values() if not node.child_nodes} - before
    assert {each for batch in model.batches for each in batch} == new
    assert 0 < len(new) <= 3
    fresh(made, text)


async def test_awaited_the_same_rows_are_written() -> None:
    text = EDITS["a word in the middle"]
    made, store, _ = written()
    made.upsert([Document(text=text, id_="a")])
    awaited, others, model = written(embed_model=Words())
    awaited.embed_model = AsyncWords(model_name=model.model_name)
    type(awaited.embed_model).__module__ = type(model).__module__
    await awaited.aupsert([Document(text=text, id_="a")])
    assert set(store.added) <= set(others.added)
    fresh(awaited, text)


def test_without_context_the_changed_rows_alone_are_embedded_and_written() -> None:
    made, store, model = written(context=0)
    before = rows(made)
    made.upsert([Document(text=EDITS["a word in the middle"], id_="a")])
    new = rows(made) - before
    assert set(store.added) == new
    assert len(store.added) == len(embedded(model)) == len(new) <= 3
    fresh(made, EDITS["a word in the middle"], context=0)


def test_vectors_lean_toward_those_around_by_the_share_that_is_given() -> None:
    plain, leaning = (written(context=context)[1].data.embedding_dict for context in (0, 0.4))
    assert plain.keys() == leaning.keys()
    names = [node.node_id for node in written()[0].docstore.docs.values() if not node.child_nodes]
    own = np.array([plain[name] for name in names])
    own /= np.linalg.norm(own, axis=1, keepdims=True)
    for at, name in enumerate(names):
        around = own[max(0, at - AROUND) : at + AROUND + 1].sum(axis=0)
        wanted = own[at] + 0.4 * around / np.linalg.norm(around)
        assert np.allclose(leaning[name], wanted / np.linalg.norm(wanted), atol=1e-5)


def test_metadata_and_other_settings_write_every_row_again() -> None:
    made, store, _ = written()
    made.upsert([Document(text=TEXT, id_="a", metadata={"kind": "list"})])
    assert set(store.added) == rows(made)
    store.added = []
    made.context = 0.2
    made.upsert([Document(text=TEXT, id_="a", metadata={"kind": "list"})])
    assert set(store.added) == rows(made)


def test_rows_that_were_given_their_vectors_are_not_embedded_but_lean() -> None:
    model = Words()
    made, store, _ = written(
        transformations=[parser(chunk_sizes=[60, 20], embed_chunks=True, embed_model=model)],
        embed_model=model,
    )
    model.all_calls.clear()
    before = rows(made)
    made.upsert([Document(text=EDITS["a word in the middle"], id_="a")])
    assert [len(call) for call in model.calls if call] == [TEXT.count(".")], "of the parser, once"
    assert len(store.added) <= len(rows(made) - before) + 2 * AROUND + 1
    assert all(abs(np.linalg.norm(row) - 1) < 1e-5 for row in store.data.embedding_dict.values())
    assert all(node.embedding is None for node in made.docstore.docs.values())


def test_a_vector_store_that_has_not_had_the_last_edit_is_filled_again() -> None:
    """Beside one document store: most rows of the document before are those of the document now."""
    docstore = SimpleDocumentStore()
    first, second = (written(docstore=docstore)[0] for _ in range(2))
    second.upsert([Document(text=TEXT, id_="a")])
    for number in range(2):
        text = TEXT.replace("chapel keeps", f"chapel sells {number}")
        first.upsert([Document(text=text, id_="a")])
        assert second.upsert([Document(text=text, id_="a")]) == (0, 1, 0, 0)
        assert rows(second) == rows(first)
        assert first.upsert([Document(text=text, id_="a")]) == (0, 0, 1, 0)


def test_leaves_whose_places_do_not_tell_their_order_are_all_written() -> None:
    class Placeless(TransformComponent):
        """Nodes that do not know where they stand."""

        def __call__(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[BaseNode]:
            fields = {"start_char_idx": None, "end_char_idx": None}
            return [node.model_copy(update=fields) for node in nodes]

    made, store, _ = written(transformations=[parser(chunk_sizes=[60, 20]), Placeless()])
    made.upsert([Document(text=EDITS["a sentence at the end"], id_="a")])
    assert set(store.added) == rows(made)


@pytest.mark.parametrize("other", [{}, {"embed_model": StaticEmbedding()}], ids=["same model", "other model"])
def test_a_leaf_that_becomes_a_parent_has_no_row_any_more(other: dict[str, Any]) -> None:
    """It keeps its id: by other settings, or where metadata leave room for one level more."""
    store, docstore = SimpleVectorStore(), SimpleDocumentStore()
    stores = StorageContext.from_defaults(docstore=docstore, vector_store=store)
    text = "The tide mill grinds. Bees make honey."
    for sizes, settings in (([20], {}), ([20, 6], other)):
        made = index(storage_context=stores, transformations=[parser(chunk_sizes=sizes)], **settings)
        made.upsert([Document(text=text, id_="a")])
    assert len([node for node in made.docstore.docs.values() if node.child_nodes]) == 1
    whole(made, [Document(text=text, id_="a")], transformations=made.transformations)
    assert made.as_retriever(8).retrieve("honey")[0].text.endswith("Bees make honey.")


@pytest.mark.parametrize("is_on_disk", [False, True])
def test_an_edit_keeps_the_nodes_before_it_as_they_are(
    is_on_disk: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docstore = SQLiteDocumentStore(tmp_path / "nodes.db") if is_on_disk else SimpleDocumentStore()
    made, _, _ = written(docstore=docstore)
    before = {*made.docstore.docs}
    given: list[set[str]] = []
    commit = Versions.commit

    async def noted(self: Versions, states: Any, entries: Any, *moves: Any) -> int:
        given.append({key for values in entries.values() for key, value in values.items() if value is not None})
        return await commit(self, states, entries, *moves)

    monkeypatch.setattr(Versions, "commit", noted)
    made.upsert([Document(text=f"{TEXT} The owl sleeps in the loft.", id_="a")])
    after = {*made.docstore.docs}
    assert len(before) > 20
    assert after - before <= given[0]
    assert len(given[0] & after) < len(after) / 4
    new, _, _ = written(f"{TEXT} The owl sleeps in the loft.")
    assert made.docstore.docs == new.docstore.docs
