"""Summaries and questions that lead to their chunk."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.langchain.llms import BEES, FAST, TEA, Plain, documents, every_how, llm, made
from fakes.servers.openai_server import OpenAIServer

from caesura.errors import SettingError
from caesura_llm.prompts import QUESTIONS, Prompt
from langchain_caesura import QuestionTransformer, SummaryTransformer


@every_how
@pytest.mark.parametrize(
    ("kind", "view", "texts"),
    [
        (SummaryTransformer, "summary", ['In short: Anna keeps "dark" bees.', "In short: Tea is hot."]),
        (
            QuestionTransformer,
            "question",
            [
                *(f"What about {w}?" for w in ("Anna", "keeps", "dark")),
                *(f"What about {w}?" for w in ("cold", "Both", "sold")),
            ],
        ),
    ],
)
async def test_each_chunk_gets_texts_that_lead_to_it(kind: Any, view: str, texts: list[str], how: str) -> None:
    found = await made(kind(Plain()), documents(), how)
    assert [one.page_content for one in found] == texts
    first = found[0].metadata
    assert {key: first[key] for key in ("view", "parent_id", "start_index", "end_index", "kept", "source")} == {
        "view": view,
        "parent_id": "bees",
        "start_index": 0,
        "end_index": len(BEES),
        "kept": False,
        "source": "bees.md",
    }
    assert len({one.id for one in found}) == len(found)


async def test_so_many_questions_are_asked_for_and_the_number_is_in_the_ids() -> None:
    five = await made(QuestionTransformer(Plain(), n=5), documents()[:1], "sync")
    three = await made(QuestionTransformer(Plain(), n=3), documents()[:1], "sync")
    assert (len(five), len(three)) == (5, 3)
    assert {one.id for one in five}.isdisjoint(one.id for one in three)
    with pytest.raises(SettingError, match="n must be"):
        QuestionTransformer(Plain(), n=0)
    with pytest.raises(SettingError, match=r"must say \{n\}"):
        QuestionTransformer(Plain(), prompt=Prompt("mine", "1", "Ask."))


@pytest.mark.enable_socket
@pytest.mark.parametrize(
    ("kind", "own"),
    [(SummaryTransformer, [TEA]), (QuestionTransformer, ["Tea is hot.", "Ice is cold.", "Both are sold."])],
)
async def test_a_failed_chunk_is_found_by_its_own_words(kind: Any, own: list[str]) -> None:
    with OpenAIServer(plan=["refusal"]) as server:
        transformer = kind(llm(server), on_failure="keep", pace=FAST)
        found = await made(transformer, documents()[1:2], "sync")
    assert [one.page_content for one in found] == own
    assert all(one.metadata["kept"] for one in found)
    assert "refused" in transformer.report.failures[0].reason


def test_the_prompt_can_be_ones_own() -> None:
    model = Plain()
    own = Prompt("mine", "1", QUESTIONS.text.replace("different", "simple") + " In one line.")
    QuestionTransformer(model, prompt=own).transform_documents(documents()[:1])
    assert "Write 3 simple questions" in model.asked[0][0].content
