"""Metadata that leave little room, or none, are warned of: once for a call, where the user has made it."""

from __future__ import annotations

import asyncio
import threading
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from fakes.llama_index.parsers import ARTICLE, parsers
from llama_index.core import Document
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.utils import get_tokenizer

from llama_index.node_parser.caesura import AgenticSplitter, OptimalSemanticSplitter, SemanticHierarchyParser


def documents(words: int, count: int = 3) -> list[Document]:
    """The last has one word more than the others: it is the one to name."""
    notes = ["word " * (words + (number == count - 1)) for number in range(count)]
    return [Document(text=ARTICLE, id_=f"d{number}", metadata={"note": note}) for number, note in enumerate(notes)]


def taken(document: Document) -> int:
    return len(get_tokenizer()(document.get_metadata_str() + "\n\n"))


def warned(call: Callable[[Any, Sequence[Document]], Any], parser: Any, given: Sequence[Document]) -> list[Any]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(parser, given)
    return [each for each in caught if each.category is UserWarning]  # the collector warns of what others left open


def called(parser: Any, given: Sequence[Document]) -> Any:
    return parser.get_nodes_from_documents(given)


def in_a_pipeline(parser: Any, given: Sequence[Document]) -> Any:
    return IngestionPipeline(transformations=[parser], disable_cache=True).run(documents=given)


def awaited(parser: Any, given: Sequence[Document]) -> Any:
    return asyncio.run(parser.acall(given))


calls = pytest.mark.parametrize("call", [called, in_a_pipeline, awaited])


@parsers
def test_room_for_under_50_tokens_is_warned_of_with_values_and_remedy(parser: Any) -> None:
    given = documents(470)
    (one,) = warned(called, parser(chunk_size=500), given)
    said = str(one.message)
    assert f"'d2' takes {taken(given[2])} tokens of chunk_size=500" in said
    assert f"leaves {500 - taken(given[2])}" in said
    assert "3 documents" in said
    for remedy in ("raise chunk_size", "excluded_embed_metadata_keys", "excluded_llm_metadata_keys"):
        assert remedy in said


def test_their_own_splitter_says_so_from_the_same_size_on(capsys: pytest.CaptureFixture[str]) -> None:
    (given,) = documents(20, 1)
    for room, little in ((50, False), (49, True)):
        size = taken(given) + room
        own = size - taken(given) + len(get_tokenizer()(given.get_metadata_str()))
        SentenceSplitter(chunk_size=own, chunk_overlap=0)([given])
        assert ("less than 50 tokens" in capsys.readouterr().out) == little
        assert bool(warned(called, OptimalSemanticSplitter(chunk_size=size), [given])) == little


def test_nothing_is_said_where_the_size_is_not_metadatas_fault() -> None:
    (given,) = documents(4, 1)
    small = Document(text="Tea is hot.", metadata={"note": "word " * 40})
    for chunk_size, one in ((30, given), (60, small), (None, given), (40, Document(text=ARTICLE))):
        assert warned(called, OptimalSemanticSplitter(chunk_size=chunk_size), [one]) == []
    bare = OptimalSemanticSplitter(chunk_size=60, include_metadata=False)
    assert warned(called, bare, documents(40)) == []


def test_a_small_size_of_which_metadata_takes_the_most_is_warned_of() -> None:
    assert len(warned(called, OptimalSemanticSplitter(chunk_size=40), documents(20))) == 1


def test_a_hierarchy_names_the_size_that_has_little_room() -> None:
    given = documents(80)
    (one,) = warned(called, SemanticHierarchyParser(chunk_sizes=[400, 120]), given)
    assert f"'d2' takes {taken(given[2])} tokens of chunk_sizes[1]=120" in str(one.message)


def test_a_hierarchy_says_once_where_metadata_do_not_count() -> None:
    given = documents(120)
    (one,) = warned(called, SemanticHierarchyParser(chunk_sizes=[400, 120]), given)
    said = str(one.message)
    assert f"'d2' takes {taken(given[2])} tokens of chunk_sizes[1]=120, which leaves no room" in said
    assert "in 3 documents" in said


def test_topics_that_metadata_makes_small_are_warned_of() -> None:
    given = documents(120)
    (one,) = warned(called, AgenticSplitter(grouping="sentences", splitter=None, chunk_size=150), given)
    assert f"'d2' takes {taken(given[2])} tokens of chunk_size=150" in str(one.message)
    assert one.filename == __file__


@calls
@pytest.mark.parametrize(
    "parser",
    [OptimalSemanticSplitter(chunk_size=150), SemanticHierarchyParser(chunk_sizes=[400, 120])],
    ids=["splitter", "hierarchy"],
)
def test_the_warning_shows_the_line_of_the_users_own_code(call: Any, parser: Any) -> None:
    (one,) = warned(call, parser, documents(120))
    assert one.category is UserWarning
    assert one.filename == __file__
    assert one.lineno == call.__code__.co_firstlineno + 1


def test_without_a_users_line_it_is_shown_all_the_same() -> None:
    def elsewhere(parser: Any, given: Sequence[Document]) -> None:
        thread = threading.Thread(target=parser.get_nodes_from_documents, args=(given,))
        thread.start()
        thread.join()

    (one,) = warned(elsewhere, OptimalSemanticSplitter(chunk_size=150), documents(120))
    assert "chunk_size=150" in str(one.message)
