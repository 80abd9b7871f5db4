"""What LlamaIndex's tracer reports: the spans that were entered, inside of what, left and dropped."""

from __future__ import annotations

from typing import Any

from llama_index.core.bridge.pydantic import Field
from llama_index.core.instrumentation.span import BaseSpan
from llama_index.core.instrumentation.span_handlers import BaseSpanHandler


class Spans(BaseSpanHandler[BaseSpan]):
    """parents: the id of each span that was entered, and of the one that it is inside of. The rest: their names."""

    parents: dict[str, str | None] = Field(default_factory=dict)
    left: list[str] = Field(default_factory=list)
    dropped: list[str] = Field(default_factory=list)

    @property
    def entered(self) -> list[str]:
        return [_name(id_) for id_ in self.parents]

    def new_span(self, id_: str, bound_args: Any, instance: Any = None, parent_span_id: Any = None, **k: Any) -> Any:
        self.parents[id_] = parent_span_id
        return BaseSpan(id_=id_, parent_id=parent_span_id)

    def prepare_to_exit_span(self, id_: str, bound_args: Any, instance: Any = None, **kwargs: Any) -> Any:
        self.left.append(_name(id_))
        return self.open_spans[id_]

    def prepare_to_drop_span(self, id_: str, bound_args: Any, instance: Any = None, **kwargs: Any) -> Any:
        self.dropped.append(_name(id_))
        return self.open_spans[id_]


def _name(id_: str) -> str:
    """The class and the method that a span is of."""
    return id_.partition("-")[0]
