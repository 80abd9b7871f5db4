"""One ranking of what is near by vectors and what has the words of a question."""

from __future__ import annotations

import random
from dataclasses import astuple
from math import inf, nan

import pytest
from fakes.laws import law
from hypothesis import given
from hypothesis import strategies as st
from naive.ranking import ranked

from caesura_retrieval.ranking import FETCHED, MOST_TIMES, WORDS, Evidence, rank

NAMES = [str(number) for number in range(80)]
SCORES = st.integers(1, 64).map(lambda number: number / 8)


@st.composite
def near_lists(draw: st.DrawFn) -> list[tuple[str, float]]:
    """At least two names whose scores fall."""
    scores = sorted(draw(st.sets(SCORES, min_size=2, max_size=60)), reverse=True)
    return list(zip(draw(st.permutations(NAMES)), scores, strict=False))


@law()
@given(
    near_lists(),
    st.dictionaries(st.sampled_from(NAMES), SCORES, max_size=60),
    st.dictionaries(st.sampled_from(NAMES), st.sampled_from("xyz")),
    st.sampled_from([0.5, 1.0, 3.0]),
)
def test_ranks_as_a_slow_twin(
    near: list[tuple[str, float]], words: dict[str, float], documents: dict[str, str], weight: float
) -> None:
    found, wanted = rank(near, words, documents, weight), ranked(near, words, documents, weight)
    assert found.keys() == wanted.keys()
    for name, own in found.items():
        assert astuple(own)[:4] == pytest.approx(wanted[name], abs=1e-9)
    scores = [own.score for own in found.values()]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= value <= 1 + 1e-9 for own in found.values() for value in astuple(own)[:4])


def test_what_is_best_by_all_has_one() -> None:
    found = rank([("a", 0.9), ("b", 0.5), ("c", 0.1)], {"a": 4.0, "d": 3.0}, {"a": "x", "b": "x", "d": "y"})
    assert list(found) == ["a", "d", "b", "c"]
    assert found["a"] == Evidence(1.0, 1.0, 1.0, 1.0)
    assert (found["d"].vectors, found["d"].words) == (0.0, 0.75)
    assert found["c"] == Evidence(0.0, 0.0, 0.0, 0.0)


def test_words_count_more_the_more_the_best_stand_out() -> None:
    near = [(str(number), 1 - number / 100) for number in range(100)]
    alike = {str(number): 5 - number / 25 for number in range(99, -1, -1)}
    apart = {**{str(number): 1.0 for number in range(50)}, "99": 5.0}
    assert next(iter(rank(near, apart, {}))) == "99"
    assert rank(near, alike, {})["99"].score < rank(near, apart, {})["99"].score


def test_a_rare_word_counts_where_little_is_near() -> None:
    near = [("a", 0.9), ("b", 0.88), ("c", 0.86), ("d", 0.84), ("e", 0.82)]
    assert list(rank(near, {"x": 9.1, "d": 0.7}, {}))[:2] == ["x", "a"]
    assert next(iter(rank(near, dict.fromkeys("edcba", 9.1), {}))) == "a"


@pytest.mark.parametrize("words", [{"word": 1.0}, dict.fromkeys(map(str, range(300, 600)), 1.0) | {"word": 1.0}])
def test_words_count_no_more_than_so_many_times_what_the_nearest_does(words: dict[str, float]) -> None:
    found = rank([(str(number), -number) for number in range(200)], words, {})
    assert found["word"].score / found["0"].score == pytest.approx(MOST_TIMES * WORDS)


def test_as_many_texts_alike_as_are_ranked_hide_no_answer() -> None:
    """Such as the footer of each page: the deviation of the nearest is 0."""
    footers = [str(number) for number in range(FETCHED + 1)]
    near = [*((name, 0.75) for name in footers), ("ferry", 0.5)]
    words = {**dict.fromkeys(footers, 1.0), "ferry": 4.0}
    scores = [own.score for own in rank(near, words, {}).values()]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert next(iter(rank(near, words, {}))) == "ferry"
    assert list(rank(near, {}, {})) == [*sorted(footers), "ferry"]


@pytest.mark.parametrize(
    "scores", [(None, None, None), (1.0, 1.0, 1.0), (0.1, 0.5, 0.9), (inf, 0.5, 0.1), (0.9, nan, 0.1), (0.9, 0.5, -inf)]
)
def test_without_scores_that_fall_ranks_count(scores: tuple[float | None, ...]) -> None:
    found = rank(list(zip("abc", scores, strict=True)), {}, {})
    assert [own.score for own in found.values()] == pytest.approx([1.0, 2 / 3, 1 / 3])


def test_one_side_may_be_empty_and_words_off() -> None:
    assert rank([], {}, {}) == {}
    assert rank([("a", 0.3)], {}, {}) == {"a": Evidence(1.0, 1.0, 0.0, 0.0)}
    assert rank([("a", 0.3)], {"a": 7.5}, {}, 1e308) == {"a": Evidence(1.0, 1.0, 1.0, 0.0)}
    assert [own.score for own in rank([], {"a": 0.5, "b": 0.25}, {}).values()] == [1.0, 0.5]
    assert list(rank([("a", 0.3), ("b", 0.2)], {"b": 9.0, "c": 9.0}, {}, 0)) == ["a", "b"]


def test_the_document_that_most_of_the_best_are_of_breaks_a_tie() -> None:
    near = [("a", 0.9), ("b", 0.5), ("c", 0.5), ("d", 0.4), ("e", 0.1)]
    assert list(rank(near, {}, {"b": "x", "c": "y", "d": "y"})) == ["a", "c", "b", "d", "e"]


@law()
@given(near_lists(), st.dictionaries(st.sampled_from(NAMES), SCORES, max_size=60), st.randoms(use_true_random=False))
def test_ties_do_not_depend_on_the_order_in_which_stores_have_them(
    near: list[tuple[str, float]], words: dict[str, float], chance: random.Random
) -> None:
    near = [(name, float(int(score))) for name, score in near]
    documents = {name: name[-1] for name in NAMES}
    wanted = rank(sorted(near, key=lambda each: (-each[1], each[0])), words, documents)
    others, pairs = [*near], [*words.items()]
    chance.shuffle(others)
    chance.shuffle(pairs)
    others.sort(key=lambda each: -each[1])
    noisy = [(name, score * (1 + chance.random() * 1e-8)) for name, score in others]
    assert list(rank(others, dict(pairs), documents).items()) == list(wanted.items())
    found = rank(noisy, dict(pairs), documents)
    assert [wanted[name].score for name in found] == pytest.approx([own.score for own in wanted.values()], abs=1e-6)
    alike: dict[object, list[str]] = {}
    for name in found:
        alike.setdefault((dict(near).get(name), words.get(name), documents[name]), []).append(name)
    assert all(names == sorted(names) for names in alike.values())


def test_what_is_wholly_alike_stands_in_the_order_of_the_names() -> None:
    for near in ([("b", 0.7), ("a", 0.7)], [("a", 0.7), ("b", 0.7)], [("b", 0.7), ("a", 0.69999999)]):
        assert list(rank(near, {"b": 2.0, "a": 2.0}, {})) == ["a", "b"]
