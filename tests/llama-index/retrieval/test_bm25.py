"""The retriever of words alone: what it finds, in memory and in a file, after edits, under filters, beside others."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fakes.llama_index.embeddings import Words
from fakes.llama_index.indexes import documents, index, parser
from llama_index.core import Document, MockEmbedding, StorageContext, VectorStoreIndex
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import HierarchicalNodeParser
from llama_index.core.retrievers import QueryFusionRetriever, RecursiveRetriever
from llama_index.core.retrievers.fusion_retriever import FUSION_MODES
from llama_index.core.schema import BaseNode, IndexNode, NodeRelationship, NodeWithScore, RelatedNodeInfo, TextNode
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    SimpleVectorStore,
)

from caesura import SettingError
from caesura_retrieval.word_index import WordIndex
from llama_index.node_parser.caesura import BM25Retriever, HierarchyIndex, SQLiteDocumentStore

FERRY = "The ferry leaves the harbour at nine."
TICKETS = "Tickets are sold on board, in coins."
MILL = "The tide mill grinds grain twice a day."
Make = Callable[..., BM25Retriever]


def node(name: str, text: str, document: str = "", **metadata: Any) -> TextNode:
    """A node with an id, of a document if it is said."""
    source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id=document)} if document else {}
    return TextNode(id_=name, text=text, metadata=metadata, relationships=source)


def nodes() -> list[BaseNode]:
    return [node("ferry", FERRY, "port"), node("tickets", TICKETS, "board"), node("mill", MILL)]


def names(found: Sequence[NodeWithScore]) -> list[str]:
    return [each.node.node_id for each in found]


def having(retriever: BM25Retriever, question: str) -> list[str]:
    """The nodes that are found by words of their own, and not of a neighbour's."""
    return sorted(each.node.node_id for each in retriever.retrieve(question) if each.evidence.found)


@pytest.fixture(params=["memory", "file"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Make:
    """Makes a retriever, in memory or in the same file again."""

    def made(*given: Any, **settings: Any) -> BM25Retriever:
        path = {"path": tmp_path / "words.db"} if request.param == "file" else {}
        return BM25Retriever(*given, **path, **settings)

    return made


# -- what is found ---------------------------------------------------------------------------------------------------


def test_nodes_with_the_words_of_a_question_come_best_first(make: Make) -> None:
    made = make(nodes(), similarity_top_k=9)
    found = made.retrieve("When does the ferry leave the harbour, and how are tickets sold?")
    assert names(found) == ["ferry", "tickets"]
    assert found[0].get_score() > found[1].get_score() > 0
    assert found[0].text == FERRY
    assert made.retrieve("zebra") == made.retrieve("") == []


async def test_awaited_it_finds_and_writes_the_same(make: Make) -> None:
    made = make(similarity_top_k=9)
    await made.ainsert_nodes(nodes())
    assert names(await made.aretrieve("ferry tickets grain")) == names(made.retrieve("ferry tickets grain"))
    await made.adelete_nodes(["mill"])
    assert await made.aretrieve("grain") == []
    await made.adelete_ref_doc("port")
    assert names(await made.aretrieve("ferry tickets")) == ["tickets"]


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Лодки стояли у старых причалов.", "лодка у причала"),
        ("Die Häuser der Fischer brannten.", "Haus eines Fischers"),
        ("كتب المعلمون رسائل طويلة.", "المعلم والرسالة"),
        ("北京的潮汐磨坊在海湾。", "潮汐磨坊"),
        ("def getUserName(user_id): ...", "user name"),
        ("def get_user_name(): ...", "getUserName"),
        ("Fixed in v1.7.0 of the FY2018 report.", "1.7.0"),
        ("The café was closed.", "CAFE"),
        ("The hy-\nphen is folded.", "hyphen"),
    ],
)
def test_words_are_those_of_the_index_of_a_hierarchy(text: str, question: str) -> None:
    others = [node(name, name) for name in (MILL, "Вода и ветер.", "Der Sturm kam nachts.", "مطر في الشتاء.")]
    assert names(BM25Retriever([*others, node("wanted", text)], similarity_top_k=1).retrieve(question)) == ["wanted"]


