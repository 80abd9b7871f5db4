"""What words are searched for in: the title of a document, and the headings, the text and the context of its parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import starmap

from langchain_core.documents import Document

from caesura.types import Chunk
from caesura_documents.chunk_metadata import NAMES, ChunkMetadata, context_of
from caesura_documents.layout import LAYOUT
from caesura_documents.outline import Outliner
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

    def of(self, document: Document, ids: Sequence[str], chunks: Sequence[Chunk]) -> WordDocument:
        """chunks: of the document's text, in its order, each with an id.

        Speakers are those that a layout says: in other texts "Example:" may look like one.
        """
        text, metadata = document.page_content, document.metadata
        keys = {name: self.headings.keys.get(name, name) for name in ABOVE if name in NAMES}
        others = {key: metadata[key] for name, key in keys.items() if name not in HEADINGS and key in metadata}
        given = {key: value for key, value in metadata.items() if key not in others}  # which may mean anything there
        wanted = keys if LAYOUT in metadata else {name: key for name, key in keys.items() if name != "speakers"}
        said = ChunkMetadata(wanted, self.headings.name).describe(text, given, chunks, (), find=self.find)
        contexts, texts = [context_of(metadata)] * len(chunks), [chunk.text for chunk in chunks]
        above = [chunk_words({**others, **own}, keys, metadata) for own in said]
        found, words = texts_with_contexts(texts, contexts), document_words(metadata)
        return WordDocument(list(starmap(WordText, zip(ids, found, above, strict=True))), words)
