"""Parents are slices of their document, children lie within them, and matches say where."""

from __future__ import annotations

import json
from typing import Any

from langchain_core.documents import Document
from langchain_parent_fakes import DOCUMENTS, TEXTS, every_splitting, kept, retriever, rows

QUESTION = "Does the captain steer the ship by the compass?"


def text_of(parent: Document) -> str:
    return TEXTS["doc-" + parent.metadata["source"].removesuffix(".md")]


@every_splitting
def test_matches_say_where_in_the_document_the_children_are_and_how_near(settings: dict[str, Any]) -> None:
    made = retriever(**settings, k=5)
    made.add_documents(DOCUMENTS)
    bests: list[float] = []
    for parent in made.invoke(QUESTION):
        text = text_of(parent)
        assert parent.metadata["matches"]
        for match in parent.metadata["matches"]:
            assert text[match["start_index"] : match["end_index"]] == match["text"]
            assert match["text"] in parent.page_content
            assert rows(made)[match["id"]]["text"] == match["text"]
        bests.append(parent.metadata["relevance_score"])
        assert bests[-1] == max(match["score"] for match in parent.metadata["matches"])
        json.dumps(parent.metadata, allow_nan=False)
    assert bests == sorted(bests, reverse=True)


@every_splitting
def test_parents_are_slices_in_their_places_and_children_lie_within_them(settings: dict[str, Any]) -> None:
    made = retriever(**settings)
    made.add_documents(DOCUMENTS)
    for parent in kept(made).values():
        text = text_of(parent)
        start = parent.metadata.get("start_index", 0)
        assert text[start : parent.metadata.get("end_index", len(text))] == parent.page_content
        assert parent.metadata["nested"]["list"]
    for row in rows(made).values():
        parent = kept(made)[row["metadata"]["doc_id"]]
        place = parent.metadata.get("start_index", 0)
        assert place <= row["metadata"]["start_index"] < row["metadata"]["end_index"]
        assert row["metadata"]["end_index"] <= place + len(parent.page_content)
        assert row["text"] in parent.page_content
