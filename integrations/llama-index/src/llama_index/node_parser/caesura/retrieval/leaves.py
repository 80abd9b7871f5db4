"""Leaves: the smallest nodes of documents, which are embedded. Their order, and the words that they are found by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from operator import attrgetter
from typing import NamedTuple

from llama_index.core.schema import BaseNode, IndexNode, MetadataMode
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.storage.docstore.types import BaseDocumentStore

from caesura.errors import SettingError
from caesura_documents.chunk_metadata import CONTEXT_KEY, context_of
from caesura_retrieval.word_index import WordDocument, WordIndex, WordText
from caesura_retrieval.word_indexes import shared_word_index
from caesura_store.sqlite_store import Store
from llama_index.node_parser.caesura.retrieval.docstore import SQLiteDocumentStore


class Leaf(NamedTuple):
    """A node that is embedded: one without children, or a reference, that has something to embed.

    document: the id of its document. place: where it stands there; leaves without a known place come last. text: what
    is embedded of it, beside its context. shared_context: the context that its row has a share of; "" without one, or
    where it is not to be embedded.
    """

    node: BaseNode
    document: str
    place: tuple[bool, int, int]
    text: str
    context: str
    shared_context: str


class Leaves(NamedTuple):
    """The leaves among some nodes: all by id, in the order of the nodes, and those that are no references by document,
    in its order as far as places tell it."""

    by_id: dict[str, Leaf]
    by_document: dict[str, list[Leaf]]


def find_leaves(nodes: Iterable[BaseNode]) -> Leaves:
    """Returns the leaves among nodes."""
    leaves = Leaves({}, {})
    for node in nodes:
        if node.child_nodes and not isinstance(node, IndexNode):
            continue
        context, hidden, bare = context_of(node.metadata), node.excluded_embed_metadata_keys, node
        shared_context = "" if CONTEXT_KEY in hidden else context
        if shared_context:
            bare = node.model_copy(update={"excluded_embed_metadata_keys": [*hidden, CONTEXT_KEY]})
        if text := bare.get_content(metadata_mode=MetadataMode.EMBED):
            start, end = getattr(node, "start_char_idx", None), getattr(node, "end_char_idx", None)
            place = start is None, start or 0, end or 0
            leaf = Leaf(node, node.ref_doc_id or node.node_id, place, text, context, shared_context)
            leaves.by_id[node.node_id] = leaf
            if not isinstance(node, IndexNode):
                leaves.by_document.setdefault(leaf.document, []).append(leaf)
    for group in leaves.by_document.values():
        group.sort(key=attrgetter("place"))
    return leaves


# -- words -----------------------------------------------------------------------------------------------------------


def open_leaf_words(docstore: BaseDocumentStore) -> WordIndex:
    """Returns the words of the leaves of a document store, which are kept in its file, or in memory as it is.

    Words in memory are those of the nodes that the store has when it is first asked for here. Raises `SettingError` for
    a store that is not ours or LlamaIndex's own in memory, and where this Python's SQLite cannot search for words.
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
    put_leaf_words(index, infos, find_leaves(node for node in nodes if node is not None))


def put_leaf_words(index: WordIndex, names: Iterable[str], leaves: Leaves, keep: bool = False) -> None:
    """Puts the words of documents into an index, in the place of those that it has of them, or beside them."""
    groups = {name: leaves.by_document.get(name, []) for name in names}
    index.put(
        {
            name: WordDocument(
                [
                    WordText(leaf.node.node_id, context + leaf.node.get_content(metadata_mode=MetadataMode.NONE))
                    for leaf, context in zip(group, _new_contexts(group), strict=True)
                ]
            )
            for name, group in groups.items()
        },
        keep,
    )


def _new_contexts(leaves: Sequence[Leaf]) -> Iterator[str]:
    """Yields the context of each leaf, if it is not that of the one before: words that all leaves of a document have
    find none of them."""
    before = ""
    for leaf in leaves:
        yield f"{leaf.context}\n" if leaf.context and leaf.context != before else ""
        before = leaf.context
