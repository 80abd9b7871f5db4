"""What docs/coming-from-double-merging.md says, beside what test_double_merging.py holds."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from fakes.llama_index.embeddings import AsyncWords, Words
from fakes.llama_index.parsers import ARTICLE, at_lines, at_stops, linked
from fakes.pages import ROOT, blocks, printed
from fakes.texts.articles import article
from fakes.texts.essays import essay
from llama_index.core import Document
from llama_index.core.node_parser import SemanticDoubleMergingSplitterNodeParser
from llama_index.core.node_parser.text.semantic_double_merging_splitter import LanguageConfig
from llama_index.core.schema import NodeRelationship

from llama_index.node_parser.caesura import DoublePassSemanticSplitter, StaticEmbedding

pytestmark = pytest.mark.peers

like = DoublePassSemanticSplitter.like_double_merging
LOW = {"initial_threshold": 0.2, "appending_threshold": 0.3, "merging_threshold": 0.3}


def theirs(model: Any = None, **settings: Any) -> SemanticDoubleMergingSplitterNodeParser:
    given: dict[str, Any] = {"sentence_splitter": at_stops, **LOW, **settings}
    return SemanticDoubleMergingSplitterNodeParser.from_defaults(embed_model=model or Words(), **given)


def ours(model: Any = None, **settings: Any) -> DoublePassSemanticSplitter:
    return like(model or Words(), **{"sentence_splitter": at_stops, **LOW, **settings})


def at_marks(text: str) -> list[str]:
    return [piece for piece in re.split(r"(?<=[.?!])\s+", text) if piece]


def ends(nodes: Sequence[Any]) -> set[int]:
    """How many letters of the document there are up to the end of each node."""
    return set(accumulate(len("".join(node.text.split())) for node in nodes))


def document(text: str = ARTICLE, **fields: Any) -> Document:
    return Document(text=text, id_="d", **fields)


def test_the_first_two_blocks_print_the_same(tmp_path: Path) -> None:
    before, after, own = blocks(ROOT / "docs" / "coming-from-double-merging.md")
    assert printed(before, tmp_path) == printed(after, tmp_path)
    assert len(printed(own, tmp_path).splitlines()) == 2


def test_the_settings_that_the_table_names_are_those_of_the_constructor() -> None:
    spelt = DoublePassSemanticSplitter(
        embed_model=Words(),
        initial_threshold=0.6,
        appending_threshold=0.8,
        merging_threshold=0.8,
        chunk_size=1000,
        tokenizer=list,
        look_ahead=1,
        confidence=None,
        structure=0,
        calibrated=False,
    )
    assert [node.to_dict() for node in spelt([document()])] == [node.to_dict() for node in like(Words())([document()])]


@pytest.mark.parametrize(("thresholds", "same"), [((0.6, 0.8, 0.8), (203, 203, 203)), ((0.3, 0.3, 0.3), (76, 78, 74))])
def test_with_the_built_in_model_nearly_all_breaks_are_the_same(
    thresholds: tuple[float, float, float], same: tuple[int, int, int]
) -> None:
    names = ("initial_threshold", "appending_threshold", "merging_threshold")
    settings: dict[str, Any] = {**dict(zip(names, thresholds, strict=True)), "max_chunk_size": 2000}
    text = essay("superlinear")
    peer, own = (
        ends(make(StaticEmbedding(), sentence_splitter=at_marks, **settings)([document(text)]))
        for make in (theirs, ours)
    )
    assert (len(peer), len(own), len(peer & own)) == same


@pytest.mark.parametrize(
    ("reach", "between", "peer", "own"), [(0, "tax levy.", 1, 3), (3, "tax levy. ship mast.", 4, 1)]
)
def test_a_reach_that_theirs_takes_for_1_is_what_it_says(reach: int, between: str, peer: int, own: int) -> None:
    text = f"cat paw. cat paw. {between} cat paw. cat paw."
    high = {"initial_threshold": 0.6, "appending_threshold": 0.8, "merging_threshold": 0.8}
    found = [[len(make(merging_range=n, **high)([document(text)])) for n in (1, reach)] for make in (theirs, ours)]
    assert found == [[peer, peer], [peer, own]]


def test_each_sentence_is_embedded_once_in_one_call_where_theirs_takes_one_for_every_comparison() -> None:
    text, mine, peer = article(60), Words(), Words()
    ours(mine)([document(text), document(text + " The end.")])
    theirs(peer)([document(text)])
    assert len(mine.calls) == 1
    assert sum(map(len, mine.calls[0])) <= 2 * len(text) + 9
    assert len(peer.calls) > 60
    assert {len(call) for call in peer.calls} == {2}
    assert sum(len(each) for call in peer.calls for each in call) > 4 * len(text)


def test_the_limit_holds_where_theirs_lets_a_long_sentence_pass() -> None:
    text = "The keeper of the lighthouse writes " + "every ship and " * 30 + "storm into the log. The lamp is lit."
    assert max(len(node.text) for node in theirs(max_chunk_size=100)([document(text)])) > 400  # type: ignore[attr-defined]
    assert max(len(node.text) for node in ours(max_chunk_size=100)([document(text)])) <= 100  # type: ignore[attr-defined]


def test_a_chunk_may_measure_the_maximum_in_theirs_and_one_less_after_the_first_in_ours() -> None:
    text = "aaaa aaa. aaaa aaa. bbbb bbb. bbbb bbb."
    for most, mine, peer in ((20, 2, 2), (19, 3, 2), (18, 4, 4)):
        settings = {"max_chunk_size": most, "include_metadata": False}
        assert [len(parser(**settings)([document(text)])) for parser in (ours, theirs)] == [mine, peer]


def test_nodes_are_slices_with_places_where_theirs_are_joined_anew() -> None:
    made = ours()([document()])
    assert all(ARTICLE[node.start_char_idx : node.end_char_idx] == node.text for node in made)  # type: ignore[attr-defined]
    joined = theirs(initial_threshold=0.0, appending_threshold=0.0)([document(ARTICLE.replace(". ", ".\n"))])
    assert any(node.start_char_idx is None for node in joined)  # type: ignore[attr-defined]
    assert not any("\n" in node.text for node in joined)  # type: ignore[attr-defined]


def test_an_empty_document_gives_no_nodes_where_theirs_fails_for_the_whole_batch() -> None:
    documents = [document(), Document(text="", id_="empty")]
    assert len(ours()(documents)) == len(ours()([document()]))
    with pytest.raises(IndexError):
        theirs()(documents)


def test_no_neighbours_are_named_where_none_are_wanted() -> None:
    own, peer = (make(include_prev_next_rel=False)([document(article(60))]) for make in (ours, theirs))
    assert not any(NodeRelationship.NEXT in node.relationships for node in own)
    assert any(NodeRelationship.NEXT in node.relationships for node in peer)
    linked(ours()([document(article(60))]))


def test_awaited_ours_awaits_the_embedder_where_theirs_calls_it() -> None:
    assert asyncio.run(ours(AsyncWords()).aget_nodes_from_documents([document()]))
    with pytest.raises(Exception, match="sync"):
        asyncio.run(theirs(AsyncWords()).aget_nodes_from_documents([document()]))


def test_ids_are_the_same_again_where_theirs_are_random() -> None:
    for make, same in ((ours, True), (theirs, False)):
        ids = [[node.node_id for node in make()([document()])] for _ in range(2)]
        assert (ids[0] == ids[1]) == same


def test_theirs_knows_three_languages() -> None:
    with pytest.raises(ValueError, match="french"):
        LanguageConfig(language="french", spacy_model="fr_core_news_md")
    french = ours(sentence_splitter=at_lines, initial_threshold=1.0)([document("Le pain lève.\nLa mer monte.\n")])
    assert [node.text for node in french] == ["Le pain lève.", "La mer monte."]  # type: ignore[attr-defined]
