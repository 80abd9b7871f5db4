"""What failed is asked for again: after it is forgotten, or where nothing keeps it."""

from __future__ import annotations

from pathlib import Path

import pytest
from fakes.langchain.llms import FAST, documents, llm, made
from fakes.servers.openai_server import OpenAIServer

from caesura.errors import ReplyError
from langchain_caesura import PropositionTransformer

pytestmark = pytest.mark.enable_socket


async def test_what_failed_is_asked_for_again_when_it_is_forgotten(tmp_path: Path) -> None:
    with OpenAIServer(plan=["refusal"]) as server:
        transformer = PropositionTransformer(llm(server), journal=tmp_path / "replies.db", on_failure="keep", budget=1)
        given = documents()
        assert [one.metadata["kept"] for one in await made(transformer, given, "sync")].count(True) == 3
        await made(transformer, given, "sync")
        assert (transformer.report.calls, len(transformer.report.failures)) == (0, 1)
        assert transformer.forget_failures() == 1
        assert not any(one.metadata["kept"] for one in await made(transformer, given, "sync"))
        assert (transformer.report.calls, transformer.report.failures) == (1, [])


@pytest.mark.parametrize("journal", [True, False])
async def test_a_failure_that_was_raised_can_be_asked_for_again_too(journal: bool, tmp_path: Path) -> None:
    path = tmp_path / "replies.db" if journal else None
    with OpenAIServer(plan=["refusal"]) as server:
        transformer = PropositionTransformer(llm(server), journal=path, pace=FAST)
        with pytest.raises(ReplyError):
            await made(transformer, documents()[:1], "sync")
        (failure,) = transformer.report.failures
        assert failure.document_id == "bees"
        if journal:
            with pytest.raises(ReplyError):
                await made(transformer, documents()[:1], "sync")
            assert transformer.forget_failures() == 1
        assert len(await made(transformer, documents()[:1], "sync")) == 3
        assert server.calls == 2
