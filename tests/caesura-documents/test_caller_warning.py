"""A warning shows the line of the user's own code that led to it, however many packages lie between."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from caesura_documents.caller_warning import warn_caller

OURS = ("caesura_store.texts", "langchain_core.runnables", "pydantic.main", "llama_index.core", "contextlib")


def through(*packages: str) -> Callable[[str], Any]:
    """`warn_caller`, called through a function of each package, the innermost first."""
    work: Callable[[str], Any] = warn_caller
    for package in packages:
        names: dict[str, Any] = {"__name__": package, "work": work}
        exec(compile("def call(message):\n    return work(message)", package, "exec"), names)
        work = names["call"]
    return work


@pytest.mark.parametrize("packages", [(), OURS[:1], OURS])
async def test_the_line_is_that_of_the_call_from_outside(packages: tuple[str, ...]) -> None:
    with pytest.warns(UserWarning, match="Odd") as told:
        through(*packages)("Odd.")
    assert [each.filename for each in told] == [__file__]


def test_a_line_outside_between_two_packages_is_the_innermost() -> None:
    with pytest.warns(UserWarning, match="Odd") as told:
        through("caesura.splitter", "a_program", "caesura.hierarchy")("Odd.")
    assert [each.filename for each in told] == ["a_program"]


def test_in_a_thread_of_ours_it_is_the_line_that_warns() -> None:
    with pytest.warns(UserWarning, match="Odd") as told, ThreadPoolExecutor() as threads:
        threads.submit(through("caesura.inner", "caesura.outer"), "Odd.").result()
    assert [each.filename for each in told] == ["caesura.inner"]


def test_awaited_the_line_is_that_of_the_users_coroutine() -> None:
    async def of_user() -> None:
        through("caesura.splitter")("Odd.")

    with pytest.warns(UserWarning, match="Odd") as told:
        asyncio.run(of_user())
    assert [each.filename for each in told] == [__file__]
