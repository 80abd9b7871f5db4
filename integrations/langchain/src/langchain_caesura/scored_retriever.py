"""What retrievers of this package have in common: results with scores, and what is stored by its ids."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

from langchain_core.documents import Document
from langchain_core.indexing import DeleteResponse, DocumentIndex
from langchain_core.runnables import Runnable, RunnableConfig, RunnableSerializable

from caesura.checks import check_names
from caesura.sansio import Awaiting, Blocking, Calls, run
from caesura_retrieval.upkeep import check_scope
from langchain_caesura.documents import ScoredDocument, check_ids

Other = TypeVar("Other")


class ScoredRetriever(DocumentIndex):
    """A retriever that returns `ScoredDocument`, whichever way it is asked.

    What is declared for type checkers is LangChain's own, and says more. A setting that is assigned is checked as one
    that is given to the constructor, and a wrong one changes nothing.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if name in type(self).model_fields:
            other = self.model_copy()  # the checks of all settings together are made on what has the new one
            other.__pydantic_validator__.validate_assignment(other, name, value)
            value = getattr(other, name)
        super().__setattr__(name, value)

    def get(self, ids: Sequence[str], /, *, scope: Mapping[str, Any] | None = None, **kwargs: Any) -> list[Document]:
        """Returns what is stored under some ids; an unknown id is no fault.

        scope: metadata such as ``{"user": "anna"}``; a document without it is not returned, as if its id were unknown.
        None: neither is one that the retriever's own filter hides, as far as that can be told without a search.
        """
        check_names("get()", kwargs, ["scope"])
        return run(self._get(Blocking(), check_ids(ids), check_scope(scope)))

    async def aget(
        self, ids: Sequence[str], /, *, scope: Mapping[str, Any] | None = None, **kwargs: Any
    ) -> list[Document]:
        """`get`, through the document store's async calls."""
        check_names("get()", kwargs, ["scope"])
        return await self._get(Awaiting(), check_ids(ids), check_scope(scope))

    def delete(
        self, ids: Sequence[str] | None = None, *, scope: Mapping[str, Any] | None = None, **kwargs: Any
    ) -> DeleteResponse:
        """Deletes documents by their ids, with all that is stored for them; an unknown id is no fault.

        scope: metadata such as ``{"user": "anna"}``; a document without it stays, as if its id were unknown. None: all
        of these ids go. Raises `SettingError` if no list of ids is given. Without a scope it also raises if the
        retriever's own filter hides one of these documents, or if it cannot tell whether the filter hides it.
        """
        check_names("delete()", kwargs, ["ids", "scope"])
        return _response(run(self._delete(Blocking(), check_ids(ids), check_scope(scope))))

    async def adelete(
        self, ids: Sequence[str] | None = None, *, scope: Mapping[str, Any] | None = None, **kwargs: Any
    ) -> DeleteResponse:
        """`delete`, through the async calls of the stores."""
        check_names("delete()", kwargs, ["ids", "scope"])
        return _response(await self._delete(Awaiting(), check_ids(ids), check_scope(scope)))

    def list_ids(self, scope: Mapping[str, Any] | None = None) -> list[str]:
        """Returns the ids of all documents that are stored, sorted, as `get` and `delete` take them.

        scope: metadata such as ``{"user": "anna"}``: only of documents that have it. None: of all.
        """
        return run(self._list_ids(Blocking(), check_scope(scope)))

    async def alist_ids(self, scope: Mapping[str, Any] | None = None) -> list[str]:
        """`list_ids`, through the document store's async calls."""
        return await self._list_ids(Awaiting(), check_scope(scope))

    @abstractmethod
    async def _get(self, calls: Calls, ids: list[str], scope: Mapping[str, Any] | None) -> list[Document]: ...

    @abstractmethod
    async def _delete(self, calls: Calls, ids: list[str], scope: Mapping[str, Any] | None) -> list[str]: ...

    @abstractmethod
    async def _list_ids(self, calls: Calls, scope: Mapping[str, Any] | None) -> list[str]: ...

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


def _response(deleted: list[str]) -> DeleteResponse:
    return DeleteResponse(num_deleted=len(deleted), succeeded=deleted, num_failed=0, failed=[])
