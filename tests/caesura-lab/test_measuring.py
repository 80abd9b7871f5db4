"""Retrievers measured: shares within budgets, the distance to the best with its interval, and what is said of it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from fakes.lab import ROOT

from caesura import SettingError
from caesura_lab import Interval, Question, QuestionsError, evaluate_retrieval, measure, paired_interval
from caesura_lab.measuring import compare_with_best, judge_distance
from caesura_lab.questions import read_questions
from caesura_lab.reading import Source, read_texts

pytestmark = pytest.mark.filterwarnings("ignore:the built-in model knows English")
MANUALS = ROOT / "benchmarks" / "manuals"
NAMES = ["boat", "cart", "gate", "kiln", "lamp", "mill", "pump", "weir"]
TEXTS = {f"{name}.md": f"The {name} is mended in week {at}. It was new once." for at, name in enumerate(NAMES, 11)}
QUESTIONS = [Question(f"When is the {name} mended?", f"{name}.md", ((0, len(name) + 25),)) for name in NAMES]


def right(question: str) -> list[str]:
    return [TEXTS[f"{question.split()[3]}.md"]]


def half(question: str) -> list[str]:
    return right(question) if question.split()[3] < "kz" else []


def nothing(question: str) -> list[str]:
    return ["A text of no file at all."]


def failing(question: str) -> list[str]:
    raise OSError("the server is gone")


def test_each_is_measured_on_every_question_and_stands_by_what_it_finds() -> None:
    found = measure(TEXTS, QUESTIONS, [nothing, half, right], budgets=[1000, 15])
    assert [row["retriever"] for row in found.table] == ["right", "half", "nothing"]
    assert found.budgets == [15, 1000]
    np.testing.assert_array_equal(found.recalls["right"][1], np.ones(8))
    np.testing.assert_array_equal(found.recalls["half"][1], [1, 1, 1, 1, 0, 0, 0, 0])
    assert 0 < found.recalls["right"][0].mean() < 0.6  # what is in the first fifteen characters
    best, middle, last = found.table.rows
    assert (best["against_best_1000"], best["behind_1000"], best["recall_1000"]) == ("best", None, 1.0)
    interval = paired_interval(np.ones(8), found.recalls["half"][1])
    assert (middle["behind_1000"], middle["from_1000"], middle["to_1000"]) == tuple(interval)
    assert (middle["against_best_1000"], last["against_best_1000"]) == ("worse", "worse")
    assert (last["recall_1000"], last["behind_1000"], last["from_1000"], last["to_1000"]) == (0.0, 1.0, 1.0, 1.0)
    assert "error" not in best


def test_what_may_be_said_of_a_distance() -> None:
    assert judge_distance(Interval(0.0, 0.0, 0.0), 20, True) == "best"
    assert judge_distance(Interval(0.1, -0.02, 0.2), 20, False) == "may be chance"
    assert judge_distance(Interval(0.1, 0.0, 0.2), 20, False) == "may be chance"
    assert judge_distance(Interval(0.1, 0.01, 0.2), 20, False) == "worse"
    assert judge_distance(Interval(0.1, 0.01, 0.2), 5, False) == "may be chance"  # that all of five go one way
    assert judge_distance(Interval(0.0, 0.0, 0.0), 20, False) == "as good"


def test_the_distance_is_taken_question_by_question() -> None:
    random = np.random.default_rng(3)
    first = random.random(50)
    found = compare_with_best({"low": first - 0.01, "high": first, "other": random.permutation(first) - 0.01})
    assert found["high"] == Interval(0.0, 0.0, 0.0)
    assert found["low"].low == pytest.approx(0.01)  # small, and the same for all
    assert found["other"].low < 0 < found["other"].high


def test_as_good_as_the_best_is_said() -> None:
    found = measure(TEXTS, QUESTIONS, {"one": right, "other": right, "none": nothing})
    assert [row["against_best_1000"] for row in found.table] == ["best", "as good", "worse"]


def test_under_six_questions_nothing_is_said_to_be_worse() -> None:
    found = measure(TEXTS, QUESTIONS[:5], [right, nothing])
    assert [row["against_best_1000"] for row in found.table] == ["best", "may be chance"]
    assert "With under 6 questions any difference may be chance." in found.table.notes


def test_only_what_indexes_the_texts_here_has_a_time_for_it() -> None:
    rows = {row["retriever"]: row for row in measure(TEXTS, QUESTIONS, [right, "ours"]).table}
    assert rows["right"]["seconds"] is None
    assert isinstance(rows["ours"]["seconds"], float)
    assert all(isinstance(row["milliseconds"], float) for row in rows.values())


def test_one_that_fails_does_not_take_the_others_along() -> None:
    found = measure(TEXTS, QUESTIONS, [failing, right])
    last = found.table.rows[-1]
    assert (last["retriever"], last["recall_1000"], last["against_best_1000"]) == ("failing", None, None)
    assert str(last["error"]) == (
        "RetrieverError: it failed on 'When is the boat mended?': OSError: the server is gone"
    )
    assert found.table.rows[0]["error"] is None
    assert list(found.recalls) == ["right"]
    with pytest.raises(Exception, match="the server is gone"):
        measure(TEXTS, QUESTIONS, [failing])


def test_one_that_leaves_room_is_named() -> None:
    found = measure(TEXTS, QUESTIONS, {"much": lambda _: ["x" * 5_000], "little": right}, budgets=[2_000])
    (note,) = [note for note in found.table.notes if "fewer were returned" in note]
    assert note == "Of 2,000 characters, on average fewer were returned by little 47: let it return more."
    alike = measure(TEXTS, QUESTIONS, {"all": lambda _: TEXTS.values(), "ours": "ours"}, budgets=[2_000])
    assert not [note for note in alike.table.notes if "fewer" in note]  # there is no more text than that


@pytest.mark.thorough
def test_chunks_by_vectors_are_measured_as_splitters_are() -> None:
    pytest.importorskip("langchain_text_splitters")
    texts = read_texts(sorted(MANUALS.glob("*.md")))
    asked = read_questions(MANUALS / "questions.jsonl", texts)
    by_place = evaluate_retrieval(texts, asked, ["recursive"], size=400)["recursive"]
    by_words = measure(texts, asked, ["vectors", "ours", "equal-ranks"])
    for place, budget in enumerate((1_000, 4_000)):
        difference = by_words.recalls["vectors"][place] - by_place.budgets[budget]
        assert abs(difference).max() < 0.05  # whitespace does not count
    assert by_words.table.rows[0]["retriever"] == "ours"


def test_what_is_asked_of_texts_that_are_not_there_is_refused() -> None:
    with pytest.raises(SettingError, match=r"there are no texts boat\.md, which questions are of"):
        measure({"a": "A."}, QUESTIONS[:1], [right])
    with pytest.raises(SettingError, match="there must be a question to measure with, got none"):
        measure(TEXTS, [], [right])
    with pytest.raises(SettingError, match="budget must be a whole number of at least 1, got 0"):
        measure(TEXTS, QUESTIONS, [right], budgets=[0])
    with pytest.raises(SettingError, match="budgets must be at least one number"):
        measure(TEXTS, QUESTIONS, [right], budgets=[])
    with pytest.raises(SettingError, match=r"budgets must be .*, got 1000$"):
        measure(TEXTS, QUESTIONS, [right], budgets=1000)  # type: ignore[arg-type]
    with pytest.raises(QuestionsError, match="cannot read questions from none"):
        measure(TEXTS, "none.jsonl", [right])


def test_the_questions_are_embedded_in_one_call_and_no_text_twice() -> None:
    calls: list[list[str]] = []

    def embed(texts: list[str]) -> Any:
        calls.append(list(texts))
        return [[1.0, float(len(text) % 7)] for text in texts]

    measure(TEXTS, QUESTIONS, ["ours", "vectors:splitter=fixed", "equal-ranks:splitter=fixed"], embedder=embed)
    assert calls[1] == [question.question for question in QUESTIONS]  # after the 64 texts of the background
    embedded = [text for call in calls for text in call]
    assert len(embedded) == len(set(embedded))


def test_every_question_is_told_so_that_a_bar_can_move() -> None:
    said: list[str] = []
    measure(TEXTS, QUESTIONS, [right, failing], say=said.append)
    assert said == ["right"] * 8 + ["failing"]


def test_a_table_has_a_row_for_each_question() -> None:
    table = measure(TEXTS, QUESTIONS, [right, half]).by_question()
    assert table.columns == ["question", "corpus", "right_1000", "half_1000", "right_4000", "half_4000"]
    assert [row["half_1000"] for row in table] == [1, 1, 1, 1, 0, 0, 0, 0]
    assert table.rows[0]["question"] == "When is the boat mended?"


def test_an_answer_of_a_pdf_is_found_by_what_another_reader_makes_of_it(tmp_path: Any) -> None:
    """The words of the question stand in the text that we read; what is found has other line ends."""
    text = "The cis-\ntern holds 60,000 litres\nof rain.\n\nNobody counts the buckets."
    asked = tmp_path / "questions.jsonl"
    asked.write_text(json.dumps({"question": "How much rain?", "answer": "cistern holds 60,000 litres of rain"}))
    (question,) = read_questions(asked, {"report.pdf": text})
    assert text[slice(*question.spans[0])] == "cis-\ntern holds 60,000 litres\nof rain"
    theirs = {"theirs": lambda _: [{"text": "The cistern holds 60,000 litres of rain.", "source": "/srv/report.pdf"}]}
    found = measure([Source("report.pdf", text)], [question], theirs)
    assert found.recalls["theirs"].tolist() == [[1.0], [1.0]]
