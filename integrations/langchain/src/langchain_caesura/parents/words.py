"""Indexes of words beside document stores: in the file of one of ours, in memory for one in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from langchain_core.documents import Document
from langchain_core.stores import BaseStore, InMemoryBaseStore

from caesura.errors import SettingError
from caesura.types import Chunk
from caesura_documents.caller_warning import warn_caller
from caesura_documents.chunk_metadata import context_of
from caesura_retrieval.upkeep import batches
from caesura_retrieval.word_index import WordDocument, WordIndex
from caesura_retrieval.word_indexes import shared_word_index
from caesura_store.sqlite_store import Store
from langchain_caesura.parents.owner import Owner
from langchain_caesura.parents.record import read_record
from langchain_caesura.stores import SQLiteDocumentStore, document_lock
from langchain_caesura.word_fields import WordFields

READ_AT_ONCE = 200
"""How many records are read together where an index is filled."""


def word_index(
    docstore: BaseStore[str, Document], name: str, fill: Callable[[WordIndex], None] | None = None
) -> WordIndex:
    """A document store -> its index of words with this name. fill: see `shared_word_index`.

    Raises `SettingError` for a store that is neither ours nor in memory.
    """
    if not isinstance(docstore, (SQLiteDocumentStore, InMemoryBaseStore)):
        raise SettingError(f"{type(docstore).__name__} has no index of words: take a SQLiteDocumentStore as docstore")

    def open_index() -> WordIndex:
        return WordIndex(docstore._store if isinstance(docstore, SQLiteDocumentStore) else Store.in_memory(), name)

    return shared_word_index(docstore, open_index, fill, name)


def check_words(open_index: Callable[[], object], must: bool) -> None:
    """Opens an index of words. Where that raises `SettingError`, so does this if it `must` be there, else it warns."""
    try:
        open_index()
    except SettingError as error:
        fault = f"{error}, or set words=0"
        if must:
            raise SettingError(fault) from error
        warn_caller(fault)


def fill_words(docstore: BaseStore[str, Document], owner: Owner, fields: WordFields, index: WordIndex) -> None:
    """Puts the words of all that an owner has in a document store into an index. It waits for whoever writes."""
    for keys in batches(docstore.yield_keys(prefix=owner.prefix), READ_AT_ONCE):
        records = filter(None, map(read_record, docstore.mget(keys)))
        names = [record.name for record in records if any(part.words for part in record.parts)]
        if names:  # else nobody is waited for, who may be writing them for the first time, in this very event loop
            with document_lock(docstore, names):
                index.set_whole(False)
                index.put(_stored_words(docstore, keys, fields))


def _stored_words(
    docstore: BaseStore[str, Document], keys: list[str], fields: WordFields
) -> Mapping[str, WordDocument]:
    """The keys of records -> the children of each of their texts that has words, by id."""
    parts = [
        part
        for record in filter(None, map(read_record, docstore.mget(keys)))
        for part in record.parts
        if part.words and part.key
    ]
    found = docstore.mget([part.key for part in parts])
    words: dict[str, WordDocument] = {}
    for part, text in zip(parts, found, strict=True):
        if text is not None:
            spans = zip(part.starts, part.ends, strict=True)
            chunks = [Chunk(text.page_content[start:end], start, end) for start, end in spans]
            ids, said = [row for row, _ in part.rows()][: len(chunks)], fields.describe(text, chunks)
            texts = [chunk.text for chunk in chunks]
            for number, section in enumerate(part.sections):
                if section.words:
                    rows, _ = part.section(number)
                    own = slice(rows.start, rows.stop)
                    words[section.words] = fields.of(text, ids[own], texts[own], said[own], context_of(text.metadata))
    return words
