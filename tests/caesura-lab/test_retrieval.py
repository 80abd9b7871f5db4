"""Recall, precision, IoU, precision-omega and budgets against a twin that counts characters one by one."""

from __future__ import annotations

import numpy as np
import pytest

from caesura import EmbeddingError, SettingError, Span
from caesura_lab import Question, evaluate
from caesura_lab.retrieval import count_covered, count_in_ranges, merge_ranges

Chunks = dict[str, list[tuple[int, int]]]


def characters(ranges: list[tuple[int, int]]) -> set[int]:
    return {at for start, end in ranges for at in range(start, end)}


def slow(chunks: Chunks, question: Question, order: list[tuple[str, int]], k: int, budget: int) -> list[float]:
    """Recall, precision, IoU, omega, wrong first and top, retrieved, recall within budget; of ranked chunks."""
    answer = characters(list(question.spans))
    ranked = [(name, *chunks[name][number]) for name, number in order]
    top = ranked[:k]
    held = characters([(a, b) for name, a, b in top if name == question.corpus]) & answer
    retrieved = sum(b - a for _, a, b in top)
    touching = [(a, b) for a, b in chunks[question.corpus] if characters([(a, b)]) & answer]
    omega = characters(touching)
    spent, seen = 0, set()
    for name, a, b in ranked:
        b = min(b, a + budget - spent)
        spent += b - a
        seen |= {at for at in range(a, b) if name == question.corpus}
    return [
        len(held) / len(answer),
        len(held) / retrieved,
        len(held) / (retrieved + len(answer - held)),
        len(omega & answer) / len(omega | answer),
        float(ranked[0][0] != question.corpus),
        sum(name != question.corpus for name, _, _ in top) / len(top),
        retrieved,
        len(seen & answer) / len(answer),
    ]


def random_ranges(random: np.random.Generator, count: int, end: int) -> list[tuple[int, int]]:
    starts = random.integers(0, end - 1, count)
    return [(int(start), int(random.integers(start + 1, end + 1))) for start in starts]


def test_all_measures_equal_their_twin_where_chunks_overlap_too() -> None:
    random = np.random.default_rng(0)
    for _ in range(400):
        chunks = {name: random_ranges(random, int(random.integers(1, 12)), 60) for name in "ab"}
        question = Question(
            "?", str(random.choice(["a", "b"])), tuple(random_ranges(random, int(random.integers(1, 4)), 60))
        )
        vectors = {name: random.normal(size=(len(own), 3)) for name, own in chunks.items()}
        wanted = random.normal(size=3)
        keys = [(name, number) for name in "ab" for number in range(len(chunks[name]))]
        order = sorted(
            keys, key=lambda key: -vectors[key[0]][key[1]] @ wanted / np.linalg.norm(vectors[key[0]][key[1]])
        )
        k, budget = int(random.integers(1, 8)), int(random.integers(1, 150))
        found = evaluate(chunks, vectors, [question], [wanted], k, [budget])
        got = [
            found.recall,
            found.precision,
            found.iou,
            found.precision_omega,
            found.wrong_first,
            found.wrong_top,
            found.retrieved,
            found.budgets[budget],
        ]
        assert [float(row[0]) for row in got] == pytest.approx(slow(chunks, question, order, k, budget))


def test_ranges_equal_sets_of_their_numbers() -> None:
    random = np.random.default_rng(1)
    for _ in range(500):
        one, other = (random_ranges(random, int(random.integers(0, 9)), 25) for _ in range(2))
        merged = merge_ranges(one)
        assert characters([tuple(row) for row in merged.tolist()]) == characters(one)
        assert (merged.ravel()[1:] > merged.ravel()[:-1]).all()
        assert count_in_ranges(one) == len(characters(one))
        assert count_covered(one, other) == len(characters(one) & characters(other))


CHUNKS: Chunks = {"a": [(0, 100), (100, 200), (200, 300)], "b": [(0, 50)]}
VECTORS = {"a": [[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]], "b": [[0.95, 0.05]]}
QUESTION = Question("?", "a", (Span(90, 110),))


