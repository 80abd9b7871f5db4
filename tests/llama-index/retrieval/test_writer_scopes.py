"""`mirror` and `delete_ref_doc` with a scope touch no other user's document."""

from __future__ import annotations

import asyncio
import warnings
from pathlib import Path
from typing import Any

import pytest
from fakes.llama_index.failing_stores import Breaking
from fakes.llama_index.indexes import index, rows, texts, whole
from llama_index.core import Document
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.storage.docstore import SimpleDocumentStore

from caesura import SettingError
from caesura_retrieval.upkeep import Changes
from llama_index.node_parser.caesura import HierarchyIndex, SQLiteDocumentStore, StaticEmbedding


def of(user: str, *names: str) -> list[Document]:
    return [Document(text=f"{user} keeps {name}.", id_=f"{user}-{name}", metadata={"user": user}) for name in names]


def mirror(made: HierarchyIndex, awaited: bool, documents: list[Document], user: str) -> Changes:
    scope = {"user": user}
    return asyncio.run(made.amirror(documents, scope)) if awaited else made.mirror(documents, scope=scope)


@pytest.mark.parametrize("awaited", [False, True])
def test_a_scope_is_made_whole_and_no_other_is_touched(awaited: bool) -> None:
    made = index()
    made.upsert([*of("anna", "bees", "goats"), *of("bob", "bees", "hens"), Document(text="Of nobody.", id_="n")])
    assert mirror(made, awaited, of("anna", "goats", "cows"), "anna") == (1, 0, 1, 1)
    assert mirror(made, awaited, of("eve", "owls"), "eve") == (1, 0, 0, 0)
    left = [*of("anna", "goats", "cows"), *of("bob", "bees", "hens"), *of("eve", "owls")]
    whole(made, [*left, Document(text="Of nobody.", id_="n")])
    assert "bob keeps hens." in texts(made, "hens")


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            [Document(text="x", id_="long", metadata={"title": "Of hens " * 20, "user": "bob"})],
            r"have the scope {'user': 'anna'} in their metadata, 'long' has {'user': 'bob'}: add it, or leave",
        ),
        ([Document(text="x", id_="bare")], r"in their metadata, 'bare' has {'user': None}: add it, or leave"),
        ([Document(text="x", id_="bob-bees", metadata={"user": "anna"})], "'bob-bees' is the id of a document outside"),
        ([], "would forget all 1 of the scope {'user': 'anna'}"),
    ],
)
def test_what_is_not_in_the_scope_is_refused_before_anything_is_written(
    given: list[Document], message: str, awaited: bool
) -> None:
    made = index()
    made.upsert([*of("anna", "bees"), *of("bob", "bees")])
    before = rows(made)
    with pytest.raises(SettingError, match=message):
        mirror(made, awaited, [*of("anna", "goats"), *given] if given else [], "anna")
    assert rows(made) == before


@pytest.mark.parametrize("scope", [{}, "anna"])
def test_a_scope_that_says_nothing_is_refused(scope: Any) -> None:
    made = index()
    made.upsert(of("anna", "bees"))
    with pytest.raises(SettingError, match="scope must be metadata such as"):
        made.mirror(of("anna", "hens"), scope=scope)
    for delete in (made.delete_ref_doc, made.delete):
        with pytest.raises(SettingError, match="scope must be metadata such as"):
            delete("anna-bees", scope=scope)
        with pytest.raises(SettingError, match=r"delete_ref_doc\(\) has no setting scop=.*did you mean scope\?"):
            delete("anna-bees", scop=scope)
    whole(made, of("anna", "bees"))


