"""Words of leaves: what each is found by, of its text, the headings above it and its document's title."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

from llama_index.core.schema import BaseNode, MetadataMode
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.storage.docstore.types import BaseDocumentStore

from caesura.errors import SettingError
from caesura.ids import digest
from caesura.types import Chunk
from caesura_documents.chunk_metadata import context_of
from caesura_documents.layout import JOINT
from caesura_documents.outline import outline
from caesura_retrieval.word_index import WordDocument, WordIndex, WordText
from caesura_retrieval.word_indexes import shared_word_index
from caesura_store.sqlite_store import Store
from llama_index.node_parser.caesura.nodes import origin
from llama_index.node_parser.caesura.retrieval.docstore import SQLiteDocumentStore
from llama_index.node_parser.caesura.retrieval.leaves import Leaves, find_leaves, place_of

TITLES = "title", "document_title"
"""The keys of a title in metadata."""
FILES = "file_path", "file_name", "source", "path", "url"
"""The keys of what a document was read from."""
ABOVE = "headings", "header_path", "table_header"
"""The keys of what stands above a node; the second is that of LlamaIndex's `MarkdownNodeParser`."""


def open_leaf_words(docstore: BaseDocumentStore) -> WordIndex:
    """Returns the words of the leaves of a document store, which are kept beside its file, or in memory as it is.

    Words in memory are those of the nodes that the store has when it is first asked for here. Raises `SettingError` for
    a store that is not ours or LlamaIndex's own in memory.
    """
    if isinstance(docstore, SQLiteDocumentStore):
        return shared_word_index(docstore, docstore.open_words)
    if not isinstance(docstore, SimpleDocumentStore):
        raise SettingError(
            f"a question's words are searched for beside a SQLiteDocumentStore or a SimpleDocumentStore, and docstore "
            f"is a {type(docstore).__name__}: use SQLiteDocumentStore(path), or words=0 to search by vectors alone"
        )
    return shared_word_index(docstore, lambda: WordIndex(Store.in_memory()), partial(_fill, docstore))


def _fill(docstore: BaseDocumentStore, index: WordIndex) -> None:
    infos = docstore.get_all_ref_doc_info() or {}
    names = [name for info in infos.values() for name in info.node_ids]
    nodes = (docstore.get_document(name, raise_error=False) for name in names)
    leaves = find_leaves(node for node in nodes if node is not None)
    index.put(leaf_words(leaves, {name: info.metadata for name, info in infos.items()}))


def leaf_words(leaves: Leaves, documents: Mapping[str, Mapping[str, Any]]) -> dict[str, WordDocument]:
    """Returns what the leaves of documents are found by. documents: the metadata of each."""
    groups = {name: [leaf.node for leaf in leaves.by_document.get(name, ())] for name in documents}
    return {name: word_document(nodes, documents[name]) for name, nodes in groups.items()}


def version_key(node: BaseNode) -> str:
    """Returns a key of a version of a node: with another document, text, title or headings it has another."""
    said = [value if isinstance(value := node.metadata.get(key), str) else "" for key in (*TITLES, *FILES, *ABOVE)]
    text = node.get_content(metadata_mode=MetadataMode.NONE)
    made = digest(node.ref_doc_id or "", text, context_of(node.metadata), *said)
    return f"{made}\n{node.node_id}"


def word_document(
    nodes: Iterable[BaseNode],
    metadata: Mapping[str, Any] = MappingProxyType({}),
    key: Callable[[BaseNode], str] = lambda node: node.node_id,
) -> WordDocument:
    """Returns what nodes of a document are found by. metadata: the document's. key: that of a node's words.

    Its title is what metadata have under `TITLES` and `FILES`, those of the document or of all its nodes. What a node
    says there for itself is one of its headings.
    """
    ordered = sorted(nodes, key=place_of)
    said = [_titles(node.metadata) for node in ordered]
    shared = [title for title in said[0] if all(title in own for own in said)] if said else []
    titles = [*dict.fromkeys([*_titles(metadata), *shared])]
    texts = [
        WordText(
            key(node),
            context + node.get_content(metadata_mode=MetadataMode.NONE),
            "\n".join([above, *(title for title in own if title not in titles)]).strip(),
        )
        for node, context, above, own in zip(ordered, _new_contexts(ordered), _headings(ordered), said, strict=True)
    ]
    return WordDocument(texts, "\n".join(titles))


def _titles(metadata: Mapping[str, Any]) -> list[str]:
    """Returns the first title and the first file that metadata have."""
    found = [[value for key in keys if isinstance(value := metadata.get(key), str)] for keys in (TITLES, FILES)]
    return [said[0] for said in found if said]


def _headings(nodes: Sequence[BaseNode]) -> list[str]:
    """Returns what stands above each node: headings, and the header of a table that goes on. They are read in the text
    that the nodes are slices of, where that is known; and in metadata, which may lack the outermost for want of room.
    """
    headings: list[str] = []
    for node, (found, header) in zip(nodes, _outline(nodes), strict=True):
        said = [value if isinstance(value := node.metadata.get(key), str) else "" for key in ABOVE]
        path = said[0] or said[1].strip("/").replace("/", JOINT)
        headings.append("\n".join(filter(None, (found if path in found else path, said[2] or header))))
    return headings


def _outline(nodes: Sequence[BaseNode]) -> list[tuple[str, str]]:
    """Returns the headings and the table header above each node, by the text that all are slices of; "" where places
    do not tell it."""
    pieces, chunks, length, end = list[str](), list[Chunk](), 0, 0
    for node in nodes:
        own, start = node.get_content(metadata_mode=MetadataMode.NONE), origin(node)
        if start is None:
            return [("", "")] * len(nodes)
        gap = "\n" * min(max(start - end, 0), 2)  # blanks that a parser took off, or nodes that are not here
        new = own[max(end - start, 0) :]
        pieces += [gap, new]
        length += len(gap) + len(new)
        end = max(end, start + len(own))
        chunks.append(Chunk(own, length - len(own), length))
    text = "".join(pieces)
    paths, headers = outline(text).above_chunks(text, chunks)
    return [(JOINT.join(path.titles), header or "") for path, header in zip(paths, headers, strict=True)]


def _new_contexts(nodes: Iterable[BaseNode]) -> Iterator[str]:
    """Yields the context of each node, if it is not that of the one before: words that all nodes of a document have
    find none of them."""
    before = ""
    for node in nodes:
        context = context_of(node.metadata)
        yield f"{context}\n" if context and context != before else ""
        before = context
