"""Records of nodes: what an index keeps of each in a document store, and the bytes of it in SQLite."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from types import MappingProxyType
from typing import Any, TypeAlias

from llama_index.core.constants import DATA_KEY, TYPE_KEY
from llama_index.core.schema import (
    BaseNode,
    IndexNode,
    MetadataMode,
    NodeRelationship,
    ObjectType,
    RelatedNodeInfo,
    TextNode,
)
from llama_index.core.storage.docstore.utils import doc_to_json, json_to_doc
from pydantic_core import from_json

from caesura.errors import SettingError
from llama_index.node_parser.caesura.nodes import PLAIN

Record: TypeAlias = dict[str, Any] | bytes
"""What is kept of a node: LlamaIndex's dict of it, or bytes in SQLite."""
PLACE = "start_char_idx", "end_char_idx"
"""Where a node has its offsets."""
OWN = "id_", "text", "metadata", "excluded_embed_metadata_keys", "excluded_llm_metadata_keys"
"""Fields of a node that are in its bytes without their names."""
_EMPTY = TextNode(id_="")
_REST = {name: own for name, own in vars(_EMPTY).items() if name not in (*OWN, *PLACE, "relationships")}
"""Fields that are in a node's bytes where they are not at their defaults, and these."""
_KINDS = {kind.value: kind for kind in NodeRelationship}
_SOURCE, _PARENT, _CHILD = (
    kind.value for kind in (NodeRelationship.SOURCE, NodeRelationship.PARENT, NodeRelationship.CHILD)
)
_OWNER = NodeRelationship.SOURCE
_TEXT = str(ObjectType.TEXT.value)
NOWHERE: Mapping[str, int] = MappingProxyType({})
_write = json.JSONEncoder(separators=(",", ":")).encode


class _Parts:
    """What is kept of references to nodes. Nodes that refer to one object share what is kept of it."""

    def __init__(self) -> None:
        self._made: dict[tuple[int, bool], tuple[Any, Any]] = {}  # with the object, whose number another had else

    def of(self, info: Any, is_source: bool) -> Any:
        if isinstance(info, list):
            return [self.of(each, is_source) for each in info]
        key = id(info), is_source
        if key not in self._made:
            self._made[key] = info, info.model_dump() | ({"hash": None} if is_source else {})
        return self._made[key][1]

    def encoded(self, info: Any, is_source: bool) -> Any:
        """The same for bytes: of a text that is known by its id alone, this id."""
        if isinstance(info, list):
            return [self.encoded(each, is_source) for each in info]
        if info.node_type == _TEXT and not info.metadata and (is_source or info.hash is None):
            return info.node_id
        return self.of(info, is_source)


