"""Pages, as readers of PDF give them -> one document for each source."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, ClassVar, Self

from llama_index.core.bridge.pydantic import ConfigDict, Field
from llama_index.core.schema import BaseNode, Document, ImageDocument, IndexNode, TextNode, TransformComponent

import caesura
from caesura.errors import SettingError
from caesura_documents.caller_warning import warn_caller
from caesura_documents.join_pages import LoadedPage, join_sources, shared_metadata
from caesura_documents.layout import LAYOUT
from llama_index.node_parser.caesura.nodes import check_documents, document_id, text_of
from llama_index.node_parser.caesura.serialization import CheckedSettings

SOURCES = ("file_path", "file_name")
"""Keys under which readers say which file a page is of."""


class JoinPages(CheckedSettings, TransformComponent):
    """Documents, one per page -> one per source, so that sentences, tables and words are whole over a page's end.

    Pages stay in the order in which you give them. The id is the source, so it stays through edits. The metadata keeps
    what all pages of a source have in common, but not how or when the file was made (``producer``, ``file_size``,
    ``last_modified_date`` and the like). Under ``caesura_layout``, a layout says where each page begins, with its
    number from 1 and its printed label. Neither embedder nor language model is shown the layout or the source: every
    node would repeat it. [Running heads and page numbers](../splitters.md#details) are left out of sources of 3 pages
    or more. If a text has form feeds and no page, each form feed begins a page. A single document without pages stays
    as it is, and so do images and references. Warns of sources without text, such as scans.

    It has to see all pages of a source at once: before `HierarchyIndex`, and a pipeline that has a document store or
    several workers, call it yourself. Raises `SettingError` where one of several documents of a source has no page, or
    where two have the same page and different texts, and for a PDF that no reader has read.

    >>> pages = [Document(text="The ferry", metadata={"file_name": "a.pdf", "page_label": str(n)}) for n in (1, 2)]
    >>> joined = JoinPages()(pages)[0]
    >>> joined.id_, joined.get_content(), joined.metadata["caesura_layout"][1]
    ('a.pdf', 'The ferry\\nThe ferry', {'start': 10, 'page': 2, 'label': '2', 'offset': 0})
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    page: str | None = Field(
        default=None,
        description="The metadata's key that says which page a document is; None: page, or page_label, by which pages "
        "are counted in their order. Numbers that begin at 0 are moved to begin at 1.",
    )
    source: str | None = Field(
        default=None,
        description="The one that says what it is a page of; None: file_path, else file_name, else the SOURCE's id.",
    )

    @classmethod
    def class_name(cls) -> str:
        """The name under which it is filed."""
        return "JoinPages"

    def to_dict(self, **kwargs: Any) -> dict[str, Any]:
        """Returns the settings, and the version for the key of a pipeline's cache."""
        return {**super().to_dict(**kwargs), "resolved": {"caesura": caesura.__version__}}

    @classmethod
    def from_dict(cls, data: dict[str, Any], **kwargs: Any) -> Self:
        """What `to_dict` returned -> the same again."""
        return super().from_dict({name: value for name, value in data.items() if name != "resolved"}, **kwargs)

    def __call__(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[BaseNode]:
        given = check_documents(nodes)
        _check_read(given)
        pages = [load_page(node, self.source) for node in given]
        results: list[BaseNode] = []
        for numbers, joined in join_sources(pages, self.page, warn_caller):
            first, source = given[numbers[0]], pages[numbers[0]].source
            if joined is None:
                results.append(first)
                continue
            shared = shared_metadata([pages[number] for number in numbers], self.page)
            metadata = {**copy.deepcopy(shared), LAYOUT: joined.layout}
            keys = SOURCES if self.source is None else (self.source,)
            results.append(_document(first, source, joined.text, metadata, keys))
        return results


def load_page(node: BaseNode, source: str | None = None) -> LoadedPage:
    """A node -> the page that it is. source: the key of its source; None: `SOURCES`, or the id of its document."""
    if isinstance(node, (ImageDocument, IndexNode)):
        return LoadedPage(None, {}, "")  # which stays as it is
    keys = SOURCES if source is None else (source,)
    names = [str(node.metadata[key]) for key in keys if node.metadata.get(key) is not None]
    name = names[0] if names else node.ref_doc_id if source is None else None
    return LoadedPage(name, node.metadata, text_of(node))


def _check_read(documents: Sequence[BaseNode]) -> None:
    """Raises `SettingError` for a text that is the bytes of a PDF."""
    for each in documents:
        if text_of(each).startswith("%PDF-"):
            name = next((each.metadata[key] for key in SOURCES if each.metadata.get(key)), document_id(each))
            raise SettingError(
                f"the text of {name!r} is the PDF's bytes, which nothing has read: pip install llama-index-readers-file"
                f", by which SimpleDirectoryReader reads PDF"
            )


def _document(
    first: BaseNode, source: str | None, text: str, metadata: dict[str, Any], sources: Sequence[str]
) -> Document:
    """Makes the document of a source's pages, with the templates of the first page. sources: keys that name it."""
    hidden = [*(key for key in sources if key in metadata), LAYOUT]
    return Document(
        id_=source or document_id(first),
        text=text,
        metadata=metadata,
        excluded_embed_metadata_keys=[*dict.fromkeys([*first.excluded_embed_metadata_keys, *hidden])],
        excluded_llm_metadata_keys=[*dict.fromkeys([*first.excluded_llm_metadata_keys, *hidden])],
        metadata_template=first.metadata_template,
        metadata_separator=first.metadata_separator,
        **({"text_template": first.text_template} if isinstance(first, (Document, TextNode)) else {}),
    )
