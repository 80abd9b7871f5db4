"""Topics hold all that is said about one thing, wherever it is said, and each node fits and knows its places."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.llama_index.llms import Plain, hows, like, made, told
from fakes.llama_index.parsers import content, letters, sizes
from fakes.servers.conversations import FAST
from fakes.servers.openai_server import OpenAIServer
from llama_index.core import Document
from llama_index.core.schema import IndexNode, NodeRelationship, RelatedNodeInfo, TextNode

from caesura import SettingError
from caesura.errors import ReplyError
from llama_index.node_parser.caesura import AgenticSplitter, SummaryTransformer, spans_of

pytestmark = pytest.mark.enable_socket
groupings = pytest.mark.parametrize("grouping", ["llm", "embedding", "sentences"])
MIXED = (
    "Bread needs flour and yeast. The tide turns at noon. Bread bakes in an oven. The tide covers the beach. "
    "Bread cools on a rack. Sailors wait for the tide."
)


def texts(nodes: list[Any], document: Document) -> list[str]:
    return sorted(
        document.text[a:b] for node in nodes for a, b in spans_of(node) if node.ref_doc_id == document.node_id
    )


@hows
@groupings
def test_every_sentence_of_every_document_is_in_one_of_its_own_topics(grouping: Any, how: str) -> None:
    documents = [*told(5, 8), Document(text=MIXED, id_="m"), Document(text="", id_="e")]
    nodes = made(AgenticSplitter(Plain(), grouping=grouping), how, documents)
    for document in documents:
        said = "".join(texts(nodes, document)).replace(" ", "")
        assert sorted(said) == sorted(document.text.replace(" ", ""))
    assert content(nodes) == content(made(AgenticSplitter(Plain(), grouping=grouping), "sync", documents))
    assert len({node.node_id for node in nodes}) == len(nodes)


def test_a_topic_has_what_is_said_apart_and_says_what_it_is() -> None:
    nodes = AgenticSplitter(Plain())([Document(text=MIXED, id_="m", metadata={"n": 1})])
    bread = next(node for node in nodes if node.metadata["topic_title"] == "Bread")
    assert bread.text == "Bread needs flour and yeast. Bread bakes in an oven. Bread cools on a rack."
    assert " ".join(MIXED[a:b] for a, b in spans_of(bread)) == bread.text
    assert len(spans_of(bread)) == 3
    assert (bread.start_char_idx, bread.end_char_idx) == (0, MIXED.index(" Sailors"))
    assert bread.ref_doc_id == "m"
    assert bread.get_content("llm").startswith(
        "n: 1\ntopic_title: Bread\ntopic_summary: What is said of bread.\n\nBread"
    )
    assert [node.metadata["topic"] for node in nodes] == list(range(len(nodes)))
    assert [node.next_node and node.next_node.node_id for node in nodes] == [*(n.node_id for n in nodes[1:]), None]


@groupings
@pytest.mark.parametrize("size", [40, 120])
def test_no_node_is_over_the_limit_metadata_counted(grouping: Any, size: int) -> None:
    document = Document(text=MIXED, id_="m", metadata={"n": 1})
    nodes = AgenticSplitter(Plain(), grouping=grouping, chunk_size=size, tokenizer=letters)([document])
    assert max(sizes(nodes, letters)) <= size
    assert set(MIXED.split()) == {word for node in nodes for word in node.text.split()}


@hows
def test_a_failure_is_its_propositions_alone_and_they_are_placed(how: str) -> None:
    with OpenAIServer(plan=["ok", "prose", "ok", "prose"]) as server:
        parser = AgenticSplitter(like(server), on_failure="keep", pace=FAST, max_concurrency=1)
        nodes = made(parser, how, told(2))
    assert parser.report is not None
    assert {one.document_id for one in parser.report.failures} == {"d0"}
    assert len(parser.report.failures) == 4
    assert [texts(nodes, document) for document in told(2)] == [
        sorted(f"{part}." for part in document.text[:-1].split(". ")) for document in told(2)
    ]
    with OpenAIServer(plan=["ok", "prose", "ok", "prose"]) as server, pytest.raises(ReplyError, match="'d0' at"):
        made(AgenticSplitter(like(server), pace=FAST, max_concurrency=1), how, told(2))


def test_passages_give_what_they_have_in_common() -> None:
    source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id="d")}
    chunks = [
        TextNode(text=text, metadata={"page": page, "by": "A"}, relationships=source)
        for page, text in enumerate(["Bread needs flour.", "Bread bakes."])
    ]
    (node,) = AgenticSplitter(Plain())(chunks)
    assert (node.metadata["by"], "page" in node.metadata, node.start_char_idx) == ("A", False, None)


def test_references_go_through() -> None:
    found = AgenticSplitter(Plain())(SummaryTransformer(Plain())([Document(text=MIXED, id_="m")]))
    assert isinstance(found[0], IndexNode)
    assert not any(isinstance(one, IndexNode) for one in found[1:])


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("chunk_size", {"chunk_size": 0}),
        ("threshold", {"threshold": 2.0}),
        ("calibrated", {"background": [0.1], "calibrated": False}),
    ],
)
def test_settings_are_checked_at_the_door(name: str, settings: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match=name):
        AgenticSplitter(Plain(), **settings)
