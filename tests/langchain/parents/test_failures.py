"""A store that fails at any call, before or after it has written: what is found can be returned, and all mends."""

from __future__ import annotations

import pytest
from fakes.langchain.failures import NEW, OLD, adding, armed, before_and_after, deleting, every_store, expected, state
from fakes.langchain.retrievers import sound
from fakes.langchain.stores import BrokenError, ClockedVectors


@every_store
@before_and_after
def test_adding_may_fail_anywhere(store: type[ClockedVectors], after: bool) -> None:
    goal = expected(store, OLD, NEW)
    for made in armed(store, adding, after, 8):
        with pytest.raises(BrokenError):
            adding(made)
        assert sound(made)
        assert len(made.invoke("The ship and the captain", k=3)) == 3
        adding(made)
        assert state(made) == goal


@before_and_after
async def test_the_same_holds_for_async_callers(after: bool) -> None:
    goal = expected(ClockedVectors, OLD, NEW)
    for made in armed(ClockedVectors, adding, after, 8):
        with pytest.raises(BrokenError):
            await made.aadd_documents(NEW)
        assert sound(made)
        assert len(await made.ainvoke("The ship and the captain", k=3)) == 3
        await made.aadd_documents(NEW)
        assert state(made) == goal


@every_store
@before_and_after
def test_after_a_failure_another_change_or_a_deletion_leaves_nothing_either(
    store: type[ClockedVectors], after: bool
) -> None:
    for made in armed(store, adding, after, 8):
        with pytest.raises(BrokenError):
            adding(made)
        made.add_documents(OLD)
        made.delete(["doc-3"])
        assert state(made) == expected(store, OLD)
        made.delete(["doc-0", "doc-1", "doc-2"])
        assert state(made) == ({}, {})


@every_store
@before_and_after
def test_deleting_may_fail_anywhere(store: type[ClockedVectors], after: bool) -> None:
    goal = expected(store, OLD[2:])
    for made in armed(store, deleting, after, 4):
        with pytest.raises(BrokenError):
            deleting(made)
        assert sound(made)
        assert made.invoke("The ship and the captain")
        deleting(made)
        assert state(made) == goal
