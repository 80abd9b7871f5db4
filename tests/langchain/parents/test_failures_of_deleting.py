"""A store that fails at any call while documents are deleted: what is left can be returned, and all mends."""

from __future__ import annotations

import pytest
from langchain_failure_fakes import OLD, armed, before_and_after, deleting, every_store, expected, state
from langchain_parent_fakes import sound
from langchain_store_fakes import BrokenError, ClockedVectors


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
