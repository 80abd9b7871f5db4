"""A batch of lists of documents gives what each gives alone, and calibrates once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from fakes.langchain.llms import Plain, many
from fakes.langchain.splitters import SPLITTERS, AsyncBag, Bag
from fakes.texts.articles import article
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda

from caesura.background import TEXTS
from langchain_caesura import AgenticSplitter, PropositionTransformer, QuestionTransformer, SemanticHierarchySplitter

DOCUMENTS = [Document(article(16, seed), id=f"doc-{seed}") for seed in range(4)]
TRANSFORMERS: dict[str, Callable[[], Any]] = {
    **{cls.__name__: lambda cls=cls: cls(Bag()) for cls in (*SPLITTERS, SemanticHierarchySplitter)},
    **{
        cls.__name__: lambda cls=cls: cls(Plain())
        for cls in (AgenticSplitter, PropositionTransformer, QuestionTransformer)
    },
}
INPUTS = [*([document] for document in many(6, 5)), [], DOCUMENTS[:2]]


@pytest.mark.parametrize("make", TRANSFORMERS.values(), ids=TRANSFORMERS)
async def test_a_batch_of_documents_gives_what_each_gives_alone(make: Callable[[], Any]) -> None:
    alone = [list(make().transform_documents(some)) for some in INPUTS]
    transformer = make()
    step = RunnableLambda(transformer.transform_documents, transformer.atransform_documents)
    assert step.batch(INPUTS, config={"max_concurrency": 3}) == alone
    assert await step.abatch(INPUTS, config={"max_concurrency": 3}) == alone


@pytest.mark.parametrize("cls", SPLITTERS)
async def test_a_batch_calibrates_its_splitter_once(cls: Any) -> None:
    splitter, awaited = cls(Bag()), cls(AsyncBag())
    RunnableLambda(splitter.transform_documents).batch(INPUTS, config={"max_concurrency": 4})
    await RunnableLambda(awaited.atransform_documents).abatch(INPUTS, config={"max_concurrency": 4})
    for one in (splitter, awaited):
        assert [tuple(call) for call in one.embeddings.calls].count(tuple(TEXTS)) == 1
