"""A setting that the retriever does not have is refused with the one that was meant; LangChain's own still work."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from fakes.langchain.retrievers import DOCUMENTS, SPLITTINGS, retriever
from fakes.langchain.splitters import Bag
from langchain_core.documents import Document
from langchain_core.runnables import ConfigurableField
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore
from pydantic import ConfigDict, ValidationError

from caesura.errors import SettingError
from langchain_caesura import ParentDocumentRetriever

QUESTION = "Does the captain steer the ship by the compass?"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            {"merge_raito": 0.75},
            r"ParentDocumentRetriever has no setting merge_raito=0\.75: .* merge_ratio\?",
        ),
        ({"child_spliter": 1}, r"no setting child_spliter=1: did you mean child_splitter\?"),
        ({"search_kwarg": {"k": 3}}, r"no setting search_kwarg=\{'k': 3\}: did you mean search_kwargs\?"),
        ({"byte_store": None}, r"no setting byte_store=None: it has batch_size, budget, child_metadata_fields"),
        ({"k": 2, "idkey": "x" * 999}, r"no setting idkey='x{79}: did you mean id_key\?"),
    ],
)
def test_a_misspelt_setting_is_refused_with_the_one_that_is_near(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        retriever(**wrong)


def test_a_subclass_has_its_own_settings_too_and_may_take_any() -> None:
    class Mine(ParentDocumentRetriever):
        colour: str = "red"

    class Any_(ParentDocumentRetriever):  # noqa: N801
        model_config = ConfigDict(extra="allow")

    stores = {"vectorstore": InMemoryVectorStore(Bag()), "docstore": InMemoryStore()}
    assert Mine(**stores, colour="blue").colour == "blue"
    with pytest.raises(ValidationError, match=r"Mine has no setting color='blue': did you mean colour\?"):
        Mine(**stores, color="blue")
    assert Any_(**stores, color="blue").color == "blue"


def ids(documents: list[Document]) -> list[str | None]:
    return [document.id for document in documents]


async def test_settings_are_changed_for_a_call_a_chain_and_a_copy() -> None:
    made = retriever(**SPLITTINGS["whole"], name="parents", tags=["a"], metadata={"b": 1})
    made.add_documents(DOCUMENTS)
    best = ids(made.invoke(QUESTION))
    field = ConfigurableField(id="k")
    chosen = made.configurable_fields(k=field)
    assert ids(chosen.with_config(configurable={"k": 2}).invoke(QUESTION)) == best[:2]
    assert ids(await chosen.ainvoke(QUESTION, {"configurable": {"k": 1}})) == best[:1]
    other = made.configurable_alternatives(ConfigurableField(id="which"), default_key="all", one=retriever(k=1))
    assert ids(other.with_config(configurable={"which": "all"}).invoke(QUESTION)) == best
    assert not other.with_config(configurable={"which": "one"}).invoke(QUESTION)
    assert ids(made.with_config(tags=["c"]).with_retry().bind(k=3).invoke(QUESTION)) == best[:3]
    for again in (made.model_copy(), copy.copy(made), ParentDocumentRetriever(**dict(made))):
        assert ids(again.invoke(QUESTION)) == best
    assert ParentDocumentRetriever.model_validate(made) is made


@pytest.mark.parametrize(
    ("name", "meant"),
    [("budgt", "budget"), ("budgets", "budget"), ("buget", "budget"), ("top_k", "k"), ("similarity_top_k", "k")],
)
async def test_a_misspelt_option_of_one_search_is_refused(name: str, meant: str) -> None:
    made = retriever(**SPLITTINGS["whole"])
    made.add_documents(DOCUMENTS)
    with pytest.raises(SettingError, match=f"no option {name}: did you mean {meant}\\?"):
        made.invoke(QUESTION, **{name: 100})
    with pytest.raises(SettingError, match=f"no option {name}"):
        await made.ainvoke(QUESTION, **{name: 100})


@pytest.mark.parametrize("name", ["words", "context", "merge_ratio", "search_type"])
def test_a_setting_of_the_retriever_is_refused_with_a_question(name: str) -> None:
    made = retriever(**SPLITTINGS["whole"])
    made.add_documents(DOCUMENTS)
    with pytest.raises(SettingError, match=f"{name} is a setting of the retriever"):
        made.invoke(QUESTION, **{name: 1})
    assert made.invoke(QUESTION, budget=100, k=2)
