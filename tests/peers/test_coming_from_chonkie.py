"""What docs/coming-from-chonkie.md says: Chonkie's SemanticChunker beside our core, on the same rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fakes.langchain.splitters import scattered
from fakes.pages import ROOT, blocks, missing, printed
from fakes.texts.articles import article
from llama_index.core import Document

from caesura import DoublePassCut, Limits, PercentileCut, Splitter, calibrate
from caesura_testing import check_chunks
from langchain_caesura import DoublePassSemanticSplitter as ForLangChain
from llama_index.node_parser.caesura import DoublePassSemanticSplitter as ForLlamaIndex

chonkie = pytest.importorskip("chonkie", reason="the session `peers` installs it")

pytestmark = pytest.mark.peers

TEXT = article(60)
THREE = "One dog barks at the gate all day. Two cats sleep on the warm roof. Three ships leave the harbour now."


class Embedded(chonkie.BaseEmbeddings):  # type: ignore[misc, name-defined]
    """Rows by words, as Chonkie's embeddings, and every call; similarities moved by `shift`."""

    def __init__(self, shift: float = 0.0) -> None:
        super().__init__()
        self.calls: list[list[str]] = []
        self.shift = shift

    def embed(self, text: str) -> Any:
        return self.embed_batch([text])[0]

    def embed_batch(self, texts: Sequence[str]) -> Any:
        self.calls.append(list(texts))
        return [np.array(row, np.float32) for row in scattered(texts)]

    def similarity(self, u: Any, v: Any) -> Any:
        return super().similarity(u, v) + self.shift

    @property
    def dimension(self) -> int:
        return 64

    def get_tokenizer(self) -> Any:
        return "character"

    @property
    def characters(self) -> int:
        return sum(len(text) for call in self.calls for text in call)


def theirs(text: str, model: Embedded | None = None, **settings: Any) -> list[Any]:
    return list(chonkie.SemanticChunker(embedding_model=model or Embedded(), **settings).chunk(text))


def test_the_blocks_print_chunks_with_their_places(tmp_path: Path) -> None:
    found = blocks(ROOT / "docs" / "coming-from-chonkie.md")
    assert [missing(block) for block in found] == [[], []]
    before, after = (printed(block, tmp_path).splitlines() for block in found)
    assert before[0].startswith("0 ")
    assert len(after) == 2
    assert "taste." in after[0]
    assert after[1].split(maxsplit=2)[2].startswith("The moon")


def test_both_return_slices_that_are_the_text() -> None:
    chunks = theirs(TEXT)
    assert all(TEXT[chunk.start_index : chunk.end_index] == chunk.text for chunk in chunks)
    assert "".join(chunk.text for chunk in chunks) == TEXT
    check_chunks(TEXT, Splitter().split(TEXT, scattered))


def test_a_long_sentence_is_cut_where_theirs_stays_whole() -> None:
    text = f"{'word ' * 200}end. {TEXT}"
    assert max(len(chunk.text) for chunk in theirs(text, chunk_size=300)) > 1000
    assert max(len(chunk.text) for chunk in Splitter(Limits(300)).split(text, scattered)) <= 300


def test_three_sentences_are_kept_within_the_limit_where_theirs_are_one_chunk() -> None:
    assert len(theirs(THREE, chunk_size=50)) == 1
    assert len(Splitter(Limits(50)).split(THREE, scattered)) == 3


def test_seven_sentences_are_cut_by_meaning_where_theirs_are_one_chunk() -> None:
    words = ["cat tail paw claw"] * 4 + ["tax levy duty audit"] * 3
    text = " ".join(f"The {word} and {word} again." for word in words)
    assert [len(theirs(text, threshold=threshold)) for threshold in (0.01, 0.5, 0.99)] == [1, 1, 1]
    cut = Splitter(cut=DoublePassCut(0.5, 0.5, 0.5, confidence=None, structure=0)).split(text, scattered)
    assert [chunk.text.count(".") for chunk in cut] == [4, 3]


def test_chinese_sentences_are_sentences_where_theirs_are_one() -> None:
    text = "今天天气很好我们去公园散步。税收下个月要涨很多。" * 50
    assert len(theirs(text, chunk_size=200)) == 1
    chunks = Splitter(Limits(200)).split(text, scattered)
    assert len(chunks) >= 6
    assert all(chunk.text.endswith("。") for chunk in chunks)


def test_each_character_is_embedded_once_where_theirs_embeds_it_four_or_five_times() -> None:
    plain, skipping, mine = Embedded(), Embedded(), Embedded()
    theirs(TEXT, plain)
    theirs(TEXT, skipping, skip_window=1)
    Splitter().split_many([TEXT, TEXT + " The end."], mine.embed_batch)
    assert 3.5 < plain.characters / len(TEXT) < 4
    assert 4.5 < skipping.characters / len(TEXT) < 5
    assert (len(plain.calls), len(skipping.calls), len(mine.calls)) == (2, 3, 1)
    assert mine.characters <= 2 * len(TEXT) + 9


def test_their_threshold_is_a_share_of_minima_so_that_no_cosine_carries_over() -> None:
    starts = [[chunk.start_index for chunk in theirs(TEXT, Embedded(shift))] for shift in (0.0, 0.25)]
    assert starts[0] == starts[1]
    assert len(theirs(TEXT, threshold=0.2)) < len(theirs(TEXT, threshold=0.9))


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_a_zero_vector_does_no_harm_in_either() -> None:
    class Stars(Embedded):
        def embed_batch(self, texts: Sequence[str]) -> Any:
            rows = super().embed_batch(texts)
            return [0 * row if "***" in text else row for text, row in zip(texts, rows, strict=True)]

    text = f"{TEXT} And then a line of *** stars. {article(30, 8)}"
    assert len(theirs(text, Stars())) > 3
    assert "".join(chunk.text for chunk in theirs(text, Stars())) == text
    chunks = Splitter(cut=PercentileCut()).split(text, Stars().embed_batch)
    assert len(chunks) > 3
    check_chunks(text, chunks)


def test_an_empty_text_is_no_chunk_in_either() -> None:
    assert theirs("") == Splitter().split("", scattered) == []


def test_their_embeddings_go_into_all_three_by_their_method() -> None:
    core, langchain, llama_index = Embedded(), Embedded(), Embedded()
    splitter = Splitter(Limits(200, target_size=100), background=calibrate(core.embed_batch))
    wanted = [chunk.text for chunk in splitter.split(TEXT, core.embed_batch)]
    assert ForLangChain(langchain.embed_batch, chunk_size=200).split_text(TEXT) == wanted
    parser = ForLlamaIndex(embed_model=llama_index.embed_batch, chunk_size=200, tokenizer=list)
    assert [node.get_content() for node in parser([Document(text=TEXT, id_="d")])] == wanted
