"""An LLM in, a copy for one run out, which leaves no connection open."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from llama_index.core.llms import LLM

from llama_index.node_parser.caesura.llm.listening import quiet


@contextmanager
def opened(llm: LLM) -> Iterator[LLM]:
    """Gives the copy, for threads; closes what it has opened."""
    copy = quiet(llm)
    before = _prepared(copy, "_get_client")
    try:
        yield copy
    finally:
        for client in _new(copy, before):
            if not inspect.iscoroutinefunction(client.close):
                client.close()


@asynccontextmanager
async def aopened(llm: LLM) -> AsyncIterator[LLM]:
    """Gives the copy, for the running loop; closes what it has opened."""
    copy = quiet(llm)
    before = _prepared(copy, "_get_aclient")
    try:
        yield copy
    finally:
        for client in _new(copy, before):
            closing = client.close()
            if inspect.isawaitable(closing):
                await closing


def _prepared(copy: LLM, maker: str) -> dict[str, Any]:
    """Has the client made where the LLM keeps one, so that threads do not make one each -> what was there before."""
    before = dict(copy.__pydantic_private__ or {})
    make = getattr(copy, maker, None)
    if callable(make) and getattr(copy, "reuse_client", False):
        make()
    return before


def _new(copy: LLM, before: dict[str, Any]) -> list[Any]:
    """The clients that were made since."""
    now = copy.__pydantic_private__ or {}
    return [
        value for name, value in now.items() if before.get(name) is None and callable(getattr(value, "close", None))
    ]
