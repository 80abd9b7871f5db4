"""Documents, functions with a name, the splitters; and what nodes must be: slices, linked, alike."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from llama_index.core import Document
from llama_index.core.ingestion.pipeline import get_transformation_hash
from llama_index.core.schema import BaseNode, MetadataMode, NodeRelationship
from llama_index.node_parser import caesura as plugin

from caesura import Chunk
from caesura.host.settings import SPLITTER_NAMES
from caesura_testing import check_chunks
from llama_index.node_parser.caesura import SemanticHierarchyParser

PARSERS = [getattr(plugin, name) for name in SPLITTER_NAMES.values()]
parsers = pytest.mark.parametrize("parser", PARSERS)
every_parser = pytest.mark.parametrize("parser", [*PARSERS, SemanticHierarchyParser])
ARTICLE = (
    "The lighthouse keeper trims the lamp at dusk. Ships steer by its beam through the fog. On clear nights the beam "
    "reaches the far islands. The keeper writes every ship in his log.\n\n"
    "Bread needs flour, water, salt and yeast. Knead the dough until it is smooth. Let the dough rise for two hours. "
    "Bake the bread in a hot oven until the crust is brown.\n\n"
    "A parliament votes on the yearly budget. The minister defends higher taxes on fuel. The opposition demands lower "
    "taxes for farmers. The budget passes with a narrow majority.\n"
)
ONE_ARTICLE = [Document(text=ARTICLE, id_="a")]
REPEATED = "I say Yes. No. Yes. Yes. No. ok. I say Yes. No. Yes. ok"
TEXTS = [ARTICLE, REPEATED, "", " \n\t", ARTICLE[::-1], "One sentence.", "word " * 600, "\u4e2d\u6587\u3002" * 60]


def documents() -> list[Document]:
    return [Document(text=text, id_=f"d{number}", metadata={"n": number}) for number, text in enumerate(TEXTS)]


def flat(text: str) -> str:
    """A text without its whitespace."""
    return "".join(text.split())


def at_stops(text: str) -> list[str]:
    return re.findall(r"[^.]*\.\s*|[^.]+$", text)


def at_lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def letters(text: str) -> list[str]:
    return [letter for letter in text if not letter.isspace()]


def numbered(i: int, doc: BaseNode) -> str:
    return f"{doc.node_id}/{i}"


def slices(document: Document, nodes: Sequence[BaseNode]) -> None:
    """Holds that nodes are rising slices of their document, and that what is outside them is whitespace."""
    places = [(node.start_char_idx, node.end_char_idx) for node in nodes]
    assert not any(None in place for place in places)
    check_chunks(document.text, [Chunk(node.text, *place) for node, place in zip(nodes, places, strict=True)])


def linked(nodes: Sequence[BaseNode]) -> None:
    """Holds that nodes are one chain of PREVIOUS and NEXT, each with what the neighbour is."""
    assert NodeRelationship.PREVIOUS not in nodes[0].relationships
    assert NodeRelationship.NEXT not in nodes[-1].relationships
    for node, following in pairwise(nodes):
        assert node.next_node == following.as_related_node_info()
        assert following.prev_node == node.as_related_node_info()


def sizes(nodes: Sequence[BaseNode], tokenizer: Any) -> list[int]:
    modes = (MetadataMode.EMBED, MetadataMode.LLM)
    return [max(len(tokenizer(node.get_content(mode))) for mode in modes) for node in nodes]


def content(nodes: Sequence[BaseNode]) -> list[dict[str, Any]]:
    return [node.to_dict() for node in nodes]


def spans(nodes: Sequence[BaseNode]) -> list[tuple[Any, ...]]:
    return [(node.ref_doc_id, node.start_char_idx, node.end_char_idx, node.text) for node in nodes]


def cache_key(parser: Any) -> str:
    """The key by which a pipeline knows what a parser makes of `ARTICLE`."""
    return get_transformation_hash(ONE_ARTICLE, parser)


def same(one: Any, other: Any) -> None:
    """Holds that two splitters have the same settings and split alike."""
    assert type(other) is type(one)
    for name in type(one).model_fields:
        if name not in ("callback_manager", "embed_model"):
            assert getattr(other, name) == getattr(one, name)
    assert type(other.embed_model) is type(one.embed_model)
    assert other.to_dict() == one.to_dict()
    documents = [Document(text=ARTICLE, id_="a", metadata={"k": "v"})]
    assert content(other(documents)) == content(one(documents))
