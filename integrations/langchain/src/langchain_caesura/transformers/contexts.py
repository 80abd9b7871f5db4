"""Contexts: documents or chunks in, the same out, each with what it is, or where it stands, in its metadata."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Unpack

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel

from caesura.sansio import Calls
from caesura_documents.chunk_metadata import CONTEXT_KEY, NAMES, check_no_context
from caesura_documents.layout import LAYOUT
from caesura_llm.contexts import BUDGET, ContextResult, Contexts, ContextSource, Scope, continues, join_slices
from caesura_llm.prompts import Prompt, check_prompt
from caesura_llm.report import Report
from langchain_caesura.documents import copy_metadata, metadata_key, start_of, unique_names
from langchain_caesura.transformers.llm_transformer import WINDOW, LLMSettings, LLMTransformer

OF_CHUNKS = frozenset([LAYOUT, *NAMES, "level", "parent_id"])
"""Metadata of a chunk that are not its document's."""


class ContextTransformer(LLMTransformer):
    """Adds a line to the metadata of documents or chunks that says what they are about, so that a search finds them.

    The line stands under ``document_context``. With ``on_failure="keep"``, a text whose reply cannot be used has none,
    and is in the report.

    scope: what gets a line. "document": each document, in one or two sentences that say what it is, of whom, when and
    on what; one call for each. "chunk": each chunk, by where it stands in its document; one call for each. Each of
    these calls begins with the document, so that the provider's prompt cache serves most of it. source_id_key: the key
    in the metadata that names the document of a text. Texts of one source are one document. Without this key, a text
    with a ``start_index`` is a chunk of the document before it, if it can be, and any other is a document. prompt: what
    the model is told. None: ours. budget: how much of a document a request shows, in about a model's tokens. A larger
    document is shown by its beginning; for a chunk, also by the section that the chunk is in. The other settings:
    `LLMTransformer`.

    Texts, ids and all other metadata stay as they are. A splitter with ``embed_chunks=True`` and a
    `ParentDocumentRetriever` give a chunk's row a share of its document's context's.

    Raises `SettingError` for metadata that has a ``document_context`` already.
    """

    work = "Contexts"

    def __init__(
        self,
        llm: BaseChatModel,
        scope: Scope = "document",
        *,
        source_id_key: str | None = "source",
        prompt: Prompt | None = None,
        budget: int = BUDGET,
        **common: Unpack[LLMSettings],
    ) -> None:
        super().__init__(llm, **common)
        self.scope: Scope = scope
        if prompt is not None:
            check_prompt("prompt", prompt)
        self.prompt: Prompt | None = prompt
        self._source_id_key, self._budget = source_id_key, budget
        self._conversation([])  # which checks them

    async def _make(self, report: Report, calls: Calls, documents: list[Document]) -> list[Document]:
        groups = await calls.compute(self._groups, documents)
        results = await self._converse(report, calls, await calls.compute(self._conversation, groups))
        return await calls.compute(self._documents, documents, groups, results)

    def _unrepeated(self, results: list[Document]) -> list[Document]:
        return results

    def _windows(self, documents: Iterator[Document]) -> Iterator[list[Document]]:
        """Yields `WINDOW` documents at a time, and those after them that belong to the same source as the last."""
        some: list[Document] = []
        for document in documents:
            if len(some) >= WINDOW and "parent_id" not in document.metadata and not self._are_one(some[-1], document):
                yield some
                some = []
            some.append(document)
        if some:
            yield some

    def _conversation(self, groups: Sequence[_Group]) -> Contexts:
        sources = (group.source(self._title_key) for group in groups)
        return Contexts(
            sources,
            self.scope,
            prompt=self.prompt,
            budget=self._budget,
            on_failure=self._on_failure,
            ahead=2 * self._pace.max_concurrency,
        )

    def _groups(self, documents: Sequence[Document]) -> list[_Group]:
        """Documents -> those of one document together, in their order. Raises `SettingError`."""
        groups: list[_Group] = []
        named: dict[str, _Group] = {}
        parents: dict[str | None, _Group] = {}
        names = unique_names(documents)
        for number, (document, name) in enumerate(zip(documents, names, strict=True)):
            check_no_context(name, document.metadata)
            source = self._source(document)
            known = named.get(source) if source is not None else parents.get(document.metadata.get("parent_id"))
            if known is None and groups and source is None and self._are_one(groups[-1].documents[-1], document):
                known = groups[-1]
            if known is None:
                known = _Group(name if source is None else source)
                groups.append(known)
                if source is not None:
                    named[source] = known
            known.numbers.append(number)
            known.documents.append(document)
            if document.id is not None:
                parents[document.id] = known
        return groups

    def _source(self, document: Document) -> str | None:
        """The source that a document's metadata name, or None."""
        value = document.metadata.get(self._source_id_key) if self._source_id_key is not None else None
        return None if value is None else str(value)

    def _are_one(self, before: Document, after: Document) -> bool:
        """Returns whether two neighbours are chunks of one document."""
        source, other = self._source(before), self._source(after)
        if source is not None or other is not None:
            return source == other
        alike = _of_document(before) == _of_document(after)
        return alike and continues((before.page_content, start_of(before)), (after.page_content, start_of(after)))

    def _documents(
        self, documents: Sequence[Document], groups: Sequence[_Group], results: list[ContextResult]
    ) -> list[Document]:
        """Copies of the documents, each with its context if it has one."""
        waiting, contexts = iter(results), [""] * len(documents)
        for group in groups:
            shared = next(waiting).text if self.scope == "document" else ""
            for number in group.numbers:
                contexts[number] = shared or (next(waiting).text if self.scope == "chunk" else "")
        return [
            document.model_copy(
                update={"metadata": {**copy_metadata(document), **({CONTEXT_KEY: context} if context else {})}}
            )
            for document, context in zip(documents, contexts, strict=True)
        ]


@dataclass(slots=True)
class _Group:
    """Documents or chunks of one source, and their numbers among all."""

    name: str
    numbers: list[int] = field(default_factory=list)
    documents: list[Document] = field(default_factory=list)

    def source(self, title_key: str | None) -> ContextSource:
        """Joins the texts, and says where each stands in the whole."""
        starts = [start_of(each) for each in self.documents]
        text, places = join_slices(zip([each.page_content for each in self.documents], starts, strict=True))
        title = self.documents[0].metadata.get(title_key) if title_key is not None else None
        return ContextSource(text, self.name, title if isinstance(title, str) else "", tuple(places), tuple(starts))


def _of_document(document: Document) -> str:
    metadata: dict[Any, Any] = {key: value for key, value in document.metadata.items() if key not in OF_CHUNKS}
    return metadata_key(metadata)
