"""LangChain's own OpenAI client and many documents: none lost, so many at once, every token counted."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_llm_fakes import FAST, documents, llm, made, many, sync_and_async
from openai_server import FAULTS, OpenAIServer, seeded

from langchain_caesura import PropositionTransformer

pytestmark = pytest.mark.enable_socket


@sync_and_async
async def test_one_reply_in_twenty_is_faulty_and_no_document_is_lost(how: str) -> None:
    given = many(120)
    plan = seeded(0.05, 4, [fault for fault in FAULTS if fault not in ("timeout", "drip")])
    with OpenAIServer(plan=plan) as server:
        transformer = PropositionTransformer(llm(server), pace=FAST, on_failure="keep", budget=1)
        found = await made(transformer, given, how)
    assert list(dict.fromkeys(one.metadata["parent_id"] for one in found)) == [one.id for one in given]
    kept = {one.metadata["parent_id"] for one in found if one.metadata["kept"]}
    assert kept == {failure.document_id for failure in transformer.report.failures}
    assert sum(count for fault, count in server.served.items() if fault != "ok") >= 3
    assert server.has_seen(transformer.report.calls)
    assert transformer.report.calls <= 1.15 * 120


@sync_and_async
async def test_so_many_are_in_flight_at_once(how: str) -> None:
    with OpenAIServer(latency=0.3) as server:
        await made(PropositionTransformer(llm(server), max_concurrency=5, budget=1), many(30), how)
    assert server.most_flying == 5


async def test_the_report_adds_up_what_prices_make_of_tokens(capsys: Any) -> None:
    with OpenAIServer() as server:
        transformer = PropositionTransformer(llm(server), prices=(0.4, 1.6), show_progress=True)
        await made(transformer, documents(), "sync")
    report = transformer.report
    assert report.cost == pytest.approx((0.4 * server.prompt_tokens + 1.6 * server.completion_tokens) / 1e6)
    assert (report.items, report.finished) == (2, 2)
    assert "Propositions: 100%" in capsys.readouterr().err
