"""Whatever is returned passes the filter: no passage and no match has a word of a small text that it hides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any

import pytest
from fakes.langchain.passages import document, lines, made
from fakes.langchain.splitters import Bag, scattered
from fakes.langchain.stores import ClockedVectors
from fakes.laws import EXAMPLES, law
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore
from langchain_text_splitters import RecursiveCharacterTextSplitter, TextSplitter

from caesura_store.sqlite_store import Pieces, Store
from langchain_caesura import SemanticHierarchySplitter, SQLiteDocumentStore
from langchain_caesura.parents.filters import filters_of, scope_of
from langchain_caesura.parents.record import RECORDS, read_record
from langchain_caesura.stores import PIECE
from langchain_caesura.vector_store_quirks import filter_judge, may_pass

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*langchain-community.*:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*(earlier documents|hides its embeddings):UserWarning"),
]
USERS = ["anna", "bob"]
_numbers = count()


class Lines(TextSplitter):
    """Cuts lines, one or several, and says of each what its first word begins with, as a metadata extractor does.

    upper: whether the chunks are no slices of the text.
    """

    def __init__(self, together: int, tagged: bool, upper: bool = False) -> None:
        super().__init__(add_start_index=True)
        self.together, self.tagged, self.upper = together, tagged, upper

    def split_text(self, text: str) -> list[str]:
        raise NotImplementedError

    def transform_documents(self, documents: Sequence[Document], **_: Any) -> list[Document]:
        chunks = []
        for each in documents:
            rows = each.page_content.splitlines(keepends=True)
            for at in range(0, len(rows), self.together):
                text = "".join(rows[at : at + self.together]).rstrip("\n")
                said = {
                    "start_index": sum(map(len, rows[:at])),
                    **({"tag": text.lstrip("# ")[:1]} if self.tagged else {}),
                }
                chunks.append(Document(text.upper() if self.upper else text, metadata={**each.metadata, **said}))
        return chunks

    async def atransform_documents(self, documents: Sequence[Document], **_: Any) -> list[Document]:
        return self.transform_documents(documents)


@st.composite
def texts(draw: Any) -> list[str]:
    """Lines of words that no other line has, each beginning with a tag."""
    tags = draw(st.lists(st.sampled_from("xyz"), min_size=1, max_size=12))
    marks = [draw(st.sampled_from(["", "", "# ", "## "])) for _ in tags]
    rows = [" ".join(f"w{next(_numbers)}" for _ in range(3)) for _ in tags]
    return [f"{mark}{tag} {row}" for mark, tag, row in zip(marks, tags, rows, strict=True)]


documents = st.lists(
    st.tuples(texts(), st.sampled_from(USERS), st.sampled_from([None, 1, 2])), min_size=1, max_size=3
).map(
    lambda drawn: [
        Document(
            "\n".join(rows),
            id=str(at),
            metadata={"user": user, "source": "book", **({} if page is None else {"page": page})},
        )
        for at, (rows, user, page) in enumerate(drawn)
    ]
)
OVERLAPPING = RecursiveCharacterTextSplitter(chunk_size=40, chunk_overlap=20, separators=["\n", " "])
SPLITTERS: dict[str, dict[str, Any]] = {
    "lines": {"child_splitter": Lines(1, True)},
    "pairs": {"child_splitter": Lines(2, True)},
    "plain": {"child_splitter": Lines(1, False)},
    "parents": {"child_splitter": Lines(1, True), "parent_splitter": Lines(4, False)},
    "tagged parents": {"child_splitter": Lines(1, False), "parent_splitter": Lines(3, True)},
    "upper": {"child_splitter": Lines(1, True, upper=True)},
    "upper parents": {"child_splitter": Lines(1, True, upper=True), "parent_splitter": Lines(4, False)},
    "overlapping": {"child_splitter": OVERLAPPING},
    "hierarchy": {"child_splitter": SemanticHierarchySplitter(Bag(scattered), chunk_sizes=(120, 60, 30))},
}
retrievers = st.fixed_dictionaries(
    {
        "cut": st.sampled_from(sorted(SPLITTERS)),
        "budget": st.sampled_from([None, 1, 30, 100, 250, 10**5]),
        "k": st.sampled_from([None, 1, 2, 9]),
        "merge_ratio": st.sampled_from([None, 0, 0.3, 1]),
        "context": st.sampled_from([0, 0.4]),
        "words": st.sampled_from([0, None]),
        "length_function": st.sampled_from([len, lambda text: len(text.split())]),
        "child_metadata_fields": st.sampled_from([None, ("page",), ("tag", "user")]),
        "max_fetch": st.sampled_from([1, 3, 1000]),
        "fetched": st.sampled_from([None, 1, 2, 5]),
        "search_type": st.sampled_from(["similarity", "mmr", "similarity_score_threshold"]),
        "viewed": st.booleans(),
        "source_id_key": st.sampled_from([None, "source"]),
        "set": st.booleans(),
    }
)
Clause = tuple[str, str, Any]
"""A field of the metadata, "eq" or "ne", and a value; or "text", "has", and a part of a row's text."""
clauses = st.one_of(
    st.tuples(st.just("user"), st.sampled_from(["eq", "ne"]), st.sampled_from(USERS)),
    st.tuples(st.just("page"), st.sampled_from(["eq", "ne"]), st.sampled_from([1, 2])),
    st.tuples(st.just("tag"), st.sampled_from(["eq", "ne"]), st.sampled_from("xyz")),
    st.tuples(st.just("text"), st.just("has"), st.sampled_from("xyz")),
)
conditions = st.tuples(st.sampled_from(["and", "or"]), st.lists(clauses, min_size=1, max_size=2))
Condition = tuple[str, list[Clause]]


