"""A handler of callbacks that keeps the tree of runs, as a tracer would send it."""

from __future__ import annotations

from typing import Any

from langchain_core.tracers.base import AsyncBaseTracer, BaseTracer
from langchain_core.tracers.schemas import Run


class Runs(BaseTracer):
    """Each root run, when it has ended, with its children in it."""

    def __init__(self) -> None:
        super().__init__()
        self.roots: list[Run] = []

    def _persist_run(self, run: Run) -> None:
        self.roots.append(run)


class AsyncRuns(AsyncBaseTracer):
    """`Runs`, that is awaited."""

    def __init__(self) -> None:
        super().__init__()
        self.roots: list[Run] = []

    async def _persist_run(self, run: Run) -> None:
        self.roots.append(run)


def tree(run: Run) -> Any:
    """(kind, name), or with children (kind, name, these, in the order of their names)."""
    below = sorted((tree(one) for one in run.child_runs), key=repr)
    return (run.run_type, run.name, below) if below else (run.run_type, run.name)
