"""Documents and nodes: their texts, offsets, ids and relationships."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import groupby, pairwise
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
from llama_index.core.bridge.pydantic import pydantic
from llama_index.core.node_parser.node_utils import build_nodes_from_splits, default_id_func
from llama_index.core.schema import (
    BaseNode,
    Document,
    ImageDocument,
    MetadataMode,
    NodeRelationship,
    RelatedNodeInfo,
    TextNode,
)
from numpy.typing import NDArray

from caesura.errors import SettingError
from caesura.ids import chunk_ids
from caesura.sizers import without_surrogates
from caesura.types import Chunk
from caesura_documents import docling, pdf, unstructured
from caesura_documents.chunk_metadata import check_depth
from caesura_documents.layout import LAYOUT
from caesura_documents.parsed_text import ParsedDocument

WHOLE_PLACE = "caesura_place"
"""The key in the metadata of a node's SOURCE of what the node says of its place, where not all of it fits beside the
text that is embedded."""
OF_SOURCE = frozenset([LAYOUT, WHOLE_PLACE])
"""Keys in the metadata of a SOURCE that are about one node alone."""
PLAIN = str, int, float, bool, type(None)
"""Types of metadata that are kept as they are. A type derived from one of them, such as an enum of strings, is not."""
T = TypeVar("T", bound=BaseNode)
M = TypeVar("M", bound=pydantic.BaseModel)
_NODE_FIELDS, _REFERENCE_FIELDS = {*TextNode.model_fields}, {*RelatedNodeInfo.model_fields}
Levels: TypeAlias = list[list[TextNode]]
"""For each level, coarse to fine, the nodes that tile the document there: a node may stand in several levels."""
References: TypeAlias = dict[tuple[str, type[BaseNode]], RelatedNodeInfo]
"""The references to nodes that there are already, by the id and the type of each node."""


@dataclass(slots=True, eq=False)
class SourceNode:
    """A document, or a node of one, that a parser makes nodes of.

    start: where its text begins in the document; None: nobody knows. bare: the node without what its metadata say of
    its own place. read: its metadata in the form that `ChunkMetadata` reads, if nodes are to say their places. counts:
    whether metadata count in the size of nodes: they leave room for text. left: how many tokens they leave for the text
    of one of the smallest chunks.
    """

    node: BaseNode
    text: str
    start: int | None
    bare: BaseNode
    read: dict[str, Any] = field(default_factory=dict)
    counts: bool = True
    left: int = 0


def check_documents(documents: Any) -> list[Any]:
    """Returns documents, or nodes of them, as a list.

    Raises `SettingError` for anything else, and for metadata that hold themselves or are nested too deep.
    """
    wanted = "documents must be a list of Documents or nodes, got"
    if isinstance(documents, BaseNode):
        raise SettingError(f"{wanted} one {type(documents).__name__}: pass [document]")
    if isinstance(documents, str) or not isinstance(documents, Iterable):
        raise SettingError(
            f"{wanted} {type(documents).__name__} {documents!r:.80}: of a text make [Document(text=text)]"
        )
    items, checked = list(documents), set[int]()
    for position, item in enumerate(items):
        if not isinstance(item, BaseNode):
            came = f"{type(item).__name__} {item!r:.80} at position {position}"
            raise SettingError(f"{wanted} {came}: of a text make a Document(text=text), of a PDF file from_pdf(path)")
        for key, value in item.metadata.items():
            if id(value) not in checked:  # nodes share what a parser copied to them
                checked.add(id(value))
                check_depth(f"metadata {key!r:.80} of document {document_id(item)!r}", value)
    return items


def from_docling(document: object) -> Document:
    """A `DoclingDocument`, its dict (`document.export_to_dict()`) or its JSON -> one document.

    Its metadata have `caesura_layout`: page, box, element type and headings of each part of the text, by offset (see
    `caesura_documents.docling.from_docling`); and `source`, the file's address or name where Docling knows it, which is
    its id too. Neither embedder nor language model is shown either. Docling keeps no folder: files of one name in
    several folders need ids of your own. Raises `SettingError`.
    """
    return to_llama_index(docling.from_docling(document))


def from_unstructured(elements: object) -> Document:
    """The elements of a file from Unstructured, their dicts (`element.to_dict()`) or the JSON of them -> one document.

    Its metadata have `caesura_layout`: page, box, element type and headings of each part of the text, by offset (see
    `caesura_documents.unstructured.from_unstructured`); and `source`, the file's address, or its folder and name, which
    is its id too. Neither embedder nor language model is shown either. Raises `SettingError`.
    """
    return to_llama_index(unstructured.from_unstructured(elements))


def from_pdf(file: str | os.PathLike[str] | bytes) -> Document:
    """Reads a PDF, by its path or its bytes, as one document in the order in which it is printed.

    Its text is Markdown. Paragraphs stay whole over the ends of lines, columns and pages. Headings, lists, code and
    tables are marked. Running heads are left out. A footnote stands after the paragraph that it interrupts.

    Its metadata have ``source``, the path, which is its id too; ``title``, ``author`` and ``subject``, if the file says
    them; and ``caesura_layout``, which says of each part of the text its page, printed label, box, type and headings:
    see `caesura_documents.pdf.from_pdf`. Neither embedder nor language model is shown layout, source and author.

    Cut it by our splitters or `HierarchyIndex`. LlamaIndex's own splitters copy all metadata to each node, and the
    layout of 100 pages has 200 kB or more. Remove it for them: `document.metadata.pop("caesura_layout")`. Then their
    nodes have no pages.

    Needs `pip install "llama-index-node-parser-caesura[pdf]"`. Warns of pages that have no text, as scanned ones have.
    Raises `ValueError` for a file that cannot be read, asks for a password or has no text, `OSError` where there is
    none.
    """
    return to_llama_index(pdf.from_pdf(file))


def from_pymupdf(document: object) -> Document:
    """A document that PyMuPDF has opened -> the same as `from_pdf`, by what PyMuPDF reads of the file.

    Raises `SettingError` for anything else, `ValueError` for a document without text.
    """
    return to_llama_index(pdf.from_pymupdf(document))


def to_llama_index(parsed: ParsedDocument) -> Document:
    """What a parser found -> a document, whose id is its source.

    Neither embedder nor language model is shown its layout, source and author: they take half of a small node's size.
    """
    said = dict(parsed.metadata) if parsed.source is None else {"source": parsed.source, **parsed.metadata}
    hidden = [LAYOUT, *(key for key in ("source", "author") if key in said)]
    return Document(
        text=parsed.text,
        metadata={**said, LAYOUT: parsed.layout},
        excluded_embed_metadata_keys=hidden,
        excluded_llm_metadata_keys=[*hidden],
        **({} if parsed.source is None else {"id_": parsed.source}),
    )


def text_of(node: BaseNode) -> str:
    """Returns a node's text, without metadata. Raises `SettingError` for a text that LlamaIndex cannot hash."""
    text = node.get_content(metadata_mode=MetadataMode.NONE)
    if isinstance(node, Document) and not text.isascii() and without_surrogates(text) != text:
        at = next(place for place, mark in enumerate(text) if "\ud800" <= mark <= "\udfff")
        raise SettingError(
            f"document {node.node_id!r} has a lone surrogate at {at}, which LlamaIndex cannot hash: "
            f"replace it, as text.encode('utf-8', 'replace').decode() does"
        )
    return text


