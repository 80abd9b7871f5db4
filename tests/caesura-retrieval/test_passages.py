"""Passages: rows that lean, and what of a ranking fits a budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

import numpy as np
import pytest
from fakes.laws import law
from hypothesis import given
from hypothesis import strategies as st
from naive.passages import leaning, packed

from caesura_retrieval.leaning import lean
from caesura_retrieval.passages import SHORTENED, PassageSpan, pack


@law()
@given(st.integers(0, 30), st.integers(1, 5), st.sampled_from([0.0, 0.4, 2.0]), st.integers(0, 99))
def test_rows_lean_as_those_of_a_slow_twin(count: int, width: int, share: float, seed: int) -> None:
    rows = np.random.default_rng(seed).normal(size=(count, width)).astype(np.float32)
    rows[::7] = 0
    assert lean(rows, share) == pytest.approx(np.array(leaning(rows.tolist(), share)).reshape(count, width), abs=1e-6)


def test_a_change_in_one_row_changes_nine_at_most() -> None:
    rows = np.random.default_rng(1).normal(size=(40, 8)).astype(np.float32)
    before, rows[20] = lean(rows), 1
    moved = np.flatnonzero((np.abs(lean(rows) - before) > 1e-6).any(axis=1))
    assert moved.tolist() == list(range(16, 25))


def each_of(parents: Mapping[str, list[PassageSpan]]) -> Callable[[Sequence[str]], list[PassageSpan]]:
    return lambda names: [span for name in names for span in parents[name]]


def length(span: PassageSpan) -> int:
    return span.end - span.start


@st.composite
def rankings(draw: st.DrawFn) -> tuple[list[tuple[str, float]], dict[str, PassageSpan]]:
    spans: dict[str, PassageSpan] = {}
    for document in draw(st.sampled_from(["p", "pq", "pqr"])):
        start = end = 0
        for place in range(draw(st.integers(1, 8))):
            start = max(start, end + draw(st.integers(-9, 3)))  # chunks may overlap, also with the next but one
            end = max(end, start) + draw(st.integers(1, 9))
            spans[f"{document}{place}"] = PassageSpan(document, start, end, place, place)
    names = draw(st.permutations(list(spans)))
    found = names[: draw(st.integers(0, len(names)))]
    return [(name, 1 - rank / 100) for rank, name in enumerate(found)], spans


def overlap(spans: list[PassageSpan]) -> bool:
    """Whether two of them have characters in common."""
    ordered = sorted(spans, key=lambda span: (span.document, span.start))
    return any(one.document == other.document and other.start < one.end for one, other in pairwise(ordered))


@law()
@given(rankings(), st.sets(st.integers(0, 60)), st.integers(1, 90), st.sampled_from([None, 1, 2, 3]))
def test_no_passage_holds_a_forbidden_character(
    drawn: tuple[list[tuple[str, float]], dict[str, PassageSpan]], hidden: set[int], budget: int, most: int | None
) -> None:
    def allows(span: PassageSpan) -> bool:
        return hidden.isdisjoint(range(span.start, span.end))

    ranking, spans = drawn
    whole = {name: [PassageSpan(span.document, 0, 60, 0, 9)] for name, span in spans.items()}
    for parents in (None, each_of(whole)):
        passages = pack(ranking, spans, budget, most=most, allows=allows, parents=parents, merge_ratio=0)
        assert all(allows(passage.span) for passage in passages)
        if parents is None:
            own = sorted((passage.span for passage in passages), key=lambda span: (span.document, span.first))
            assert own == packed(ranking, spans, length, budget, most, allows)


@law()
@given(rankings(), st.integers(1, 90), st.sampled_from([None, 1, 2, 3]))
def test_passages_are_those_of_a_slow_twin(
    drawn: tuple[list[tuple[str, float]], dict[str, PassageSpan]], budget: int, most: int | None
) -> None:
    ranking, spans = drawn
    passages = pack(ranking, spans, budget, most=most)
    own = sorted((passage.span for passage in passages), key=lambda span: (span.document, span.first))
    assert own == packed(ranking, spans, length, budget, most)
    assert not overlap(own)
    assert sum(length(passage.span) for passage in passages) <= budget
    scores = dict(ranking)
    for passage in passages:
        assert passage.score == max(scores[name] for name in passage.found)
        assert passage.found == sorted(passage.found, key=lambda name: -scores[name])
    assert [passage.score for passage in passages] == sorted((passage.score for passage in passages), reverse=True)


@law()
@given(rankings(), st.integers(1, 40), st.sampled_from([None, 2]), st.integers(0, 3))
def test_what_surely_does_not_fit_is_not_measured_and_nothing_else_changes(
    drawn: tuple[list[tuple[str, float]], dict[str, PassageSpan]], budget: int, most: int | None, less: int
) -> None:
    ranking, spans = drawn
    measured: list[PassageSpan] = []

    def size(span: PassageSpan) -> int:
        measured.append(span)
        return length(span)

    passages = pack(ranking, spans, budget, size=size, least=lambda span: length(span) - less, most=most)
    assert passages == pack(ranking, spans, budget, most=most)
    assert max(map(length, measured), default=0) <= budget + less


@law()
@given(rankings(), st.integers(1, 60), st.sampled_from([None, 2]))
def test_what_does_not_fit_is_shortened_and_all_stays_within_the_budget(
    drawn: tuple[list[tuple[str, float]], dict[str, PassageSpan]], budget: int, most: int | None
) -> None:
    ranking, spans = drawn
    asked: list[tuple[PassageSpan, int]] = []

    def shorten(span: PassageSpan, room: int) -> PassageSpan | None:
        asked.append((span, room))
        end = min(span.end, span.start + room // 2)
        return PassageSpan(span.document, span.start, end, span.first, span.last) if room > 1 else None

    passages = pack(ranking, spans, budget, most=most, shorten=shorten)
    assert sum(length(passage.span) for passage in passages) <= budget
    assert len(passages) <= (most or len(passages))
    assert not overlap([passage.span for passage in passages])
    assert len(asked) <= SHORTENED
    first = next((at for at, (name, _) in enumerate(ranking) if spans[name] in [span for span, _ in asked]), 0)
    if most is None:
        assert {name for name, _ in ranking[:first]} <= {name for passage in passages for name in passage.found}


def test_a_parent_costs_what_was_found_in_it_however_many_texts_it_has() -> None:
    spans = {str(place): PassageSpan("p", 9 * place, 9 * place + 9, place, place) for place in range(0, 40, 2)}
    ranking = [(name, 1.0) for name in spans]
    document = PassageSpan("p", 0, 9 * 10**12, 0, 10**12 - 1)
    for ratio in (0, 0.5):
        passages = pack(ranking, spans, 200, parents=lambda names: [document] * len(names), merge_ratio=ratio)
        assert [passage.span for passage in passages] == list(spans.values())


@law()
@given(rankings(), st.integers(1, 200), st.sampled_from([0.0, 0.5, 1.0]))
def test_parents_come_after_all_that_was_found_and_within_the_budget(
    drawn: tuple[list[tuple[str, float]], dict[str, PassageSpan]], budget: int, ratio: float
) -> None:
    ranking, spans = drawn
    wholes = {}
    for name, span in spans.items():
        inside = [other for other in spans.values() if other.document == span.document]
        start, end = min(each.start for each in inside), max(each.end for each in inside)
        wholes[name] = [PassageSpan(span.document, start, end, 0, len(inside) - 1)]
    without = pack(ranking, spans, budget)
    passages = pack(ranking, spans, budget, parents=each_of(wholes), merge_ratio=ratio)
    assert sum(length(passage.span) for passage in passages) <= budget
    assert sorted(n for p in passages for n in p.found) == sorted(n for p in without for n in p.found)
    for small in without:
        assert any(
            large.span.document == small.span.document
            and large.span.start <= small.span.start
            and small.span.end <= large.span.end
            for large in passages
        )


def test_what_did_not_fit_is_taken_where_two_passages_that_become_one_make_room() -> None:
    """Each passage costs ten more than its text, as one with metadata does."""
    spans = {
        "a": PassageSpan("p", 0, 5, 0, 0),
        "b": PassageSpan("p", 8, 13, 2, 2),
        "later": PassageSpan("q", 0, 4, 0, 0),
        "between": PassageSpan("p", 5, 8, 1, 1),
    }
    ranking = list(zip(spans, (1.0, 0.9, 0.8, 0.1), strict=True))
    found = pack(ranking, spans, 38, size=lambda span: 10 + length(span))
    assert [passage.found for passage in found] == [["a", "b", "between"], ["later"]]


def test_a_parent_takes_the_place_of_half_of_its_children() -> None:
    spans = {name: PassageSpan("p", 10 * place, 10 * place + 9, place, place) for place, name in enumerate("abcd")}
    parents = {name: [PassageSpan("p", 0, 39, 0, 3)] for name in "abcd"}
    ranking = [("a", 0.9), ("c", 0.5)]
    [whole] = pack(ranking, spans, 39, parents=each_of(parents), merge_ratio=0.5)
    assert (whole.span, whole.score, whole.found) == (PassageSpan("p", 0, 39, 0, 3), 0.9, ["a", "c"])
    assert len(pack(ranking, spans, 38, parents=each_of(parents), merge_ratio=0.5)) == 2
    assert len(pack(ranking, spans, 39, parents=each_of(parents), merge_ratio=0.6)) == 2


@pytest.mark.parametrize(("part", "joined"), [((10, 14), True), ((12, 19), True), ((12, 15), False)])
def test_a_shortened_text_is_one_passage_with_what_it_touches(part: tuple[int, int], joined: bool) -> None:
    spans = {name: PassageSpan("p", 10 * place, 10 * place + 9, place, place) for place, name in enumerate("abc")}
    spans["b"] = PassageSpan("p", 10, 19, 1, 1)
    beside = "a" if part[0] == 10 else "c"
    ranking = [(beside, 0.9), ("b", 0.5)]

    def shorten(span: PassageSpan, room: int) -> PassageSpan:
        return PassageSpan("p", *part, span.first, span.last)

    passages = pack(ranking, spans, 17, shorten=shorten)
    found = {(passage.span.start, passage.span.end, *passage.found) for passage in passages}
    own = min(part[0], spans[beside].start), max(part[1], spans[beside].end)
    apart = {(spans[beside].start, spans[beside].end, beside), (*part, "b")}
    assert found == ({(*own, beside, "b")} if joined else apart)
    tight = pack(ranking, spans, 9 + part[1] - part[0], shorten=shorten)
    assert len(tight) == 2, "there is no room for the blank between"
    hidden = pack(ranking, spans, 17, shorten=shorten, allows=lambda span: span.end - span.start < 10)
    assert len(hidden) == 2


def test_two_shortened_texts_that_touch_are_one_passage() -> None:
    spans = {"a": PassageSpan("p", 0, 30, 0, 0), "b": PassageSpan("p", 30, 60, 1, 1)}
    parts = {0: PassageSpan("p", 25, 30, 0, 0), 1: PassageSpan("p", 30, 34, 1, 1)}
    passages = pack([("b", 0.9), ("a", 0.5)], spans, 12, shorten=lambda span, _: parts[span.first])
    assert [(passage.span.start, passage.span.end, passage.found) for passage in passages] == [(25, 34, ["b", "a"])]
    assert passages[0].score == 0.9
