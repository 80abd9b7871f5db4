"""Every character is embedded once, in one call, whatever the documents, batches and stages."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fakes.llama_index.embeddings import Words
from fakes.llama_index.parsers import ARTICLE, TEXTS, content, documents, flat, parsers, spans
from llama_index.core import Document
from llama_index.core.utils import get_tokenizer

from llama_index.node_parser.caesura import SemanticPercentileSplitter


@parsers
@pytest.mark.parametrize("settings", [{}, {"chunk_size": 20}, {"chunk_size": None}, {"min_chunk_size": 30}])
async def test_every_character_is_embedded_once_in_one_call(parser: Any, settings: dict[str, Any]) -> None:
    made = parser(embed_model=Words(), **settings)
    made(documents())
    (call,) = made.embed_model.calls
    assert flat("".join(call)) == flat("".join(TEXTS))
    assert all(text.strip() == text for text in call)
    await made.acall(documents())
    assert made.embed_model.calls == [call, call]


@parsers
def test_no_text_over_the_limit_is_embedded(parser: Any) -> None:
    made = parser(embed_model=Words(), chunk_size=20)
    made([Document(text=text, metadata={"k": "v"}) for text in TEXTS])
    assert max(len(get_tokenizer()(text)) for text in made.embed_model.calls[0]) <= 16


@pytest.mark.thorough
@parsers
def test_threads_get_the_same_nodes(parser: Any) -> None:
    made = parser(embed_model=Words(), chunk_size=30)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(made, [documents() for _ in range(8)]))
    assert all(content(each) == content(results[0]) for each in results)


@parsers
def test_nothing_to_embed_no_call(parser: Any) -> None:
    made = parser(embed_model=Words())
    made([Document(text=""), Document(text="  ")])
    made([])
    assert made.embed_model.all_calls == []


@parsers
def test_the_batch_size_of_the_embedding_is_kept_to_and_changes_nothing(parser: Any) -> None:
    made = parser(embed_model=Words(embed_batch_size=7))
    nodes = made(documents())
    assert max(map(len, made.embed_model.batches)) == 7
    assert len(made.embed_model.calls) == 1
    assert spans(nodes) == spans(parser(embed_model=Words())(documents()))


@parsers
def test_a_chain_embeds_all_nodes_of_a_stage_in_one_call(parser: Any) -> None:
    first, second = (parser(embed_model=Words(), chunk_size=size, calibrated=False) for size in (60, 20))
    second(first(documents()))
    assert (len(first.embed_model.all_calls), len(second.embed_model.all_calls)) == (1, 1)
    assert flat("".join(second.embed_model.calls[0])) == flat("".join(TEXTS))


@parsers
def test_documents_do_not_depend_on_their_batch(parser: Any) -> None:
    made = parser(embed_model=Words(), chunk_size=40)
    alone = [node for document in documents() for node in made([document])]
    assert spans(made(documents())) == spans(alone)


def test_joined_windows_embed_neighbours_again_and_say_so() -> None:
    made = SemanticPercentileSplitter(window="joined", buffer_size=1, embed_model=Words())
    made([Document(text=ARTICLE)])
    (call,) = made.embed_model.calls
    assert 2 < len(flat("".join(call))) / len(flat(ARTICLE)) <= 3