@pytest.mark.parametrize(
    "metadata",
    [
        {"title": "Zanzibar timetable"},
        {"file_name": "zanzibar.pdf"},
        {"file_path": "/data/zanzibar/2018.txt"},
        {"headings": "Islands > Zanzibar"},
        {"header_path": "/Islands/Zanzibar/"},
    ],
    ids=lambda metadata: next(iter(metadata)),
)
def test_titles_files_and_headings_are_found(metadata: dict[str, Any]) -> None:
    made = BM25Retriever([node("plain", FERRY), node("named", FERRY, **metadata)], similarity_top_k=1)
    assert names(made.retrieve("ferry to Zanzibar")) == ["named"]


def test_a_node_of_a_hierarchy_says_all_headings_above_it_and_nothing_of_how_it_is_kept() -> None:
    """Though not all of them fit beside its text where it is embedded."""
    titles = [f"{word} of the very long handbook for harbour masters and all others" for word in ("One", "Two")]
    text = "\n\n".join([f"# {titles[0]}", f"## {titles[1]}", *(f"{FERRY} Number {number}." for number in range(30))])
    cut = parser(chunk_sizes=[120, 40], metadata=["headings"], embed_headings=True)
    made = index(transformations=[cut])
    made.upsert([Document(text=text, id_="a")])
    kept = [*made.docstore.docs.values()]
    assert any("caesura_place" in node.source_node.metadata for node in kept if node.source_node is not None)
    for words in (BM25Retriever(index=made), BM25Retriever(kept)):
        found = words.retrieve("number 17")[0].node
        assert found.metadata["headings"] == " > ".join(titles)
        assert found.source_node is not None
        assert "caesura_place" not in found.source_node.metadata


def test_a_reference_leads_where_the_framework_takes_it() -> None:
    passage = TextNode(id_="passage", text=MILL)
    asked = IndexNode(id_="asked", text="Which zebra grinds?", index_id="passage", obj=passage)
    assert names(BM25Retriever([asked, node("ferry", FERRY)]).retrieve("zebra")) == ["passage"]
    bare = IndexNode(id_="asked", text="Which zebra grinds?", index_id="passage")
    recursive = RecursiveRetriever("words", {"words": BM25Retriever([bare])}, node_dict={"passage": passage})
    assert names(recursive.retrieve("zebra")) == ["passage"]


# -- what is written -------------------------------------------------------------------------------------------------


def test_nodes_are_added_replaced_and_deleted(make: Make) -> None:
    made = make(similarity_top_k=9)
    made.insert_nodes(nodes()[:1])
    made.insert_nodes(nodes()[1:])
    assert {*names(made.retrieve("ferry tickets grain"))} == {"ferry", "tickets", "mill"}
    made.insert_nodes([node("mill", "The windmill stands still.")])
    assert made.retrieve("grain") == []
    assert names(made.retrieve("windmill")) == ["mill"]
    made.delete_nodes(["ferry", "none"])
    assert made.retrieve("ferry") == []
    assert names(made.retrieve("tickets")) == ["tickets"]
    made.delete_ref_doc("board")
    made.delete_ref_doc("mill")
    made.delete_ref_doc("none")
    assert made.retrieve("tickets windmill") == []


def test_of_a_document_some_nodes_can_be_added_and_deleted(make: Make) -> None:
    made = make(nodes(), similarity_top_k=9)
    made.insert_nodes([node("fares", "Nine coins for adults.", "port"), node("crew", "The crew sings.", "port")])
    assert [names(made.retrieve(word))[0] for word in ("ferry", "adults", "sing")] == ["ferry", "fares", "crew"]
    made.delete_nodes(["fares"])
    assert [names(made.retrieve(word))[:1] for word in ("ferry", "adults", "sing")] == [["ferry"], [], ["crew"]]
    made.delete_ref_doc("port")
    assert made.retrieve("ferry adults sing") == []


