"""A user's own sentence splitter, of strings or of edges, gives exact places, or an error that shows why not."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.llama_index.parsers import ARTICLE, ONE_ARTICLE, at_lines, flat, parsers, slices, spans
from llama_index.core import Document

from caesura import sentences


@parsers
def test_a_sentence_splitter_that_changes_the_text_is_told_where(parser: Any) -> None:
    with pytest.raises(ValueError, match=r"\^"):
        parser(sentence_splitter=lambda text: [text.upper()])([Document(text=ARTICLE)])


@parsers
def test_a_sentence_splitter_may_drop_whitespace_only(parser: Any) -> None:
    nodes = parser(sentence_splitter=at_lines)([Document(text=ARTICLE)])
    assert flat("".join(node.text for node in nodes)) == flat(ARTICLE)


@parsers
def test_a_sentence_splitter_of_strings_gives_exact_places(parser: Any) -> None:
    document = Document(text="a b\na b\n\n  a b  \n" * 10)
    for splitter in (at_lines, str.splitlines, str.split):
        slices(document, parser(sentence_splitter=splitter, chunk_size=6)([document]))


@parsers
def test_a_sentence_splitter_may_return_edges(parser: Any) -> None:
    assert spans(parser(sentence_splitter=sentences, chunk_size=20)(ONE_ARTICLE)) == spans(
        parser(chunk_size=20)(ONE_ARTICLE)
    )