def passes(row: Document, condition: Condition) -> bool:
    said = {**row.metadata, "text": row.page_content}
    tests = {
        "eq": lambda name, value: said.get(name) == value,
        "ne": lambda name, value: said.get(name) != value,
        "has": lambda name, value: value in said[name],
    }
    return (all if condition[0] == "and" else any)(tests[test](name, value) for name, test, value in condition[1])


def memory_filter(condition: Condition) -> dict[str, Any]:
    return {"filter": lambda row: passes(row, condition)}


def memory_rows(store: Any, options: dict[str, Any]) -> list[Document]:
    return [row for row in store.get_by_ids(list(store.store)) if options["filter"](row)]


def faiss_filter(condition: Condition) -> dict[str, Any]:
    joined, every = condition
    of_fields = [clause for clause in every if clause[1] != "has"]
    if len(of_fields) < len(every):
        return {"filter": lambda metadata: passes(Document("", metadata=metadata), (joined, of_fields))}
    tests = {"eq": "$eq", "ne": "$neq"}
    return {"filter": {f"${joined}": [{name: {tests[test]: value}} for name, test, value in of_fields]}}


def faiss_rows(store: Any, options: dict[str, Any]) -> list[Document]:
    return store.similarity_search("x", k=10**4, fetch_k=10**4, **options) if store.index_to_docstore_id else []


def chroma_filter(condition: Condition) -> dict[str, Any]:
    fields = [{name: {f"${test}": value}} for name, test, value in condition[1] if test != "has"]
    parts = [{"$contains": value} for _, test, value in condition[1] if test == "has"]
    given = {"filter": fields, "where_document": parts}
    return {name: rows[0] if len(rows) == 1 else {f"${condition[0]}": rows} for name, rows in given.items() if rows}


def chroma_rows(store: Any, options: dict[str, Any]) -> list[Document]:
    found = store.get(where=options.get("filter"), where_document=options.get("where_document"))
    return [*map(Document, found["documents"])]


def qdrant_filter(condition: Condition) -> dict[str, Any]:
    from qdrant_client import models

    def of(clause: Clause) -> Any:
        name, test, value = clause
        if test == "has":
            return models.FieldCondition(key="page_content", match=models.MatchText(text=value))
        one = models.FieldCondition(key=f"metadata.{name}", match=models.MatchValue(value=value))
        return one if test == "eq" else models.Filter(must_not=[one])

    return {"filter": models.Filter(**{{"and": "must", "or": "should"}[condition[0]]: [*map(of, condition[1])]})}