async def test_a_scope_deletes_no_other_users_document(make: Make) -> None:
    users = {"bees": "anna", "salary": "ben"}
    both = [node(f"{name} {user}", f"The {name} of {user}.", name, user=user) for name, user in users.items()]
    made = make([*both, node("salary anna", "The salary of Anna.", "salary", user="anna")], similarity_top_k=9)
    for document in ("salary", "none"):
        made.delete_ref_doc(document, scope={"user": "anna"})
        await made.adelete_ref_doc(document, scope={"user": "ben"})
    assert len(made.retrieve("bees salary")) == 3
    await made.adelete_ref_doc("bees", scope={"user": "anna"})
    assert len(made.retrieve("bees salary")) == 2
    made.delete_ref_doc("salary")
    assert made.retrieve("bees salary") == []
    wrong: Any
    for wrong in ({}, "anna"):
        with pytest.raises(SettingError, match="scope must be metadata such as"):
            made.delete_ref_doc("bees", scope=wrong)


def test_a_file_has_everything_when_it_is_opened_again_and_others_see_each_write(tmp_path: Path) -> None:
    path = tmp_path / "words.db"
    first = BM25Retriever(nodes(), path=path, similarity_top_k=9)
    other = BM25Retriever(path=path, similarity_top_k=9)
    assert names(other.retrieve("ferry")) == ["ferry"]
    first.delete_nodes(["ferry"])
    first.insert_nodes([node("bees", "Bees make honey.", "port", kind="animal")])
    assert other.retrieve("ferry") == []
    first.close()
    other.close()
    again = BM25Retriever.from_defaults(path=path, similarity_top_k=9)
    (found,) = again.retrieve("honey")
    assert (found.node.ref_doc_id, found.metadata, found.text) == ("port", {"kind": "animal"}, "Bees make honey.")
    assert {*names(again.retrieve("tickets grain"))} == {"tickets", "mill"}
    again.close()


def test_a_file_may_hold_other_nodes_which_are_not_found(tmp_path: Path) -> None:
    store = SQLiteDocumentStore(tmp_path / "nodes.db")
    made = index(vector_store=SimpleVectorStore(), docstore=store, embed_model=Words())
    made.upsert(documents())
    store.add_documents([node("other", "The dough of others.")])
    retriever = BM25Retriever([node("ours", "Our dough.")], path=store.path, similarity_top_k=9)
    assert names(retriever.retrieve("dough")) == ["ours"]
    assert "ours" not in store.docs


