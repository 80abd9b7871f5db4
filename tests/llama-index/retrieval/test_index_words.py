"""Words find what vectors hardly tell; they follow the documents, and are where the document store is."""

from __future__ import annotations

import gc
import os
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from fakes.llama_index.embeddings import Words
from fakes.llama_index.indexes import documents, index, parser, texts
from llama_index.core import Document
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import QueryBundle
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.storage.docstore.keyval_docstore import KVDocumentStore
from llama_index.core.storage.docstore.types import RefDocInfo
from llama_index.core.storage.kvstore import SimpleKVStore
from llama_index.core.vector_stores import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    SimpleVectorStore,
    VectorStoreQuery,
    VectorStoreQueryResult,
)

from caesura import SettingError
from llama_index.node_parser.caesura import HierarchyIndex, SQLiteDocumentStore
from llama_index.node_parser.caesura.retrieval.leaf_words import open_leaf_words

BLIND = MockEmbedding(embed_dim=3)
"""All texts are the same to it."""
MANY = [Document(text=f"Pump {n} of the tide mill has the number QX-{4000 + n}.", id_=str(n)) for n in range(220)]
Make = Callable[..., HierarchyIndex]


@pytest.fixture(params=["memory", "file"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Make:
    """Makes an index whose vectors say nothing, beside words in memory or in a file."""

    def made(**settings: Any) -> HierarchyIndex:
        store = SQLiteDocumentStore(tmp_path / "nodes.db") if request.param == "file" else SimpleDocumentStore()
        return index(
            **{
                "vector_store": SimpleVectorStore(),
                "docstore": store,
                "embed_model": BLIND,
                "transformations": [SentenceSplitter()],
                **settings,
            }
        )

    return made


def best(made: HierarchyIndex, query: str, **settings: Any) -> str | None:
    found = made.as_retriever(**{"similarity_top_k": 1, **settings}).retrieve(query)
    return found[0].node.ref_doc_id if found else None


def test_a_serial_number_is_found_among_more_than_are_fetched(make: Make) -> None:
    made = make()
    made.upsert(MANY)
    for number in (0, 7, 219):
        assert best(made, f"Where is QX-{4000 + number}?") == str(number)
        (found,) = made.as_retriever(similarity_top_k=1).retrieve(f"QX-{4000 + number}")
        assert 0.5 < found.get_score() <= 1
    assert [best(made, "QX-4007", words=0), best(made, "QX-4219", words=0)] != ["7", "219"]


@pytest.mark.thorough
def test_a_retriever_that_was_made_before_the_first_document_searches_for_words_too(make: Make) -> None:
    made = make()
    retriever, engine = made.as_retriever(similarity_top_k=1), made.as_query_engine(MockLLM(), similarity_top_k=1)
    made.upsert(MANY)
    for found in (retriever.retrieve("QX-4219"), engine.retrieve(QueryBundle("QX-4219"))):
        assert [each.node.ref_doc_id for each in found] == ["219"]


async def test_words_are_searched_for_where_they_are_awaited_too(make: Make) -> None:
    made = make()
    await made.aupsert(MANY)
    (found,) = await made.as_retriever(similarity_top_k=1).aretrieve("QX-4219")
    assert found.node.ref_doc_id == "219"


def test_words_follow_updates_and_deletions(make: Make) -> None:
    made = make()
    made.upsert(MANY[:20])
    made.upsert([Document(text="Pump 7 of the tide mill has the number ZZ-1.", id_="7")])
    assert best(made, "ZZ-1") == "7"
    index_of_words = open_leaf_words(made.docstore)
    assert index_of_words.search("4007").scores == {}
    made.delete_ref_doc("7")
    assert index_of_words.search("ZZ").scores == {}
    made.upsert([Document(text="", id_="8")])
    assert index_of_words.search("4008").scores == {}
    assert set(index_of_words.names()) == {str(n) for n in range(20)} - {"7", "8"}
    assert made.mirror(MANY[:2]).deleted == 17
    assert set(index_of_words.names()) == {"0", "1"}


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("北京的潮汐磨坊在海湾。", "潮汐磨坊"),
        ("潮力製粉所は入り江にあります。", "製粉所はどこ"),
        ("โรงสีน้ำขึ้นน้ำลงตั้งอยู่ในอ่าว", "โรงสีน้ำ"),
    ],
    ids=["Chinese", "Japanese", "Thai"],
)
def test_scripts_without_spaces_are_found_by_their_pairs(make: Make, text: str, query: str) -> None:
    others = ["蜜蜂在屋顶上。", "蜂は屋根の上にいます。", "ผึ้งอยู่บนหลังคา"]
    made = make(transformations=[parser(embed_model=Words())])
    made.upsert([*(Document(text=other, id_=other) for other in others), Document(text=text, id_="mill")])
    assert best(made, query) == "mill"


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Лодки стояли у старых причалов.", "Где лодка у причала?"),
        ("Die Häuser der Fischer brannten.", "Wo ist das Haus eines Fischers?"),
        ("كتب المعلمون رسائل طويلة.", "المعلم والرسالة"),
        ("def getUserName(user_id): ...", "Which function returns the user name?"),
        ("Fixed in v1.7.0 of the FY2018 report.", "What was reported for 2018?"),
    ],
    ids=["Russian", "German", "Arabic", "camelCase", "FY2018"],
)
def test_stems_of_languages_and_parts_of_identifiers_are_found(make: Make, text: str, query: str) -> None:
    others = ["Вода и ветер.", "Der Sturm kam nachts.", "مطر في الشتاء.", "The mill grinds in 2019."]
    made = make()
    made.upsert([*(Document(text=other, id_=other) for other in others), Document(text=text, id_="wanted")])
    assert best(made, query, words=100) == "wanted"


