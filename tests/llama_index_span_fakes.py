"""What LlamaIndex's tracer reports: the spans that were entered, inside of what, left and dropped."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.instrumentation.span import BaseSpan
from llama_index.core.instrumentation.span_handlers import BaseSpanHandler


class Spans(BaseSpanHandler[BaseSpan]):
    """Keeps the ids of spans, as they come."""

    _parents: dict[str, str | None] = PrivateAttr(default_factory=dict)
    _left: list[str] = PrivateAttr(default_factory=list)
    _dropped: list[str] = PrivateAttr(default_factory=list)

    @property
    def parents(self) -> dict[str, str | None]:
        """Each span that was entered, and the one that it is inside of."""
        return self._parents

    @property
    def left(self) -> list[str]:
        return named(self._left)

    @property
    def entered(self) -> list[str]:
        return named(self._parents)

    @property
    def dropped(self) -> list[str]:
        return named(self._dropped)

    def new_span(self, id_: str, bound_args: Any, instance: Any = None, parent_span_id: Any = None, **k: Any) -> Any:
        self._parents[id_] = parent_span_id
        return BaseSpan(id_=id_, parent_id=parent_span_id)

    def prepare_to_exit_span(self, id_: str, bound_args: Any, instance: Any = None, **kwargs: Any) -> Any:
        self._left.append(id_)
        return self.open_spans[id_]

    def prepare_to_drop_span(self, id_: str, bound_args: Any, instance: Any = None, **kwargs: Any) -> Any:
        self._dropped.append(id_)
        return self.open_spans[id_]


def named(ids: Iterable[str]) -> list[str]:
    """Ids of spans -> the class and the method of each."""
    return [id_.partition("-")[0] for id_ in ids]