def test_worked_out_by_hand() -> None:
    """Ranked a 0..100, b 0..50, a 100..200, a 200..300; the answer lies half in the first, half in the third."""
    scores = evaluate(CHUNKS, VECTORS, [QUESTION], [[2.0, 0.0]], k=2, budgets=[99, 150, 155, 1000])
    assert scores.recall.tolist() == [0.5]
    assert scores.precision.tolist() == [10 / 150]
    assert scores.iou.tolist() == [10 / 160]
    assert scores.precision_omega.tolist() == [20 / 200]
    assert scores.retrieved.tolist() == [150]
    assert (scores.wrong_first.tolist(), scores.wrong_top.tolist()) == ([0.0], [0.5])  # b is the second of two
    assert {budget: row.tolist() for budget, row in scores.budgets.items()} == {
        99: [9 / 20], 150: [0.5], 155: [0.75], 1000: [1.0],
    }  # fmt: skip
    assert scores.sizes.tolist() == [100, 100, 100, 50]
    assert scores.means()["mean_chunk"] == 87.5
    assert scores.means()["recall_155"] == 0.75


def test_equal_cosines_rank_as_the_chunks_come_and_a_zero_row_is_no_nan() -> None:
    vectors = {"a": [[0.0, 0.0], [3.0, 0.0], [1.0, 0.0]], "b": [[-1.0, 0.0]]}
    scores = evaluate(CHUNKS, vectors, [Question("?", "a", (Span(100, 200),))], [[1.0, 0.0]], k=1)
    assert scores.recall.tolist() == [1.0]


def test_overlapping_chunks_do_not_count_the_answer_twice() -> None:
    chunks, vectors = {"a": [(0, 60), (40, 100)]}, {"a": [[1.0], [1.0]]}
    scores = evaluate(chunks, vectors, [Question("?", "a", (Span(40, 60), Span(50, 60)))], [[1.0]])
    assert scores.recall.tolist() == [1.0]
    assert scores.precision.tolist() == [20 / 120]


def test_a_text_without_chunks_is_not_found() -> None:
    scores = evaluate({**CHUNKS, "c": []}, {**VECTORS, "c": []}, [Question("?", "c", (Span(0, 9),))], [[1.0, 0.0]])
    assert [scores.recall.tolist(), scores.iou.tolist(), scores.precision_omega.tolist()] == [[0.0]] * 3


def test_what_cannot_be_measured_is_refused() -> None:
    with pytest.raises(SettingError, match="there are no chunks for the texts z"):
        evaluate(CHUNKS, VECTORS, [Question("?", "z", (Span(0, 1),))], [[1.0, 0.0]])
    with pytest.raises(SettingError, match="there are no vectors for the texts b"):
        evaluate(CHUNKS, {"a": VECTORS["a"]}, [QUESTION], [[1.0, 0.0]])
    with pytest.raises(SettingError, match=r"a chunk must be a range 0 <= start < end, got \[5, 5\] in 'a'"):
        evaluate({"a": [(5, 5)]}, {"a": [[1.0]]}, [QUESTION], [[1.0]])
    with pytest.raises(SettingError, match=r"chunks of 'a' must be \(m, 2\) whole numbers"):
        evaluate({"a": [(0.5, 5)]}, {"a": [[1.0]]}, [QUESTION], [[1.0]])
    with pytest.raises(SettingError, match="k must be a whole number of at least 1, got 0"):
        evaluate(CHUNKS, VECTORS, [QUESTION], [[1.0, 0.0]], k=0)
    with pytest.raises(SettingError, match="budget must be a whole number"):
        evaluate(CHUNKS, VECTORS, [QUESTION], [[1.0, 0.0]], budgets=[0])
    with pytest.raises(SettingError, match="must be a question"):
        evaluate(CHUNKS, VECTORS, [], [])
    with pytest.raises(SettingError, match="must be a chunk"):
        evaluate({"a": []}, {"a": []}, [QUESTION], [[1.0]])
    with pytest.raises(EmbeddingError, match="one row per text"):
        evaluate(CHUNKS, {**VECTORS, "b": [[1.0, 0.0]] * 2}, [QUESTION], [[1.0, 0.0]])
    with pytest.raises(EmbeddingError, match="one row per text"):
        evaluate(CHUNKS, VECTORS, [QUESTION], [[1.0, 0.0]] * 2)