def test_a_write_that_fails_in_the_middle_breaks_no_search_and_can_be_repeated(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("the disk is full")

    made = make(nodes(), similarity_top_k=9)
    for kind in (SimpleDocumentStore, SQLiteDocumentStore):
        for name in ("add_documents", "delete_document", "delete_ref_doc"):
            monkeypatch.setattr(kind, name, fail)
    changed = node("mill", "The windmill stands still.")
    for write in (
        lambda: made.insert_nodes([node("bees", "Bees make honey.", "hive"), changed]),
        lambda: made.delete_nodes(["ferry"]),
        lambda: made.delete_ref_doc("port"),
    ):
        with pytest.raises(OSError, match="full"):
            write()
        assert made.retrieve("honey") == []
        assert {*names(made.retrieve("ferry tickets"))} == {"ferry", "tickets"}
    monkeypatch.undo()
    made.insert_nodes([node("bees", "Bees make honey.", "hive"), changed])
    made.delete_nodes(["ferry"])
    assert {*names(made.retrieve("honey tickets windmill ferry"))} == {"bees", "tickets", "mill"}


@pytest.mark.parametrize("stop", [0, 1, 2])
def test_an_update_that_stops_leaves_each_node_to_the_words_that_it_has(
    make: Make, stop: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = 0

    def stopped(kind: type, name: str) -> None:
        real = getattr(kind, name)

        def step(self: Any, *given: Any, **settings: Any) -> None:
            nonlocal steps
            steps += 1
            if steps > stop:
                raise OSError("the disk is full")
            real(self, *given, **settings)

        monkeypatch.setattr(kind, name, step)

    old = [node("mill", MILL, "town", title="Zanzibar"), node("ferry", FERRY, "town", title="Zanzibar")]
    new = node("mill", "The windmill stands still.", "town", title="Pemba")
    made = make(old, similarity_top_k=9)
    for _ in range(2):  # the second time after one that stopped
        stopped(WordIndex, "put")
        for kind in (SimpleDocumentStore, SQLiteDocumentStore):
            stopped(kind, "add_documents")
        with pytest.raises(OSError, match="full"):
            made.insert_nodes([new])
        monkeypatch.undo()
        steps = 0
        old_words, new_words = ([], ["mill"]) if stop == 2 else (["mill"], [])
        assert [having(made, word) for word in ("grain", "windmill", "Pemba")] == [old_words, new_words, new_words]
        assert having(made, "Zanzibar") == ["ferry", *old_words]
        if stop == 2:
            new = node("mill", "The windmill grinds again.", "town", title="Pemba")
            made.insert_nodes([node("mill", MILL, "town", title="Zanzibar")])
    made.insert_nodes([new])
    assert [having(made, word) for word in ("windmill", "Pemba", "Zanzibar")] == [["mill"], ["mill"], ["ferry"]]
    made.delete_ref_doc("town")
    assert made.retrieve("windmill grain ferry") == []


def test_others_find_a_node_by_a_word_of_both_versions_at_each_moment_of_an_update(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = BM25Retriever([*nodes(), node("x", "Grain.")], path=tmp_path / "words.db")
    reader = BM25Retriever(path=tmp_path / "words.db", similarity_top_k=9)
    add, put, search, seen = SQLiteDocumentStore.add_documents, WordIndex.put, WordIndex.search, list[list[str]]()
    new = node("mill", "The windmill grinds grain.")

    def look() -> None:
        seen.append(sorted(names(reader.retrieve("grain"))))

    def looked(step: Callable[..., None]) -> Callable[..., None]:
        def looking(*given: Any, **settings: Any) -> None:
            look()
            step(*given, **settings)
            look()

        return looking

    monkeypatch.setattr(WordIndex, "put", looked(put))
    monkeypatch.setattr(SQLiteDocumentStore, "add_documents", looked(add))
    writer.insert_nodes([new])
    monkeypatch.undo()
    assert seen == [["mill", "x"]] * 6

    def late(self: WordIndex, *given: Any, **settings: Any) -> Any:
        hits = search(self, *given, **settings)
        monkeypatch.undo()
        writer.insert_nodes([node("mill", "Grain is ground.")])
        return hits

    monkeypatch.setattr(WordIndex, "search", late)
    assert {*names(reader.retrieve("grain"))} == {"mill", "x"}
    writer.close()
    reader.close()


def test_a_node_that_moves_goes_with_its_new_document_alone(make: Make) -> None:
    made = make([*nodes(), node("quay", "The quay is old.", "port")], similarity_top_k=9)
    made.insert_nodes([node("ferry", FERRY, "board"), node("mill", MILL, "port"), node("mill", MILL, "town")])
    assert having(made, "ferry grain quay") == ["ferry", "mill", "quay"]
    made.delete_ref_doc("port")
    made.delete_ref_doc("mill")
    assert having(made, "ferry grain quay") == ["ferry", "mill"]
    made.insert_nodes([node("crew", "The crew sings.", "port")])
    made.delete_ref_doc("board")
    assert having(made, "ferry tickets grain crew") == ["crew", "mill"]
    made.delete_nodes(["mill"])
    assert names(made.retrieve("grain crew")) == ["crew"]


def test_threads_read_while_others_write(make: Make) -> None:
    made = make([*nodes(), *(node(f"{n}", FERRY) for n in range(30))], similarity_top_k=40)

    def write(number: int) -> None:
        for _ in range(2):
            made.insert_nodes([node(f"{number}", FERRY), node(f"tide {number}", f"Tide {number}.", "tides")])
            made.delete_nodes([f"{number}"])

    with ThreadPoolExecutor(6) as pool:
        writers = [pool.submit(write, number) for number in range(3)]
        while not all(each.done() for each in writers):
            assert "ferry" in names(made.retrieve("ferry"))
        for each in writers:
            each.result()
    assert {*names(made.retrieve("ferry"))} == {"ferry", *(str(n) for n in range(3, 30))}
    assert {*names(made.retrieve("tide"))} >= {f"tide {number}" for number in range(3)}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_finds_and_writes(make: Make) -> None:
    made = make([*nodes(), IndexNode(id_="asked", text="Which zebra?", index_id="mill")], similarity_top_k=9)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            before = names(made.retrieve("ferry")) == ["ferry"] and names(made.retrieve("zebra")) == ["asked"]
            made.insert_nodes([node("bees", "Bees make honey.", "hive")])
            code = not (before and names(made.retrieve("honey")) == ["bees"])
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


# -- filters ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("operator", "value", "allowed"),
    [
        (FilterOperator.EQ, 3, {3}),
        (FilterOperator.NE, 3, {0, 1, 2, 4}),
        (FilterOperator.GT, 3, {4}),
        (FilterOperator.GTE, 3, {3, 4}),
        (FilterOperator.LT, 1, {0}),
        (FilterOperator.LTE, 1, {0, 1}),
        (FilterOperator.IN, [1, 2], {1, 2}),
        (FilterOperator.NIN, [1, 2], {0, 3, 4}),
    ],
    ids=lambda each: each.name if isinstance(each, FilterOperator) else "",
)
def test_what_is_found_passes_the_filters(operator: FilterOperator, value: Any, allowed: set[int]) -> None:
    filters = MetadataFilters(filters=[MetadataFilter(key="n", value=value, operator=operator)])
    made = BM25Retriever([node(str(n), FERRY, n=n) for n in range(5)], similarity_top_k=9, filters=filters)
    assert {each.metadata["n"] for each in made.retrieve("ferry")} == allowed


def test_filters_of_texts_and_lists_and_within_filters_hold_too() -> None:
    def found(*filters: Any, condition: FilterCondition = FilterCondition.AND) -> set[str]:
        chosen = MetadataFilters(filters=list(filters), condition=condition)
        return {*names(BM25Retriever(given, similarity_top_k=9, filters=chosen).retrieve("ferry"))}

    def each(key: str, value: Any, operator: FilterOperator = FilterOperator.EQ) -> MetadataFilter:
        return MetadataFilter(key=key, value=value, operator=operator)

    given = [
        node("a", FERRY, "one", tags=["sea", "old"], kind="Talk"),
        node("b", FERRY, "one", tags=["old"], kind="Letter"),
        node("c", FERRY, "two", tags=[]),
    ]
    assert found(each("tags", "sea", FilterOperator.CONTAINS)) == {"a"}
    assert found(each("tags", ["sea", "old"], FilterOperator.ANY)) == {"a", "b"}
    assert found(each("tags", ["sea", "old"], FilterOperator.ALL)) == {"a"}
    assert found(each("kind", "Tal", FilterOperator.TEXT_MATCH)) == {"a"}
    assert found(each("kind", "letter", FilterOperator.TEXT_MATCH_INSENSITIVE)) == {"b"}
    assert found(each("kind", None, FilterOperator.IS_EMPTY)) == {"c"}
    assert found(each("ref_doc_id", "one")) == {"a", "b"}
    either = MetadataFilters(filters=[each("kind", "Talk"), each("kind", "Letter")], condition=FilterCondition.OR)
    assert found(either, each("tags", "sea", FilterOperator.CONTAINS)) == {"a"}
    assert found(either, condition=FilterCondition.NOT) == {"c"}


def test_what_passes_is_found_below_any_number_that_does_not() -> None:
    many = [node(str(n), "ferry " * 3, kind="no") for n in range(700)]
    last = node("last", FERRY + " " + MILL * 9, kind="yes")
    filters = MetadataFilters(filters=[MetadataFilter(key="kind", value="yes")])
    assert names(BM25Retriever([*many, last], filters=filters).retrieve("ferry")) == ["last"]


# -- beside others ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("use_async", [False, True])
@pytest.mark.parametrize("mode", FUSION_MODES)
def test_it_is_fused_with_the_vectors_of_an_index(mode: FUSION_MODES, use_async: bool) -> None:
    made = VectorStoreIndex(nodes(), embed_model=MockEmbedding(embed_dim=3))
    retrievers = [made.as_retriever(similarity_top_k=3), BM25Retriever.from_defaults(index=made, similarity_top_k=3)]
    settings: dict[str, Any] = {"llm": MockLLM(), "num_queries": 1, "use_async": use_async, "similarity_top_k": 2}
    fused = QueryFusionRetriever(retrievers, mode=mode, **settings)
    found = fused.retrieve("Where is grain ground?")
    assert len(found) == 2
    if mode != FUSION_MODES.SIMPLE or found[0].get_score() > 1:
        assert names(found)[0] == "mill"


@pytest.mark.parametrize("kind", ["memory", "file"])
def test_of_a_hierarchy_the_words_it_has_are_searched_as_it_changes(kind: str, tmp_path: Path) -> None:
    store = SimpleDocumentStore() if kind == "memory" else SQLiteDocumentStore(tmp_path / "nodes.db")
    made = index(vector_store=SimpleVectorStore(), docstore=store, embed_model=Words())
    one = BM25Retriever.from_defaults(index=made, similarity_top_k=3)
    other = BM25Retriever.from_defaults(docstore=made.docstore, similarity_top_k=3)
    made.upsert(documents())
    for retriever in (one, other):
        found = retriever.retrieve("Knead the dough until it is smooth")
        assert "dough" in found[0].text
        assert not any(each.node.child_nodes for each in found)
    made.delete_ref_doc("a")
    made.upsert([Document(text="The zebra stands.", id_="z")])
    assert one.retrieve("smooth dough") == []
    assert one.retrieve("zebra")[0].node.ref_doc_id == "z"
    fused = QueryFusionRetriever([made.as_retriever(), one], llm=MockLLM(), num_queries=1, mode="reciprocal_rerank")
    assert fused.retrieve("zebra")[0].node.ref_doc_id == "z"
    for write in (one.insert_nodes, one.delete_nodes):
        with pytest.raises(SettingError, match="upsert and delete there"):
            write([])
    with pytest.raises(SettingError, match="leave path out"):
        BM25Retriever(index=made, path=tmp_path / "words.db")


@pytest.mark.parametrize("kind", ["memory", "file"])
def test_of_a_document_store_the_smallest_nodes_are_searched(kind: str, tmp_path: Path) -> None:
    store = SimpleDocumentStore() if kind == "memory" else SQLiteDocumentStore(tmp_path / "nodes.db")
    parser = HierarchicalNodeParser.from_defaults(chunk_sizes=[60, 20], chunk_overlap=0)
    store.add_documents(parser.get_nodes_from_documents(documents()))
    found = BM25Retriever(docstore=store, similarity_top_k=99).retrieve("dough")
    assert found
    assert not any(each.node.child_nodes for each in found)


def test_a_store_without_nodes_is_refused(tmp_path: Path) -> None:
    stores = StorageContext.from_defaults()
    HierarchyIndex.from_documents(documents(), storage_context=stores, embed_model=Words())
    for store in (stores.docstore, SQLiteDocumentStore(tmp_path / "nodes.db")):
        with pytest.raises(SettingError, match=r"has no nodes with a text.*HierarchyIndex are in its own"):
            BM25Retriever(docstore=store)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"similarity_top_k": 0}, "similarity_top_k must be a whole number of at least 1, got 0"),
        ({"similarity_topk": 3}, "no setting similarity_topk=3: did you mean similarity_top_k"),
        ({"top_k": 3}, "similarity_top_k is its name here"),
        ({"language": "de"}, "Stems are taken by the language of each text"),
        ({"filters": {"kind": "talk"}}, "filters must be MetadataFilters"),
        ({"nodes": FERRY}, "documents must be a list of Documents or nodes, got str"),
        ({"nodes": [], "docstore": SimpleDocumentStore()}, "one of them: got nodes and docstore"),
        ({"docstore": "nodes.db"}, "docstore must be a document store"),
        ({"index": "nodes.db"}, "index must be one of LlamaIndex, or a HierarchyIndex"),
        ({"path": ""}, "path must be the path of a file"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_wrong_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        BM25Retriever(**settings)


def test_ids_to_delete_are_a_list() -> None:
    with pytest.raises(SettingError, match=r"pass \['mill'\]"):
        BM25Retriever(nodes()).delete_nodes("mill")
