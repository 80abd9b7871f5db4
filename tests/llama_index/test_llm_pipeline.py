"""In a pipeline, over processes, after a stop: the same nodes, nothing paid twice, and no secret told."""

from __future__ import annotations

import asyncio
import json
import pickle
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import Document, Settings
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import SentenceSplitter
from llama_index_fakes import content, numbered
from llama_index_llm_fakes import OwnWay, Plain, every, hows, like, made, told
from llm_fakes import FAST
from openai_server import OpenAIServer

from caesura import SettingError
from caesura.errors import ReplyError
from caesura.llm.prompts import Prompt
from llama_index.node_parser.caesura import (
    AgenticSplitter,
    DoublePassSemanticSplitter,
    HierarchyIndex,
    PropositionTransformer,
    QuestionTransformer,
    StaticEmbedding,
    SummaryTransformer,
)

pytestmark = pytest.mark.enable_socket
CODE = [Document(text="```python\nx = 1\n```\n", id_="code")]


@every
async def test_a_second_run_asks_nothing(kind: Any, tmp_path: Path) -> None:
    with OpenAIServer() as server:
        pipeline = IngestionPipeline(transformations=[kind(like(server))])
        first = pipeline.run(documents=told(3) + CODE)
        calls = server.calls
        assert calls
        assert content(pipeline.run(documents=told(3) + CODE)) == content(first)
        assert content(await pipeline.arun(documents=told(3) + CODE)) == content(first)
        pipeline.persist(str(tmp_path))
        settings = {"max_concurrency": 3, "prices": (1, 2), "journal": str(tmp_path / "j.db"), "pace": FAST}
        again = IngestionPipeline(transformations=[kind(like(server, max_retries=9, timeout=7.0), **settings)])
        again.load(str(tmp_path))
        assert content(again.run(documents=told(3) + CODE)) == content(first)
        assert server.calls == calls
        assert content(
            await IngestionPipeline(transformations=[kind(like(server))]).arun(documents=told(3) + CODE)
        ) == (content(first))


@pytest.mark.parametrize(
    "other",
    [
        {"prompt": Prompt("propositions", "1", "Other words.")},
        {"prompt": Prompt("propositions", "2", "Break.")},
        {"llm": Plain(temperature=0.5)},
        {"llm": OwnWay()},
        {"on_failure": "keep"},
        {"splitter": DoublePassSemanticSplitter(chunk_size=99)},
        {"splitter": None},
        {"budget": 99},
        {"structured": True},
        {"title_key": None},
        {"include_passages": True},
        {"id_func": numbered},
    ],
)
def test_what_changes_what_comes_out_changes_the_key(other: dict[str, Any]) -> None:
    base = PropositionTransformer(llm=Plain())
    assert PropositionTransformer(llm=Plain()).to_dict() == base.to_dict()
    assert PropositionTransformer(**{"llm": Plain(), **other}).to_dict() != base.to_dict()


def test_the_llm_of_the_settings_is_in_the_key() -> None:
    Settings.llm = Plain()
    before = SummaryTransformer().to_dict()
    Settings.llm = Plain(temperature=1.0)
    assert SummaryTransformer().to_dict() != before


@every
def test_no_secret_is_in_what_is_filed(kind: Any, tmp_path: Path) -> None:
    with OpenAIServer() as server:
        llm = like(server, default_headers={"Authorization": "Bearer sk-topsecret"})
        parser = kind(llm, journal=str(tmp_path / "replies.db"))
        assert "topsecret" not in json.dumps(parser.to_dict())
        assert "topsecret" not in repr(parser) + str(parser)
        parser(told(1))
        Settings.llm = llm
        assert "topsecret" not in json.dumps(kind().to_dict())
    assert all(b"topsecret" not in path.read_bytes() for path in tmp_path.iterdir())


@every
def test_it_comes_back_from_a_dict_and_from_json(kind: Any) -> None:
    settings: dict[str, Any] = {
        "splitter": DoublePassSemanticSplitter(chunk_size=99),
        "on_failure": "keep",
        "budget": 77,
        "title_key": None,
        "structured": False,
        "id_func": numbered,
    }
    parser = kind(MockLLM(), **settings)
    for again in (kind.from_dict(parser.to_dict(), True), kind.from_json(parser.to_json(), trusted=True)):
        assert again.to_dict() == parser.to_dict()
        assert (type(again.llm), again.splitter.chunk_size) == (MockLLM, 99)
    assert kind.from_dict(kind().model_copy(update={"llm": MockLLM()}).to_dict()).on_failure == "raise"
    with pytest.raises(SettingError, match=r"Plain: pass it, from_dict\(data, llm=…\)"):
        kind.from_dict(kind(Plain()).to_dict())
    assert kind.from_dict(kind(Plain()).to_dict(), llm=Plain()).to_dict() == kind(Plain()).to_dict()
    with pytest.raises(SettingError, match="splitter=…"):
        kind.from_dict(kind(MockLLM(), splitter=SentenceSplitter()).to_dict())


@every
def test_a_pickle_has_all_settings_and_the_llm_of_this_process(kind: Any, tmp_path: Path) -> None:
    Settings.llm = Plain(temperature=0.7)
    parser = kind(journal=str(tmp_path / "j.db"), max_concurrency=3, prices=(1.0, 2.0))
    Settings.llm = MockLLM()
    again = pickle.loads(pickle.dumps(parser))
    assert type(again.llm) is MockLLM
    assert (again.journal, again.max_concurrency, again.prices) == (parser.journal, 3, (1.0, 2.0))
    parser = kind(Plain(), id_func=lambda i, doc: str(i))
    with pytest.raises(SettingError, match="id_func"):
        pickle.dumps(parser)


