"""An index whose parser is not ours, over documents with a layout: nodes say their places, and leave it behind."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from fakes.documents.pdf import Printed, print_lines, printed_pdf
from fakes.growth import assert_time_grows
from fakes.llama_index.embeddings import Words
from fakes.llama_index.stores import STORES
from fakes.texts.guides import guide, pages
from llama_index.core import Document
from llama_index.core.node_parser import HierarchicalNodeParser, NodeParser, SentenceSplitter, get_leaf_nodes
from llama_index.core.schema import BaseNode, MetadataMode, NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import SimpleVectorStore

from caesura import Chunk
from caesura_documents.chunk_metadata import ChunkMetadata
from caesura_documents.layout import LAYOUT
from llama_index.node_parser.caesura import HierarchyIndex, JoinPages, OptimalSemanticSplitter, from_pdf
from llama_index.node_parser.caesura.nodes import count_in_document

DAYS = [f"The ferry of day {day} leaves at noon. Its crew of {day} has tea and bread on deck." for day in range(1, 9)]
GUIDE = guide(4)
SPLITTER = SentenceSplitter(chunk_size=40, chunk_overlap=15)


def printed() -> Document:
    days = enumerate(DAYS, 1)
    printed = [[Printed(f"Day {day}", 72, 80, 18, "bold"), *print_lines([text], base=120)] for day, text in days]
    return from_pdf(printed_pdf(printed, labels="0 << /S /r >>"))


def joined() -> Document:
    loaded = [
        Document(text=text, metadata={"file_name": "d", "page_label": str(at)}) for at, text in enumerate(DAYS, 1)
    ]
    (made,) = JoinPages()(loaded)
    assert isinstance(made, Document)
    return made


def paged(text: str = GUIDE) -> Document:
    hidden = [LAYOUT]
    metadata = {"source": "s", LAYOUT: pages(text)}
    return Document(
        text=text, metadata=metadata, excluded_embed_metadata_keys=hidden, excluded_llm_metadata_keys=[*hidden]
    )


def index(*parsers: NodeParser, store: Any = None) -> HierarchyIndex:
    stores: dict[str, Any] = {} if store is None else {"vector_store": store, "docstore": SimpleDocumentStore()}
    return HierarchyIndex(**stores, transformations=parsers, embed_model=Words())


def nodes_of(made: HierarchyIndex) -> list[TextNode]:
    return [node for node in made.docstore.docs.values() if isinstance(node, TextNode)]


def holds(node: BaseNode, document: Document) -> None:
    """Holds that a node has the document's metadata, and of its place what the layout says; no model is shown that."""
    assert isinstance(node, TextNode)
    start, end = node.start_char_idx, node.end_char_idx
    assert start is not None
    assert end is not None
    chunk = Chunk(document.text[start:end], start, end)
    (said,) = ChunkMetadata().describe(document.text, {LAYOUT: document.metadata[LAYOUT]}, [chunk], [""])
    own = dict(node.metadata)
    for name, value in said.items():
        found = own.pop(name)
        assert (json.loads(found) if name == "boxes" else found) == (
            [json.loads(box) for box in value]
            if name == "boxes"
            else (" > " if name == "headings" else ", ").join(value)
            if isinstance(value, list)
            else value
        )
    assert own == {key: value for key, value in document.metadata.items() if key != LAYOUT}
    assert said.keys() <= {*node.excluded_embed_metadata_keys} & {*node.excluded_llm_metadata_keys}