def read_sources(nodes: Iterable[BaseNode]) -> list[SourceNode]:
    """Documents and nodes -> the sources of a run. Raises `SettingError`, see `text_of`."""
    return [SourceNode(node, text_of(node), origin(node), node) for node in nodes]


def document_id(node: BaseNode) -> str:
    """Returns the id of a node's document."""
    return node.ref_doc_id or node.node_id


def origin(node: BaseNode) -> int | None:
    """Returns where a node's text begins in its document: 0 for a document, None if that is not known."""
    start, end = getattr(node, "start_char_idx", None), getattr(node, "end_char_idx", None)
    if start is not None and end is not None:
        return start if end - start == len(node.get_content(metadata_mode=MetadataMode.NONE)) else None
    return 0 if node.source_node is None else None


def count_in_document(nodes: Sequence[BaseNode], above: Sequence[BaseNode] = ()) -> list[BaseNode]:
    """Returns nodes whose offsets count in their document, also those of a parser that counts in the PARENT, as
    LlamaIndex's `HierarchicalNodeParser` does. A node whose place in the document is not known then has none, as one
    whose PARENT is neither among them nor among those above."""
    given = {node.node_id for node in (*nodes, *above)}
    below: dict[str, list[BaseNode]] = {}
    placed: dict[str, BaseNode] = {}
    for node in (*nodes, *above):
        if node.parent_node is None:
            placed[node.node_id] = node
        elif node.parent_node.node_id in given:
            below.setdefault(node.parent_node.node_id, []).append(node)
        else:
            nowhere = {"start_char_idx": None, "end_char_idx": None} if isinstance(node, TextNode) else {}
            placed[node.node_id] = node.model_copy(update=nowhere)
    level = [*placed.values()] if below else []
    while level:
        level = [child for node in level for child in _count_on(node, below.pop(node.node_id, []))]
        placed.update((node.node_id, node) for node in level)
    return [placed.get(node.node_id, node) for node in nodes]