def qdrant_rows(store: Any, options: dict[str, Any]) -> list[Document]:
    points, _ = store.client.scroll("rows", options["filter"], limit=10**4)
    return [*store.get_by_ids([point.id for point in points])]


def memory(model: Embeddings) -> VectorStore:
    return ClockedVectors(model)


def faiss(model: Embeddings) -> VectorStore:
    library = pytest.importorskip("faiss")
    from langchain_community.docstore.in_memory import InMemoryDocstore
    from langchain_community.vectorstores import FAISS

    return FAISS(model, library.IndexFlatL2(64), InMemoryDocstore(), {})


def chroma(model: Embeddings) -> VectorStore:
    from langchain_chroma import Chroma

    return Chroma(f"filters-{next(_numbers)}", model)


def qdrant(model: Embeddings) -> VectorStore:
    from langchain_qdrant import QdrantVectorStore
    from qdrant_client import QdrantClient, models

    client = QdrantClient(":memory:")
    client.create_collection("rows", vectors_config=models.VectorParams(size=64, distance=models.Distance.COSINE))
    return QdrantVectorStore(client=client, collection_name="rows", embedding=model)


STORES: dict[str, tuple[Any, Any, Any]] = {
    "memory": (memory, memory_filter, memory_rows),
    "faiss": (faiss, faiss_filter, faiss_rows),
    "chroma": (chroma, chroma_filter, chroma_rows),
    "qdrant": (qdrant, qdrant_filter, qdrant_rows),
}


every_store = pytest.mark.parametrize(
    "store", ["memory", *(pytest.param(name, marks=pytest.mark.thorough) for name in STORES if name != "memory")]
)


def words_of(said: Iterable[object]) -> set[str]:
    return set(re.findall(r"w\d+", str([*said]).lower()))


def stored_rows(one: Any) -> list[Document]:
    """All rows that the vector store has of the retriever's records."""
    records = [one.docstore.mget([key])[0] for key in one.docstore.yield_keys(prefix="caesura/")]
    ids = [row for record in records for part in read_record(record).parts for row, _ in part.rows()]
    return [*one.vectorstore.get_by_ids(ids)]


def filled(store: str, given: Sequence[Document], cut: str, viewed: bool, **options: Any) -> Any:
    one = made(
        STORES[store][0](Bag(scattered)),
        docstore=InMemoryStore(),
        passage_metadata=["headings", "line_start"],
        **SPLITTERS[cut],
        **{name: value for name, value in options.items() if value is not None or name in ("budget", "k", "words")},
    )
    views = [
        Document(f"summary {each.page_content[:8]}", metadata={"parent_id": each.id, "user": USERS[at % 2], "page": 1})
        for at, each in enumerate(given)
    ]
    one.add_documents(
        given, views=views if viewed and "parent_splitter" not in SPLITTERS[cut] and cut != "hierarchy" else []
    )
    return one


def check_nothing_hidden_is_returned(
    store: str, given: Sequence[Document], options: dict[str, Any], condition: Condition, question: str
) -> None:
    options = dict(options)
    fetched, is_set, kind = options.pop("fetched"), options.pop("set"), options["search_type"]
    one = filled(store, given, **options)
    search: dict[str, Any] = {} if fetched is None else {"k": fetched}
    if kind == "similarity_score_threshold":
        search["score_threshold"] = -10.0 if fetched else 0.1
    filters = STORES[store][1](condition)
    hidden = words_of(stored_rows(one)) - words_of(STORES[store][2](one.vectorstore, filters))
    if is_set:
        one.search_kwargs = {**filters, **search}
    for found in one.invoke(question, **({} if is_set else {**filters, **search})):
        assert not words_of([found.page_content, found.metadata, found.matches]) & hidden, found


