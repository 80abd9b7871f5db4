"""What docs/coming-from-semantic-splitter.md says, beside what test_semantic_splitter.py holds."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from contextlib import suppress
from math import nan
from pathlib import Path
from typing import Any

import pytest
from fakes.llama_index.embeddings import Words
from fakes.llama_index.parsers import at_lines, at_stops
from fakes.pages import ROOT, blocks, printed
from fakes.texts.articles import article
from llama_index.core import Document
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.ingestion.pipeline import get_transformation_hash
from llama_index.core.node_parser import SemanticSplitterNodeParser, SentenceSplitter
from llama_index.core.node_parser.text.utils import split_by_sentence_tokenizer

from caesura import SettingError
from llama_index.node_parser.caesura import SemanticPercentileSplitter, StaticEmbedding

pytestmark = pytest.mark.peers

like = SemanticPercentileSplitter.like_semantic_splitter
TEXT = article(100)


def theirs(model: Any = None, split: Callable[[str], list[str]] = at_stops, **settings: Any) -> Any:
    model = StaticEmbedding() if model is None else model
    return SemanticSplitterNodeParser.from_defaults(embed_model=model, sentence_splitter=split, **settings)


def document(text: str = TEXT, name: str = "d") -> Document:
    return Document(text=text, id_=name)


class Odd(Words):
    """Four words; NaN for what has a star in it."""

    def row(self, text: str) -> list[float]:
        return [nan] * 4 if "*" in text else [float(text.count(word)) + 0.1 for word in ("cat", "tax", "Yes", "say")]


def test_the_first_two_blocks_print_the_same(tmp_path: Path) -> None:
    before, after, ours = blocks(ROOT / "docs" / "coming-from-semantic-splitter.md")
    assert printed(before, tmp_path) == printed(after, tmp_path) != printed(ours, tmp_path)


def test_the_settings_that_the_table_names_are_those_of_the_constructor() -> None:
    spelt = SemanticPercentileSplitter(
        window="joined",
        buffer_size=1,
        breakpoint_threshold_amount=95,
        chunk_size=None,
        calibrated=False,
        sentence_splitter=at_stops,
    )
    same = like(sentence_splitter=at_stops)
    assert [node.to_dict() for node in spelt([document()])] == [node.to_dict() for node in same([document()])]
    assert len(same([document()])) == 6


def test_its_own_sentences_can_be_had_with_a_tag_for_the_cache() -> None:
    split = split_by_sentence_tokenizer()
    with suppress(PermissionError):
        split("The first use of nltk fails where it refuses its data.")
    ours = like(StaticEmbedding(), sentence_splitter=split)
    assert [node.text for node in ours([document()])] == [
        node.text.strip() for node in theirs(split=split)([document()])
    ]
    with pytest.raises(SettingError, match="cache_tag"):
        get_transformation_hash([document()], ours)
    get_transformation_hash([document()], like(sentence_splitter=split, cache_tag="punkt"))


def test_an_amount_may_be_a_fraction_where_theirs_takes_whole_numbers() -> None:
    assert len(like(breakpoint_percentile_threshold=97.5)([document()])) > 1
    with pytest.raises(ValueError, match="int"):
        theirs(breakpoint_percentile_threshold=97.5)


def test_a_nodes_place_is_known_where_theirs_is_searched_for() -> None:
    text, settings = "I say Yes. Yes. The tax. A tax.", {"buffer_size": 0, "breakpoint_percentile_threshold": 0}
    found = theirs(Odd(), **settings)([document(text)])
    ours = like(Odd(), sentence_splitter=at_stops, **settings)([document(text)])  # type: ignore[arg-type]
    assert (
        [node.text.strip() for node in found]
        == [node.text for node in ours]
        == ["I say Yes.", "Yes.", "The tax. A tax."]
    )
    assert [node.start_char_idx for node in found] == [0, 6, 16]
    assert [node.start_char_idx for node in ours] == [0, 11, 16]  # type: ignore[attr-defined]


@pytest.mark.parametrize("parser", ["ours", "theirs"])
def test_under_a_chained_parser_places_are_those_in_the_document_where_theirs_are_not(parser: str) -> None:
    first = SentenceSplitter(chunk_size=200, chunk_overlap=0, tokenizer=list, paragraph_separator="\n")
    second = like() if parser == "ours" else theirs()
    nodes = IngestionPipeline(transformations=[first, second]).run(documents=[document()])
    right = [TEXT.startswith(node.text, node.start_char_idx or 0) for node in nodes]  # type: ignore[attr-defined]
    assert len(nodes) > 20
    assert all(right) == (parser == "ours")


def test_a_text_without_full_stops_is_cut_before_it_is_embedded_where_theirs_embeds_it_whole() -> None:
    text, ours, peer = "word " * 5000, Words(), Words()
    small = like(ours, chunk_size=100)([document(text)])
    assert max(map(len, ours.calls[0])) < 3 * 600
    assert len(small) >= 50
    assert len(theirs(peer)([document(text)])) == 1
    assert max(map(len, peer.calls[0])) == len(text)


def test_documents_are_embedded_together_where_theirs_go_one_by_one() -> None:
    ours, peer = Words(), Words()
    documents = [document(TEXT, "a"), document(TEXT[:900], "b"), document(TEXT[:500], "c")]
    like(ours, sentence_splitter=at_stops)(documents)
    theirs(peer)(documents)
    assert (len(ours.calls), len(peer.calls)) == (1, 3)


def test_a_row_of_nan_leaves_the_rest_to_be_cut_where_theirs_cuts_nothing() -> None:
    text = "A cat.\nThe cat.\nA tax.\n***\nThe tax.\nTax.\n"
    settings: dict[str, Any] = {"buffer_size": 0, "breakpoint_percentile_threshold": 50}
    assert len(theirs(Odd(), at_lines, **settings)([document(text)])) == 1
    assert len(like(Odd(), sentence_splitter=at_lines, **settings)([document(text)])) > 1


def test_ids_are_the_same_again_where_theirs_are_random() -> None:
    for parser, same in ((like(), True), (theirs(), False)):
        ids = [[node.node_id for node in parser([document()])] for _ in range(2)]
        assert (ids[0] == ids[1]) == same


def test_a_pipelines_cache_tells_sentence_splitters_apart_where_theirs_does_not() -> None:
    for made, apart in (
        (lambda split: like(sentence_splitter=split), True),
        (lambda split: theirs(None, split), False),
    ):
        keys = {get_transformation_hash([document()], made(split)) for split in (at_stops, at_lines)}
        assert (len(keys) == 2) == apart


def test_settings_survive_a_dict_where_theirs_raise() -> None:
    ours = like()
    assert SemanticPercentileSplitter.from_dict(ours.to_dict()).to_dict() == ours.to_dict()
    with pytest.raises((TypeError, ValueError)):
        SemanticSplitterNodeParser.from_dict(theirs().to_dict())


def test_another_process_takes_another_splitter_of_theirs_in_silence_and_refuses_ours() -> None:
    there = pickle.loads(pickle.dumps(theirs(split=lambda text: [text])))
    assert len(there.sentence_splitter("One. Two.")) == 2
    with pytest.raises(SettingError, match="num_workers=None"):
        pickle.dumps(like(sentence_splitter=lambda text: [text]))
