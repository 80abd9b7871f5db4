"""Whatever is returned passes the filter: no passage and no match has a word of a small text that it hides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import pytest
from fakes.langchain.passages import made
from fakes.langchain.splitters import Bag, scattered
from fakes.langchain.stores import ClockedVectors
from fakes.laws import EXAMPLES
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import VectorStore
from langchain_text_splitters import RecursiveCharacterTextSplitter, TextSplitter

from langchain_caesura import SemanticHierarchySplitter

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*langchain-community.*:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*hides its embeddings:UserWarning"),
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
                said = {"start_index": sum(map(len, rows[:at])), **({"tag": text[:1]} if self.tagged else {})}
                chunks.append(Document(text.upper() if self.upper else text, metadata={**each.metadata, **said}))
        return chunks

    async def atransform_documents(self, documents: Sequence[Document], **_: Any) -> list[Document]:
        return self.transform_documents(documents)


@st.composite
def texts(draw: Any) -> list[str]:
    """Lines of words that no other line has, each beginning with a tag."""
    tags = draw(st.lists(st.sampled_from("xyz"), min_size=1, max_size=12))
    return [f"{tag} " + " ".join(f"w{next(_numbers)}" for _ in range(3)) for tag in tags]


documents = st.lists(
    st.tuples(texts(), st.sampled_from(USERS), st.sampled_from([None, 1, 2])), min_size=1, max_size=3
).map(
    lambda drawn: [
        Document("\n".join(rows), id=str(at), metadata={"user": user, **({} if page is None else {"page": page})})
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
    }
)
conditions = st.one_of(
    st.tuples(st.just("user"), st.sampled_from(USERS)),
    st.tuples(st.just("page"), st.sampled_from([1, 2])),
    st.tuples(st.just("tag"), st.sampled_from("xyz")),
)
Rows = Callable[[VectorStore, Callable[[Document], bool]], list[tuple[Document, bool]]]


def passes(row: Document, condition: tuple[str, Any]) -> bool:
    return bool(row.metadata.get(condition[0]) == condition[1])


def memory_filter(condition: tuple[str, Any]) -> Any:
    return lambda row: passes(row, condition)


def faiss_filter(condition: tuple[str, Any]) -> Any:
    return dict([condition])


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


def qdrant_filter(condition: tuple[str, Any]) -> Any:
    from qdrant_client import models

    name, value = condition
    return models.Filter(must=[models.FieldCondition(key=f"metadata.{name}", match=models.MatchValue(value=value))])


STORES: dict[str, tuple[Callable[[Embeddings], VectorStore], Callable[[tuple[str, Any]], Any]]] = {
    "memory": (memory, memory_filter),
    "faiss": (faiss, faiss_filter),
    "chroma": (chroma, faiss_filter),
    "qdrant": (qdrant, qdrant_filter),
}


def words_of(rows: Sequence[Document]) -> set[str]:
    return {word.lower() for row in rows for word in row.page_content.split() if word[:1] in "wW"}


def stored_rows(one: Any) -> list[Document]:
    """All rows that the vector store has of the retriever's records."""
    records = [one.docstore.mget([key])[0] for key in one.docstore.yield_keys(prefix="caesura/")]
    ids = [row for record in records for part in read(record).parts for row, _ in part.rows()]
    return [*one.vectorstore.get_by_ids(ids)]


def read(record: Document) -> Any:
    from langchain_caesura.parents.record import read_record

    return read_record(record)


def filled(store: str, given: Sequence[Document], cut: str, viewed: bool, **options: Any) -> Any:
    one = made(
        STORES[store][0](Bag(scattered)),
        docstore=InMemoryStore(),
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
    store: str, given: Sequence[Document], options: dict[str, Any], condition: tuple[str, Any], question: str
) -> None:
    options = dict(options)
    fetched, kind = options.pop("fetched"), options["search_type"]
    one = filled(store, given, **options)
    search: dict[str, Any] = {} if fetched is None else {"k": fetched}
    if kind == "similarity_score_threshold":
        search["score_threshold"] = -10.0 if fetched else 0.1
    rows = stored_rows(one)
    passing = [row for row in rows if passes(row, condition)]
    hidden = words_of(rows) - words_of(passing)
    for found in one.invoke(question, filter=STORES[store][1](condition), **search):
        said = [found, *(Document(match["text"]) for match in found.matches)]
        assert not words_of(said) & hidden, (found, passing)


@settings(max_examples=max(200, EXAMPLES), deadline=None)
@given(documents, retrievers, conditions, st.data())
def test_nothing_that_a_filter_hides_is_returned(
    given: list[Document], options: dict[str, Any], condition: tuple[str, Any], data: st.DataObject
) -> None:
    question = data.draw(st.sampled_from(["summary", *" ".join(each.page_content for each in given).split()]))
    check_nothing_hidden_is_returned("memory", given, options, condition, question)


@pytest.mark.thorough
@pytest.mark.parametrize("store", ["faiss", "chroma", "qdrant"])
@settings(max_examples=max(50, EXAMPLES // 20), deadline=None)
@given(documents, retrievers, conditions, st.data())
def test_no_store_returns_what_a_filter_hides(
    store: str, given: list[Document], options: dict[str, Any], condition: tuple[str, Any], data: st.DataObject
) -> None:
    question = data.draw(st.sampled_from(["summary", *" ".join(each.page_content for each in given).split()]))
    check_nothing_hidden_is_returned(store, given, options, condition, question)
