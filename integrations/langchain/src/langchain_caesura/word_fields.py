"""What words are searched for in: the title of a document, and the headings, the text and the context of its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, repeat, starmap
from typing import Any

from langchain_core.documents import Document

from caesura.types import Chunk
from caesura_documents.chunk_metadata import NAMES, ChunkMetadata
from caesura_documents.layout import LAYOUT
from caesura_documents.outline import Outline, Outliner
from caesura_documents.titles import ABOVE, chunk_words, document_words, texts_with_contexts
from caesura_retrieval.word_index import WordDocument, WordText
from langchain_caesura.chunk_vectors import HEADINGS


@dataclass(frozen=True, slots=True)
class WordFields:
    """Makes what words find the chunks of a document by.

    headings: the keys under which a document that is itself a chunk has them. find: reads those of a text.
    """

    headings: ChunkMetadata
    find: Outliner

    def describe(self, document: Document, chunks: Sequence[Chunk]) -> list[dict[str, Any]]:
        """Returns what stands above chunks of a document's text, in its order, and who speaks in them, by key.

        Speakers are those that a layout says: in other texts "Example:" may look like one.
        """
        wanted, given = self._wanted(document.metadata)
        return wanted.describe(document.page_content, given, chunks, (), find=self.find)

    def outline(self, document: Document) -> Outline:
        """Returns the outline that `describe` reads, but for what a layout says."""
        wanted, given = self._wanted(document.metadata)
        return wanted.outline(document.page_content, given, self.find)

    def _wanted(self, metadata: Mapping[str, Any]) -> tuple[ChunkMetadata, dict[str, Any]]:
        """What is described, and what of a document's metadata says where that stands."""
        others = self._others(metadata)
        given = {key: value for key, value in metadata.items() if key not in others}  # which may mean anything there
        named = [name for name in ABOVE if name in NAMES and (name != "speakers" or LAYOUT in metadata)]
        wanted = {name: self.headings.keys.get(name, name) for name in dict.fromkeys([*HEADINGS, *named])}
        return ChunkMetadata(wanted, self.headings.name), given

    def of(
        self,
        document: Document,
        ids: Sequence[str],
        texts: Sequence[str],
        said: Sequence[dict[str, Any]],
        context: str,
    ) -> WordDocument:
        """texts: of the chunks, each with an id. said: what `describe` returned of them. context: the document's."""
        metadata, others = document.metadata, self._others(document.metadata)
        keys = {name: self.headings.keys.get(name, name) for name in ABOVE if name in NAMES}
        above = list[str]()
        for own, group in groupby(said):
            above += repeat(chunk_words({**others, **own}, keys, metadata), len(list(group)))
        found = texts_with_contexts(texts, [context] * len(texts))
        return WordDocument(list(starmap(WordText, zip(ids, found, above, strict=True))), document_words(metadata))

    def _others(self, metadata: Mapping[str, Any]) -> dict[str, Any]:
        """What a document says of its place beside headings."""
        keys = (self.headings.keys.get(name, name) for name in ABOVE if name in NAMES and name not in HEADINGS)
        return {key: metadata[key] for key in keys if key in metadata}