@pytest.mark.parametrize("key", ["title", "file_name", "file_path"])
@pytest.mark.parametrize("said", [True, False], ids=["in the nodes", "in the document alone"])
def test_a_title_or_a_file_tells_documents_apart_that_are_alike(
    make: Make, tmp_path: Path, key: str, said: bool
) -> None:
    names = ["acme_2018_10K.pdf", "acme_2019_10K.pdf", "beacon_2018_10K.pdf"]
    made = make(transformations=[SentenceSplitter(include_metadata=said)])
    made.upsert([Document(text="Revenue rose by a tenth.", id_=name, metadata={key: name}) for name in names])
    for name in names:
        company, year, _ = name.split("_")
        assert best(made, f"How much did the revenue of {company.title()} rise in {year}?", words=100) == name
    if isinstance(made.storage_context.docstore, SimpleDocumentStore):
        made.persist(tmp_path)
        loaded = HierarchyIndex.load(tmp_path, transformations=made.transformations, embed_model=BLIND)
        assert best(loaded, "revenue of Acme in 2019", words=100) == "acme_2019_10K.pdf"


def test_how_much_words_count_is_scaled() -> None:
    made = index(embed_model=Words(), transformations=[SentenceSplitter()])
    made.upsert([*documents(), *MANY[:9]])

    def scores(words: float | None) -> list[tuple[str | None, float]]:
        found = made.as_retriever(1000, words=words).retrieve("Pump QX-4007 of the dough")
        return [(each.node.ref_doc_id, each.get_score()) for each in found]

    assert scores(1) == scores(None) != scores(2)
    assert scores(1e6)[0][0] == "7"
    assert scores(0) != scores(1e-9)[:1]


OPERATORS = [
    (FilterOperator.EQ, 7, {"7"}),
    (FilterOperator.GT, 216, {"217", "218", "219"}),
    (FilterOperator.IN, [3, 5], {"3", "5"}),
    (FilterOperator.NE, 7, {str(n) for n in range(220)} - {"7"}),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("operator", "value", "allowed"), OPERATORS, ids=[each[0].name for each in OPERATORS])
def test_what_the_words_alone_find_passes_the_filters_too(
    make: Make, operator: FilterOperator, value: Any, allowed: set[str]
) -> None:
    made = make()
    made.upsert([Document(text=each.text, id_=each.id_, metadata={"n": int(each.id_)}) for each in MANY])
    filters = MetadataFilters(filters=[MetadataFilter(key="n", value=value, operator=operator)])
    for query in ("Where is QX-4007?", "Which pump has QX-4218?"):
        found = made.as_retriever(words=100, filters=filters).retrieve(query)
        assert {each.node.ref_doc_id for each in found} <= allowed
        assert found
        wanted = "7" if "4007" in query else "218"
        if wanted in allowed:
            assert found[0].node.ref_doc_id == wanted
    (name,) = (made.docstore.get_ref_doc_info("218") or RefDocInfo()).node_ids
    (found_node,) = made.as_retriever(node_ids=[name]).retrieve("QX-4007")
    assert found_node.node.ref_doc_id == "218"


def test_words_in_memory_come_back_with_the_documents(tmp_path: Path) -> None:
    made = index(embed_model=BLIND, transformations=[SentenceSplitter()])
    made.upsert(MANY)
    made.persist(tmp_path)
    loaded = HierarchyIndex.load(tmp_path, transformations=made.transformations, embed_model=BLIND)
    assert best(loaded, "QX-4123") == "123"
    loaded.delete_ref_doc("123")
    assert open_leaf_words(loaded.docstore).search("4123").scores == {}


