"""Summaries and questions in a HierarchyIndex go with the text that they were made of."""

from __future__ import annotations

import asyncio

import pytest
from fakes.llama_index.llms import Plain, hows
from llama_index.core import Document

from llama_index.node_parser.caesura import (
    HierarchyIndex,
    OptimalSemanticSplitter,
    QuestionTransformer,
    StaticEmbedding,
    SummaryTransformer,
)

TEXT = (
    "Zebras graze on the plain at dawn. Lions watch them from the shade.\n\n"
    "Copper conducts electricity well. Rubber covers the wire.\n\n"
    "Violins are made of spruce and maple. The varnish is secret."
)


def index() -> HierarchyIndex:
    made = [OptimalSemanticSplitter(chunk_size=20), SummaryTransformer(Plain()), QuestionTransformer(Plain())]
    return HierarchyIndex(transformations=made, embed_model=StaticEmbedding())


def stored(one: HierarchyIndex) -> set[str]:
    return set(one.storage_context.vector_store.data.embedding_dict)  # type: ignore[attr-defined]


@hows
@pytest.mark.parametrize(
    "edited", [TEXT.replace("Copper", "Silver"), TEXT[: TEXT.index("Violins")], "Bees.\n\n" + TEXT]
)
def test_after_an_edit_no_old_reference_is_there(edited: str, how: str) -> None:
    one, fresh = index(), index()
    for text in (TEXT, edited):
        given = [Document(text=text, id_="notes"), Document(text="Ducks swim all day.", id_="other")]
        if how == "sync":
            one.upsert(given)
        else:
            asyncio.run(one.aupsert(given))
    fresh.upsert(given)
    assert stored(one) == stored(fresh)
    assert set(one.storage_context.docstore.docs) == set(fresh.storage_context.docstore.docs)
