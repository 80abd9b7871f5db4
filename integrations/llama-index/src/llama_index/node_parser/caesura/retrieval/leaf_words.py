"""Words of leaves: what each is found by, of its text, the headings above it and its document's title."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

from llama_index.core.schema import BaseNode, MetadataMode
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.storage.docstore.keyval_docstore import KVDocumentStore
from llama_index.core.storage.docstore.types import BaseDocumentStore

from caesura.errors import SettingError
from caesura.ids import digest
from caesura.types import Chunk
from caesura_documents.chunk_metadata import context_of
from caesura_documents.layout import JOINT
from caesura_documents.outline import HeadingPath, Outline, TableWords, outline
from caesura_documents.titles import chunk_words, document_words, headings_of, texts_with_contexts
from caesura_retrieval.word_index import WordDocument, WordIndex, WordText
from caesura_retrieval.word_indexes import shared_word_index
from caesura_store.sqlite_store import Store
from llama_index.node_parser.caesura.node_sections import NodeSection, SectionPlan, split_ids
from llama_index.node_parser.caesura.nodes import origin
from llama_index.node_parser.caesura.retrieval.docstore import SECTIONS, DocumentState, SQLiteDocumentStore, sections_of
from llama_index.node_parser.caesura.retrieval.leaves import Leaves, find_leaves

SECTION_WORDS: re.Pattern[str] = re.compile(r"\n[0-9a-f]{32}\Z")
"""What the names of sections in an index of words have behind the id of their document."""


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
    sections = docstore._kvstore.get_all(sections_of(docstore)) if isinstance(docstore, KVDocumentStore) else {}
    words = {name: word_document(_nodes_of(name, leaves), info.metadata) for name, info in infos.items()}
    for name, entry in sections.items():
        own = [NodeSection(*each) for each in entry[SECTIONS]]
        if (whole := words.get(name)) is not None and sum(each.nodes for each in own) == len(infos[name].node_ids):
            del words[name]
            texts = {each.key: each for each in whole.texts}
            for section, ids in zip(own, split_ids(infos[name].node_ids, own), strict=True):
                some = [texts[each] for each in ids if each in texts]
                words[word_name(name, section.name)] = WordDocument(some, whole.title)
    index.put(words)


def put_leaf_words(
    index: WordIndex,
    leaves: Leaves,
    documents: Mapping[str, Sequence[BaseNode]],
    keep: bool,
    rules: Callable[[str], Outline],
    plans: Mapping[str, SectionPlan],
    known: Mapping[str, DocumentState],
) -> dict[str, WordDocument]:
    """Puts what the leaves of documents are found by into an index. Returns what is to be put once that is all.

    documents: what there is of each. keep: beside what is there. rules: see `word_document`. plans: of those that are
    written in sections: each section that is made has words of its own. known: the states of the documents as they are.
    """
    words: dict[str, WordDocument] = {}
    gone: dict[str, WordDocument] = {}
    for name, own in documents.items():
        nodes, text, said, plan = _nodes_of(name, leaves), _whole_text(own), own[0].metadata, plans.get(name)
        stay = plan.names() if plan is not None else []
        gone.update((word_name(name, each), WordDocument(())) for each in known[name].sections if each not in stay)
        if plan is None:
            words[name] = word_document(nodes, said, text=text, rules=rules)
            continue
        if known[name] != DocumentState():
            gone[name] = WordDocument(())
        for number, some in plan.divide_nodes(nodes).items():
            if plan.known[number] is None:
                words[word_name(name, stay[number])] = word_document(some, said, text=text, rules=rules)
    index.put(words, keep=keep)
    return {**words, **gone} if keep or gone else {}


def word_name(document: str, section: str) -> str:
    """Returns the name of a section of a document in an index of words, see `SECTION_WORDS`."""
    return f"{document}\n{section}"


def _nodes_of(document: str, leaves: Leaves) -> list[BaseNode]:
    """Returns the leaves of a document, by its id, that are no references, in its order."""
    return [leaf.node for leaf in leaves.by_document.get(document, ())]


def version_key(node: BaseNode) -> str:
    """Returns a key of a version of a node: with another document, text, title or headings it has another."""
    text, metadata = node.get_content(metadata_mode=MetadataMode.NONE), node.metadata
    made = digest(node.ref_doc_id or "", text, context_of(metadata), document_words(metadata), chunk_words(metadata))
    return f"{made}\n{node.node_id}"


def word_document(
    nodes: Iterable[BaseNode],
    metadata: Mapping[str, Any] = MappingProxyType({}),
    key: Callable[[BaseNode], str] = lambda node: node.node_id,
    text: str | None = None,
    rules: Callable[[str], Outline] = outline,
) -> WordDocument:
    """Returns what nodes of a document, in its order, are found by.

    metadata: the document's. key: that of a node's words. text: the document's, where it is at hand. rules: finds the
    outline of a text by our rules, or remembers what they found. Its title and its file are those of its own metadata,
    or of all its nodes. What a node says for itself is one of its headings.
    """
    ordered = [*nodes]
    own_texts = [node.get_content(MetadataMode.NONE) for node in ordered]
    metadatas = [metadata, *[node.metadata for node in ordered]]
    contexts = [*map(context_of, metadatas[1:])]
    above = _headings(ordered, metadata, text, rules)
    texts = texts_with_contexts(own_texts, contexts)
    document, *said = [words.split("\n") for words in [*map(document_words, metadatas)]]
    shared = [line for line in said[0] if all(line in own for own in said)] if said else []
    words = [*filter(None, dict.fromkeys([*document, *shared]))]
    rows = zip(ordered, texts, above, said, strict=True)
    return WordDocument(
        [
            WordText(key(node), text, "\n".join([headings, *(line for line in own if line not in words)]).strip())
            for node, text, headings, own in rows
        ],
        "\n".join(words),
    )


def _headings(
    nodes: Sequence[BaseNode], metadata: Mapping[str, Any], text: str | None, rules: Callable[[str], Outline]
) -> list[str]:
    """Returns what stands above each node: headings, and the header of a table that goes on. They are read in the text
    that the nodes are slices of, where that is known; and in metadata, which may lack the outermost for want of room.
    """
    text, places = _text_of(nodes, text)
    paths, tables = [HeadingPath()] * len(nodes), [TableWords()] * len(nodes)
    if places:
        paths, tables = rules(text).above_chunks(text, places)
    above: list[str] = []
    before, words = None, ""
    for node, path, table in zip(nodes, paths, tables, strict=True):
        own = node.metadata, path.titles, table
        if own != before:  # neighbours often have the same
            before = own
            said: dict[str, Any] = {**node.metadata}
            said["table_title"] = said.get("table_title") or table.title
            said["table_header"] = said.get("table_header") or table.header
            if JOINT.join(headings_of(node.metadata)) in JOINT.join(path.titles):
                said["headings"] = [*path.titles]
            words = chunk_words(said, document={**metadata, **node.metadata})
        above.append(words)
    return above


def _text_of(nodes: Sequence[BaseNode], whole: str | None) -> tuple[str, list[Chunk]]:
    """Returns the text that all nodes are slices of, and the place of each; neither where one's place is not known.

    whole: the document's. It is the text, if the nodes are slices of it; else the text is put together of them.
    """
    given = [(node.get_content(MetadataMode.NONE), origin(node)) for node in nodes]
    known = [Chunk(own, start, start + len(own)) for own, start in given if start is not None]
    if len(known) < len(given):
        return "", []
    if whole is not None and all(whole.startswith(own.text, own.start) for own in known):
        return whole, known
    pieces, chunks, length, end = list[str](), list[Chunk](), 0, 0
    for own in known:
        gap = "\n" * min(max(own.start - end, 0), 2)  # blanks that a parser took off, or nodes that are not here
        new = own.text[max(end - own.start, 0) :]
        pieces += [gap, new]
        length += len(gap) + len(new)
        end = max(end, own.end)
        chunks.append(Chunk(own.text, length - len(own.text), length))
    return "".join(pieces), chunks


def _whole_text(documents: Sequence[BaseNode]) -> str | None:
    """Returns the text of what there is of a document, if that is the document itself."""
    own = documents[0]
    return own.get_content(MetadataMode.NONE) if len(documents) == 1 and own.source_node is None else None
