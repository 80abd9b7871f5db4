"""All work of an awaited splitter but the embedding's own is done beside the event loop."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from fakes.llama_index.parsers import ARTICLE, REPEATED, at_stops, letters, linked, numbered, parsers
from llama_index.core import Document
from llama_index.core.schema import TextNode

from caesura_static import StaticEmbedder


@parsers
async def test_the_work_is_done_beside_the_event_loop(parser: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: dict[str, set[int]] = {}

    def noted(function: Any) -> Any:
        def noting(*args: Any) -> Any:
            threads.setdefault(function.__name__, set()).add(threading.get_ident())
            return function(*args)

        return noting

    made = parser(sentence_splitter=noted(at_stops), tokenizer=noted(letters), id_func=noted(numbered), chunk_size=200)
    monkeypatch.setattr(StaticEmbedder, "__call__", noted(StaticEmbedder.__call__))
    threads.clear()
    await made.acall([Document(text=ARTICLE, metadata={"k": "v"}), Document(text=REPEATED)])
    assert threads.keys() == {"at_stops", "letters", "numbered", "__call__"}
    assert threading.get_ident() not in set().union(*threads.values())


@parsers
async def test_nodes_are_linked_beside_the_event_loop(parser: Any, monkeypatch: Any) -> None:
    threads: set[int] = set()
    inner = TextNode.as_related_node_info

    def watched(node: TextNode) -> Any:
        threads.add(threading.get_ident())
        return inner(node)

    monkeypatch.setattr(TextNode, "as_related_node_info", watched)
    nodes = await parser(chunk_size=20).acall([Document(text=ARTICLE)])
    monkeypatch.undo()
    linked(nodes)
    assert threading.get_ident() not in threads


@parsers
@pytest.mark.parametrize("setting", ["embed_model", "sentence_splitter", "tokenizer", "id_func"])
async def test_a_function_in_which_an_iterator_runs_out_is_told_and_never_waited_for(parser: Any, setting: str) -> None:
    calls = 0

    def runs_out(*_: Any) -> Any:
        nonlocal calls
        calls += 1
        return next(iter(())) if calls > made_with else []

    made_with = 1 if setting == "tokenizer" else 0  # which is tried where it is given
    made = parser(**{setting: runs_out}, cache_tag="own")
    with pytest.raises(RuntimeError, match="raised StopIteration: an iterator has run out"):
        await asyncio.wait_for(made.acall([Document(text=ARTICLE)]), 10)
