"""Words of leaves: what each is found by, of its text, the headings above it and its document's title."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
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
from caesura_documents.outline import TableWords, outline
from caesura_documents.titles import chunk_words, document_words, headings_of, texts_with_contexts
from caesura_retrieval.word_index import WordDocument, WordIndex, WordText
from caesura_retrieval.word_indexes import shared_word_index
from caesura_store.sqlite_store import Store
from llama_index.node_parser.caesura.nodes import origin
from llama_index.node_parser.caesura.retrieval.docstore import SQLiteDocumentStore
from llama_index.node_parser.caesura.retrieval.leaves import Leaves, find_leaves, place_of


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


def put_leaf_words(
    index: WordIndex, leaves: Leaves, documents: Mapping[str, Mapping[str, Any]], keep: bool
) -> dict[str, WordDocument]:
    """Puts what the leaves of documents are found by into an index, and returns it. keep: beside what is there."""
    words = leaf_words(leaves, documents)
    index.put(words, keep=keep)
    return words


def version_key(node: BaseNode) -> str:
    """Returns a key of a version of a node: with another document, text, title or headings it has another."""
    text, metadata = node.get_content(metadata_mode=MetadataMode.NONE), node.metadata
    made = digest(node.ref_doc_id or "", text, context_of(metadata), document_words(metadata), chunk_words(metadata))
    return f"{made}\n{node.node_id}"


def word_document(
    nodes: Iterable[BaseNode],
    metadata: Mapping[str, Any] = MappingProxyType({}),
    key: Callable[[BaseNode], str] = lambda node: node.node_id,
) -> WordDocument:
    """Returns what nodes of a document are found by. metadata: the document's. key: that of a node's words.

    Its title and its file are those of its own metadata, or of all its nodes. What a node says for itself is one of
    its headings.
    """
    ordered = sorted(nodes, key=place_of)
    document, *said = [document_words(own).split("\n") for own in (metadata, *(node.metadata for node in ordered))]
    shared = [line for line in said[0] if all(line in own for own in said)] if said else []
    words = [*filter(None, dict.fromkeys([*document, *shared]))]
    texts = texts_with_contexts(
        [node.get_content(metadata_mode=MetadataMode.NONE) for node in ordered],
        [context_of(node.metadata) for node in ordered],
    )
    rows = zip(ordered, texts, _headings(ordered, metadata), said, strict=True)
    return WordDocument(
        [
            WordText(key(node), text, "\n".join([above, *(line for line in own if line not in words)]).strip())
            for node, text, above, own in rows
        ],
        "\n".join(words),
    )


def _headings(nodes: Sequence[BaseNode], metadata: Mapping[str, Any]) -> list[str]:
    """Returns what stands above each node: headings, and the header of a table that goes on. They are read in the text
    that the nodes are slices of, where that is known; and in metadata, which may lack the outermost for want of room.
    """
    text, places = _text_of(nodes)
    found: list[tuple[tuple[str, ...], TableWords]] = [((), TableWords())] * len(nodes)
    if places:
        paths, tables = outline(text).above_chunks(text, places)
        found = [(path.titles, table) for path, table in zip(paths, tables, strict=True)]
    above: list[str] = []
    for node, (titles, table) in zip(nodes, found, strict=True):
        read = {"headings": [*titles]} if JOINT.join(headings_of(node.metadata)) in JOINT.join(titles) else {}
        said = {"table_title": table.title, "table_header": table.header}
        rows = {name: value for name, value in said.items() if value and not node.metadata.get(name)}
        above.append(chunk_words({**node.metadata, **read, **rows}, document={**metadata, **node.metadata}))
    return above


def _text_of(nodes: Sequence[BaseNode]) -> tuple[str, list[Chunk]]:
    """Returns the text that all nodes are slices of, as far as they have it, and the place of each; neither where the
    place of one is not known."""
    pieces, chunks, length, end = list[str](), list[Chunk](), 0, 0
    for node in nodes:
        own, start = node.get_content(metadata_mode=MetadataMode.NONE), origin(node)
        if start is None:
            return "", []
        gap = "\n" * min(max(start - end, 0), 2)  # blanks that a parser took off, or nodes that are not here
        new = own[max(end - start, 0) :]
        pieces += [gap, new]
        length += len(gap) + len(new)
        end = max(end, start + len(own))
        chunks.append(Chunk(own, length - len(own), length))
    return "".join(pieces), chunks
