"""What is no list of documents is refused by what it is, with what to pass instead, however it is handed over."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from fakes.langchain.llms import Plain
from fakes.langchain.splitters import SPLITTERS, Bag
from langchain_core.documents import Document

from caesura.errors import SettingError
from langchain_caesura import AgenticSplitter, PropositionTransformer, SemanticHierarchySplitter, SummaryTransformer

TAKERS: dict[str, Callable[[], Any]] = {
    **{cls.__name__: lambda cls=cls: cls(Bag()) for cls in (*SPLITTERS, SemanticHierarchySplitter)},
    **{
        cls.__name__: lambda cls=cls: cls(Plain())
        for cls in (AgenticSplitter, PropositionTransformer, SummaryTransformer)
    },
}
WRONG: dict[str, tuple[Any, str]] = {
    "texts": (["abc"], r"must be a list of Document, got str 'abc' at position 0: .*Document\(text\)"),
    "a text among them": ([Document("One."), "abc"], "got str 'abc' at position 1"),
    "pairs": ([("page_content", "abc")], r"got tuple \('page_content', 'abc'\) at position 0"),
    "a text": ("abc", r"must be a list of Document, got str 'abc': .*Document\(text\)"),
    "one document": (Document("abc"), r"got one Document: pass \[document\]"),
    "none": (None, "must be a list of Document, got NoneType None"),
}
every_taker = pytest.mark.parametrize("make", TAKERS.values(), ids=TAKERS)
every_wrong = pytest.mark.parametrize(("given", "said"), WRONG.values(), ids=WRONG)


async def listed(found: AsyncIterator[Document]) -> list[Document]:
    return [one async for one in found]


@every_taker
@every_wrong
def test_what_is_no_list_of_documents_is_refused(make: Callable[[], Any], given: Any, said: str) -> None:
    taker = make()
    for name in ("transform_documents", "split_documents", "lazy_transform_documents"):
        if hasattr(taker, name):
            with pytest.raises(SettingError, match=said):
                list(getattr(taker, name)(given))


@every_taker
@every_wrong
async def test_what_is_no_list_of_documents_is_refused_when_awaited(
    make: Callable[[], Any], given: Any, said: str
) -> None:
    taker = make()
    for name in ("atransform_documents", "asplit_documents"):
        if hasattr(taker, name):
            with pytest.raises(SettingError, match=said):
                await getattr(taker, name)(given)
    if hasattr(taker, "alazy_transform_documents"):
        with pytest.raises(SettingError, match=said):
            await listed(taker.alazy_transform_documents(given))


@every_taker
@every_wrong
def test_what_is_refused_is_not_embedded_or_asked_about(make: Callable[[], Any], given: Any, said: str) -> None:
    taker = make()
    with pytest.raises(SettingError):
        taker.transform_documents(given)
    if isinstance(getattr(taker, "embeddings", None), Bag):
        assert taker.embeddings.calls == []
    else:
        assert taker.report.calls == 0


@every_taker
def test_any_iterable_of_documents_is_taken(make: Callable[[], Any]) -> None:
    given = [Document("Bread is baked at dawn."), Document("The tide comes in.")]
    made = make().transform_documents(given)
    assert made
    assert make().transform_documents(tuple(given)) == make().transform_documents(iter(given)) == made
