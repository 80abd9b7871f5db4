"""Records of nodes: what an index keeps of each in a document store, and the bytes of it in SQLite."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from typing import Any, TypeAlias

from llama_index.core.constants import DATA_KEY, TYPE_KEY
from llama_index.core.schema import BaseNode, NodeRelationship, ObjectType, RelatedNodeInfo, TextNode
from llama_index.core.storage.docstore.utils import doc_to_json, json_to_doc

from caesura.errors import SettingError

Record: TypeAlias = dict[str, Any] | bytes
"""What is kept of a node: LlamaIndex's dict of it, or bytes in SQLite."""
PLAIN = (str, int, float, bool, type(None))
"""Types of metadata that are kept as they are."""
PLACE = "start_char_idx", "end_char_idx"
"""Where a node has its offsets."""
OWN = "id_", "text", "metadata", "excluded_embed_metadata_keys", "excluded_llm_metadata_keys"
"""Fields of a node that are in its bytes without their names."""
_EMPTY = TextNode(id_="")
_REST = {name: own for name, own in vars(_EMPTY).items() if name not in (*OWN, *PLACE, "relationships")}
"""Fields that are in a node's bytes where they are not at their defaults, and these."""
_KINDS = {kind.value: kind for kind in NodeRelationship}
_TEXT = str(ObjectType.TEXT.value)
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
        related = {
            kind.value: parts.encoded(info, kind == NodeRelationship.SOURCE)
            for kind, info in node.relationships.items()
        }
        more = {key: said[key] for key, default in _REST.items() if said[key] != default}
        try:
            record = _write([*map(said.__getitem__, OWN), related, more])
        except TypeError as error:
            raise refuse(node.node_id, error) from error
        place = _write([node.start_char_idx, node.end_char_idx])
        encoded[node.node_id] = f"{record}\n{place}".encode()
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
    return doc_to_json(_decode(content)) if content.startswith(b"[") else json.loads(content)


def decode_node(record: Record) -> BaseNode:
    """Returns the node of a record."""
    if not isinstance(record, bytes):
        return json_to_doc(record)
    return _decode(record) if record.startswith(b"[") else json_to_doc(json.loads(record))


def _decode(content: bytes) -> TextNode:
    record, place = content.decode().rsplit("\n", 1)
    *own, related, more = json.loads(record)
    start, end = json.loads(place)
    infos = {_KINDS[kind]: _refer(to) for kind, to in related.items()}
    fields = dict(zip(OWN, own, strict=True), relationships=infos, start_char_idx=start, end_char_idx=end, **more)
    return _EMPTY.model_copy(update=fields)


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
