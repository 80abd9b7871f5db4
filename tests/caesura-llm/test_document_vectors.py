"""`voyage_vectors` and `jina_vectors`, with the real client: within limits, in order, again after a fault, counted."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import openai
import pytest
from fakes.embedders.document_embedders import document_rows, words_row
from fakes.servers.contextual_server import ContextualServer
from fakes.servers.conversations import FAST

from caesura.errors import EmbeddingError, SettingError
from caesura.sansio import Blocking, run
from caesura_llm.document_vectors import jina_vectors, voyage_vectors
from caesura_llm.report import Prices
from caesura_llm.retries import Pace
from caesura_retrieval.cached_documents import cached_documents
from caesura_retrieval.document_embedders import embed_together

pytestmark = [pytest.mark.thorough, pytest.mark.enable_socket]
DOCUMENTS = [[f"Tea {number} of pot {pot} is hot." for number in range(5)] for pot in range(4)]
KEY = "secret-of-the-house"
every_service = pytest.mark.parametrize("service", [voyage_vectors, jina_vectors])


def made(service: Any, server: ContextualServer, **settings: Any) -> Any:
    client = openai.OpenAI(base_url=server.url, api_key=KEY)
    return service(client, "context-3", **{"pace": FAST, **settings})


def same(found: Any, documents: Any) -> None:
    assert len(found) == len(documents)
    for rows, chunks in zip(found, documents, strict=True):
        assert rows.dtype == np.float32
        np.testing.assert_allclose(rows, document_rows(chunks), rtol=1e-6)


@pytest.mark.thorough
@every_service
@pytest.mark.parametrize("fault", ["ok", "429", "500", "408", "truncated", "shuffled"])
def test_there_is_a_row_for_each_chunk_in_its_place(fault: str, service: Any) -> None:
    with ContextualServer(plan=[fault]) as server:
        model = made(service, server, prices=Prices(0.02))
        same(model.embed_document_batch(DOCUMENTS), DOCUMENTS)
        assert model.report.calls == len(server.requests)
        assert model.report.retries == (fault in ("429", "500", "408", "truncated"))
        if fault != "truncated":
            assert model.report.input_tokens == server.tokens
            assert model.report.cost == pytest.approx(server.tokens * 0.02 / 1e6)


def test_what_is_sent_to_voyage() -> None:
    with ContextualServer() as server:
        model = made(voyage_vectors, server, options={"output_dimension": 64})
        model.embed_document_batch(DOCUMENTS)
        np.testing.assert_allclose(model.embed_query("tea?"), words_row("tea?"), rtol=1e-6)
    common = {"model": "context-3", "output_dimension": 64}
    assert server.requests == [
        {"inputs": DOCUMENTS, "input_type": "document", **common},
        {"inputs": [["tea?"]], "input_type": "query", **common},
    ]
    assert server.paths == ["/v1/contextualizedembeddings"] * 2
    assert server.keys == [f"Bearer {KEY}"] * 2


def test_what_is_sent_to_jina() -> None:
    with ContextualServer(latency=0.1) as server:
        model = made(jina_vectors, server, options={"dimensions": 64})
        model.embed_document_batch(DOCUMENTS)
        np.testing.assert_allclose(model.embed_query("tea?"), words_row("tea?"), rtol=1e-6)
    common = {"model": "context-3", "dimensions": 64}
    late = {"task": "retrieval.passage", "late_chunking": True, **common}
    sent = sorted(server.requests[:-1], key=lambda request: request["input"])
    assert sent == [{"input": chunks, **late} for chunks in DOCUMENTS]
    assert server.requests[-1] == {"input": ["tea?"], "task": "retrieval.query", **common}
    assert set(server.paths) == {"/v1/embeddings"}
    assert server.most_flying >= 2


@every_service
def test_a_text_by_itself_is_a_document_of_one_chunk(service: Any) -> None:
    with ContextualServer() as server:
        model = made(service, server)
        same([model.embed_document(DOCUMENTS[0])], DOCUMENTS[:1])
        rows = model(DOCUMENTS[0])
    np.testing.assert_allclose(rows, np.concatenate([document_rows([text]) for text in DOCUMENTS[0]]), rtol=1e-6)


@every_service
def test_nothing_is_sent_without_chunks(service: Any) -> None:
    with ContextualServer() as server:
        model = made(service, server)
        assert model.embed_document_batch([]) == []
        assert [len(rows) for rows in model.embed_document_batch([[], DOCUMENTS[0], []])] == [0, 5, 0]
    assert len(server.requests) == 1


def count(text: str) -> int:
    return len(text.split())


def test_requests_keep_to_the_limits_of_tokens_chunks_and_documents() -> None:
    documents = [[f"Tea {number} of pot {pot} is hot." for number in range(pot % 7 + 1)] for pot in range(40)]
    for limits in ({"max_tokens": 70}, {"max_chunks": 11}, {"max_documents": 3}, {"max_tokens": 1}):
        with ContextualServer() as server:
            same(made(voyage_vectors, server, count=count, **limits).embed_document_batch(documents), documents)
        sent = [request["inputs"] for request in server.requests]
        assert [own for inputs in sorted(sent, key=lambda one: documents.index(one[0])) for own in inputs] == documents
        for inputs in sent:
            alone = len(inputs) == 1
            assert alone or sum(count(text) for own in inputs for text in own) <= limits.get("max_tokens", 1e9)
            assert alone or sum(map(len, inputs)) <= limits.get("max_chunks", 1e9)
            assert len(inputs) <= limits.get("max_documents", 1e9)


@every_service
@pytest.mark.parametrize("counted", [True, False])
def test_a_document_over_the_window_is_cut_into_runs_of_neighbouring_chunks(counted: bool, service: Any) -> None:
    settings: dict[str, Any] = {"count": count, "window": 15} if counted else {"window": 50}
    with ContextualServer() as server:
        model = made(service, server, **settings)
        (found,) = model.embed_document_batch(DOCUMENTS[:1])
    chunks = DOCUMENTS[0]
    assert model.runs(chunks) == [chunks[:2], chunks[2:4], chunks[4:]]
    wanted = np.concatenate([document_rows(chunks[at : at + 2]) for at in (0, 2, 4)])
    np.testing.assert_allclose(found, wanted, rtol=1e-6)
    sent = [own for request in server.requests for own in request.get("inputs", [request.get("input")])]
    assert sorted(sent) == model.runs(chunks)


def test_a_chunk_that_is_counted_and_too_long_is_refused_before_anything_is_sent() -> None:
    with ContextualServer() as server, pytest.raises(SettingError, match="a chunk has 7 tokens, over the window of 5"):
        made(voyage_vectors, server, count=count, window=5).embed_document_batch(DOCUMENTS)
    assert server.requests == []


@every_service
@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("short", r"one row per chunk of the document that begins 'Tea 0 of pot \d is hot.': expected 5, got 4"),
        ("twice", "one row for each index from 0 to 4"),
        ("ragged", "the server must return rows of one length"),
        ("null", r"expected \d, got 0"),
        ("nan", r"finite numbers: expected 5 such rows for the document that begins 'Tea 0 of pot \d .* at chunk 4"),
    ],
)
def test_an_answer_that_is_no_row_per_chunk_is_refused(fault: str, message: str, service: Any) -> None:
    with ContextualServer(plan=[fault]) as server, pytest.raises(EmbeddingError, match=message):
        run(embed_together(Blocking(), made(service, server), DOCUMENTS))


@every_service
def test_a_page_of_html_is_one_error_that_names_the_url(service: Any) -> None:
    with ContextualServer(plan=["html"] * 9) as server, pytest.raises(SettingError, match=r"JSON, got the text .* URL"):
        made(service, server).embed_document_batch(DOCUMENTS)
    assert len(server.requests) <= 8  # at once


@every_service
@pytest.mark.parametrize("status", [401, 404, 400])
def test_what_no_retry_helps_is_the_clients_own_error_at_once(status: int, service: Any) -> None:
    with ContextualServer(plan=[str(status)] * 9) as server, pytest.raises(openai.APIStatusError) as caught:
        made(service, server).embed_document(DOCUMENTS[0])
    assert caught.value.status_code == status
    assert len(server.requests) == 1
    assert KEY not in f"{caught.value!r} {caught.value.__notes__}"


def test_retry_after_is_waited() -> None:
    with ContextualServer(plan=["429"], retry_after="0.3") as server:
        made(voyage_vectors, server, pace=Pace(base=0.001)).embed_document(DOCUMENTS[0])
    first, second = server.times
    assert second - first >= 0.3


def test_with_a_cache_the_second_run_sends_nothing_and_an_edit_its_document(tmp_path: Path) -> None:
    with ContextualServer() as server, cached_documents(made(voyage_vectors, server), tmp_path / "r.db", "c3") as model:
        same(model.embed_document_batch(DOCUMENTS), DOCUMENTS)
        same(model.embed_document_batch(DOCUMENTS), DOCUMENTS)
        assert len(server.requests) == 1
        edited = [*DOCUMENTS[:2], [*DOCUMENTS[2][:2], "Ice."], DOCUMENTS[3]]
        same(model.embed_document_batch(edited), edited)
        assert [request["inputs"] for request in server.requests[1:]] == [[edited[2]]]
        model.embed_query("tea?")
        model.embed_query("tea?")
    assert len(server.requests) == 4


@every_service
def test_no_key_is_shown_or_pickled(service: Any) -> None:
    with ContextualServer() as server:
        model = made(service, server, options={"extra": KEY})
    assert KEY not in repr(model)
    with pytest.raises(TypeError, match="cannot pickle"):  # a client has locks, and its key would be in it
        pickle.dumps(model)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"window": 0}, "window"),
        ({"max_tokens": 1.5}, "max_tokens"),
        ({"max_chunks": None}, "max_chunks"),
        ({"max_documents": -1}, "max_documents"),
        ({"pace": 3}, "pace"),
    ],
)
@every_service
def test_a_setting_out_of_range_is_refused(settings: dict[str, Any], message: str, service: Any) -> None:
    with ContextualServer() as server, pytest.raises(SettingError, match=message):
        made(service, server, **settings).embed_document(["tea"])


@every_service
@pytest.mark.parametrize(("client", "model"), [(None, "m"), (openai.AsyncOpenAI(api_key="k"), "m"), ("ok", "")])
def test_a_client_or_a_name_that_is_none_is_refused(client: Any, model: str, service: Any) -> None:
    own = openai.OpenAI(api_key="k") if client == "ok" else client
    with pytest.raises(SettingError, match=r"client must be|name of a model"):
        service(own, model)


@every_service
@pytest.mark.parametrize("chunks", ["tea", [None], [["tea"]]])
def test_what_is_no_list_of_chunks_is_refused(chunks: Any, service: Any) -> None:
    with ContextualServer() as server, pytest.raises(SettingError, match="must be a list of str"):
        made(service, server).embed_document(chunks)