def node_entries(nodes: Iterable[BaseNode]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the id of each node, and what a document store keeps of it.

    This is what LlamaIndex's `doc_to_json` makes of it. Its SOURCE lacks the document's hash, with which each edit
    would change all nodes of a document. Nodes that refer to one object share its part.
    """
    parts = _Parts()
    for node in nodes:
        if type(node) is TextNode and _is_plain(node.metadata):
            data = {key: copy(value) if type(value) in (dict, list) else value for key, value in vars(node).items()}
            data["class_name"] = node.class_name()
        else:
            data = node.to_dict()
        related = node.relationships.items()
        data["relationships"] = {kind.value: parts.of(info, kind == NodeRelationship.SOURCE) for kind, info in related}
        yield node.node_id, {TYPE_KEY: node.get_type(), DATA_KEY: data}


def encode_nodes(nodes: Iterable[BaseNode]) -> dict[str, bytes]:
    """Returns the bytes that SQLite keeps of each node, by its id. They say what `node_entries` says, in half the room:
    of a `TextNode` only what is not at its default, and its offsets last. Raises `SettingError`."""
    parts, encoded = _Parts(), dict[str, bytes]()
    for node in nodes:
        if type(node) is not TextNode or not _is_plain(node.metadata):
            [(name, entry)] = node_entries([node])
            encoded[name] = encode_entry(name, entry)
            continue
        said = vars(node)
        related = {kind: parts.encoded(info, kind is _OWNER) for kind, info in node.relationships.items()}
        more = {key: said[key] for key, default in _REST.items() if said[key] != default}
        try:
            record = _write([*map(said.__getitem__, OWN), related, more])
        except TypeError as error:
            raise refuse(node.node_id, error) from error
        start, end = ("null" if said[name] is None else said[name] for name in PLACE)
        encoded[node.node_id] = f"{record}\n[{start},{end}]".encode()
    return encoded


def _is_plain(metadata: Mapping[str, Any]) -> bool:
    return all(type(each) in PLAIN for each in metadata.values())


def encode_entry(key: str, value: Record) -> bytes:
    """Returns the bytes of any entry. Raises `SettingError` for metadata that JSON has no form for."""
    try:
        return value if isinstance(value, bytes) else json.dumps(value).encode()
    except TypeError as error:
        raise refuse(key, error) from error


def refuse(key: str, error: TypeError) -> SettingError:
    """Returns the error for an entry that JSON has no form for."""
    return SettingError(
        f"{key!r} cannot be kept: {error}; metadata must be text, numbers, truth values, or lists or dicts of them"
    )


def decode_entry(content: bytes) -> dict[str, Any]:
    """Returns an entry of its bytes; of a node what LlamaIndex's `doc_to_json` makes of it."""
    return doc_to_json(TreeNode.read(content).node) if content.startswith(b"[") else json.loads(content)


def decode_node(record: Record) -> BaseNode:
    """Returns the node of a record."""
    if not isinstance(record, bytes):
        return json_to_doc(record)
    return TreeNode.read(record).node


class TreeNode:
    """A node in a tree: what a search needs of each that it looks at. The whole node is made once it is asked for.

    document and parent: the ids of these; of a node without a document its own. children: the ids of its children.
    text: its own, without metadata. start and end: its offsets. is_sliced: whether others may be slices of its text.
    is_bare: whether a language model is surely shown no metadata of it. reference: the node, if it is a reference.
    """

    __slots__ = (
        "_made",
        "_related",
        "children",
        "document",
        "end",
        "is_bare",
        "is_sliced",
        "node_id",
        "parent",
        "reference",
        "start",
        "text",
    )

    _made: BaseNode | list[Any]
    """The node, or the record to make it of."""
    _related: Mapping[Any, Any]
    """The relationships in the record, as long as the node has none."""
    node_id: str
    document: str
    parent: str | None
    children: list[str]
    text: str
    start: int | None
    end: int | None
    is_sliced: bool
    is_bare: bool
    reference: IndexNode | None

    @classmethod
    def of(cls, node: BaseNode) -> TreeNode:
        """Returns a node as one of a tree."""
        own, above = cls(), node.parent_node
        own._made, own._related, own.node_id, own.document = node, {}, node.node_id, node.ref_doc_id or node.node_id
        own.parent = None if above is None else above.node_id
        own.children = [info.node_id for info in node.child_nodes or ()]
        own.text = node.get_content(metadata_mode=MetadataMode.NONE)
        own.start, own.end = getattr(node, PLACE[0], None), getattr(node, PLACE[1], None)
        own.is_sliced = isinstance(node, TextNode) and not isinstance(node, IndexNode)
        own.is_bare = type(node) is TextNode and node.metadata.keys() <= {*node.excluded_llm_metadata_keys}
        own.reference = node if isinstance(node, IndexNode) else None
        return own

    @classmethod
    def read(cls, record: bytes, starts: Mapping[str, int] = NOWHERE) -> TreeNode:
        """Returns the node of what SQLite keeps of it. starts: where sections begin, by their names."""
        if not record.startswith(b"["):
            return cls.of(json_to_doc(json.loads(record)))
        both = b"[%b]" % record.replace(b"\n", b",")  # the only end of a line stands before the offsets
        try:
            made, place = from_json(both, cache_strings="keys")  # ids and texts come once
        except ValueError:  # a half of a surrogate
            made, place = json.loads(both)
        own = cls()
        own.node_id, own.text, said, _, hidden, related, _ = made
        own.start, own.end, *section = place
        if section:
            by = starts[section[0]]
            own.start, own.end = own.start + by, own.end + by
        own._made, own._related = made, related
        own.document = _id_of(related.get(_SOURCE)) or own.node_id
        own.parent = _id_of(related.get(_PARENT))
        own.children = [*map(_id_of, related.get(_CHILD) or ())]
        own.is_sliced, own.is_bare, own.reference = True, said.keys() <= {*hidden}, None
        return own

    @property
    def bare(self) -> BaseNode:
        """The node, perhaps without its relationships."""
        if isinstance(self._made, list):
            *own, _, more = self._made
            place = zip(PLACE, (self.start, self.end), strict=True)
            fields = dict(zip(OWN, own, strict=True), relationships={}, **dict(place), **more)
            self._made = _EMPTY.model_copy(update=fields)
        return self._made

    @property
    def node(self) -> BaseNode:
        """The node."""
        node, related = self.bare, self._related
        if related:
            self._related = {}
            node.relationships.update((_KINDS[kind], _refer(to)) for kind, to in related.items())
        return node


def read_tree_nodes(
    names: Iterable[str], found: Iterable[BaseNode | bytes | None], starts: Mapping[str, int] = NOWHERE
) -> dict[str, TreeNode]:
    """Returns nodes as those of a tree, by their names. found: each node, or what SQLite keeps of it; of None, none.
    starts: see `TreeNode.read`."""
    return {
        name: TreeNode.read(each, starts) if isinstance(each, bytes) else TreeNode.of(each)
        for name, each in zip(names, found, strict=True)
        if each is not None
    }


def _id_of(to: Any) -> Any:
    """The id of what a record refers to; None for None."""
    return to["node_id"] if type(to) is dict else to


def _refer(to: Any) -> Any:
    if isinstance(to, str):
        return RelatedNodeInfo(node_id=to, node_type=_TEXT)
    return [*map(_refer, to)] if isinstance(to, list) else RelatedNodeInfo(**to)


def split_place(record: Record) -> tuple[Record, int | None, int | None]:
    """Returns what is kept of a node, but for its offsets; and these."""
    if not isinstance(record, bytes):
        start, end = map(record[DATA_KEY].get, PLACE)
        return record[DATA_KEY] | dict.fromkeys(PLACE), start, end
    if not record.startswith(b"["):
        return split_place(json.loads(record))
    rest, _, place = record.rpartition(b"\n")
    start, end = json.loads(place)
    return rest, start, end


def section_of(record: bytes | None) -> str:
    """Returns the name of the section in which a node's offsets are counted; "" where it is the document."""
    if record is None or not record.startswith(b"[") or not record.endswith(b'"]'):
        return ""
    return record[record.rindex(b',"') + 2 : -2].decode()


def place(record: bytes | None, starts: Mapping[str, int]) -> bytes | None:
    """Returns a node's bytes with offsets that count in its document. starts: where sections begin, by their names."""
    if record is None or not (section := section_of(record)):
        return record
    return _count_from(record, starts[section], "")


def move_within(record: dict[str, Any], by: int) -> None:
    """Makes the offsets in what a store in memory keeps of a node so much larger, both at once for other threads."""
    data = record[DATA_KEY]
    data.update([(name, data[name] + by) for name in PLACE])


def move(record: Record, by: int, section: str = "") -> Record:
    """Returns what is kept of a node whose offsets are so much larger. section: in which they are counted then; only
    bytes say that."""
    if not isinstance(record, bytes):
        moved: dict[str, Any] = {**record, DATA_KEY: {**record[DATA_KEY]}}
        move_within(moved, by)
        return moved
    return _count_from(record, by, section)


def _count_from(record: bytes, by: int, section: str) -> bytes:
    rest, _, own = record.rpartition(b"\n")
    start, end, *_ = own[1:-1].split(b",")
    name = b',"%b"' % section.encode() if section else b""
    return b"%b\n[%d,%d%b]" % (rest, int(start) + by, int(end) + by, name)


def share_parts(entry: dict[str, Any], known: dict[Any, Any]) -> dict[str, Any]:
    """Puts into the entry of a node, in the place of equal parts of others, the same objects: there are half as many
    for Python's collector of garbage to look through while a store in memory keeps them.

    known: the parts of entries before.
    """

    def share(part: dict[str, Any]) -> dict[str, Any]:
        same = known.setdefault(part["node_id"], part)
        return same if same == part else part

    data = entry[DATA_KEY]
    for name in ("excluded_embed_metadata_keys", "excluded_llm_metadata_keys"):
        data[name] = known.setdefault(tuple(data[name]), data[name])
    related = data["relationships"]
    for kind, part in related.items():
        related[kind] = [*map(share, part)] if isinstance(part, list) else share(part)
    return entry
