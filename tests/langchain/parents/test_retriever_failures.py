"""A store that fails at any call, before or after it has written: what is found can be returned, and all mends."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.langchain.failures import (
    FULL,
    NEW,
    OLD,
    STORES,
    adding,
    armed,
    before_and_after,
    deleting,
    expected,
    state,
)
from fakes.langchain.retrievers import sound
from fakes.langchain.stores import BrokenError, ClockedVectors

MODES: dict[str, dict[str, Any]] = {"plain": {}, "full": FULL}
USUAL = {("exact", "full"), ("strict", "full"), ("without lookup", "plain"), ("without names", "plain")}
every_store = pytest.mark.parametrize(
    ("store", "mode"),
    [
        pytest.param(store, mode, id=f"{one}-{other}", marks=() if (one, other) in USUAL else pytest.mark.thorough)
        for one, store in STORES.items()
        for other, mode in MODES.items()
    ],
)


@pytest.mark.thorough
@every_store
@before_and_after
def test_adding_may_fail_anywhere(store: type[ClockedVectors], after: bool, mode: dict[str, Any]) -> None:
    goal = expected(store, OLD, NEW, **mode)
    for made in armed(store, adding, after, 8, **mode):
        with pytest.raises(BrokenError):
            adding(made)
        assert sound(made)
        assert len(made.invoke("The ship and the captain", k=3)) == 3
        assert returns_one_version_of_each(made)
        adding(made)
        assert state(made) == goal


def returns_one_version_of_each(made: Any) -> bool:
    """Whether what words and vectors find is of one version of each document, and of what there is."""
    found = made.invoke("The ship, the captain, the bread, the parrot and the cat", budget=10**6)
    texts = {str(one.id): {one.page_content} for one in OLD}
    for one in NEW:
        texts.setdefault(str(one.id), set()).add(one.page_content)
    return all(any(one.page_content in text for several in texts.values() for text in several) for one in found)


@pytest.mark.thorough
@before_and_after
async def test_the_same_holds_for_async_callers(after: bool) -> None:
    goal = expected(ClockedVectors, OLD, NEW, **FULL)
    for made in armed(ClockedVectors, adding, after, 8, **FULL):
        with pytest.raises(BrokenError):
            await made.aadd_documents(NEW)
        assert sound(made)
        assert len(await made.ainvoke("The ship and the captain", k=3)) == 3
        await made.aadd_documents(NEW)
        assert state(made) == goal


@pytest.mark.thorough
@every_store
@before_and_after
def test_after_a_failure_another_change_or_a_deletion_leaves_nothing_either(
    store: type[ClockedVectors], after: bool, mode: dict[str, Any]
) -> None:
    for made in armed(store, adding, after, 8, **mode):
        with pytest.raises(BrokenError):
            adding(made)
        made.add_documents(OLD)
        made.delete(["doc-3"])
        assert state(made) == expected(store, OLD, **mode)
        made.delete(["doc-0", "doc-1", "doc-2"])
        assert state(made) == ({}, {}, {})


@pytest.mark.thorough
@every_store
@before_and_after
def test_deleting_may_fail_anywhere(store: type[ClockedVectors], after: bool, mode: dict[str, Any]) -> None:
    goal = expected(store, OLD[2:], **mode)
    for made in armed(store, deleting, after, 4, **mode):
        with pytest.raises(BrokenError):
            deleting(made)
        assert sound(made, deleting=True)
        assert made.invoke("The ship and the captain")
        assert returns_one_version_of_each(made)
        deleting(made)
        assert state(made) == goal
