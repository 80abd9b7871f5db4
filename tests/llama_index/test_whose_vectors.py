"""Which embedding is asked: the embedded model, that of the settings on request alone, or the one that is given."""

from __future__ import annotations

from typing import Any

from llama_index.core import Settings
from llama_index_embedding_fakes import Words
from llama_index_fakes import content, documents, parsers

from llama_index.node_parser.caesura import StaticEmbedding


@parsers
def test_the_embedded_model_gives_the_same_nodes_however_it_is_named(parser: Any) -> None:
    Settings.embed_model = StaticEmbedding()
    for model in (StaticEmbedding(), StaticEmbedding(embed_batch_size=3), "settings"):
        assert content(parser(embed_model=model)(documents())) == content(parser()(documents()))


@parsers
def test_no_splitter_asks_for_the_global_embedding_unless_told_to(parser: Any) -> None:
    Settings.embed_model = Words()
    parser()(documents())
    assert Settings.embed_model._calls == []
    parser(embed_model="settings")(documents())
    assert len(Settings.embed_model._calls) == 2
