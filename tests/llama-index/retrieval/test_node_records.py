"""What document stores keep of a node is the node, in LlamaIndex's form and in the bytes of SQLite."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fakes.llama_index.parsers import ARTICLE
from llama_index.core import Document
from llama_index.core.schema import (
    BaseNode,
    ImageNode,
    IndexNode,
    MetadataMode,
    Node,
    NodeRelationship,
    ObjectType,
    RelatedNodeInfo,
    TextNode,
)
from llama_index.core.storage.docstore.utils import doc_to_json, json_to_doc

from caesura import SettingError
from llama_index.node_parser.caesura import SemanticHierarchyParser, SQLiteDocumentStore
from llama_index.node_parser.caesura.retrieval.docstore import START, entry_key, starts_of
from llama_index.node_parser.caesura.retrieval.node_records import (
    TreeNode,
    decode_entry,
    decode_node,
    encode_entry,
    encode_nodes,
    move,
    node_entries,
    read_tree_nodes,
    split_place,
)

SOURCE = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id="a", hash="1", metadata={"pages": [1, 2]})}
TEXT = RelatedNodeInfo(node_id="b", node_type=ObjectType.TEXT)
NODES = SemanticHierarchyParser(chunk_sizes=[120, 40])([Document(text=ARTICLE, id_="a", metadata={"kind": "é"})])
KINDS: list[BaseNode] = [
    *NODES[:3],
    TextNode(text="tide", metadata={"pages": [1, 2], "said": {"by": "Ann"}}, relationships=SOURCE),
    TextNode(text="tide", metadata={"start_char_idx": 1, "end_char_idx": 2, "none": None}, embedding=[0.5]),
    TextNode(text=', "start_char_idx": 3, "end_char_idx": 4}}', start_char_idx=3, end_char_idx=5),
    TextNode(text="a\n[1,2]\n", start_char_idx=3, mimetype="text/html", text_template="{content}"),
    TextNode(text="\udc00 é", relationships={NodeRelationship.SOURCE: TEXT, NodeRelationship.CHILD: [TEXT, TEXT]}),
    TextNode(
        text="tide",
        relationships={
            NodeRelationship.PARENT: RelatedNodeInfo(node_id="b", node_type=ObjectType.TEXT, hash="1"),
            NodeRelationship.NEXT: RelatedNodeInfo(node_id="c"),
            NodeRelationship.CHILD: [RelatedNodeInfo(node_id="d", node_type="5", metadata={"kind": "é"}), TEXT],
        },
    ),
    IndexNode(text="tide", index_id="b", start_char_idx=0, end_char_idx=4, relationships=SOURCE),
    ImageNode(text="tide", image="aGk="),
    Document(text="tide", id_="c"),
    Node(relationships=SOURCE),
]


@pytest.mark.parametrize("node", KINDS, ids=lambda node: type(node).__name__)
def test_what_is_kept_of_a_node_is_the_node_without_the_hash_of_its_document(node: BaseNode) -> None:
    [(name, entry)] = node_entries([node])
    [(named, content)] = encode_nodes([node]).items()
    bare = node.model_copy(deep=True)
    if (source := bare.source_node) is not None:
        source.hash = None
    assert name == named == node.node_id
    assert entry == decode_entry(content) == doc_to_json(bare)
    assert json_to_doc(entry) == decode_node(entry) == decode_node(content) == bare
    assert decode_node(content).to_dict() == decode_node(json.loads(json.dumps(entry))).to_dict() == bare.to_dict()
    places = getattr(node, "start_char_idx", None), getattr(node, "end_char_idx", None)
    moved = bare.model_copy(update=dict.fromkeys(["start_char_idx", "end_char_idx"], 7))
    assert split_place(entry)[1:] == split_place(content)[1:] == places
    assert split_place(dict(node_entries([moved]))[name])[0] == split_place(entry)[0]
    assert split_place(encode_nodes([moved])[name])[0] == split_place(content)[0]
    assert split_place(encode_nodes([bare.model_copy(update={"id_": "other"})])["other"])[0] != split_place(content)[0]


def test_what_is_kept_of_a_node_changes_with_no_metadata_that_change_later() -> None:
    node = TextNode(text="tide", metadata={"kind": "note"})
    [(_, entry)] = node_entries([node])
    node.metadata["kind"] = "letter"
    node.excluded_llm_metadata_keys.append("kind")
    assert json_to_doc(entry).metadata == {"kind": "note"}
    assert not json_to_doc(entry).excluded_llm_metadata_keys


def test_nodes_of_equal_bytes_are_apart() -> None:
    [content] = encode_nodes([TextNode(text="tide", relationships=SOURCE)]).values()
    first, second = decode_node(content), decode_node(content)
    for node in (first, second):
        assert not node.metadata
        node.metadata["kind"] = "letter"
        node.excluded_llm_metadata_keys.append("kind")
        assert node.source_node is not None
        assert "kind" not in node.source_node.metadata
        node.source_node.metadata["kind"] = "letter"


def test_the_bytes_of_a_node_are_few() -> None:
    entries = dict(node_entries(NODES))
    whole = sum(len(encode_entry(name, entry)) for name, entry in entries.items())
    assert sum(map(len, encode_nodes(NODES).values())) < 0.6 * whole


@pytest.mark.parametrize("metadata", [{"kind": {1}}, {"kind": [b"1"]}])
def test_metadata_that_json_has_no_form_for_are_refused(metadata: dict[str, object]) -> None:
    node = TextNode(id_="n", text="tide", metadata=metadata)
    with pytest.raises(SettingError, match=r"'n' cannot be kept: .*metadata must be text"):
        encode_nodes([node])
    source = RelatedNodeInfo(node_id="a", metadata=metadata)
    with pytest.raises(SettingError, match=r"'n' cannot be kept: .*metadata must be text"):
        encode_nodes([TextNode(id_="n", text="tide", relationships={NodeRelationship.SOURCE: source})])


@pytest.mark.parametrize("node", KINDS, ids=lambda node: type(node).__name__)
def test_a_tree_node_of_a_record_says_what_the_node_says_and_is_made_of_it_once(node: BaseNode) -> None:
    [content] = encode_nodes([node]).values()
    read, own = TreeNode.read(content), TreeNode.of(decode_node(content))
    names = "node_id", "document", "parent", "children", "text", "start", "end", "is_sliced", "is_bare"
    assert [getattr(read, name) for name in names] == [getattr(own, name) for name in names]
    assert not read.is_bare or node.get_content(metadata_mode=MetadataMode.LLM) == read.text
    assert (read.document, read.text) == (node.ref_doc_id or node.node_id, node.get_content())
    assert [read.parent] == [node.parent_node and node.parent_node.node_id]
    assert read.children == [info.node_id for info in node.child_nodes or ()]
    assert (read.reference is None) == (own.reference is None) == (not isinstance(node, IndexNode))
    bare = read.bare
    for mode in MetadataMode:
        assert bare.get_content(metadata_mode=mode) == own.node.get_content(metadata_mode=mode)
    assert read.node is bare is read.node
    assert read.node == own.node


def test_a_tree_node_is_bare_where_a_language_model_is_shown_none_of_its_metadata() -> None:
    hidden = TextNode(text="tide", metadata={"page": 1}, excluded_llm_metadata_keys=["page", "file"])
    shown = hidden.model_copy(update={"id_": "b", "metadata": {"page": 1, "title": "Tides"}})
    records = encode_nodes([hidden, shown])
    read = read_tree_nodes([hidden.node_id, shown.node_id, "lost"], [*records.values(), None])
    assert {name: node.is_bare for name, node in read.items()} == {hidden.node_id: True, "b": False}
    assert {name: node.is_bare for name, node in read_tree_nodes(read, [hidden, shown]).items()} == {
        hidden.node_id: True,
        "b": False,
    }


def test_offsets_in_a_section_count_from_where_it_begins_whenever_they_are_added(tmp_path: Path) -> None:
    store = SQLiteDocumentStore(tmp_path / "nodes.db")
    names, begins = ["one", "other", "lost", "none"], {"one": 40, "other": 70}
    made = encode_nodes(TextNode(id_=name, text="tide", start_char_idx=3, end_char_idx=7) for name in names)
    nodes = {name: record if name == "none" else move(record, 0, name) for name, record in made.items()}
    store.kvstore.store.put([(entry_key("nodes", name), encode_entry(name, nodes[name])) for name in names])
    store.kvstore.put_all([(name, {START: by}) for name, by in begins.items()], starts_of("nodes"))
    starts: dict[str, int] = {}
    for some in (["none"], ["one", "none"], ["other", "one"], ["lost"], names):
        read = read_tree_nodes(some, store.kvstore.read(some, "nodes", starts), starts)
        placed = read_tree_nodes(some, store.kvstore.read(some, "nodes"))
        assert {name: each.node for name, each in read.items()} == {name: each.node for name, each in placed.items()}
        assert [*read] == [name for name in some if name != "lost"]
        assert [each.start for each in read.values()] == [3 + begins.get(name, 0) for name in read]
    assert starts == begins
    store.close()