def test_words_in_a_file_are_there_when_it_is_opened_again_and_are_those_of_a_namespace(tmp_path: Path) -> None:
    path = tmp_path / "nodes.db"
    for name in (None, "other"):
        store = SQLiteDocumentStore(path, name)
        made = index(vector_store=SimpleVectorStore(), docstore=store, embed_model=BLIND)
        made.upsert([Document(text=f"The mill of {name}.", id_="a")])
        store.close()
    del made, store
    gc.collect()  # the vector stores, so that the next ones are taken for them
    for name, other in ((None, "other"), ("other", "none")):
        again = index(vector_store=SimpleVectorStore(), docstore=SQLiteDocumentStore(path, name), embed_model=BLIND)
        words = open_leaf_words(again.docstore)
        assert len(words.search(str(name)).scores) == 1
        assert words.search(other).scores == {}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_has_the_words_in_memory_too() -> None:
    made = index(embed_model=BLIND)
    made.upsert(MANY[:20])
    child = os.fork()
    if child == 0:
        os._exit(0 if best(made, "QX-4007") == "7" else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_beside_another_document_store_a_search_is_by_vectors_with_one_warning() -> None:
    made = index(vector_store=SimpleVectorStore(), docstore=KVDocumentStore(SimpleKVStore()))
    made.upsert(documents())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made.as_retriever(words=0)
    with pytest.warns(UserWarning, match=r"KVDocumentStore: use SQLiteDocumentStore\(path\), or words=0"):
        found = texts(made, "Knead the dough")
    assert "dough" in found[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert texts(made, "Knead the dough") == found
    with pytest.raises(SettingError, match=r"SQLiteDocumentStore\(path\)"):
        made.as_retriever(words=1)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"words": -1}, "words must be a finite number of at least 0, got -1"),
        ({"budget": 0}, "budget must be a whole number of at least 1, got 0"),
        ({"budget": None, "words": 1}, "words=1 are for a budget: give one, or words=0"),
        ({"merge_ratio": 2}, "merge_ratio must be a finite number from 0 to 1"),
        ({"wordz": 1}, "no option wordz: is words meant?"),
        ({"budjet": 1}, "no option budjet: is budget meant?"),
    ],
)
def test_bad_settings_of_a_retriever_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message.replace("?", r"\?")):
        index().as_retriever(**settings)


def test_a_negative_context_is_refused() -> None:
    with pytest.raises(SettingError, match="context must be a finite number of at least 0, got -1"):
        index(context=-1)


class Wordless(SimpleVectorStore):
    """Finds nothing, under any filters: some stores take filters within filters, this one would not."""

    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        return VectorStoreQueryResult(ids=[], similarities=[])


def test_filters_within_filters_hold_for_what_the_words_alone_find(make: Make) -> None:
    def n(value: Any, operator: FilterOperator = FilterOperator.EQ) -> MetadataFilter:
        return MetadataFilter(key="n", value=value, operator=operator)

    def found(*filters: Any, condition: FilterCondition = FilterCondition.AND) -> set[str | None]:
        retriever = made.as_retriever(10_000, filters=MetadataFilters(filters=list(filters), condition=condition))
        return {each.node.ref_doc_id for each in retriever.retrieve("pump")}

    made = make(vector_store=Wordless())
    some = MANY[:20]
    numbers = {each.id_: "seven" if each.id_ == "7" else int(each.id_) for each in some}
    made.upsert([Document(text=each.text, id_=each.id_, metadata={"n": numbers[each.id_]}) for each in some])
    two = MetadataFilters(filters=[n(3), n(5)], condition=FilterCondition.OR)
    assert found(two) == {"3", "5"}
    assert found(two, n(3, FilterOperator.NE)) == {"5"}
    assert found(two, n(8), condition=FilterCondition.OR) == {"3", "5", "8"}
    assert found(two, condition=FilterCondition.NOT) == set(numbers) - {"3", "5"}
    assert found(MetadataFilters(filters=[])) == set(numbers)
    assert found(n(17, FilterOperator.GT)) == {"18", "19"}, "a word is not more than a number, nor a fault"


def test_documents_and_nodes_that_are_not_asked_for_are_not_found(make: Make) -> None:
    """LlamaIndex's store in memory knows nothing of documents; none asked for are none."""
    made = make()
    made.upsert(MANY)
    for budget in (None, 1000):
        for query in ("Where is QX-4007?", "no such words"):
            retriever = made.as_retriever(budget, similarity_top_k=9, doc_ids=["3", "218"])
            assert {each.node.ref_doc_id for each in retriever.retrieve(query)} == {"3", "218"}
            (name,) = (made.docstore.get_ref_doc_info("3") or RefDocInfo()).node_ids
            both = made.as_retriever(budget, doc_ids=["3", "218"], node_ids=[name]).retrieve(query)
            assert {each.node.ref_doc_id for each in both} == {"3"}
            for nothing in ({"doc_ids": []}, {"node_ids": []}):
                assert made.as_retriever(budget, **nothing).retrieve(query) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_retriever_that_was_made_before_a_fork_finds_words_in_the_child(make: Make) -> None:
    """As where a web server loads its index and then forks its workers."""
    made = make()
    made.upsert(MANY[:20])
    retriever = made.as_retriever(budget=60)
    child = os.fork()
    if child == 0:
        code = 1
        with suppress(BaseException):
            before = "QX-4007" in retriever.retrieve("QX-4007")[0].node.get_content()
            made.upsert([Document(text="The spare pump has the number ZW-1.", id_="spare")])
            code = not (before and "ZW-1" in retriever.retrieve("ZW-1")[0].node.get_content())
        os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
