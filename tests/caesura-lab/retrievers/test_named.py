"""Retrievers by name, with settings, and of a user: what is asked how often, and what is refused."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from caesura import SettingError
from caesura_lab import PassageIndex
from caesura_lab.embedders import embedder
from caesura_lab.reading import Source
from caesura_lab.retrievers import named
from caesura_lab.retrievers.found import FoundText
from caesura_lab.retrievers.named import NAMED, RetrieverError, list_retrievers, make_retriever, make_retrievers

SOURCES = [
    Source("pier.md", "The ferry leaves at nine. Tickets are sold on board. " * 4),
    Source("kitchen.md", "Yeast makes bread dough rise. Flour and yeast make bread. " * 4),
]


def ask(given: Any, question: str = "When does the ferry leave?", budget: int = 60) -> list[FoundText]:
    return list(make_retriever(given).prepare(SOURCES, embedder())(question, budget))


@pytest.mark.parametrize("name", [*NAMED, "ours:words=0", "bm25:splitter=fixed,size=60", "vectors:size=60,overlap=10"])
def test_those_with_names_find_the_file(name: str) -> None:
    pytest.importorskip("langchain_text_splitters")
    found = ask(name)
    assert found[0].file == "pier.md"
    assert found[0].text in SOURCES[0].text


def test_ours_is_what_ask_finds_and_keeps_to_the_budget() -> None:
    passages = PassageIndex(SOURCES).find("When does the ferry leave?", budget=60, words=2)
    assert ask("ours:words=2") == [FoundText(each.text, each.path) for each in passages]
    assert sum(len(each.text) for each in passages) <= 60


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("bm26", "there is no retriever 'bm26': did you mean bm25"),
        ("zebra", "choose from ours, vectors, bm25, equal-ranks, or name your own, module:name"),
        ("ours:size=400", "retriever 'ours:size=400' has no setting size=400"),
        ("bm25:words=1", "has no setting words=1"),
        ("bm25:size=0", "size must be a whole number of at least 1, got 0"),
        ("bm25:splitter=nothing", "there is no splitter 'nothing'"),
        ("nothing_there:find", "retriever 'nothing_there:find' cannot be imported: ModuleNotFoundError"),
        ("os:nothing", "cannot be imported: AttributeError"),
        ("search.py:find", "must be named module:name, as search:find, got 'search.py:find'"),
        ("search:", "as search:NAME"),
        ("os:sep", "retriever 'os:sep' must be a function from a question to texts"),
        (dict, "retriever 'dict' must be a function"),
        (3, "retriever 'int' must be a function"),
    ],
)
def test_what_is_no_retriever_is_refused_with_the_remedy(given: Any, said: str) -> None:
    with pytest.raises(SettingError) as error:
        make_retriever(given)
    assert said in str(error.value)


def test_names_differ_and_there_is_one() -> None:
    assert [each.name for each in make_retrievers({"a": "ours", "b": len})] == ["a", "b"]
    assert [each.name for each in make_retrievers("ours")] == ["ours"]
    with pytest.raises(SettingError, match="must differ in their names, ours is there more than once"):
        make_retrievers(["ours", "ours"])
    with pytest.raises(SettingError, match="give at least one retriever"):
        make_retrievers([])


def test_without_the_splitter_the_baselines_are_left_out_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone:
        missing = "langchain-text-splitters"

    monkeypatch.setitem(named.PEERS, "recursive", Gone())
    names, (remedy,) = list_retrievers()
    assert names == ["ours"]
    assert remedy.startswith("vectors, bm25, equal-ranks are left out: pip install langchain-text-splitters, or")
    assert [each.name for each in make_retrievers(None)] == ["ours"]


def test_a_module_of_the_working_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_own_search.py").write_text("class Mine:\n    def find(self, q): return [q]\nmine = Mine()\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "my_own_search", raising=False)
    assert ask("my_own_search:mine.find", "Who?") == [FoundText("Who?")]
    (tmp_path / "my_broken_search.py").write_text("raise RuntimeError('no index here')\n")
    with pytest.raises(SettingError, match="cannot be imported: RuntimeError: no index here"):
        make_retriever("my_broken_search:mine")


def test_one_that_takes_no_budget_is_asked_once_for_all_budgets() -> None:
    asked: list[tuple[Any, ...]] = []

    def plain(question: str) -> list[str]:
        asked.append((question,))
        return ["A.", "B."]

    def budgeted(question: str, budget: int = 7) -> list[str]:
        asked.append((question, budget))
        return ["A."]

    for own in (plain, budgeted):
        find = make_retriever(own).prepare(SOURCES, embedder())
        assert [next(iter(find("?", budget))).text for budget in (10, 20)] == ["A.", "A."]
    assert asked == [("?",), ("?", 10), ("?", 20)]


def test_one_that_is_awaited_is_awaited() -> None:
    async def later(question: str) -> list[str]:
        return [question]

    assert ask(later, "Who?") == [FoundText("Who?")]


def test_a_client_stays_in_its_loop_also_where_a_notebook_has_one() -> None:
    loops: list[asyncio.AbstractEventLoop] = []

    async def search(question: str) -> list[str]:
        loops.append(asyncio.get_running_loop())
        await asyncio.sleep(0)
        return [question]

    async def notebook() -> None:
        loops.append(asyncio.get_running_loop())
        find = make_retriever(search).prepare(SOURCES, embedder())
        assert [next(iter(find(name, 100))).text for name in ("Who?", "Why?")] == ["Who?", "Why?"]

    asyncio.run(notebook())
    own, first, second = loops
    assert first is second is not own


def test_a_retriever_that_exits_has_failed_and_ends_nothing() -> None:
    with pytest.raises(RetrieverError, match=r"^it failed on 'Who\?': SystemExit: 3$"):
        ask(lambda _: sys.exit(3), "Who?")


def test_what_a_retriever_raises_is_said_in_a_line_with_the_question() -> None:
    def broken(question: str) -> list[str]:
        raise KeyError("no index\nhere")

    with pytest.raises(RetrieverError, match=r"^it failed on 'Who\?': KeyError: 'no index\\nhere'$"):
        ask(broken, "Who?")


def test_retrievers_of_both_frameworks_are_asked_by_their_own_ways() -> None:
    pytest.importorskip("langchain_core")
    from langchain_core.runnables import RunnableLambda

    assert ask(RunnableLambda(lambda question: [question]), "Who?") == [FoundText("Who?")]
    pytest.importorskip("llama_index.core")
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

    class Mine(BaseRetriever):
        def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
            return [NodeWithScore(node=TextNode(text=query_bundle.query_str, metadata={"file_path": "a.md"}))]

    assert ask(Mine(), "Who?") == [FoundText("Who?", "a.md")]


def test_the_plugins_parent_retriever_is_told_the_budget() -> None:
    pytest.importorskip("langchain_caesura")
    from langchain_core.documents import Document
    from langchain_core.stores import InMemoryStore
    from langchain_core.vectorstores import InMemoryVectorStore

    from langchain_caesura import ParentDocumentRetriever, StaticEmbeddings

    own = ParentDocumentRetriever(vectorstore=InMemoryVectorStore(StaticEmbeddings()), docstore=InMemoryStore())
    own.add_documents(
        [Document(source.text, metadata={"source": str(number)}) for number, source in enumerate(SOURCES)]
    )
    assert 0 < sum(len(each.text) for each in ask(own, budget=60)) <= 60
