"""Indexes of words beside document stores: in the file of one of ours, in memory for one in memory."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from functools import partial

from langchain_core.documents import Document
from langchain_core.stores import BaseStore, InMemoryBaseStore

from caesura.errors import SettingError
from caesura_documents.chunk_metadata import context_of
from caesura_retrieval.upkeep import batches
from caesura_retrieval.word_index import WordDocument, WordIndex
from caesura_retrieval.word_indexes import shared_word_index
from caesura_store.key_locks import KeyLock
from caesura_store.sqlite_store import Store
from langchain_caesura.parents.index_diff import word_rows
from langchain_caesura.parents.record import RECORDS, read_record
from langchain_caesura.stores import SQLiteDocumentStore

READ_AT_ONCE = 200
"""How many records are read together where an index is filled."""


def document_lock(docstore: BaseStore[str, Document], names: Iterable[str]) -> KeyLock:
    """No other writer of these documents meanwhile. Released without a coroutine, which a signal may leave."""
    return KeyLock(docstore, names, docstore.path if isinstance(docstore, SQLiteDocumentStore) else None)


def word_index(docstore: BaseStore[str, Document], fill: bool = True) -> WordIndex | None:
    """A document store -> the index of the words of what it has; None where it is neither ours nor in memory.

    fill: whether one that is empty is filled with what the store has, which waits for whoever writes. Raises
    `SettingError` where SQLite has no FTS5.
    """
    if not isinstance(docstore, (SQLiteDocumentStore, InMemoryBaseStore)):
        return None

    def open_index() -> WordIndex:
        return WordIndex(docstore._store if isinstance(docstore, SQLiteDocumentStore) else Store.in_memory())

    return shared_word_index(docstore, open_index, partial(_fill, docstore) if fill else None)


def _fill(docstore: BaseStore[str, Document], index: WordIndex) -> None:
    for keys in batches(docstore.yield_keys(prefix=RECORDS), READ_AT_ONCE):
        records = filter(None, map(read_record, docstore.mget(keys)))
        names = [record.name for record in records if any(part.words for part in record.parts)]
        if names:  # else nobody is waited for, who may be writing them for the first time, in this very event loop
            with document_lock(docstore, names):
                index.set_whole(False)
                index.put(_stored_words(docstore, keys))


def _stored_words(docstore: BaseStore[str, Document], keys: list[str]) -> Mapping[str, WordDocument]:
    """The keys of records -> the children of each of their texts that has words, by id."""
    parts = [
        part
        for record in filter(None, map(read_record, docstore.mget(keys)))
        for part in record.parts
        if part.words and part.key
    ]
    texts = docstore.mget([part.key for part in parts])
    return {
        part.words: word_rows(
            [
                (row, text.page_content[start:end])
                for (row, _), start, end in zip(part.rows(), part.starts, part.ends, strict=False)
            ],
            context_of(text.metadata),
        )
        for part, text in zip(parts, texts, strict=True)
        if text is not None
    }


def check_words(docstore: BaseStore[str, Document], must: bool) -> None:
    """Raises `SettingError` where words `must` be kept and cannot be; warns where they are left out."""
    fault = f"{type(docstore).__name__} has no index of words: take a SQLiteDocumentStore as docstore, or set words=0"
    try:
        if word_index(docstore) is not None:
            return
    except SettingError as error:
        fault = str(error)
    if must:
        raise SettingError(fault)
    warnings.warn(fault, UserWarning, stacklevel=3)
