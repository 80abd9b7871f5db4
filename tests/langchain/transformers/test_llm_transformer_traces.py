"""What a tracer sees of a call: one run of its name, with a run for each request in it, as its config says."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from fakes.langchain.llms import FAST, HOWS, Plain, documents, every_how, llm, many, sync_and_async
from fakes.langchain.runs import AsyncRuns, Runs, tree
from fakes.servers.openai_server import OpenAIServer
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda

from caesura.errors import ReplyError
from langchain_caesura import AgenticSplitter, PropositionTransformer, QuestionTransformer
from langchain_caesura.transformers.llm_transformer import LLMTransformer

CHAT = ("llm", "ChatOpenAI")


async def called(transformer: LLMTransformer, given: list[Document], how: str, config: Any) -> list[Document]:
    if how == "sync":
        return list(transformer.transform_documents(given, config=config))
    if how == "async":
        return list(await transformer.atransform_documents(given, config=config))
    if how == "lazy":
        return list(transformer.lazy_transform_documents(iter(given), config=config))
    return [one async for one in transformer.alazy_transform_documents(iter(given), config=config)]


@pytest.mark.thorough
@every_how
@pytest.mark.parametrize("method", [None, "function_calling", "json_mode", False])
@pytest.mark.enable_socket
async def test_a_call_is_one_run_of_its_name_and_a_request_is_one_run_in_it(how: str, method: Any) -> None:
    runs = Runs()
    with OpenAIServer() as server:
        transformer = PropositionTransformer(llm(server), budget=1, structured=method)
        found = await called(transformer, many(5), how, {"callbacks": [runs]})
    (root,) = runs.roots
    assert tree(root) == ("chain", "PropositionTransformer", [CHAT] * 5)
    assert server.calls == 5
    if how in HOWS[:2]:
        assert root.inputs["input"] == many(5)
        assert root.outputs == {"output": found}
    else:
        assert root.outputs == {"documents": len(found)}


@every_how
@pytest.mark.enable_socket
async def test_it_has_the_name_tags_and_metadata_of_its_config_and_hands_on_the_latter(how: str) -> None:
    runs, own = Runs(), uuid4()
    config = {"run_name": "facts", "tags": ["nightly"], "metadata": {"team": "a"}, "run_id": own, "callbacks": [runs]}
    with OpenAIServer() as server:
        await called(QuestionTransformer(llm(server, tags=["mine"])), documents(), how, config)
    (root,) = runs.roots
    (child,) = root.child_runs
    assert (root.name, root.tags, root.metadata["team"], root.id) == ("facts", ["nightly"], "a", own)
    assert (child.name, set(child.tags or ())) == ("ChatOpenAI", {"nightly", "mine"})
    assert child.metadata["team"] == "a"
    assert child.parent_run_id == own


@every_how
async def test_a_handler_that_is_awaited_is_told_the_same(how: str) -> None:
    runs = AsyncRuns()
    if how in ("async", "alazy"):
        await called(PropositionTransformer(Plain()), documents(), how, {"callbacks": [runs]})
        assert [tree(root) for root in runs.roots] == [("chain", "PropositionTransformer", [("llm", "Plain")])]


@sync_and_async
async def test_within_a_chain_it_is_a_run_of_the_chain(how: str) -> None:
    runs, transformer = Runs(), PropositionTransformer(Plain(), budget=1)

    async def awork(given: list[Document]) -> Any:
        return await transformer.atransform_documents(given)

    chain = RunnableLambda(lambda given: transformer.transform_documents(given), awork, name="index")
    config: Any = {"callbacks": [runs], "tags": ["nightly"]}
    found = chain.invoke(documents(), config) if how == "sync" else await chain.ainvoke(documents(), config)
    (root,) = runs.roots
    inner = ("chain", "PropositionTransformer", [("llm", "Plain")] * 2)
    assert tree(root) == ("chain", "index", [inner])
    assert "nightly" in (root.child_runs[0].child_runs[0].tags or ())
    assert len(found) == 6


@every_how
async def test_an_error_ends_the_run_and_is_said_in_it(how: str) -> None:
    runs = Runs()
    with pytest.raises(ReplyError, match="refused"):
        await called(PropositionTransformer(Plain(refusing=True)), documents(), how, {"callbacks": [runs]})
    (root,) = runs.roots
    assert "ReplyError" in str(root.error)
    assert "refused" in str(root.error)
    assert root.end_time is not None


@pytest.mark.enable_socket
async def test_a_retry_and_a_repair_are_runs_of_their_own_and_a_reply_of_the_journal_is_none(tmp_path: Any) -> None:
    runs = Runs()
    with OpenAIServer(plan=["500", "prose"]) as server:
        transformer = PropositionTransformer(llm(server), pace=FAST, journal=tmp_path / "replies.db")
        for _ in range(2):
            transformer.transform_documents(documents()[:1], config={"callbacks": [runs]})
    first, again = runs.roots
    assert (len(first.child_runs), again.child_runs) == (3, [])
    assert sorted(bool(one.error) for one in first.child_runs) == [False, False, True]
    spent = [one.outputs["generations"][0][0]["message"]["kwargs"]["usage_metadata"] for one in first.child_runs[1:]]
    assert sum(one["input_tokens"] for one in spent) == server.prompt_tokens


async def test_a_reader_that_stops_ends_the_run_without_an_error() -> None:
    runs, transformer = Runs(), PropositionTransformer(Plain())
    stream = transformer.lazy_transform_documents(documents(), config={"callbacks": [runs]})
    next(stream)
    stream.close()  # type: ignore[attr-defined]
    astream = transformer.alazy_transform_documents(documents(), config={"callbacks": [runs]})
    await anext(astream)
    await astream.aclose()  # type: ignore[attr-defined]
    assert [(one.error, one.outputs) for one in runs.roots] == [(None, {"documents": 1})] * 2


@sync_and_async
async def test_two_conversations_are_runs_of_one_call_and_one_without_a_model_is_a_run_too(how: str) -> None:
    runs = Runs()
    await called(AgenticSplitter(Plain()), documents(), how, {"callbacks": [runs]})
    await called(AgenticSplitter(None), documents(), how, {"callbacks": [runs]})
    asked, free = (tree(root) for root in runs.roots)
    assert asked[:2] == ("chain", "AgenticSplitter")
    assert set(asked[2]) == {("llm", "Plain")}
    assert len(asked[2]) >= 2
    assert free == ("chain", "AgenticSplitter")
