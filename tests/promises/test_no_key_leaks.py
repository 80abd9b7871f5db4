"""A key goes over the wire and nowhere else: not into a repr, a log, a journal, a file or what an error says."""

from __future__ import annotations

import logging
import traceback
from pathlib import Path
from typing import Any

import openai
import pytest
from fakes.servers.conversations import FAST, passages
from fakes.servers.openai_server import OpenAIServer
from langchain_core.documents import Document
from langchain_openai import ChatOpenAI, OpenAIEmbeddings

from caesura_llm.driver import Driver
from caesura_llm.journal import Journal
from caesura_llm.openai import openai_chat, openai_vectors
from caesura_llm.propositions import Propositions
from caesura_store.embedding_cache import cached
from langchain_caesura import DoublePassSemanticSplitter, PropositionTransformer
from llama_index.node_parser.caesura import DoublePassSemanticSplitter as Parser

KEY = "sk-topsecret-0123456789"
OURS = ("caesura", "caesura_lab", "caesura_static", "langchain_caesura", "llama_index.node_parser.caesura")
faults = pytest.mark.parametrize("fault", ["ok", "401", "400", "quota", "null"])

pytestmark = pytest.mark.enable_socket


def seen(call: Any) -> str:
    """What a call leaves to be seen: the repr of its result, or all that its error says."""
    try:
        return repr(call())
    except Exception as error:
        return "".join(traceback.format_exception(error))


def in_files(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def logged(caplog: pytest.LogCaptureFixture) -> str:
    return "".join(record.getMessage() for record in caplog.records if record.name.startswith(OURS))


@faults
def test_no_key_is_seen_of_a_client_that_asks_a_model(
    fault: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with OpenAIServer(plan=[fault] * 2) as server, Journal(tmp_path / "replies.db") as journal:
        client = openai.OpenAI(base_url=server.url, api_key=KEY)
        chat = openai_chat(client, "test-model", options={"extra_headers": {"X-Api-Key": KEY}})
        driver = Driver(FAST)
        said = seen(lambda: driver.run(Propositions(passages(2), on_failure="keep"), chat, journal=journal))
        assert KEY in str(server.headers)
        assert KEY not in said + repr(chat) + chat.name + repr(driver) + logged(caplog)
    assert KEY.encode() not in in_files(tmp_path)


@faults
def test_no_key_is_seen_of_a_client_that_embeds(fault: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with OpenAIServer(plan=[fault] * 2) as server:
        rows = openai_vectors(openai.OpenAI(base_url=server.url, api_key=KEY), "test-model", pace=FAST)
        with cached(rows, tmp_path / "rows.db", "test-model") as kept:
            said = seen(lambda: kept(["Tea is hot."]))
            assert KEY not in said + repr(rows) + repr(kept) + repr(rows.report) + logged(caplog)
        assert KEY in str(server.headers)
    assert KEY.encode() not in in_files(tmp_path)


@faults
def test_no_key_is_seen_of_a_model_of_langchain(fault: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with OpenAIServer(plan=[fault] * 2) as server:
        llm = ChatOpenAI(
            base_url=server.url,
            api_key=KEY,
            model="test-model",
            default_headers={"X-Key": KEY},
            use_responses_api=False,
        )
        transformer = PropositionTransformer(llm, journal=tmp_path / "replies.db", on_failure="keep", pace=FAST)
        said = seen(lambda: transformer.transform_documents([Document("Tea is hot.")]))
        assert KEY in str(server.headers)
        assert KEY not in said + repr(transformer) + repr(transformer.report) + logged(caplog)
    assert KEY.encode() not in in_files(tmp_path)


def test_no_key_is_seen_of_embeddings_that_a_splitter_holds() -> None:
    embeddings = OpenAIEmbeddings(api_key=KEY, model="test-model")
    assert KEY not in repr(DoublePassSemanticSplitter(embeddings)) + str(vars(DoublePassSemanticSplitter(embeddings)))
    assert KEY not in seen(lambda: Parser(embed_model=embeddings))
