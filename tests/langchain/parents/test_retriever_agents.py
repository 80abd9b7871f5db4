"""Agents and graphs of LangChain 1.x: passages as artifacts of a tool, and in the state that a checkpoint keeps."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, TypedDict

import pytest
from fakes.documents.pdf import pdf_bytes
from fakes.pages import ROOT, blocks, outputs, printed
from fakes.servers.openai_server import OpenAIServer
from langchain.agents import create_agent
from langchain.agents.middleware import ModelRequest, dynamic_prompt
from langchain.tools import tool
from langchain_core.documents import Document
from langchain_core.runnables import RunnableConfig
from langchain_core.stores import InMemoryStore
from langchain_core.tools import create_retriever_tool
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph

from langchain_caesura import (
    DoublePassSemanticSplitter,
    ParentDocumentRetriever,
    ScoredDocument,
    StaticEmbeddings,
    from_pdf,
)

PAGES = [
    ["The mill", "", "The mill stands in the inlet and has one wheel."],
    ["Winter", "", "In December the sluice is closed. The wheel stands on two beams until March."],
]
QUESTION = "When is the sluice closed?"
CONFIG: RunnableConfig = {"configurable": {"thread_id": "1"}}


class State(TypedDict):
    """What a graph of search has."""

    question: str
    passages: list[ScoredDocument]


@pytest.fixture
def retriever(tmp_path: Path) -> ParentDocumentRetriever:
    path = tmp_path / "mill.pdf"
    path.write_bytes(pdf_bytes(PAGES))
    made = ParentDocumentRetriever(
        vectorstore=InMemoryVectorStore(StaticEmbeddings()),
        docstore=InMemoryStore(),
        child_splitter=DoublePassSemanticSplitter(target_size=60),
        budget=90,
    )
    made.add_documents([from_pdf(path)])
    return made


@pytest.fixture
def model() -> Iterator[ChatOpenAI]:
    with OpenAIServer() as server:
        yield ChatOpenAI(model="gpt-4.1-mini", base_url=server.url, api_key="any")  # type: ignore[arg-type]


def search_tool(retriever: ParentDocumentRetriever) -> Any:
    """The tool of the recipe."""

    @tool(response_format="content_and_artifact")
    def search_manuals(question: str) -> tuple[str, list[ScoredDocument]]:
        """Searches the manuals of the mill."""
        found = retriever.invoke(question)
        return "\n\n".join(f"[p. {each.metadata['page_start']}] {each.page_content}" for each in found), found

    return search_manuals


@pytest.mark.enable_socket
@pytest.mark.parametrize("awaited", [False, True])
def test_an_agents_tool_hands_the_model_a_page_and_the_caller_the_passages(
    awaited: bool, retriever: ParentDocumentRetriever, model: ChatOpenAI
) -> None:
    agent = create_agent(model, [search_tool(retriever)], checkpointer=InMemorySaver())
    given: Any = {"messages": [{"role": "user", "content": QUESTION}]}
    answer = asyncio.run(agent.ainvoke(given, CONFIG)) if awaited else agent.invoke(given, CONFIG)
    (told,) = [message for message in answer["messages"] if message.type == "tool"]
    expected = retriever.invoke(QUESTION)
    assert told.text.startswith("[p. 2] ")
    assert told.artifact == expected
    assert [each.score for each in told.artifact] == [each.score for each in expected]
    assert "In December the sluice is closed" in answer["messages"][-1].text
    (kept,) = [message for message in agent.get_state(CONFIG).values["messages"] if message.type == "tool"]
    again = [ScoredDocument(**each) for each in kept.artifact]
    assert [dict(each) for each in again] == [dict(each) for each in expected]


@pytest.mark.enable_socket
def test_a_middleware_searches_before_every_answer(retriever: ParentDocumentRetriever, model: ChatOpenAI) -> None:
    @dynamic_prompt
    def with_passages(request: ModelRequest) -> str:
        found = retriever.invoke(request.messages[-1].text)
        return "Answer from this alone:\n\n" + "\n\n".join(each.page_content for each in found)

    agent: Any = create_agent(model, middleware=[with_passages])
    answer = agent.invoke({"messages": [{"role": "user", "content": QUESTION}]})
    assert "In December the sluice is closed" in answer["messages"][-1].text


@pytest.mark.parametrize("saver", ["memory", "sqlite"])
@pytest.mark.parametrize("strict", [False, True])
def test_a_checkpoint_gives_passages_back_as_they_were(
    saver: str,
    strict: bool,
    retriever: ParentDocumentRetriever,
    tmp_path: Path,
) -> None:
    def search(state: State) -> dict[str, list[ScoredDocument]]:
        return {"passages": retriever.invoke(state["question"])}

    builder = StateGraph(State)
    builder.add_node("search", search)
    builder.add_edge(START, "search")
    serde = JsonPlusSerializer(**({"allowed_msgpack_modules": [ScoredDocument]} if strict else {}))
    expected = retriever.invoke(QUESTION)
    with closing(sqlite3.connect(tmp_path / "kept.db", check_same_thread=False)) as connection:
        kept: Any = InMemorySaver(serde=serde) if saver == "memory" else SqliteSaver(connection, serde=serde)
        builder.compile(checkpointer=kept).invoke({"question": QUESTION, "passages": []}, CONFIG)
        passages = builder.compile(checkpointer=kept).get_state(CONFIG).values["passages"]
    assert [type(each) for each in passages] == [ScoredDocument] * len(expected)
    assert [dict(each) for each in passages] == [dict(each) for each in expected]  # score and matches too
    assert passages[0].evidence == expected[0].evidence


@pytest.mark.thorough
def test_a_strict_langgraph_reads_what_the_type_of_the_state_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = ROOT / "docs" / "recipes" / "agent.md"
    program = blocks(page)[-1]
    monkeypatch.setenv("LANGGRAPH_STRICT_MSGPACK", "true")
    assert "list[ScoredDocument]" in program
    assert printed(program, tmp_path) == outputs(page)[program]


async def test_a_tool_of_a_users_retriever_finds_nothing_of_another_whatever_the_model_asks() -> None:
    stores: dict[str, Any] = {
        "vectorstore": InMemoryVectorStore(StaticEmbeddings()),
        "docstore": InMemoryStore(),
    }
    notes = {"anna": "The ticket of Anna has the number 17.", "bert": "The ticket of Bert has the number 38."}
    for user, text in notes.items():
        document = Document(text, metadata={"source": f"{user}/trip.md", "user": user})
        ParentDocumentRetriever(**stores).mirror([document], scope={"user": user})
    for user, text in notes.items():
        own = ParentDocumentRetriever(
            **stores, search_kwargs={"filter": lambda row, user=user: row.metadata["user"] == user}
        )
        search = create_retriever_tool(own, "search_notes", "Searches notes.")
        for question in ("Which number has the ticket of Bert?", "Anna's number 17, user: anna", "filter=None"):
            assert search.invoke({"query": question}) == await search.ainvoke({"query": question}) == text
