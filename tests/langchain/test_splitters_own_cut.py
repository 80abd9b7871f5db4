"""`SemanticSplitter(cut=…)`: a cut of one's own, or the core's, in a LangChain splitter; what is no cut is refused."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from fakes.langchain.splitters import AsyncBag, Bag, contents
from fakes.splitters.own_cuts import Deep, Each, every_third, lengths_apart, nowhere
from fakes.texts.articles import article
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore

from caesura import OptimalCut, SettingError
from langchain_caesura import (
    ParentDocumentRetriever,
    SemanticHierarchySplitter,
    SemanticSplitter,
    SQLiteDocumentStore,
    StaticEmbeddings,
)

TEXT = article()
CUTS = [
    every_third,
    Each(2),
    Deep(),
    Deep(lengths_apart, 0.3),
    OptimalCut(),
    lambda rows, sizes, limits: nowhere(rows, sizes, limits),
]
own_cuts = pytest.mark.parametrize("cut", CUTS, ids=["function", "dataclass", "scored", "nested", "core", "lambda"])


@own_cuts
async def test_every_way_in_makes_the_same_chunks(cut: Any) -> None:
    splitter = SemanticSplitter(Bag(), cut=cut, chunk_size=300)
    documents = splitter.create_documents([TEXT])
    assert (
        splitter.split_documents([Document(TEXT)]) == documents == list(splitter.transform_documents([Document(TEXT)]))
    )
    assert splitter.split_text(TEXT) == contents(documents)
    awaited = SemanticSplitter(AsyncBag(), cut=cut, chunk_size=300)
    assert await awaited.asplit_documents([Document(TEXT)]) == documents
    assert await awaited.asplit_text(TEXT) == contents(documents)


@own_cuts
def test_it_pickles_and_is_copied_where_its_cut_is(cut: Any) -> None:
    splitter = SemanticSplitter(cut=cut, chunk_size=300)
    made = splitter.create_documents([TEXT])
    assert copy.deepcopy(splitter).create_documents([TEXT]) == made
    if getattr(cut, "__name__", "") != "<lambda>":
        assert pickle.loads(pickle.dumps(splitter)).create_documents([TEXT]) == made


@pytest.mark.parametrize("cut", [nowhere, Each(50)], ids=["nowhere", "long"])
@pytest.mark.parametrize("settings", [{}, {"chunk_overlap": 60}, {"length_function": lambda text: len(text.split())}])
def test_the_size_holds_though_the_cut_looks_at_no_limit(cut: Any, settings: dict[str, Any]) -> None:
    made = SemanticSplitter(Bag(), cut=cut, chunk_size=120, **settings).split_text(TEXT)
    assert len(made) > 1
    assert max(map(settings.get("length_function", len), made)) <= 120
    assert SemanticSplitter(Bag(), cut=nowhere, chunk_size=None).split_text(TEXT) == [TEXT.strip()]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (3, "got 3"),
        ("optimal", "got 'optimal'"),
        ((OptimalCut(), None), r"got \(OptimalCut"),
        (OptimalCut, r"got the class OptimalCut, not an instance: OptimalCut\(…\)"),
    ],
)
@pytest.mark.parametrize("cls", [SemanticSplitter, SemanticHierarchySplitter])
def test_what_is_no_cut_is_refused_with_what_is(cls: Any, value: Any, said: str) -> None:
    needed = r"cut must be a function, \(vectors, sizes, limits\) -> breaks, such as caesura\.OptimalCut\(\), "
    with pytest.raises(SettingError, match=needed + said):
        cls(cut=value)


def test_a_view_is_no_setting() -> None:
    with pytest.raises(TypeError, match="view"):
        SemanticSplitter(cut=every_third, view=None)  # type: ignore[call-arg]


def test_another_cut_has_a_document_store_made_anew(tmp_path: Any) -> None:
    vectors, texts = InMemoryVectorStore(StaticEmbeddings()), SQLiteDocumentStore(tmp_path / "parents.db")
    counts = []
    for count in (2, 2, 5):
        retriever = ParentDocumentRetriever(
            vectorstore=vectors, docstore=texts, child_splitter=SemanticSplitter(cut=Each(count), chunk_size=None)
        )
        retriever.add_documents([Document(TEXT, id="one")])
        counts.append(len(vectors.store))
    texts.close()
    assert counts[0] == counts[1] > counts[2] > 0
