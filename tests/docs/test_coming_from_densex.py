"""What docs/coming-from-densex.md says of our side: requests, replies that go wrong, what a proposition knows."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from fakes.pages import ROOT, blocks, printed
from fakes.servers.openai_server import OpenAIServer
from llama_index.core import Document, Settings, VectorStoreIndex
from llama_index.llms.openai_like import OpenAILike

from caesura.errors import ReplyError
from caesura_llm.retries import Pace
from llama_index.node_parser.caesura import (
    HierarchyIndex,
    OptimalSemanticSplitter,
    PropositionTransformer,
    StaticEmbedding,
    spans_of,
)

pytestmark = [pytest.mark.thorough, pytest.mark.enable_socket]

BEES = "Anna keeps dark bees on the roof. She sells the honey in May."
MILL = "The tide mill stands in the inlet. Its wheel turns when the sea goes out."


def transformer(server: OpenAIServer, **settings: Any) -> PropositionTransformer:
    llm = OpenAILike(
        model="m", api_base=server.url, api_key="any", is_chat_model=True, should_use_structured_outputs=True
    )
    return PropositionTransformer(llm, pace=Pace(base=0.001, cap=0.002, timeout=20), **settings)


def documents() -> list[Document]:
    return [Document(text=text, id_=name, metadata={"file": name}) for name, text in (("bees", BEES), ("mill", MILL))]


def indexed(made: PropositionTransformer) -> HierarchyIndex:
    index = HierarchyIndex(transformations=[made], embed_model=StaticEmbedding())
    index.upsert(documents())
    return index


def test_the_block_finds_the_passage_and_answers(tmp_path: Path) -> None:
    (after,) = blocks(ROOT / "docs" / "coming-from-densex.md")
    found = printed(after, tmp_path)
    assert re.search(r"\b1 calls\b", found)
    assert "Anna keeps dark bees on the roof. She sells the honey in May." in found


def test_the_least_ratio_returns_passages_alone_and_1_returns_propositions() -> None:
    with OpenAIServer() as server:
        index = indexed(transformer(server, include_passages=True))
    whole = index.as_retriever(None, similarity_top_k=1, merge_ratio=0).retrieve("Who sells the honey?")
    assert [each.node.get_content() for each in whole] == [BEES]
    (single,) = index.as_retriever(None, similarity_top_k=1, merge_ratio=1).retrieve("Who sells the honey?")
    assert [BEES[start:end] for start, end in spans_of(single.node)] == ["She sells the honey in May."]
    assert single.node.metadata["file"] == "bees"
    assert single.node.ref_doc_id == "bees"


def test_chunks_are_searched_too_by_an_index_over_all_nodes() -> None:
    with OpenAIServer() as server:
        nodes = transformer(server, include_passages=True).get_nodes_from_documents(documents())
    index = VectorStoreIndex(list(nodes), embed_model=StaticEmbedding())
    found = index.as_retriever(similarity_top_k=1).retrieve(MILL)
    assert found[0].node.get_content() == MILL


def test_several_chunks_share_a_request() -> None:
    long = [Document(text=" ".join(f"Bee {n} of hive {k} is dark." for n in range(8)), id_=f"{k}") for k in range(6)]
    with OpenAIServer() as server:
        made = transformer(server, splitter=OptimalSemanticSplitter(chunk_size=64)).get_nodes_from_documents(long)
        assert server.calls < len(long)
    assert len(made) == 48


@pytest.mark.parametrize("fault", ["fenced", "wrapped", "commas", "single quotes", "lines"])
def test_a_reply_in_a_form_of_its_own_is_read_without_asking_again(fault: str) -> None:
    with OpenAIServer() as server:
        wanted = [node.get_content() for node in transformer(server).get_nodes_from_documents(documents())]
    with OpenAIServer(plan=[fault] * 9) as server:
        made = transformer(server).get_nodes_from_documents(documents())
        assert [node.get_content() for node in made] == wanted
        assert server.served == {fault: server.calls}


def test_a_reply_that_cannot_be_read_is_an_error_or_sentences_that_say_so() -> None:
    with OpenAIServer(plan=["prose"] * 99) as server, pytest.raises(ReplyError):
        transformer(server).get_nodes_from_documents(documents())
    with OpenAIServer(plan=["prose"] * 99) as server:
        keeping = transformer(server, on_failure="keep")
        made = keeping.get_nodes_from_documents(documents())
    assert all(node.metadata["kept"] for node in made)
    assert "".join("".join(node.get_content().split()) for node in made) == "".join((BEES + MILL).split())
    assert len(keeping.report.failures) == 2


def test_a_second_run_is_free_and_a_document_can_be_deleted(tmp_path: Path) -> None:
    with OpenAIServer() as server:
        index = indexed(transformer(server, journal=tmp_path / "replies.db", include_passages=True))
        paid = server.calls
        again = transformer(server, journal=tmp_path / "replies.db").get_nodes_from_documents(documents())
        assert server.calls == paid
    assert len(again) == 4
    index.delete_ref_doc("bees")
    left = index.as_retriever(similarity_top_k=9, merge_ratio=0).retrieve("Who sells the honey?")
    assert [each.node.get_content() for each in left] == [MILL]


def test_it_runs_on_an_event_loop_and_leaves_the_settings_alone() -> None:
    before = Settings._llm, Settings._embed_model

    async def inside() -> int:
        with OpenAIServer() as server:
            sync = transformer(server).get_nodes_from_documents(documents())
            waited = await transformer(server).acall(documents())
        assert [node.node_id for node in sync] == [node.node_id for node in waited]
        return len(waited)

    assert asyncio.run(inside()) == 4
    assert (Settings._llm, Settings._embed_model) == before
