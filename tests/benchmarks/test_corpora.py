"""Sets of questions: what is found of an answer, and that a question is one of a set's own texts."""

from __future__ import annotations

from types import ModuleType

import pytest
from fakes.lab import measurement


@pytest.fixture(scope="module")
def corpora() -> ModuleType:
    return measurement("corpora")


def test_the_share_of_an_answer_counts_each_character_once_in_each_text(corpora: ModuleType) -> None:
    sought = corpora.Sought("Which?", (("a.md", 0, 10), ("a.md", 5, 20), ("b.md", 0, 20)))
    data = corpora.Asked({"a.md": "x" * 50, "b.md": "y" * 50}, [sought])
    assert data.found(sought, []) == 0
    assert data.found(sought, [("a.md", 0, 8), ("a.md", 4, 10), ("c.md", 0, 50)]) == 10 / 40
    assert data.found(sought, [("b.md", 0, 50), ("a.md", 0, 50)]) == 1


def test_with_a_least_number_of_characters_the_places_are_counted(corpora: ModuleType) -> None:
    sought = corpora.Sought("Which?", (("a.md", 0, 30), ("b.md", 0, 30), ("b.md", 40, 48), ("c.md", 0, 30)))
    data = corpora.Asked(dict.fromkeys(("a.md", "b.md", "c.md"), "x" * 50), [sought], least=10)
    assert data.found(sought, [("a.md", 0, 9), ("b.md", 0, 48)]) == 1 / 4
    assert data.found(sought, [("a.md", 0, 5), ("a.md", 9, 14), ("c.md", 20, 31)]) == 2 / 4


def test_a_question_about_one_text_is_one_of_the_lab_and_one_about_two_is_refused(corpora: ModuleType) -> None:
    one = corpora.Sought("Which?", (("a.md", 0, 3), ("a.md", 7, 9)))
    both = corpora.Sought("Which?", (("a.md", 0, 3), ("b.md", 7, 9)))
    (question,) = corpora.Asked({"a.md": "x" * 20}, [one]).in_one_text()
    assert (question.question, question.corpus, question.spans) == ("Which?", "a.md", ((0, 3), (7, 9)))
    with pytest.raises(ValueError, match="too many values"):
        corpora.Asked({}, [both]).in_one_text()


def test_each_preamble_has_one_place_for_the_question(corpora: ModuleType) -> None:
    for preamble in corpora.CHATTY:
        assert preamble.count("{}") == 1
        assert len(preamble) > 150
