"""What words are searched for in: the title of a document, and the headings, the text and the context of its parts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from langchain_core.documents import Document

from caesura.types import Chunk
from caesura_documents.chunk_metadata import ChunkMetadata, Outliner, context_of
from caesura_documents.layout import is_path
from caesura_retrieval.word_index import WordDocument, WordText

FILES = ("file_path", "source", "path", "url")
"""Metadata in which loaders say what a document was read from, the first that there is."""
_HEADER = re.compile("[Hh]eader [1-6]")
"""Metadata in which LangChain's splitters of Markdown and HTML have headings."""


@dataclass(frozen=True, slots=True)
class WordFields:
    """Makes what words find the chunks of a document by.

    headings: the keys under which a document that is itself a chunk has them. find: reads those of a text.
    """

    headings: ChunkMetadata
    find: Outliner

    def of(self, document: Document, ids: Sequence[str], chunks: Sequence[Chunk]) -> WordDocument:
        """chunks: of the document's text, in its order, each with an id."""
        outer, context = headers_of(document.metadata), context_of(document.metadata)
        said = self.headings.describe(document.page_content, document.metadata, chunks, (), find=self.find)
        above = ["\n".join([*outer, self.headings.headings_text(own, len, None)]) for own in said]
        rows = [(id, chunk.text, own, context) for id, chunk, own in zip(ids, chunks, above, strict=True)]
        return WordDocument(word_texts(rows), title_of(document.metadata))


def file_of(metadata: Mapping[Any, Any]) -> str:
    """A document's metadata -> the file or address that it was read from; "" where they do not say."""
    files = (str(metadata[key]) for key in FILES if isinstance(metadata.get(key), (str, PurePath)))
    return next(files, "")


def title_of(metadata: Mapping[Any, Any]) -> str:
    """A document's metadata -> its title and its file or address, each in a line; "" where they say neither.

    >>> title_of({"title": "Annual report", "source": "reports/acme-2018.pdf"})
    'Annual report\\nreports/acme-2018.pdf'
    """
    title = metadata.get("title")
    return "\n".join(dict.fromkeys(filter(None, [title if isinstance(title, str) else "", file_of(metadata)])))


def headers_of(metadata: Mapping[Any, Any]) -> list[str]:
    """A chunk's metadata -> the headings that LangChain's splitters say are above it, the outermost first.

    >>> headers_of({"Header 2": "Timetable", "Header 1": "Ferries"})
    ['Ferries', 'Timetable']
    """
    keys = sorted(key for key in metadata if isinstance(key, str) and _HEADER.fullmatch(key))
    return [metadata[key] for key in keys if isinstance(metadata[key], str)]


def headings_of(metadata: Mapping[Any, Any]) -> str:
    """A chunk's metadata -> the headings above it and the header of its table, in lines; "" where they say nothing."""
    own: Any = metadata.get("headings")
    lines = [*headers_of(metadata), *(own if is_path(own) else [own]), metadata.get("table_header")]
    return "\n".join(line for line in lines if isinstance(line, str) and line)


def word_texts(rows: Iterable[tuple[str, str, str, str]]) -> list[WordText]:
    """The id, text, headings and context of each of a document's texts, in its order -> what words are searched for in.

    A context counts with the first of neighbours that share it: words that all of them have find none of them.
    """
    texts, before = list[WordText](), ""
    for key, text, headings, context in rows:
        texts.append(WordText(key, text if context in ("", before) else f"{context}\n{text}", headings))
        before = context
    return texts