@pytest.fixture(
    params=[pytest.param(make, marks=[] if make is STORES[0] else pytest.mark.thorough) for make in STORES],
    ids=[make.__name__ for make in STORES],
)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    make: Callable[[Path], Iterator[Any]] = request.param
    yield from make(tmp_path)


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize("make", [printed, joined, paged])
def test_nodes_say_what_those_of_our_parsers_do(make: Callable[[], Document], awaited: bool, store: Any) -> None:
    document, made = make(), index(SPLITTER, store=store)
    if awaited and isinstance(store, SimpleVectorStore):
        asyncio.run(made.aupsert([document]))
    else:
        made.upsert([document])
    nodes = nodes_of(made)
    said = {key: value for key, value in document.metadata.items() if key != LAYOUT}
    bare = SPLITTER([document.model_copy(update={"metadata": said})])
    for mode in (MetadataMode.EMBED, MetadataMode.LLM):
        assert [node.get_content(mode) for node in nodes] == [node.get_content(mode) for node in bare]
    assert len(nodes) > 5
    for node in nodes:
        holds(node, document)
        assert node.metadata["page_start"] <= node.metadata["page_end"]
    found = made.as_retriever(budget=200).retrieve("When does the ferry of day 4 leave, and who pays for the quarry?")
    assert found
    assert all(each.node.metadata["page_start"] for each in found)
    assert not any(LAYOUT in each.node.to_json() for each in found)
    assert made.ref_doc_info[document.doc_id].metadata[LAYOUT] == document.metadata[LAYOUT]
    assert made.upsert([document]) == (0, 0, 1, 0)


def test_nodes_of_a_parser_without_metadata_stay_without() -> None:
    made = index(SentenceSplitter(chunk_size=40, chunk_overlap=0, include_metadata=False))
    made.upsert([printed()])
    assert all(node.metadata == {} and LAYOUT not in node.to_json() for node in nodes_of(made))


class Loud(NodeParser):
    """A parser whose nodes are no slices, with the offsets of what they are made of, or with none."""

    offsets: bool

    def _parse_nodes(self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any) -> list[BaseNode]:
        no_offsets = {} if self.offsets else {"start_char_idx": None, "end_char_idx": None}
        made = SPLITTER(nodes)
        return [node.model_copy(update={"text": node.get_content().upper(), **no_offsets}) for node in made]


@pytest.mark.parametrize("offsets", [True, False])
def test_nodes_that_are_no_slices_say_nothing_of_their_places(offsets: bool) -> None:
    made = index(Loud(offsets=offsets))
    made.upsert([joined()])
    nodes = nodes_of(made)
    assert len(nodes) > 5
    assert all(node.metadata == {"file_name": "d"} and (node.start_char_idx is not None) is offsets for node in nodes)


@pytest.mark.parametrize("inserted", [False, True])
def test_nodes_that_count_in_their_parent_count_in_the_document_here(inserted: bool) -> None:
    document = paged("The keeper counts guests. Bread costs two coins. " * 60)
    parser = HierarchicalNodeParser.from_defaults(chunk_sizes=[100, 30], chunk_overlap=0)
    made = index(parser)
    if inserted:
        del document.metadata[LAYOUT]
        cut = parser([document])
        before = [(node.start_char_idx, node.end_char_idx) for node in cut if isinstance(node, TextNode)]
        made.insert_nodes(cut)
        assert before == [(node.start_char_idx, node.end_char_idx) for node in cut if isinstance(node, TextNode)]
    else:
        made.upsert([document])
    nodes = nodes_of(made)
    assert len({node.start_char_idx for node in nodes if node.parent_node}) > 10
    for node in nodes:
        assert document.text[node.start_char_idx : node.end_char_idx] == node.text
        if not inserted:
            holds(node, document)


@pytest.mark.parametrize("where", ["the index", "the docstore", "nowhere"])
def test_nodes_that_count_in_a_parent_are_placed_where_it_is_stored(where: str) -> None:
    document = Document(text="The keeper counts guests. Bread costs two coins. " * 60)
    cut = HierarchicalNodeParser.from_defaults(chunk_sizes=[200, 100, 30], chunk_overlap=0)([document])
    leaves, docstore = get_leaf_nodes(cut), SimpleDocumentStore()
    if where == "the docstore":
        docstore.add_documents(cut)
    made = HierarchyIndex(docstore=docstore, vector_store=SimpleVectorStore(), embed_model=Words())
    if where == "the index":
        made.insert_nodes([node for node in cut if not node.parent_node])
        made.insert_nodes([node for node in cut if node.parent_node and node.child_nodes])
    made.insert_nodes(leaves)
    nodes = nodes_of(made)
    assert len(nodes) == len(cut if where == "the index" else leaves)
    for node in nodes:
        assert (node.start_char_idx is None) == (node.end_char_idx is None) == (where == "nowhere")
        assert where == "nowhere" or document.text[node.start_char_idx : node.end_char_idx] == node.text


