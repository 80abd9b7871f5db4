"""What several questions find is known again: retrievers of retrievers see equal passages as equal."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fakes.langchain.retrievers import retriever
from fakes.texts.articles import article
from langchain_classic.retrievers import EnsembleRetriever, MultiQueryRetriever
from langchain_core.documents import Document
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.load import dumps, loads

from langchain_caesura import DoublePassSemanticSplitter, ScoredDocument

DOCUMENTS = [Document(article(8, seed), id=f"doc-{seed}", metadata={"tags": [seed]}) for seed in range(5)]
QUESTION = "Does the captain steer the ship?"
MODES: dict[str, dict[str, Any]] = {
    "parents": {"k": 5},
    "merged": {"k": 5, "merge_ratio": 0},
    "budget": {"budget": 10**6, "words": None, "context": 0.4},
}
every_mode = pytest.mark.parametrize("mode", MODES.values(), ids=MODES)


def filled(mode: dict[str, Any]) -> Any:
    made = retriever(child_splitter=DoublePassSemanticSplitter(target_size=100), **mode)
    made.add_documents(DOCUMENTS)
    return made


@every_mode
async def test_many_questions_find_each_passage_once(mode: dict[str, Any]) -> None:
    made = filled(mode)
    several = MultiQueryRetriever.from_llm(
        made, FakeListChatModel(responses=["bread in an oven\nthe cat and the mouse\ntaxes"]), include_original=True
    )
    assert sorted(str(one.id) for one in several.invoke(QUESTION)) == sorted(
        str(one.id) for one in made.invoke(QUESTION)
    )
    assert len(await several.ainvoke(QUESTION)) == 5


@every_mode
def test_an_ensemble_of_two_weighs_each_passage_once(mode: dict[str, Any]) -> None:
    made = filled(mode)
    both = EnsembleRetriever(retrievers=[made, made.with_config(tags=["again"])], weights=[0.5, 0.5])
    assert both.invoke(QUESTION) == made.invoke(QUESTION)


@every_mode
def test_a_result_equals_itself_with_another_score_and_is_written_as_a_document(mode: dict[str, Any]) -> None:
    made = filled(mode)
    for one in made.invoke(QUESTION):
        other = one.model_copy(update={"score": 7.0, "matches": []})
        plain = Document(one.page_content, id=one.id, metadata=one.metadata)
        assert isinstance(one, ScoredDocument)
        assert one == other == plain == one
        assert len({one, other}) == 1
        assert one != one.model_copy(update={"id": "other"})
        assert one != one.page_content
        back = loads(dumps(one))
        assert type(back) is Document
        assert back == one
        assert json.loads(dumps(one))["kwargs"]["matches"] == one.matches
        assert not {"score", "relevance_score", "matches"} & one.metadata.keys()


@pytest.mark.parametrize("others", [[], DOCUMENTS], ids=["alone", "among others"])
async def test_equal_texts_stand_in_one_order_whatever_the_order_of_writes(others: list[Document]) -> None:
    alike = [Document("The captain steers the ship by its compass.", id=f"same {number}") for number in range(5)]
    found: list[list[Document]] = []
    for given in ([*alike, *others], [*others[::-1], *alike[::-1]]):
        made = retriever(child_splitter=DoublePassSemanticSplitter(target_size=100), **MODES["budget"])
        for document in given:
            made.add_documents([document])
        made.delete(["same 2"])
        await made.aadd_documents([alike[2]])
        found += [made.invoke(QUESTION), await made.ainvoke(QUESTION)]
    assert len([one for one in found[0] if one.page_content == alike[0].page_content]) == 5
    assert found[0] == found[1] == found[2] == found[3]