@law()
@given(documents, retrievers, conditions, st.data())
def test_nothing_that_a_filter_hides_is_returned(
    given: list[Document], options: dict[str, Any], condition: Condition, data: st.DataObject
) -> None:
    question = data.draw(st.sampled_from(["summary", *" ".join(each.page_content for each in given).split()]))
    check_nothing_hidden_is_returned("memory", given, options, condition, question)


@pytest.mark.thorough
@pytest.mark.parametrize("store", ["faiss", "chroma", "qdrant"])
@settings(max_examples=max(50, EXAMPLES // 20), deadline=None)
@given(documents, retrievers, conditions, st.data())
def test_no_store_returns_what_a_filter_hides(
    store: str, given: list[Document], options: dict[str, Any], condition: Condition, data: st.DataObject
) -> None:
    question = data.draw(st.sampled_from(["summary", *" ".join(each.page_content for each in given).split()]))
    check_nothing_hidden_is_returned(store, given, options, condition, question)


def long_document(name: str, tags: str = "x") -> Document:
    rows = [f"{tags[at % len(tags)]} {name}{at} tide" for at in range(30)]
    return Document("\n".join(rows), id=name, metadata={"user": name, "page": 1})


@every_store
@pytest.mark.parametrize("cut", ["lines", "parents", "overlapping"])
@pytest.mark.parametrize("budget", [None, 100, 10**4])
async def test_a_filter_on_what_all_of_a_document_has_costs_nothing(store: str, cut: str, budget: int | None) -> None:
    """Though only three rows are fetched, those around them are known to pass."""
    ratio = None if budget is None else 0
    options: dict[str, Any] = {"budget": budget, "words": 0, "merge_ratio": ratio, "search_kwargs": {"k": 3}, "k": 1}
    alone = filled("memory", [long_document("anna")], cut, False, **options)
    one = filled(store, [long_document("anna"), long_document("bob")], cut, False, **options)
    filters = STORES[store][1](("and", [("user", "eq", "anna"), ("page", "eq", 1)]))
    found = one.invoke("anna7 tide", **filters)
    assert await one.ainvoke("anna7 tide", **filters) == found
    assert [each.page_content for each in found] == [each.page_content for each in alone.invoke("anna7 tide")]
    assert budget == 100 or found[0].page_content.count("anna") > (2 if cut == "parents" else 29)


@every_store
@pytest.mark.parametrize("merge_ratio", [None, 0])
def test_in_the_place_of_a_parent_that_is_hidden_in_part_comes_what_was_found(
    store: str, merge_ratio: float | None
) -> None:
    one = filled(store, [long_document("anna", "xy")], "lines", False, budget=None, words=0, merge_ratio=merge_ratio)
    found = one.invoke("anna8", k=1, **STORES[store][1](("and", [("tag", "eq", "x")])))
    assert [(each.page_content, each.metadata["start_index"]) for each in found] == [("x anna8 tide", 8 * 13)]


@pytest.mark.parametrize("search_type", ["similarity", "mmr"])
def test_a_store_that_cannot_say_what_passes_is_searched_further(search_type: str) -> None:
    class Silent(ClockedVectors):
        def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
            raise NotImplementedError

    one = made(Silent(Bag(scattered)), docstore=InMemoryStore(), child_splitter=Lines(1, True), words=0, budget=None)
    one.search_type, one.k = search_type, 1
    one.add_documents([long_document("anna")])
    (whole,) = one.invoke("anna8", filter=lambda row: True)
    assert whole.page_content == long_document("anna").page_content
    one.max_fetch = 3
    assert [each.page_content for each in one.invoke("anna8", filter=lambda row: True)] == ["x anna8 tide"]


@pytest.mark.parametrize("parsed", [False, True], ids=["read", "parsed"])
def test_headings_that_are_hidden_are_not_in_the_metadata_of_what_passes(parsed: bool) -> None:
    text = "# Sale of the mill\n## Canteen\nSoup at noon."
    titles = ["Sale of the mill", "Canteen"]
    layout = [{"start": at, "page": 1, "headings": titles[:count]} for at, count in ((0, 1), (19, 2), (30, 2))]
    one = made(ClockedVectors(Bag(scattered)), docstore=InMemoryStore(), passage_metadata=["headings", "page_start"])
    one.child_splitter = Lines(1, False)
    one.add_documents([Document(text, id="a", metadata={"caesura_layout": layout} if parsed else {})])
    for budget in (None, 1000):
        (passage,) = one.invoke("soup", budget=budget, filter=lambda row: "Sale" not in row.page_content)[-1:]
        assert passage.metadata["headings"] == ["Canteen"]
        assert passage.metadata.get("page_start") == (1 if parsed else None)
        assert one.invoke("soup", budget=budget)[0].page_content == text


@pytest.mark.thorough
def test_only_a_filter_of_which_all_fields_are_known_is_judged_by_a_row_like_it() -> None:
    from qdrant_client import models

    store: Any = qdrant(Bag(scattered))
    row = Document("a", metadata={"user": "anna", "page": 1, "_id": 7})
    like = Document("b", metadata={"user": "anna", "page": 2, "_id": 8})
    user = models.FieldCondition(key="metadata.user", match=models.MatchValue(value="anna"))
    judged: list[Any] = [
        {"user": "anna"},
        {"$and": [{"user": {"$in": ["anna"]}}, {"$or": [{"user": "anna"}, {"user": "bob"}]}]},
        models.Filter(must=[user], must_not=[models.Filter(should=[user])]),
        models.Filter(min_should=models.MinShould(conditions=[user], min_count=1)),
    ]
    for condition in judged:
        judge = filter_judge(store, condition, [row])
        assert judge is not None
        assert judge(like)
        assert not judge(Document("b", metadata={"user": "bob", "page": 1}))
        assert not judge(Document("b", metadata={"page": 1}))
    unknown: list[Any] = [
        "user = anna",
        {"$text": {"$search": "a"}},
        {"match": {"text": "a"}},
        {"$and": [{"user": "anna"}, "page"]},
        {},
        models.Filter(must=[models.HasIdCondition(has_id=[7]), user]),
        models.Filter(must=[models.FieldCondition(key="page_content", match=models.MatchText(text="a")), user]),
        models.Filter(
            must=[models.NestedCondition(nested=models.Nested(key="metadata.user", filter=models.Filter(must=[user])))]
        ),
    ]
    for condition in unknown:
        assert filter_judge(store, condition, [row]) is None, condition
    for absent in ({"draft": {"$ne": True}}, {"page": 1}):
        judge = filter_judge(store, absent, [row])
        assert judge is not None
        assert not judge(like)


def test_a_filter_does_not_read_a_long_document_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is returned is the same as where the documents are in memory, and whole."""
    read, plain = set[int](), Store.get_pieces

    def noting(self: Store, numbers: Mapping[str, Iterable[int]]) -> dict[str, Pieces]:
        found = plain(self, numbers)
        read.update(chain.from_iterable(own.found for own in found.values()))
        return found

    monkeypatch.setattr(Store, "get_pieces", noting)
    rows = [f"{each} {'.' * 600}" for each in lines(600)]
    long = document("long", ["# The harbour", *rows], user="anna")
    question, condition = "310 harbour 222 tide", {"filter": lambda row: "311 " not in row.page_content}
    with SQLiteDocumentStore(tmp_path / "documents.db") as store:
        one, other = (
            made(InMemoryVectorStore(Bag(scattered)), budget=1000, **settings) for settings in ({"docstore": store}, {})
        )
        for each in (one, other):
            each.add_documents([long, document("short", lines(9, "s"))])
        monkeypatch.setattr(store, "mget", lambda keys: _only_records(store, keys))
        found = one.invoke(question, **condition)
        assert found == other.invoke(question, **condition)
        assert found[0].metadata["title"] == "The harbour"
        assert any("310 " in each.page_content for each in found)
        assert not any("311 " in each.page_content for each in found)
        assert 1 < len(read) < 16 < len(long.page_content) / PIECE, (
            "the beginning, what is taken, and ten that are tried"
        )


def _only_records(store: SQLiteDocumentStore, keys: Sequence[str]) -> list[Document | None]:
    assert all(key.startswith(RECORDS) for key in keys), "a text is read whole"
    return SQLiteDocumentStore.mget(store, keys)


def test_what_says_how_a_store_searches_is_no_filter() -> None:
    how = {"metrics": "cosine", "hybrid_search_config": object(), "hybrid_fusion": object(), "k": 9}
    assert filters_of(how) == {}
    assert filters_of({**how, "filter": {"page": 3}, "where_document": None}) == {"filter": {"page": 3}}


@pytest.mark.parametrize("budget", [300, None])
async def test_a_filter_by_the_place_of_passages_that_finds_nothing_is_told(
    budget: int | None, recwarn: pytest.WarningsRecorder
) -> None:
    one = made(faiss(Bag(scattered)), budget=budget)
    one.add_documents([document("a", lines(5))])
    for condition in ({"page_start": 3}, {"$and": [{"page_start": 3}, {"user": "anna"}]}):
        with pytest.warns(UserWarning, match="a filter that names page_start found nothing") as told:
            assert one.invoke("harbour", filter=condition) == []
        assert [each.filename for each in told] == [__file__]
        with pytest.warns(UserWarning, match="page_start") as told:
            assert await one.ainvoke("harbour", filter=condition) == []
        assert [each.filename for each in told] == [__file__]
    recwarn.clear()
    assert one.invoke("harbour", filter={"user": "nobody"}) == []
    assert not recwarn.list


@pytest.mark.parametrize(
    "condition",
    [{"user": "anna"}, {"user": {"$eq": "anna"}}, {"$and": [{"user": "anna"}, {"page": {"$gt": 3}}]}, "of_anna"],
)
async def test_a_document_that_its_own_filter_never_returns_is_told_of_once(condition: Any) -> None:
    if condition == "of_anna":
        condition = _of_anna
    one = made(InMemoryVectorStore(Bag(scattered)), search_kwargs={"filter": condition})
    one.add_documents([document("a", lines(2), user="anna")])
    said = r"2 of 3 documents added do not pass .*'user': 'ben'.*never returns them"
    with pytest.warns(UserWarning, match=said) as told:
        one.add_documents([document(name, lines(2), user=name) for name in ("ben", "anna", "carl")])
    assert [each.filename for each in told] == [__file__]
    one.add_documents([document("d", lines(2))])
    other = made(search_kwargs={"filter": {"user": "anna"}}, child_metadata_fields=["page"])
    with pytest.warns(UserWarning, match="or to child_metadata_fields"):
        await other.aadd_documents([document("a", lines(2), user="anna")])


def _of_anna(row: Document) -> bool:
    return row.metadata["user"] == "anna" if "user" in row.metadata else False


@pytest.mark.parametrize(
    "condition",
    [
        {"user": {"$in": ["ben"]}},
        {"$or": [{"user": "ben"}]},
        "user = 'ben'",
        {"user": ["ben"]},
        lambda row: row.metadata["none"],
    ],
)
def test_what_a_filter_says_beyond_single_values_is_left_to_the_store(condition: Any) -> None:
    assert may_pass(InMemoryVectorStore(Bag(scattered)), condition, document("a", ["tide"], user="anna"))


@pytest.mark.parametrize(
    ("condition", "scope"),
    [
        ({"user": "anna"}, {"user": "anna"}),
        ({"$and": [{"user": {"$eq": "anna"}}, {"page": 3, "user": "anna"}]}, {"user": "anna", "page": 3}),
        ({}, {}),
        ({"$and": [{"user": "anna"}, {"user": "ben"}]}, None),
        ({"$and": [{"user": "anna"}, {"page": {"$gt": 3}}]}, None),
        ({"$or": [{"user": "anna"}]}, None),
        ({"$where": "user = 'anna'"}, None),
        ("user = 'anna'", None),
        (_of_anna, None),
    ],
)
def test_a_filter_by_single_values_alone_is_a_scope(condition: Any, scope: dict[str, Any] | None) -> None:
    assert scope_of({"filter": condition}) == scope
    assert scope_of({"filter": condition, "namespace": "anna"}) is None
    assert scope_of({"namespace": "anna"}) is None