def test_children_of_a_node_without_a_place_have_none() -> None:
    cut = HierarchicalNodeParser.from_defaults(chunk_sizes=[100, 30], chunk_overlap=0)([Document(text=GUIDE)])
    parent = next(node for node in cut if node.child_nodes and node.start_char_idx)  # type: ignore[attr-defined]
    lost = parent.model_copy(update={"start_char_idx": None, "end_char_idx": None})
    counted = count_in_document([lost if node is parent else node for node in cut])
    below = {info.node_id for info in parent.child_nodes or ()}
    places = {node.node_id in below: set[bool]() for node in cut if node.parent_node}
    for node in counted:
        if node.parent_node:
            places[node.node_id in below].add(node.start_char_idx is None)  # type: ignore[attr-defined]
    assert places == {True: {True}, False: {False}}


@pytest.mark.parametrize("parser", [SPLITTER, OptimalSemanticSplitter(chunk_size=60)], ids=["theirs", "ours"])
def test_nodes_that_a_user_cut_of_a_pdf_are_inserted_found_and_bare_of_its_layout(parser: NodeParser) -> None:
    document = printed()
    made = index(parser)
    made.insert_nodes(parser([document]))
    for found in made.as_retriever(budget=100).retrieve("The ferry of day 3"):
        node = found.node
        assert isinstance(node, TextNode)
        assert document.text[node.start_char_idx : node.end_char_idx] == node.text
        assert node.metadata["page_start"] <= 3 <= node.metadata["page_end"] or not found.get_score() > 0.9
        assert LAYOUT not in node.to_json()
        assert node.get_content(MetadataMode.LLM) == f"title: Day 1\n\n{node.text}"
    made.mirror([document])
    assert {node.ref_doc_id for node in nodes_of(made)} == {document.node_id}


@pytest.mark.thorough
def test_inserting_nodes_takes_time_that_grows_with_their_number() -> None:
    text = "The ferry leaves at noon. "

    def seconds(count: int) -> float:
        layout: list[dict[str, Any]] = [{"start": number * len(text), "box": [0.0] * 40} for number in range(count)]
        source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id="d")}
        nodes = [
            TextNode(
                text=text,
                start_char_idx=entry["start"],
                end_char_idx=entry["start"] + len(text),
                metadata={LAYOUT: layout},
                relationships=source,
            )
            for entry in layout
        ]
        made = index(SPLITTER)
        begun = time.process_time()
        made.insert_nodes(nodes)
        return time.process_time() - begun

    assert_time_grows(seconds, 40, 320, 20)


def test_awaited_nodes_are_read_beside_the_event_loop() -> None:
    threads = list[int]()

    class Watched(list[BaseNode]):
        def __iter__(self) -> Iterator[BaseNode]:
            threads.append(threading.get_ident())
            return super().__iter__()

    asyncio.run(index(SPLITTER).ainsert_nodes(Watched(SPLITTER([printed()]))))
    assert threads
    assert threading.get_ident() not in threads


def test_one_of_ours_after_another_parser_says_pages_that_hold_its_nodes() -> None:
    document = paged()
    made = index(SentenceSplitter(chunk_size=200, chunk_overlap=0), OptimalSemanticSplitter(chunk_size=60))
    made.upsert([document])
    for node in nodes_of(made):
        start, end = node.start_char_idx, node.end_char_idx
        assert start is not None
        assert end is not None
        assert node.metadata["page_start"] <= 1 + start // 500 <= 1 + (end - 1) // 500 <= node.metadata["page_end"]
        assert LAYOUT not in node.metadata
