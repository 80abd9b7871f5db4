"""Tables, code and pictures are described, prose is not; pictures go over the wire."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from fakes.llama_index.llms import Plain, hows, like, made
from fakes.servers.openai_server import OpenAIServer
from llama_index.core.schema import ImageDocument, ImageNode, IndexNode, MediaResource, Node, TextNode

from caesura import SettingError
from llama_index.node_parser.caesura import DescriptionTransformer

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg=="
)
CODE = "```python\ndef boil(water):\n    return water + 80\n```"


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
