"""Ids outlive an edit: of document, level and text, equal texts numbered, at every door that makes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import chain
from typing import Any

import pytest
from fakes.langchain.splitters import SPLITTERS
from fakes.llama_index.parsers import PARSERS
from fakes.texts.articles import article
from langchain_core.documents import Document
from llama_index.core import Document as LlamaDocument
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode

from caesura.splitter import Splitter
from caesura_scale.batch import SplitBatch
from caesura_static import StaticEmbedder
from langchain_caesura import SemanticHierarchySplitter
from llama_index.node_parser.caesura import SemanticHierarchyParser

pytestmark = pytest.mark.filterwarnings("ignore:the built-in model knows English")

Pairs = list[tuple[str, str]]
"""The id and the text of each chunk."""

TOP = "The kettle on the stove began to sing. "
REPEATED = "Yes. No. Yes. Yes. No. ok. Yes. No. Yes. ok. " * 4


def langchain(cls: Any, **settings: Any) -> Callable[[dict[str, str]], Pairs]:
    def pairs(texts: dict[str, str]) -> Pairs:
        made = cls(**settings).split_documents([Document(text, id=name) for name, text in texts.items()])
        return [(one.id, one.page_content) for one in made]

    return pairs


def llama_index(cls: Any, **settings: Any) -> Callable[[dict[str, str]], Pairs]:
    def pairs(texts: dict[str, str]) -> Pairs:
        made = cls(**settings)([LlamaDocument(text=text, id_=name) for name, text in texts.items()])
        return [(one.node_id, one.text) for one in made]

    return pairs


def table(texts: dict[str, str]) -> Pairs:
    made = SplitBatch(Splitter(), StaticEmbedder)({"id": list(texts), "text": list(texts.values())})
    return list(zip(made["chunk_id"].tolist(), made["text"].tolist(), strict=True))


FLAT = {
    **{f"LangChain's {cls.__name__}": langchain(cls) for cls in SPLITTERS},
    **{f"LlamaIndex's {cls.__name__}": llama_index(cls) for cls in PARSERS},
    "tables": table,
}
EVERY = {
    **FLAT,
    "SemanticHierarchySplitter": langchain(SemanticHierarchySplitter),
    "SemanticHierarchyParser": llama_index(SemanticHierarchyParser),
}
SMALL = {
    **{f"LangChain's {cls.__name__}": langchain(cls, chunk_size=8) for cls in SPLITTERS},
    **{f"LlamaIndex's {cls.__name__}": llama_index(cls, chunk_size=3) for cls in PARSERS},
    "SemanticHierarchySplitter": langchain(SemanticHierarchySplitter, chunk_sizes=(60, 20, 8)),
    "SemanticHierarchyParser": llama_index(SemanticHierarchyParser, chunk_sizes=[30, 9, 3]),
}


def edited(text: str) -> list[str]:
    """A sentence more at the top, and in the middle."""
    middle = text.index(". ", len(text) // 2) + 2
    return [TOP + text, text[:middle] + TOP + text[middle:]]


@pytest.mark.thorough
@pytest.mark.parametrize("pairs", EVERY.values(), ids=EVERY)
def test_one_sentence_more_leaves_19_of_20_ids_as_they_were(pairs: Any) -> None:
    """Of a long document, as a cut looks at all of it: a few others move too."""
    text = article(2000)
    before = {name for name, _ in pairs({"a": text})}
    for changed in edited(text):
        after = {name for name, _ in pairs({"a": changed})}
        assert len(before & after) >= 0.95 * len(before) > 100


@pytest.mark.parametrize("pairs", FLAT.values(), ids=FLAT)
def test_every_chunk_that_stays_as_it_is_keeps_its_id(pairs: Any) -> None:
    text = article(60) + " Yes. No. " * 60 + article(60)
    before = pairs({"a": text})
    for changed in (*edited(text), text[len(text) // 3 :]):
        after = pairs({"a": changed})
        same = Counter(text for _, text in before) & Counter(text for _, text in after)
        assert len(set(before) & set(after)) == same.total() > 3


@pytest.mark.thorough
@pytest.mark.parametrize("pairs", SMALL.values(), ids=SMALL)
def test_ids_are_distinct_where_texts_repeat_and_the_same_whatever_else_is_in_the_call(pairs: Any) -> None:
    texts = {"a": REPEATED, "b": REPEATED, "c": article(20), "d": REPEATED + " And more."}
    together = pairs(texts)
    assert len({name for name, _ in together}) == len(together)
    assert len({text for _, text in together}) < len(together) / 2
    assert Counter(together) == Counter(chain.from_iterable(pairs({name: text}) for name, text in texts.items()))


@pytest.mark.parametrize("parser", [*PARSERS, SemanticHierarchyParser])
def test_pieces_of_one_document_have_the_same_ids_together_and_alone(parser: Any) -> None:
    source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id="root")}
    pieces = [TextNode(text=REPEATED, id_=f"piece {number}", relationships=source) for number in range(3)]
    sizes: dict[str, Any] = {"chunk_sizes": [9, 3]} if parser is SemanticHierarchyParser else {"chunk_size": 3}
    together = [node.node_id for node in parser(**sizes)(pieces)]
    assert len(set(together)) == len(together)
    assert together == [node.node_id for piece in pieces for node in parser(**sizes)([piece])]