def _count_on(parent: BaseNode, children: list[BaseNode]) -> Sequence[BaseNode]:
    """Returns the children of a node, whose offsets count in its document."""
    slices = [each for each in children if isinstance(each, TextNode) and each.text and each.start_char_idx is not None]
    if not isinstance(parent, TextNode):
        return children
    text, first = parent.text, parent.start_char_idx

    def are_slices(offset: int) -> bool:
        starts = [(each.start_char_idx or 0) - offset for each in slices]
        return all(at >= 0 and text.startswith(each.text, at) for each, at in zip(slices, starts, strict=True))

    if (first is not None and are_slices(first)) or not are_slices(0):
        return children
    own = {each.node_id for each in slices}
    counted: list[BaseNode] = []
    for each in children:
        if isinstance(each, TextNode) and each.node_id in own:
            start = None if first is None else first + (each.start_char_idx or 0)
            end = None if start is None else start + len(each.text)
            each = each.model_copy(update={"start_char_idx": start, "end_char_idx": end})
        counted.append(each)
    return counted


def set_embeddings(nodes: Iterable[BaseNode], rows: NDArray[np.float32]) -> None:
    """Gives each node its row as embedding."""
    for node, row in zip(nodes, rows.tolist(), strict=True):
        node.embedding = row


def build_nodes(
    node: BaseNode,
    chunks: Sequence[tuple[int, Chunk]],
    id_func: Callable[..., str] | None,
    include_metadata: bool,
    name_nodes: Callable[[Sequence[tuple[int, Chunk]]], list[str]] | None = None,
) -> list[TextNode]:
    """A node, and its chunks with their levels -> nodes with the node's metadata and source, and with exact offsets.

    Without an `id_func`, or with LlamaIndex's default, an id is made of the node's id, the level and the text; equal
    texts are numbered. So the ids of a document's nodes do not depend on other documents. An image without text gives
    one node, so that it is not lost. name_nodes: returns the ids, where the chunks are not all of the document's. It is
    called for no chunks too: what is stored may have to be made anew.
    """
    if not chunks and isinstance(node, ImageDocument):
        chunks = [(0, Chunk("", 0, 0))]
    named = [] if name_nodes is None else name_nodes(chunks)
    if not chunks:
        return []
    source, first, shell = node.source_node or node.as_related_node_info(), origin(node), empty_node(node)
    if not OF_SOURCE.isdisjoint(source.metadata):  # of the document, or of a node that another parser made
        source = source.model_copy(
            update={"metadata": {key: value for key, value in source.metadata.items() if key not in OF_SOURCE}}
        )
    id_func = None if id_func is default_id_func else id_func
    if name_nodes is not None:
        names = named
    elif id_func is None:
        names = chunk_ids([(node.node_id, level, chunk.text) for level, chunk in chunks])
    else:
        names = [id_func(number, node) for number in range(len(chunks))]
    metadata = node.metadata if include_metadata else {}
    hidden = node.excluded_embed_metadata_keys, node.excluded_llm_metadata_keys
    built: list[TextNode] = []
    for name, (_, chunk) in zip(names, chunks, strict=True):
        if not isinstance(name, str):
            raise SettingError(f"id_func must return a str, got {name!r:.80}")
        start, end = (None, None) if first is None else (first + chunk.start, first + chunk.end)
        fields = {  # a copy: pydantic need not look again at what came from a node and from us
            "id_": name,
            "text": chunk.text,
            "embedding": None,
            "start_char_idx": start,
            "end_char_idx": end,
            "metadata": dict(metadata),
            "excluded_embed_metadata_keys": list(hidden[0]),
            "excluded_llm_metadata_keys": list(hidden[1]),
            "relationships": {NodeRelationship.SOURCE: source},
        }
        built.append(copy_node(shell, fields))
    return built


def copy_node(node: T, fields: dict[str, Any]) -> T:
    """Returns a copy of a node with other fields, as `model_copy` does. Copies of a `TextNode` share the set of the
    fields that were given: Python's collector of garbage has one thing less to look through for each."""
    if type(node) is not TextNode:
        return node.model_copy(update=fields)
    return cast(T, _make(TextNode, _NODE_FIELDS, {**vars(node), **fields}))


def _make(kind: type[M], names: set[str], fields: dict[str, Any]) -> M:
    """Returns a model of all its fields, whose names are given. They come from a model, and from us: nothing is checked
    again."""
    made = kind.__new__(kind)
    state = {"__dict__": fields, "__pydantic_fields_set__": names}
    pydantic.BaseModel.__setstate__(made, {**state, "__pydantic_extra__": None, "__pydantic_private__": None})
    return made


def empty_node(node: BaseNode) -> TextNode:
    """Returns a node without text, of the kind and with the templates that LlamaIndex gives to nodes of this one.

    It may be shared: callers copy it and do not change it.
    """
    if isinstance(node, ImageDocument) or not isinstance(node, (Document, TextNode)):
        return build_nodes_from_splits([""], node)[0]
    return _empty_text_node(node.metadata_separator, node.metadata_template, node.text_template)


