"""Real splitters of other libraries make units, through `aligned` and as `sentence_splitter` of both plugins."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.splitters.outside_splitters import bare, code, every_splitter, every_text, punkt

from caesura import Splitter, aligned
from caesura.edges import is_tiling, spans

pytestmark = [pytest.mark.thorough, pytest.mark.usefixtures("nltk_data")]


@every_text
@every_splitter
def test_its_pieces_become_the_units(make: Any, text: str) -> None:
    split = make()
    pieces = [piece for piece in split(text) if bare(piece)]
    edges = aligned(split)(text)
    assert is_tiling(edges, len(text))
    assert [bare(text[start:end]) for start, end in spans(edges)] == [bare(piece) for piece in pieces]
    assert len(pieces) > 1 or make in (punkt, code)


@every_text
@every_splitter
def test_chunks_are_made_of_its_pieces(make: Any, text: str) -> None:
    split = make()
    asked: list[str] = []

    def embed(texts: Any) -> list[list[float]]:
        asked.extend(texts)
        return [[float(number % 2), float(number % 3), 1.0] for number in range(len(texts))]

    chunks = Splitter(segment=aligned(split)).split(text, embed)
    assert [bare(shown) for shown in asked] == [bare(piece) for piece in split(text) if bare(piece)]
    assert bare("".join(chunk.text for chunk in chunks)) == bare(text)
    assert all(text[chunk.start : chunk.end] == chunk.text for chunk in chunks)


@every_text
@every_splitter
def test_langchains_plugin_takes_it_as_sentence_splitter(make: Any, text: str) -> None:
    plugin = pytest.importorskip("langchain_caesura")
    for cls in (plugin.DoublePassSemanticSplitter, plugin.SemanticPercentileSplitter):
        chunks = cls(sentence_splitter=make(), chunk_size=60).split_text(text)
        assert bare("".join(chunks)) == bare(text)
        assert max(map(len, chunks)) <= 60


@every_text
@every_splitter
def test_llama_indexs_plugin_takes_it_as_sentence_splitter(make: Any, text: str) -> None:
    plugin = pytest.importorskip("llama_index.node_parser.caesura")
    core = pytest.importorskip("llama_index.core")
    for cls in (plugin.DoublePassSemanticSplitter, plugin.SemanticPercentileSplitter):
        nodes = cls(sentence_splitter=make(), tokenizer=list, chunk_size=60)([core.Document(text=text)])
        assert bare("".join(node.text for node in nodes)) == bare(text)
        assert all(text[node.start_char_idx : node.end_char_idx] == node.text for node in nodes)