@pytest.mark.parametrize("is_file", [False, True])
@pytest.mark.parametrize("method", ["delete_ref_doc", "adelete_ref_doc", "delete"])
def test_a_scope_deletes_no_other_users_document(
    method: str, is_file: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    made = index(docstore=SQLiteDocumentStore(tmp_path / "nodes.db") if is_file else SimpleDocumentStore())
    given = [*of("anna", "bees", "goats"), *of("bob", "bees"), Document(text="Of nobody.", id_="n")]
    made.upsert(given)
    before = rows(made)

    def delete(name: str, **scope: Any) -> str:
        caplog.clear()
        done = getattr(made, method)(name, scope=scope)
        if method == "adelete_ref_doc":
            asyncio.run(done)
        return caplog.text

    for name, scope in {
        "bob-bees": {"user": "anna"},
        "n": {"user": "anna"},
        "anna-bees": {"user": "anna", "team": "x"},
        "unknown": {"user": "anna"},
    }.items():
        assert f"{name!r} not found, nothing deleted" in delete(name, **scope)
    assert rows(made) == before
    assert "nothing deleted" not in delete("anna-bees", user="anna")
    whole(made, given[1:])


def test_a_deletion_with_a_scope_that_was_stopped_is_finished_by_the_next() -> None:
    store = Breaking()
    made = index(vector_store=store, docstore=SimpleDocumentStore())
    made.upsert([*of("anna", "bees"), *of("bob", "bees")])
    store.fails_at = len(store.calls) + 1
    with pytest.raises(ConnectionError):
        made.delete_ref_doc("anna-bees", scope={"user": "anna"})
    assert {*made.ref_doc_info} == {"bob-bees"}
    store.fails_at = None
    made.delete_ref_doc("anna-bees", scope={"user": "anna"})
    whole(made, of("bob", "bees"))


@pytest.mark.parametrize("key", ["user", "tenant_id"])
@pytest.mark.parametrize("method", ["upsert", "insert", "refresh_ref_docs"])
def test_another_users_document_under_the_same_id_is_refused(method: str, key: str) -> None:
    trips = [Document(text=f"The ticket of {name}.", id_="trip", metadata={key: name}) for name in ("anna", "bert")]
    made = HierarchyIndex(embed_model=StaticEmbedding())
    with warnings.catch_warnings(action="error"):
        made.upsert([trips[0], Document(text="A bill.", id_="bill", metadata={key: "bert"})])
        made.upsert([Document(text="A new ticket of anna.", id_="trip", metadata={key: "anna", "tag": "new"})])
    given: Any = trips[1] if method == "insert" else trips[1:]
    before = rows(made)
    with pytest.raises(SettingError, match=f"'{key}': 'bert' would take the place of one with 'anna'.*delete 'trip'"):
        getattr(made, method)(given)
    with pytest.raises(SettingError, match="give them ids that differ"):
        asyncio.run(made.aupsert(trips[1:]))
    assert rows(made) == before
    for each in trips:
        each.metadata["team"] = "x"
    made.upsert(trips[:1])
    with pytest.raises(SettingError, match="give them ids that differ"):
        made.mirror(trips[1:], scope={"team": "x"})
    made.mirror(trips[1:])  # it has changed hands
    assert [node.metadata[key] for node in made.docstore.docs.values()] == ["bert"]
    made.delete_ref_doc("trip")
    made.upsert(trips[:1])


def test_a_node_beside_another_users_is_added_and_one_in_its_place_is_refused() -> None:
    def node(name: str, user: str) -> TextNode:
        source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id="trip")}
        return TextNode(id_=name, text=f"The ticket of {user}.", metadata={"user": user}, relationships=source)

    made = HierarchyIndex(embed_model=StaticEmbedding())
    with warnings.catch_warnings(action="error"):
        made.insert_nodes([node("1", "anna")])
        made.insert_nodes([node("2", "bert")])
        made.insert_nodes([node("1", "anna"), node("3", "carl")])
    assert {*made.docstore.docs} == {"1", "2", "3"}
    with pytest.raises(SettingError, match="'trip' with the metadata 'user': 'carl' would take the place of one with "):
        made.insert_nodes([node("2", "carl")])


@pytest.mark.parametrize("value", [("x", "y"), {1: "a"}, float("nan"), [1, (2, 3)], None])
@pytest.mark.parametrize("is_file", [False, True])
def test_what_a_store_reads_as_another_value_is_no_other_user(value: Any, is_file: bool, tmp_path: Path) -> None:
    docstore = SQLiteDocumentStore(tmp_path / "nodes.db") if is_file else SimpleDocumentStore()
    made = HierarchyIndex(docstore=docstore, embed_model=StaticEmbedding())
    with warnings.catch_warnings(action="error"):
        for text in ("A ticket.", "A new ticket."):
            made.upsert([Document(text=text, id_="trip", metadata={"team": value})])
    with pytest.raises(SettingError, match="would take the place of one with"):
        made.upsert([Document(text=text, id_="trip", metadata={"team": "another"})])
