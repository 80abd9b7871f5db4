"""`like_semantic_splitter` cuts where LlamaIndex's SemanticSplitterNodeParser cuts.

Theirs joins neighbouring sentences as they are, ours with one space between what is left when they are trimmed. The
embedders here see words and not whitespace, so that both texts are one to them.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from fakes.langchain.splitters import scattered
from fakes.pages import ROOT
from fakes.texts.articles import letters
from fakes.texts.essays import essay, every_essay
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.node_parser import SemanticSplitterNodeParser
from llama_index.core.schema import Document

from caesura_static import StaticEmbedder
from llama_index.node_parser.caesura import SemanticPercentileSplitter

pytestmark = pytest.mark.peers


def seen(name: str, text: str) -> str:
    """What an embedder sees of a text: its words, or without a look at whitespace the letters, three at a time."""
    if name != "threes":
        return " ".join(text.split())
    bare = letters(text)
    return " ".join(bare[at : at + 3] for at in range(len(bare) - 2))


class Words(BaseEmbedding):
    """Rows by the words of a text alone, and every text that was asked for."""

    _texts: list[str] = PrivateAttr(default_factory=list)

    def get_text_embedding_batch(self, texts: list[str], show_progress: bool = False, **kwargs: Any) -> list[Any]:
        self._texts.extend(texts)
        rows = StaticEmbedder() if self.model_name == "static" else scattered
        return [list(row) for row in rows([seen(self.model_name, text) for text in texts])]

    def _get_text_embedding(self, text: str) -> list[float]:
        return self.get_text_embedding_batch([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        raise NotImplementedError

    async def _aget_query_embedding(self, query: str) -> list[float]:
        raise NotImplementedError


def embedder(name: str) -> Words:
    return Words(model_name=name)


def at_stops(text: str) -> list[str]:
    """Sentences with the whitespace behind them."""
    return [piece for piece in re.split(r"(?<=[.?!]\s)(?=\S)", text) if piece]


def normal(nodes: list[Any]) -> list[str]:
    return [" ".join(node.text.split()) for node in nodes]


def both(text: str, name: str, **settings: Any) -> tuple[list[Any], list[Any]]:
    document = Document(text=text, id_="essay")
    theirs = SemanticSplitterNodeParser.from_defaults(embed_model=embedder(name), **settings)
    ours = SemanticPercentileSplitter.like_semantic_splitter(embedder(name), **settings)
    return ours.get_nodes_from_documents([document]), theirs.get_nodes_from_documents([document])


every_embedder = pytest.mark.parametrize("rows", ["words", "static"])


@every_embedder
@every_essay
@pytest.mark.parametrize("buffer_size", [0, 1, 2, 3])
@pytest.mark.parametrize("amount", [95, 80, 50])
def test_breaks_are_equal(rows: str, name: str, buffer_size: int, amount: int) -> None:
    ours, theirs = both(
        essay(name), rows, buffer_size=buffer_size, breakpoint_percentile_threshold=amount, sentence_splitter=at_stops
    )
    assert normal(ours) == normal(theirs)


@every_essay
def test_breaks_are_equal_at_the_defaults(name: str) -> None:
    ours, theirs = both(essay(name), "static", sentence_splitter=at_stops)
    assert normal(ours) == normal(theirs)
    assert len(ours) > 3


@every_essay
@pytest.mark.parametrize("rows", ["static", "threes"])
def test_breaks_are_equal_with_the_sentences_that_theirs_takes_by_default(rows: str, name: str) -> None:
    """Some have no whitespace between them, so that the embedder must not see any."""
    split = SemanticSplitterNodeParser(embed_model=embedder(rows)).sentence_splitter
    ours, theirs = both(essay(name), rows, sentence_splitter=split)
    assert normal(ours) == normal(theirs)


@every_essay
def test_every_node_of_ours_has_its_place(name: str) -> None:
    text = essay(name)
    ours, _ = both(text, "static", sentence_splitter=at_stops)
    assert all(text[node.start_char_idx : node.end_char_idx] == node.text for node in ours)


def test_without_a_space_between_sentences_ours_puts_one_where_theirs_runs_words_together() -> None:
    ours, theirs = embedder("words"), embedder("words")
    document = Document(text="One dog.Two cats.Three ships.", id_="d")

    def split(text: str) -> list[str]:
        return re.split(r"(?<=\.)(?=\S)", text)

    SemanticPercentileSplitter.like_semantic_splitter(ours, sentence_splitter=split).get_nodes_from_documents(
        [document]
    )
    SemanticSplitterNodeParser(embed_model=theirs, sentence_splitter=split).get_nodes_from_documents([document])
    assert ours._texts == ["One dog. Two cats.", "One dog. Two cats. Three ships.", "Two cats. Three ships."]
    assert theirs._texts == ["One dog.Two cats.", "One dog.Two cats.Three ships.", "Two cats.Three ships."]


def test_an_empty_document_gives_no_node_where_theirs_gives_an_empty_one() -> None:
    ours, theirs = both("", "words", sentence_splitter=at_stops)
    assert ours == []
    assert [node.text for node in theirs] == [""]


def test_by_default_every_node_of_real_pages_is_the_peers() -> None:
    """The peer's sentences are the default: by our own, three of 73 nodes of such pages were the same."""
    documents = [Document(text=page.read_text(encoding="utf-8")) for page in sorted((ROOT / "docs").glob("*.md"))]
    same = total = 0
    for document in documents:
        ours = SemanticPercentileSplitter.like_semantic_splitter(embedder("static"))([document])
        theirs = SemanticSplitterNodeParser.from_defaults(embed_model=embedder("static"))([document])
        wanted = {node.text.strip() for node in theirs}
        total += len(ours)
        same += sum(node.text in wanted for node in ours)
        assert len(ours) == len(theirs)
    assert (same, total >= 51) == (total, True)
