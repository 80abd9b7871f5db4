"""Summaries, questions, descriptions are references that lead to their node, in LlamaIndex's retriever and in ours."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import Document, VectorStoreIndex
from llama_index.core.retrievers import RecursiveRetriever
from llama_index.core.schema import ImageDocument, ImageNode, IndexNode, MediaResource, Node, TextNode
from llama_index_fakes import ARTICLE, content
from llama_index_llm_fakes import EVERY, Plain, hows, like, made
from openai_server import OpenAIServer

from caesura import SettingError
from caesura.errors import ReplyError
from caesura.llm.prompts import Prompt
from llama_index.node_parser.caesura import (
    DescriptionTransformer,
    HierarchyIndex,
    MergingRetriever,
    OptimalSemanticSplitter,
    QuestionTransformer,
    StaticEmbedding,
    SummaryTransformer,
    spans_of,
)

ONE = [Document(text=ARTICLE, id_="a", metadata={"source": "a.txt"})]
kinds = pytest.mark.parametrize("kind", [SummaryTransformer, QuestionTransformer])
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg=="
)
CODE = "```python\ndef boil(water):\n    return water + 80\n```"


@hows
@pytest.mark.parametrize(
    ("kind", "view", "count", "begins"),
    [(SummaryTransformer, "summary", 1, "In short: "), (QuestionTransformer, "question", 3, "What about ")],
)
def test_each_node_is_followed_by_references_to_it(kind: Any, view: str, count: int, begins: str, how: str) -> None:
    chunks = OptimalSemanticSplitter()(ONE)
    before = content(chunks)
    nodes = made(kind(Plain()), how, chunks)
    assert [node for node in nodes if not isinstance(node, IndexNode)] == chunks
    assert content(chunks) == before
    assert len(nodes) == len(chunks) * (1 + count)
    for at, node in enumerate(nodes):
        chunk = nodes[at - at % (1 + count)]
        if isinstance(node, IndexNode):
            assert (node.index_id, node.ref_doc_id, node.text.startswith(begins)) == (chunk.node_id, "a", True)
            assert node.metadata == {"source": "a.txt", "view": view, "kept": False}
            assert spans_of(node) == spans_of(chunk)
            assert node.get_content("embed") == f"source: a.txt\n\n{node.text}"
    assert len({node.node_id for node in nodes}) == len(nodes)
    assert content(made(kind(Plain()), how, ONE)) == content(nodes)  # documents are cut by the same splitter


@kinds
def test_llama_indexs_recursive_retriever_follows_them(kind: Any) -> None:
    nodes = kind(Plain())(ONE)
    index = VectorStoreIndex([node for node in nodes if isinstance(node, IndexNode)], embed_model=StaticEmbedding())
    retriever = RecursiveRetriever(
        "v", {"v": index.as_retriever(similarity_top_k=1)}, node_dict={node.node_id: node for node in nodes}
    )
    (found,) = retriever.retrieve("What about bread and flour?")
    assert found.node.text.startswith("Bread needs flour")
    assert not isinstance(found.node, IndexNode)


@kinds
async def test_our_index_and_retriever_follow_them(kind: Any) -> None:
    index = HierarchyIndex(transformations=[kind(Plain())], embed_model=StaticEmbedding())
    index.upsert(ONE)
    retriever = index.as_retriever(similarity_top_k=3)
    assert isinstance(retriever, MergingRetriever)
    for found in (retriever.retrieve("What about bread?"), await retriever.aretrieve("What about bread?")):
        assert found[0].node.text.startswith("Bread needs flour")
        assert not any(isinstance(one.node, IndexNode) for one in found)
    index.delete("a")
    assert index.docstore.docs == {}


def test_they_are_made_one_after_another_and_not_of_each_other() -> None:
    nodes = QuestionTransformer(Plain())(SummaryTransformer(Plain())(ONE))
    views = [node.metadata.get("view", "node") for node in nodes]
    assert views == ["node", "question", "question", "question", "summary"] * 3


def test_where_it_fails_its_own_text_stands_in_and_is_marked() -> None:
    class Mute(Plain):
        def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
            found = super().complete("\nuser: ")
            found.text = "No."
            return found

    parser = QuestionTransformer(Mute(), on_failure="keep", splitter=None)
    _, *references = parser(ONE)
    assert [one.metadata["kept"] for one in references] == [True] * 12
    assert references[0].text == "The lighthouse keeper trims the lamp at dusk."
    assert parser.report is not None
    assert [one.document_id for one in parser.report.failures] == ["a"]
    with pytest.raises(ReplyError, match="'a' failed"):
        QuestionTransformer(Mute())(ONE)


def test_what_is_asked_is_checked_at_the_door() -> None:
    with pytest.raises(SettingError, match=r"\{n\}"):
        QuestionTransformer(Plain(), prompt=Prompt("q", "1", "Ask three."))
    with pytest.raises(SettingError, match="n must be"):
        QuestionTransformer(Plain(), n=0)
    for kind in EVERY:
        with pytest.raises(ValueError, match="bogus"):
            kind(Plain(), bogus=1)
        with pytest.raises(SettingError, match="budget"):
            kind(Plain(), budget=-1)


def test_tables_and_code_are_described_and_prose_is_not() -> None:
    table = TextNode(text="| tea | heat |\n|---|---|\n| green | 80 |", id_="table")
    prose = TextNode(text="Tea is hot. It is brewed.", id_="prose")
    nodes = DescriptionTransformer(Plain())([prose, table, TextNode(text=CODE, id_="code")])
    assert [node.index_id for node in nodes if isinstance(node, IndexNode)] == ["table", "code"]
    assert {node.metadata["view"] for node in nodes if isinstance(node, IndexNode)} == {"description"}


@hows
@pytest.mark.enable_socket
def test_pictures_go_over_the_wire_and_their_descriptions_lead_to_them(how: str, tmp_path: Path) -> None:
    (tmp_path / "chart.png").write_bytes(PNG)
    nodes = [
        ImageNode(text="Sales by year.", image=base64.b64encode(PNG).decode(), id_="bytes"),
        ImageNode(image_path=str(tmp_path / "chart.png"), id_="path"),
        TextNode(text="Tea is hot.", id_="prose"),
        Node(image_resource=MediaResource(url="https://a.b/c.png"), id_="url"),
        TextNode(text=CODE, id_="code"),
    ]
    with OpenAIServer() as server:
        found = made(DescriptionTransformer(like(server), max_concurrency=1), how, nodes)
        references = [node for node in found if isinstance(node, IndexNode)]
        assert [(one.index_id, one.text[:11]) for one in references] == [
            ("bytes", "A picture ("),
            ("path", "A picture ("),
            ("url", "A picture ("),
            ("code", "In short: `"),
        ]
        seen = [one["messages"][-1]["content"] for one in server.requests]
        urls = sorted(part["image_url"]["url"][:22] for said in seen if isinstance(said, list) for part in said[1:])
        assert urls == ["data:image/png;base64,"] * 2 + ["https://a.b/c.png"]
        page = ImageDocument(image=PNG, text="Sales.", id_="page")
        (node, reference) = made(DescriptionTransformer(like(server), splitter=None), how, [page])
        assert isinstance(reference, IndexNode)
        assert (reference.index_id, reference.ref_doc_id) == (node.node_id, "page")


def test_a_picture_that_is_not_there_is_named() -> None:
    with pytest.raises(SettingError, match="image of node 'gone' cannot be read"):
        DescriptionTransformer(Plain())([ImageNode(image_path="gone.png", id_="gone")])
