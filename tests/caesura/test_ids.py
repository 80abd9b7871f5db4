"""Ids of chunks, made of document, level, text and occurrence: pinned, apart, and in linear time."""

from __future__ import annotations

from time import process_time

from caesura.ids import chunk_ids


def test_an_id_is_the_same_in_every_process_and_version() -> None:
    """What stores hold: another id here means that every index has to be made anew."""
    assert chunk_ids([("notes.md", 0, "The tide turns.")] * 2) == [
        "7d7f231d-d4f2-0da4-81b8-e6da622d77a8",
        "2e21c09d-4d17-da54-781e-b7b071446ea0",
    ]


def test_document_level_text_and_occurrence_each_make_another_id() -> None:
    chunks = [("a", 0, "x"), ("b", 0, "x"), ("a", 1, "x"), ("a", 0, "y"), ("a", 0, "x"), ("a", 0, "x")]
    assert len(set(chunk_ids(chunks))) == len(chunks)
    assert len(set(chunk_ids([("a", 1, "0"), ("a", 10, ""), ("a1", 0, ""), ("a", 0, "1\n0")]))) == 4


def test_what_comes_after_a_chunk_and_other_documents_change_no_id() -> None:
    chunks = [("a", 0, "x"), ("a", 0, "y"), ("a", 0, "x")]
    assert chunk_ids([*chunks, ("a", 0, "x")])[:3] == chunk_ids(chunks)
    assert chunk_ids([("b", 0, "x"), ("a", 1, "x"), *chunks])[2:] == chunk_ids(chunks)


def test_a_text_that_repeats_a_hundred_thousand_times_takes_time_in_proportion() -> None:
    started = process_time()
    ids = chunk_ids(("a", 0, "Yes. " * 10) for _ in range(100_000))
    assert len(set(ids)) == 100_000
    assert process_time() - started < 20