@lru_cache(maxsize=16)
def _empty_text_node(separator: str, template: str, text_template: str) -> TextNode:
    """The empty node is made once for all documents with these templates: nearly all have LlamaIndex's own."""
    document = Document(metadata_separator=separator, metadata_template=template, text_template=text_template)
    return build_nodes_from_splits([""], document)[0]


def id_reference(node: BaseNode) -> RelatedNodeInfo:
    """Returns a reference to a node by its id alone, without a copy of its metadata.

    LlamaIndex follows references by their ids. With metadata, a node would hold that of all its children.
    """
    fields: dict[str, Any] = {"node_id": node.node_id, "node_type": node.get_type(), "metadata": {}, "hash": None}
    return _make(RelatedNodeInfo, _REFERENCE_FIELDS, fields)


def _share_reference(known: References, node: BaseNode) -> RelatedNodeInfo:
    """Returns the `id_reference` of a node. All nodes that refer to it share one."""
    key = node.node_id, type(node)  # an `id_func` may give one id to several
    return known.get(key) or known.setdefault(key, id_reference(node))


def link(nodes: Iterable[BaseNode], known_by: Callable[[BaseNode], RelatedNodeInfo] = id_reference) -> None:
    """Gives neighbours of one document their PREVIOUS and NEXT. known_by: makes the reference to a node."""
    for document, group in groupby(nodes, key=lambda node: node.ref_doc_id):
        own = list(group)
        if document is None or len(own) < 2:
            continue
        for (node, info), (following, next_info) in pairwise((node, known_by(node)) for node in own):
            node.relationships[NodeRelationship.NEXT] = next_info
            following.relationships[NodeRelationship.PREVIOUS] = info


def build_levels(
    node: BaseNode,
    levels: Sequence[Sequence[Chunk]],
    id_func: Callable[..., str] | None,
    include_metadata: bool,
    references: References,
    name_nodes: Callable[[Sequence[tuple[int, Chunk]]], list[str]] | None = None,
) -> tuple[list[TextNode], Levels]:
    """A document and its chunks of each level -> its nodes, and which of them stand in each level. references: shared
    by all that refer to a node; new ones are added. name_nodes: see `build_nodes`.

    A chunk that is its parent's only child has its parent's text, so the parent stands for it. A parent comes before
    its children, and they come before the next parent. So the nodes of each level are in the document's order.
    """
    if isinstance(node, ImageDocument) and not any(levels):
        levels = [[Chunk("", 0, 0)]]  # so that the image is not lost
    new: list[tuple[int, Chunk]] = []
    places: list[list[int]] = []
    parents: dict[int, int] = {}
    for level, chunks in enumerate(levels):
        above = places[-1] if places else []
        starts = first_places([new[place][1] for place in above])
        within = np.searchsorted(starts, first_places(chunks), side="right") - 1
        here: list[int] = []
        for number, chunk in enumerate(chunks):
            parent = above[int(within[number])] if above else None
            if parent is not None and new[parent][1] == chunk:
                here.append(parent)
                continue
            if parent is not None:
                parents[len(new)] = parent
            here.append(len(new))
            new.append((level, chunk))
        places.append(here)
    firsts = first_places([chunk for _, chunk in new])
    order = sorted(range(len(new)), key=lambda place: (firsts[place], new[place][0]))
    ordered = build_nodes(node, [new[place] for place in order], id_func, include_metadata, name_nodes)
    nodes = dict(zip(order, ordered, strict=True))
    children: dict[int, list[RelatedNodeInfo]] = {}
    for child, parent in parents.items():
        nodes[child].relationships[NodeRelationship.PARENT] = _share_reference(references, nodes[parent])
        children.setdefault(parent, []).append(_share_reference(references, nodes[child]))
    for parent, infos in children.items():
        nodes[parent].relationships[NodeRelationship.CHILD] = infos
    return ordered, [[nodes[place] for place in here] for here in places]


def first_places(chunks: Iterable[Chunk]) -> list[int]:
    """Returns where the first character of each chunk stands that is not blank.

    Two levels may differ in the indentation before it.
    """
    return [chunk.end - len(chunk.text.lstrip()) for chunk in chunks]


def link_levels(documents: Sequence[Levels], depth: int, references: References) -> None:
    """Gives the neighbours of each level their NEXT and PREVIOUS, also across the input nodes of one document.

    Coarse levels are linked first, so a node that stands in several levels has the neighbours of the finest.
    references: see `build_levels`.
    """
    for level in range(depth):
        link(
            (node for levels in documents for node in levels[min(level, len(levels) - 1)]),
            partial(_share_reference, references),
        )
