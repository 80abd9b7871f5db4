"""What retrievers of this package have in common: their results have scores, and type checkers know it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, overload

from langchain_core.documents import Document
from langchain_core.indexing import DocumentIndex
from langchain_core.runnables import Runnable, RunnableConfig, RunnableSerializable

from langchain_caesura.documents import ScoredDocument

Other = TypeVar("Other")


class ScoredRetriever(DocumentIndex):
    """A retriever that returns `ScoredDocument`, whichever way it is asked.

    What is declared here is LangChain's own: only what type checkers read of it says more. A setting that is assigned
    is checked as one that is given to the constructor, and a wrong one changes nothing.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if name in type(self).model_fields:
            other = self.model_copy()  # the checks of all settings together are made on what has the new one
            other.__pydantic_validator__.validate_assignment(other, name, value)
            value = getattr(other, name)
        super().__setattr__(name, value)

    if TYPE_CHECKING:

        def invoke(  # type: ignore[override]
            self, input: str, config: RunnableConfig | None = None, **kwargs: Any
        ) -> list[ScoredDocument]: ...

        async def ainvoke(  # type: ignore[override]
            self, input: str, config: RunnableConfig | None = None, **kwargs: Any
        ) -> list[ScoredDocument]: ...

        def batch(  # type: ignore[override]
            self,
            inputs: list[str],
            config: RunnableConfig | list[RunnableConfig] | None = None,
            *,
            return_exceptions: bool = False,
            **kwargs: Any,
        ) -> list[list[ScoredDocument]]: ...

        async def abatch(  # type: ignore[override]
            self,
            inputs: list[str],
            config: RunnableConfig | list[RunnableConfig] | None = None,
            *,
            return_exceptions: bool = False,
            **kwargs: Any,
        ) -> list[list[ScoredDocument]]: ...

        def stream(  # type: ignore[override]
            self, input: str, config: RunnableConfig | None = None, **kwargs: Any
        ) -> Iterator[list[ScoredDocument]]: ...

        def astream(  # type: ignore[override]
            self, input: str, config: RunnableConfig | None = None, **kwargs: Any
        ) -> AsyncIterator[list[ScoredDocument]]: ...

        @overload  # type: ignore[override]
        def __or__(self, other: Mapping[str, Any]) -> RunnableSerializable[str, dict[str, Any]]: ...

        @overload
        def __or__(
            self,
            other: Runnable[list[ScoredDocument], Other]
            | Callable[[list[ScoredDocument]], Awaitable[Other]]
            | Callable[[list[ScoredDocument]], Other],
        ) -> RunnableSerializable[str, Other]: ...

        @overload
        def __or__(
            self,
            other: Runnable[list[Document], Other]
            | Callable[[list[Document]], Awaitable[Other]]
            | Callable[[list[Document]], Other],
        ) -> RunnableSerializable[str, Other]: ...

        def __or__(self, other: Any) -> Any: ...
