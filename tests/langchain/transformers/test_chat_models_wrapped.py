"""Models within fallbacks, retries, bindings and choices of a config: each asks once, and the retries are ours."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import openai
import pytest
from fakes.langchain.llms import FAST, Plain, documents, every_how, llm, made, many, sync_and_async
from fakes.langchain.runs import Runs, tree
from fakes.servers.openai_server import OpenAIServer
from langchain_classic.chat_models import init_chat_model
from langchain_core.runnables import ConfigurableField, RunnableBinding

from caesura.errors import ReplyError, SettingError
from caesura_llm.retries import Pace
from langchain_caesura import PropositionTransformer
from langchain_caesura.transformers.client import ChatModelClient

pytestmark = [pytest.mark.thorough, pytest.mark.enable_socket]
ONE = documents()[:1]


@pytest.mark.thorough
@every_how
@pytest.mark.parametrize("fault", ["500", "429", "401"])
async def test_a_fallback_is_asked_in_the_same_form_where_the_first_fails(fault: str, how: str) -> None:
    with OpenAIServer(plan=[fault] * 2) as first, OpenAIServer() as second:
        model = llm(first).with_fallbacks([llm(second)])
        transformer = PropositionTransformer(model, budget=1)
        found = await made(transformer, many(2), how)
    assert len(found) == 4
    assert (first.calls, second.calls, transformer.report.calls, transformer.report.retries) == (2, 2, 2, 0)
    assert all("response_format" in body for body in (*first.requests, *second.requests))
    assert transformer.report.input_tokens == second.prompt_tokens


@sync_and_async
async def test_where_all_fail_the_chain_is_asked_again_and_the_first_error_is_raised(how: str) -> None:
    with OpenAIServer(plan=["500"] * 9) as first, OpenAIServer(plan=["429"] * 9) as second:
        model = llm(first, max_retries=5).with_retry(stop_after_attempt=5).with_fallbacks([llm(second)])
        transformer = PropositionTransformer(model, pace=Pace(base=0.001, cap=0.002, max_retries=2))
        with pytest.raises(ReplyError, match="It went wrong"):
            await made(transformer, ONE, how)
    assert (first.calls, second.calls, transformer.report.calls) == (3, 3, 3)  # and not 3 * 5 * 6
    assert transformer.report.retries == 2


@sync_and_async
@pytest.mark.parametrize("gone", [False, True])
async def test_a_fallback_that_is_busy_is_asked_again_though_the_first_can_never_answer(gone: bool, how: str) -> None:
    with OpenAIServer(plan=lambda *_: "401") as first, OpenAIServer(plan=["429", "500"]) as second:
        never = llm(first, base_url="http://127.0.0.1:9/v1") if gone else llm(first)
        transformer = PropositionTransformer(never.with_fallbacks([llm(second)]), pace=FAST)
        assert await made(transformer, ONE, how)
    assert (second.calls, transformer.report.retries) == (3, 2)


async def test_only_errors_that_a_fallback_is_for_lead_to_it() -> None:
    with OpenAIServer(plan=["401"]) as first, OpenAIServer() as second:
        model = llm(first).with_fallbacks([llm(second)], exceptions_to_handle=(openai.RateLimitError,))
        with pytest.raises(openai.AuthenticationError):
            PropositionTransformer(model).transform_documents(ONE)
    assert second.calls == 0


async def test_a_reply_that_was_cut_off_is_a_reply_and_leads_to_no_fallback() -> None:
    with OpenAIServer(plan=["length"]) as first, OpenAIServer() as second:
        transformer = PropositionTransformer(llm(first).with_fallbacks([llm(second)]))
        assert len(transformer.transform_documents(ONE)) == 3
    assert (first.calls, second.calls) == (2, 0)
    assert transformer.report.output_tokens == first.completion_tokens


async def test_a_fallback_without_structured_output_is_asked_in_words() -> None:
    plain = Plain()
    with OpenAIServer(plan=["500"]) as server:
        transformer = PropositionTransformer(llm(server).with_fallbacks([plain]))
        assert len(transformer.transform_documents(ONE)) == 3
    assert plain.calls == 1


@sync_and_async
async def test_retries_are_ours_whatever_is_around_the_model(how: str) -> None:
    with OpenAIServer(plan=["500"] * 2) as server:
        model = llm(server).bind(temperature=0.5).with_retry(stop_after_attempt=9).with_config(tags=["a"])
        transformer = PropositionTransformer(model, pace=FAST)
        assert len(await made(transformer, ONE, how)) == 3
    assert (transformer.report.retries, server.calls) == (2, 3)
    assert {body["temperature"] for body in server.requests} == {0.5}
    assert all("response_format" in body for body in server.requests)


async def test_each_try_of_a_fallback_is_a_run_with_what_its_binding_adds() -> None:
    runs = Runs()
    with OpenAIServer(plan=["500"]) as server:
        first = llm(server).with_config(run_name="dear", tags=["a"])
        model = first.with_fallbacks([llm(server).bind(seed=1)]).with_config(metadata={"team": "b"})
        PropositionTransformer(model).transform_documents(ONE, config={"callbacks": [runs]})
    (root,) = runs.roots
    assert tree(root) == ("chain", "PropositionTransformer", [("llm", "ChatOpenAI"), ("llm", "dear")])
    failed, answered = sorted(root.child_runs, key=lambda run: run.start_time)
    assert (failed.name, bool(failed.error), answered.error) == ("dear", True, None)
    assert "a" in (failed.tags or ())
    assert [run.metadata["team"] for run in (failed, answered)] == ["b", "b"]
    assert "seed" not in server.requests[0]
    assert server.requests[1]["seed"] == 1


def choosing(server: OpenAIServer) -> Any:
    named = llm(server, model="small").configurable_fields(
        model_name=ConfigurableField(id="model"), temperature=ConfigurableField(id="heat")
    )
    return named.configurable_alternatives(ConfigurableField(id="which"), big=llm(server, model="big"))


@every_how
async def test_a_config_chooses_the_model_of_a_call_and_the_journal_knows_it(how: str, tmp_path: Path) -> None:
    wanted: list[Any] = [{}, {"heat": 0.7}, {"model": "tiny"}, {"which": "big"}, {"thread_id": "x"}]
    with OpenAIServer() as server:
        transformer = PropositionTransformer(choosing(server), journal=tmp_path / "replies.db")
        ids = []
        for chosen in wanted:
            ways: Any = {
                "sync": transformer.transform_documents,
                "lazy": transformer.lazy_transform_documents,
                "async": transformer.atransform_documents,
                "alazy": transformer.alazy_transform_documents,
            }
            found = ways[how](ONE, config={"configurable": chosen})
            found = [one async for one in found] if how == "alazy" else await found if how == "async" else found
            ids.append([one.id for one in found])
    asked = [(body["model"], body.get("temperature")) for body in server.requests]
    assert asked == [("small", None), ("small", 0.7), ("tiny", None), ("big", None)]
    assert transformer.report.journalled == 1  # a thread's id changes no reply
    assert ids[0] == ids[-1]
    assert len({tuple(one) for one in ids}) == 4


def test_a_configurable_model_of_init_chat_model_is_one_too() -> None:
    with OpenAIServer() as server:
        settings: Any = {"model_provider": "openai", "base_url": server.url, "api_key": "any"}
        model = init_chat_model("small", configurable_fields=("model",), **settings)
        transformer = PropositionTransformer(model)
        transformer.transform_documents(ONE)
        transformer.transform_documents(ONE, config={"configurable": {"model": "big"}})
    assert [body["model"] for body in server.requests] == ["small", "big"]
    assert all("response_format" in body for body in server.requests)


async def test_what_with_config_chose_holds_and_an_unknown_choice_is_an_error_of_its_run() -> None:
    runs = Runs()
    with OpenAIServer() as server:
        model = choosing(server).with_config(configurable={"which": "big"})
        transformer = PropositionTransformer(model)
        transformer.transform_documents(ONE)
        with pytest.raises(ValueError, match="Unknown alternative: none"):
            transformer.transform_documents(ONE, config={"configurable": {"which": "none"}, "callbacks": [runs]})
    assert [body["model"] for body in server.requests] == ["big"]
    assert "Unknown alternative" in str(runs.roots[0].error)


async def test_calls_at_the_same_time_each_ask_the_model_of_their_config() -> None:
    with OpenAIServer(latency=0.05) as server:
        transformer = PropositionTransformer(choosing(server), budget=1)
        names = [f"model-{number}" for number in range(6)]
        found: dict[str, Any] = {}

        def call(name: str) -> None:
            given = [one.model_copy(update={"page_content": f"{name}. {one.page_content}"}) for one in many(3)]
            found[name] = transformer.transform_documents(given, config={"configurable": {"model": name}})

        threads = [threading.Thread(target=call, args=(name,)) for name in names]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    said = {(body["model"], json.dumps(body["messages"])) for body in server.requests}
    assert len(said) == 18
    assert all(name in text for name, text in said)
    assert sorted(found) == names


def test_the_name_has_all_that_replies_depend_on() -> None:
    with OpenAIServer() as server:
        one, other = llm(server), llm(server, model="b")
        names = [
            ChatModelClient(model).name
            for model in (
                one, other, one.bind(temperature=0.1), one.bind(temperature=0.2), one.with_fallbacks([other]),
                other.with_fallbacks([one]), one.with_fallbacks([other.bind(seed=1)]), choosing(server),
            )
        ]  # fmt: skip
        same = [one.with_retry(), one.with_config(tags=["a"]), one.bind(timeout=3), one.bind()]
        assert {ChatModelClient(model).name for model in same} == {names[0]}  # what replies do not depend on
        assert len(set(names)) == len(names)
        assert "sk-" not in ChatModelClient(one.bind(extra_headers={"Authorization": "sk-secret"})).name


def test_a_chain_that_is_more_than_a_model_is_refused_and_fallbacks_of_a_binding_are_not() -> None:
    for wrong in (Plain() | str, RunnableBinding(bound=Plain() | str), Plain().with_fallbacks([Plain() | str])):
        with pytest.raises(SettingError, match="prompts and parsers are ours"):
            PropositionTransformer(wrong)  # type: ignore[arg-type]
    inner = Plain().with_fallbacks([Plain()]).with_config(tags=["a"]).with_fallbacks([Plain().bind(stop=["x"])])
    assert len(PropositionTransformer(inner).transform_documents(ONE)) == 3
