"""What belongs together is one unit: a note's mark, a number alone, a short question, and what has no letter."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise

import pytest
from fakes.laws import law
from fakes.texts.drawn_texts import documents
from hypothesis import given
from hypothesis import strategies as st

from caesura.text.sentences import sentences, units
from caesura.types import Edges

BOTH = pytest.mark.parametrize("segment", [sentences, units])


def cut(text: str, segment: Callable[[str], Edges] = units) -> list[str]:
    return [text[start:end] for start, end in pairwise(segment(text).tolist())]


@BOTH
@pytest.mark.parametrize("space", ["", " ", "\u00a0"])
@pytest.mark.parametrize(
    "mark",
    ["[4]", "[12]", "[4][5]", "[4] [5]", "[4, 5]", "[4–6]", "(12)", "¹", "²³", "[note 3]", "[citation needed]", "[a]"],
)
def test_a_note_belongs_to_the_sentence_before_it(mark: str, space: str, segment: Callable[[str], Edges]) -> None:
    first = f"The bell rang.{space}{mark} "
    assert cut(f"{first}Nobody came.", segment) == [first, "Nobody came."]
    assert cut(f"The bell rang.{space}{mark}\n\nNobody came.", segment) == [f"{first[:-1]}\n\n", "Nobody came."]


@BOTH
def test_a_note_alone_in_the_next_line_does_so_too(segment: Callable[[str], Edges]) -> None:
    assert cut("The bell rang.\n[9]\nNobody came.", segment) == ["The bell rang.\n[9]\n", "Nobody came."]


@BOTH
@pytest.mark.parametrize(
    "pieces",
    [
        ["[1] Hale, Bells. ", "[2] Wu, Ropes."],  # a list of references
        ["The bell rang.\n", "[9] Nobody came."],  # a line of its own
        ["There are two ways. ", "(1) Pull the rope. ", "(2) Ring the bell."],
        ["Do so: (1) Pull the rope. ", "(2) Ring the bell."],
        ["Two: [1] Pull the rope. ", "[2] Ring the bell."],
        ["The bell rang. ", "(Nobody came.)"],
        ["The bell rang. ", "[He left.]"],
        ["See Ref. [12] Nobody came."],
        ["It rang with Hale spp. [3, 40]. ", "Nobody came."],
        ["It was cast in 5 m. ", "[T]he bell rang."],
    ],
)
def test_what_is_no_note_goes_with_what_follows(pieces: list[str], segment: Callable[[str], Edges]) -> None:
    assert cut("".join(pieces), segment) == pieces


@pytest.mark.parametrize("number", ["3.", "3)", "(4)", "12", "2.1", "(iv)", "[7]", "•", "-"])
@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_a_number_or_bullet_alone_in_its_line_belongs_to_what_it_numbers(number: str, gap: str) -> None:
    text = f"The bell rang. It stopped.\n\n{number}{gap}Nobody came. It was late."
    assert cut(text) == ["The bell rang. ", "It stopped.\n\n", f"{number}{gap}Nobody came. ", "It was late."]


@pytest.mark.parametrize(
    "pieces",
    [
        ["The bell rang.\n\n7\n\n", "# Ropes\n\nNobody came."],  # not to a heading in markup
        ["The bell rang.\n\n12\n\f"],
        ["7\n\nThe bell rang."],
        ["2.1. The bell rang. ", "Nobody came."],
        ["The bell rang. ", "It stopped. 9\n\n", "Nobody came."],
        ["The bell rang. ", "It stopped.\n\n", "5.\n\nNobody came."],
        ["The bell rang. ", "It stopped. (1948).\n\n", "Nobody came."],
        ["The bell rang.\n\n* * *\n\n", "Nobody came."],
        ["The bell rang.\n\n---\n\n", "Nobody came."],
        ["The bell rang. … ◆\n\n", "Nobody came."],
        ["It rang 3.5 times. ", "12 people came. ", "7 left."],
        ["3.5 people came. ", "It was 1953.\n\n", "It rang."],
    ],
)
def test_what_has_no_letter_is_no_unit(pieces: list[str]) -> None:
    assert cut("".join(pieces)) == pieces


@law()
@given(
    st.one_of(
        documents,
        st.lists(st.sampled_from(["3.", "\n", "\n\n", "a b. ", "[4] ", "(2)", "• ", "—", "?! ", "# A", "\f"])).map(
            "".join
        ),
    )
)
def test_no_unit_is_without_a_letter_unless_the_whole_text_is(text: str) -> None:
    found = cut(text)
    assert len(found) < 2 or all(any(map(str.isalpha, unit)) for unit in found) or not any(map(str.isalpha, text))


@pytest.mark.parametrize("question", ["What is a bell?", "**What is a bell?**", "什么是钟？", "ما هو الجرس؟"])
def test_a_short_question_opens_the_unit_of_what_answers_it(question: str) -> None:
    text = f"Nobody came.\n\n{question}\n\nA bell is a cup that rings. It is cast."
    assert cut(text) == ["Nobody came.\n\n", f"{question}\n\nA bell is a cup that rings. ", "It is cast."]
    assert cut(f"# Bells\n\n{question}\n\nIt rings. It is cast.")[0] == f"# Bells\n\n{question}\n\nIt rings. "


@pytest.mark.parametrize("term", ["0-99:", "The pump:", "**The pump**:", "**The pump:**", "泵："])
def test_a_term_before_a_colon_opens_the_unit_of_what_defines_it(term: str) -> None:
    text = f"Nobody came.\n\n{term}\n\nA pump lifts water. It is old."
    assert cut(text) == ["Nobody came.\n\n", f"{term}\n\nA pump lifts water. ", "It is old."]


@pytest.mark.parametrize(
    "pieces",
    [
        ["It needs:\n\n", "- a rope\n- a bell\n"],
        ["It needs:\n\n", "1. A rope\n2. A bell\n"],
        ["For example:\n\n", "```\nx = 1\n```"],
        ["Ropes: as long as these:\n\n", "A rope is long."],
        [f"The pump that {'nobody ' * 9}mends, in the tower:\n\n", "Nobody knew."],
        ["The bell rang.\n\n", "The pump:"],
    ],
)  # fmt: skip
def test_another_colon_ends_a_unit(pieces: list[str]) -> None:
    assert cut("".join(pieces)) == pieces


def test_a_list_answers_too() -> None:
    text = "What is needed?\n\n- a rope\n- a bell\n"
    assert cut(text) == [text]


@pytest.mark.parametrize(
    "pieces",
    [
        ["What is a bell?\n\n", "What is a rope?\n\nA rope is long."],
        ["What is a bell?\n\n", "# Ropes\n\nA rope is long."],
        ["What is a bell?\n\n", "```\nx = 1\n```"],
        ["It rang. ", "What is a bell?\n\n", "A bell is a cup."],
        [f"What is a bell that {'nobody ' * 9}rings, in the tower?\n\n", "Nobody knew."],
        ["What is a bell?\n", "A bell is a cup."],
        ["The bell rang.\n\n", "What is a bell?"],
    ],
)  # fmt: skip
def test_another_question_is_a_unit(pieces: list[str]) -> None:
    assert cut("".join(pieces)) == pieces


@pytest.mark.parametrize(("ask", "answer"), [("Q", "A"), ("Q1", "A1"), ("Question", "Answer"), ("Frage", "Antwort")])
@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_a_question_opens_the_unit_of_the_first_sentence_of_its_answer(ask: str, answer: str, gap: str) -> None:
    first = f"{ask}: Who rings it? And when?{gap}{answer}: Mara does. "
    assert cut(f"{first}At nine.\n\n{ask}: Why?{gap}{answer}: So.\n") == [
        first,
        "At nine.\n\n",
        f"{ask}: Why?{gap}{answer}: So.\n",
    ]


ATOMS = [
    "a. [1] ", "A. (2) ", "1\n\n", "•\n", "?! (3) ", "Ann: a. b.\nBob: c.\n", "Ann: a.\n\nBob: c.\n\n",
    "Note: a.\n\nIt rang here.\n\n",
    "[12:03] a.\n", "<bob> a.\n", "Ann (b (c) ", '{"role": "user", "content": "a. b"}, ', '[{"content": ', "[a\n",
    "Why so?\n\n", "Q: Why so?\nA: So. It is.\n\n", "Ann: a\r", "A: ", "a\u00a0[1]", '{"a": ', "[ ",
    "a: b: ", "**A**: b\n", "A.¹ ", "3.\n",
]  # fmt: skip


def seconds(text: str) -> float:
    began = time.process_time()
    units(text)
    return time.process_time() - began


@pytest.mark.thorough
@pytest.mark.parametrize("atom", [*ATOMS, "names"])
def test_the_time_grows_as_the_text(atom: str) -> None:
    """Sixteen times the text takes at most 16 ** 1.25 times as long."""
    long = "".join(f"N{i}: a.\n" for i in range(16_000)) if atom == "names" else atom * (160_000 // len(atom))
    short = long[: len(long) // 16]
    best = min(seconds(long) for _ in range(3)) / max(min(seconds(short) for _ in range(5)), 1e-3)
    assert best <= 16**1.25
