"""What is given as documents or as texts in, documents out, or an error that says what to pass instead."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from typing import Any

from langchain_core.documents import Document

from caesura.errors import SettingError

PLAIN = frozenset([str, int, float, bool, type(None)])
"""Of what a copy is the same."""


def iter_documents(documents: Iterable[Document], called: str = "documents") -> Iterator[Document]:
    """What is given as documents -> each. Raises `SettingError` for what is none, when it comes to it."""
    wanted = f"{called} must be a list of Document, got"
    if isinstance(documents, Document):
        raise SettingError(f"{wanted} one Document: pass [document]")
    if isinstance(documents, str) or not isinstance(documents, Iterable):
        raise SettingError(f"{wanted} {type(documents).__name__} {documents!r:.80}: of a text make [Document(text)]")
    for position, one in enumerate(documents):
        if not isinstance(one, Document):
            came = f"{type(one).__name__} {one!r:.80} at position {position}"
            raise SettingError(f"{wanted} {came}: of a text make a Document(text)")
        _check_metadata(one)
        yield one


def _check_metadata(document: Document) -> None:
    """Raises `SettingError` for metadata that cannot be copied, before anything is paid for that is to have a copy."""
    for key, value in document.metadata.items():
        if type(value) not in PLAIN:
            try:
                copy.deepcopy(value)
            except Exception as error:
                raise SettingError(
                    f"metadata {key!r:.80} of the document {document.id or document.page_content[:40]!r} must be "
                    f"something that can be copied, as each text made of the document has its own: got "
                    f"{type(value).__name__} {value!r:.80} ({error}); leave it out, or say there where it is found"
                ) from error


def documents_from_texts(texts: list[str], metadatas: list[dict[Any, Any]] | None) -> list[Document]:
    """Texts and metadata -> documents. Raises `SettingError` where there is not one metadata per text."""
    if isinstance(texts, str):
        raise SettingError("texts must be a list of str, got one str: pass [text]")
    if metadatas and len(metadatas) != len(texts):
        raise SettingError(f"metadatas must be one per text: expected {len(texts)}, got {len(metadatas)}")
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise SettingError(f"a document must be a str, got {type(text).__name__} at position {number}")
    return [
        Document(page_content=text, metadata=metadata)
        for text, metadata in zip(texts, metadatas or [{}] * len(texts), strict=True)
    ]