def test_over_processes_the_nodes_are_the_same_and_one_journal_serves_all(tmp_path: Path) -> None:
    documents = told(4)
    with OpenAIServer() as server:
        alone = AgenticSplitter(like(server), budget=1)(documents)
        parser = AgenticSplitter(like(server), budget=1, journal=str(tmp_path / "j.db"))
        pipeline = IngestionPipeline(transformations=[parser], disable_cache=True)
        over = pipeline.run(documents=documents, num_workers=2)
        calls = server.calls
        assert [node.node_id for node in over] == [node.node_id for node in alone]
        assert content(parser(documents)) == content(alone)
        assert server.calls == calls


# -- stops -------------------------------------------------------------------------------------------------------------


@hows
@pytest.mark.parametrize("journalled", [True, False])
def test_a_run_that_was_stopped_goes_on_where_it_was(journalled: bool, how: str, tmp_path: Path) -> None:
    """By Ctrl-C, or by a task that is cancelled. Without a journal, in the same object."""
    with OpenAIServer(plan=["ok"] * 5 + ["timeout"] * 9) as server:
        journal = str(tmp_path / "replies.db") if journalled else None
        parser = PropositionTransformer(like(server), journal=journal, budget=1, max_concurrency=2)

        def until_it_hangs() -> None:
            while server.flying < 2 or sum(list(server.done.values())) < 5:  # a copy: the server adds to it
                time.sleep(0.01)

        if how == "sync":

            def stop() -> None:
                until_it_hangs()
                time.sleep(0.1)
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

            threading.Thread(target=stop, daemon=True).start()
            with pytest.raises(KeyboardInterrupt):
                parser(told(12))
        else:

            async def main() -> None:
                task = asyncio.create_task(parser.acall(told(12)))
                await asyncio.to_thread(until_it_hangs)
                await asyncio.sleep(0.1)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task

            asyncio.run(main())
        assert parser.report is not None
        assert (parser.report.calls, parser.report.finished) == (7, 5)
        server.plan = iter(())
        again = PropositionTransformer(like(server), journal=journal, budget=1) if journalled else parser
        nodes = made(again, how, told(12))
        assert again.report is not None
        assert (again.report.journalled, again.report.calls) == (5, 7)
        assert max(server.done.values()) == 1
    assert content(nodes) == content(PropositionTransformer(Plain())(told(12)))


@hows
def test_one_odd_reply_that_ends_a_run_costs_no_other(how: str) -> None:
    with OpenAIServer(plan=["ok", "ok", "refusal", "refusal"]) as server:
        parser = SummaryTransformer(like(server), budget=1, max_concurrency=1)
        with pytest.raises(ReplyError, match="'d2' failed"):
            made(parser, how, told(4))
        parser.on_failure = "keep"
        nodes = made(parser, how, told(4))
    assert parser.report is not None
    assert (parser.report.journalled, parser.report.calls) == (2, 2)
    assert [node.ref_doc_id for node in nodes if node.metadata.get("kept")] == ["d2"]


@hows
def test_without_a_journal_a_failure_that_was_raised_is_asked_for_again(how: str) -> None:
    with OpenAIServer(plan=["ok", "refusal"]) as server:
        parser = SummaryTransformer(like(server), budget=1, max_concurrency=1)
        with pytest.raises(ReplyError, match="'d1' failed"):
            made(parser, how, told(3))
        nodes = made(parser, how, told(3))
    assert parser.report is not None
    assert (parser.report.journalled, parser.report.calls, parser.report.failures) == (1, 2, [])
    assert not any(node.metadata.get("kept") for node in nodes)


def test_what_failed_can_be_asked_again_and_nothing_else_is(tmp_path: Path) -> None:
    with OpenAIServer(plan=["ok", "refusal"]) as server:
        settings: dict[str, Any] = {"journal": str(tmp_path / "j.db"), "budget": 1, "max_concurrency": 1}
        parser = QuestionTransformer(like(server), on_failure="keep", **settings)
        assert any(node.metadata.get("kept") for node in parser(told(3)))
        assert any(node.metadata.get("kept") for node in parser(told(3)))  # what was answered is not asked again
        assert server.calls == 3
        assert parser.forget_failures() == 1
        assert not any(node.metadata.get("kept") for node in parser(told(3)))
        assert server.calls == 4
    with pytest.raises(SettingError, match="of a journal"):
        QuestionTransformer(Plain()).forget_failures()


def test_a_new_version_of_caesura_makes_no_document_of_an_index_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    index = HierarchyIndex(transformations=[SummaryTransformer(Plain())], embed_model=StaticEmbedding())
    index.upsert(told(1))
    before = index.transformations[0].to_dict()
    monkeypatch.setattr("caesura.__version__", "9.9")
    assert index.transformations[0].to_dict() != before
    assert index.upsert(told(1)).unchanged == 1


@every
def test_texts_and_vectors_go_into_one_store(kind: Any) -> None:
    pipeline = IngestionPipeline(transformations=[kind(Plain()), StaticEmbedding()])
    assert all(node.embedding for node in pipeline.run(documents=told(2) + CODE))
