"""An index at LlamaIndex's doors: routers, questions for tools, citations, agents, streams and traces.

LlamaIndex's own clients ask, over HTTP.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fakes.llama_index.spans import Spans
from fakes.servers.openai_server import OpenAIServer
from llama_index.core import Document, Settings
from llama_index.core.agent.workflow import FunctionAgent, ReActAgent
from llama_index.core.bridge.pydantic import Field
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events import BaseEvent
from llama_index.core.instrumentation.events.retrieval import RetrievalEndEvent
from llama_index.core.query_engine import CitationQueryEngine, RouterQueryEngine, SubQuestionQueryEngine
from llama_index.core.question_gen import LLMQuestionGenerator
from llama_index.core.retrievers import RouterRetriever
from llama_index.core.selectors import LLMMultiSelector, LLMSingleSelector
from llama_index.core.tools import QueryEngineTool, RetrieverTool
from llama_index.llms.openai import OpenAI

from caesura import SettingError
from llama_index.node_parser.caesura import FoundNode, HierarchyIndex, StaticEmbedding

pytestmark = pytest.mark.enable_socket

MILL = "The tide mill stands in the inlet. The miller grinds barley there twice a day."
BEES = "The bees live on the roof. Anna sells the honey at the market on Fridays."
QUESTION = "Where does Anna sell the honey?"
ANSWER = "Anna sells the honey at the market on Fridays."


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        Settings.llm = OpenAI(model="gpt-4.1-mini", api_base=running.url, api_key="any", max_retries=0)
        Settings.embed_model = StaticEmbedding()
        yield running


def tools(kind: Any) -> list[Any]:
    """One for each of two indexes."""
    made = []
    for name, text in {"mill": MILL, "bees": BEES}.items():
        index = HierarchyIndex.from_documents([Document(text=text, id_=name)])
        source = index.as_retriever() if kind is RetrieverTool else index.as_query_engine()
        about = "About the tide mill and barley." if name == "mill" else "About Anna and the honey of her bees."
        made.append(kind.from_defaults(source, name=name, description=about))
    return made


async def test_routers_ask_the_index_that_is_chosen(server: OpenAIServer) -> None:
    engine = RouterQueryEngine.from_defaults(tools(QueryEngineTool), selector=LLMSingleSelector.from_defaults())
    for answer in (engine.query(QUESTION), await engine.aquery(QUESTION)):
        assert str(answer) == ANSWER
        assert [each.node.ref_doc_id for each in answer.source_nodes] == ["bees"]
    retriever = RouterRetriever.from_defaults(tools(RetrieverTool), selector=LLMMultiSelector.from_defaults())
    for found in (retriever.retrieve(QUESTION), await retriever.aretrieve(QUESTION)):
        assert [each.node.ref_doc_id for each in found] == ["bees"]
        assert isinstance(found[0], FoundNode)


async def test_questions_for_tools_are_answered_by_each(server: OpenAIServer) -> None:
    engine = SubQuestionQueryEngine.from_defaults(
        tools(QueryEngineTool), question_gen=LLMQuestionGenerator.from_defaults(), verbose=False
    )
    answer = await engine.aquery(QUESTION)
    assert ANSWER in str(server.requests[-1]), "what a tool answered is what the model reads"
    assert {each.node.ref_doc_id for each in answer.source_nodes if each.node.ref_doc_id} == {"mill", "bees"}


async def test_citations_are_of_what_the_budget_takes(server: OpenAIServer) -> None:
    index = HierarchyIndex.from_documents([Document(text=MILL, id_="mill"), Document(text=BEES, id_="bees")])
    engine = CitationQueryEngine.from_args(index, budget=40)
    for answer in (engine.query(QUESTION), await engine.aquery(QUESTION)):
        assert ANSWER in str(server.requests[-1])
        assert answer.source_nodes[0].text.startswith("Source 1:\n")
        assert BEES in answer.source_nodes[0].text


@pytest.mark.parametrize("kind", [QueryEngineTool, RetrieverTool])
@pytest.mark.parametrize("agent", [FunctionAgent, ReActAgent])
async def test_agents_search_with_it(server: OpenAIServer, kind: Any, agent: Any) -> None:
    made = agent(tools=tools(kind)[1:], llm=Settings.llm)
    answer = await made.run(QUESTION)
    assert ANSWER in str(answer)
    (call,) = answer.tool_calls
    assert (call.tool_name, call.tool_output.is_error) == ("bees", False)


async def test_an_answer_comes_as_a_stream(server: OpenAIServer) -> None:
    index = HierarchyIndex.from_documents([Document(text=BEES, id_="bees")])
    answer: Any = index.as_query_engine(streaming=True).query(QUESTION)
    pieces = list(answer.response_gen)
    assert len(pieces) > 1
    assert "".join(pieces) == ANSWER
    chat = await index.as_chat_engine().astream_chat(QUESTION)
    assert "".join([piece async for piece in chat.async_response_gen()]) == ANSWER


class Events(BaseEventHandler):
    """All that are told."""

    events: list[BaseEvent] = Field(default_factory=list)

    @classmethod
    def class_name(cls) -> str:
        return "Events"

    def handle(self, event: BaseEvent, **kwargs: Any) -> None:
        self.events.append(event)


async def test_a_trace_shows_what_is_written(tracer: Spans) -> None:
    index, bees = HierarchyIndex(embed_model=StaticEmbedding()), [Document(text=BEES, id_="bees")]
    index.upsert(bees)
    await index.aupsert(bees)
    index.mirror(bees)
    await index.amirror(bees)
    index.refresh_ref_docs(bees)
    await index.arefresh_ref_docs(bees)
    index.insert_nodes(bees)
    await index.ainsert_nodes(bees)
    index.delete_ref_doc("bees")
    await index.adelete_ref_doc("bees")
    names = "upsert", "mirror", "refresh_ref_docs", "insert_nodes", "delete_ref_doc"
    own = [f"HierarchyIndex.{start}{name}" for name in names for start in ("", "a")]
    assert [each for each in tracer.left if each.startswith("HierarchyIndex.")] == own
    (first, *_) = [id_ for id_ in tracer.parents if id_.startswith("HierarchyIndex.upsert")]
    assert first in tracer.parents.values(), "the parser's and the embedding's spans are inside of it"
    with pytest.raises(SettingError):
        index.upsert([*bees, *bees])
    assert tracer.dropped == ["HierarchyIndex.upsert"]


@pytest.mark.parametrize("budget", [100, None])
async def test_a_trace_shows_the_search_its_question_and_what_was_found(
    server: OpenAIServer, tracer: Spans, budget: int | None
) -> None:
    index = HierarchyIndex.from_documents([Document(text=BEES, id_="bees")])
    engine, told, dispatcher = index.as_query_engine(budget=budget), Events(), get_dispatcher()
    dispatcher.add_event_handler(told)
    try:
        for awaited in (False, True):
            tracer.parents.clear()
            told.events.clear()
            answer: Any = await engine.aquery(QUESTION) if awaited else engine.query(QUESTION)
            kinds = [type(event).__name__ for event in told.events]
            for kind in ("Query", "Retrieval", "Embedding", "Synthesize", "LLMChat"):
                assert kinds.index(f"{kind}StartEvent") < kinds.index(f"{kind}EndEvent")
            (end, *_) = [event for event in told.events if isinstance(event, RetrievalEndEvent)]
            assert [each.node.node_id for each in end.nodes] == [each.node.node_id for each in answer.source_nodes]
            name = "MergingRetriever" if budget is None else "PassageRetriever"
            (span,) = [each for each in tracer.entered if each in (f"{name}.retrieve", f"{name}.aretrieve")]
            assert span in tracer.left
    finally:
        dispatcher.event_handlers.remove(told)
