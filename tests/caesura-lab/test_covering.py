"""How much of an answer was found: by characters, however it is spaced, from whichever file it is said to be."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura_lab import Question
from caesura_lab.covering import RUN, AnsweringTexts, make_solid, take_budget
from caesura_lab.retrieval import count_covered
from caesura_lab.retrievers.found import FoundText

TEXT = "The mill stands in the inlet. Its wheel turns when the pond is let out.\n\nNobody lives there now."
ANSWER = "Its wheel turns when the pond is let out."
START = TEXT.index(ANSWER)
QUESTION = Question("When?", "docs/mill.md", [(START, START + len(ANSWER))])
TEXTS = {"docs/mill.md": TEXT, "docs/pier.md": "The ferry leaves.", "old/mill.md": TEXT}


def share(*pieces: str | FoundText, question: Question = QUESTION, texts: dict[str, str] = TEXTS) -> float:
    found = [FoundText(piece) if isinstance(piece, str) else piece for piece in pieces]
    return AnsweringTexts(texts).covered_share(question, found)


def test_whole_half_and_nothing_of_an_answer() -> None:
    half = make_solid(ANSWER)[: len(make_solid(ANSWER)) // 2]
    part = TEXT[: START + 20]
    assert share(TEXT) == share(ANSWER) == share("x", ANSWER) == 1.0
    assert share(part) == pytest.approx(len(make_solid(TEXT[START : START + 20])) / len(make_solid(ANSWER)))
    assert share(half) == pytest.approx(0.5, abs=0.02)
    assert share() == share("") == share(" \n") == share("Nobody lives there now.") == 0.0


def test_what_two_texts_share_counts_once() -> None:
    one, other = ANSWER[:20], ANSWER[10:30]
    assert share(one, other) == share(ANSWER[:30])


def test_whitespace_hyphens_and_ligatures_are_another_readers() -> None:
    text = "The of\ufb01cial esti-\nmate is\n\n40 per  cent."
    question = Question("How much?", "a", [(0, len(text))])
    for said in ("The official estimate is 40 per cent.", "The of\ufb01cial\nesti\u00admate is 40 percent."):
        assert share(said, question=question, texts={"a": text}) == 1.0


def test_an_answer_within_other_words_counts_as_far_as_it_is_there() -> None:
    assert share(f"[1] {ANSWER} [2] And more that is written nowhere.") == 1.0
    most = len(make_solid(ANSWER[:-10])) / len(make_solid(ANSWER))
    assert share(f"[1] {ANSWER[:-10]} [2] And more that is written nowhere.") == pytest.approx(most)
    assert share("It turns its wheel as soon as the pond has been let out.") == 0.0


def test_marks_of_markdown_and_cells_of_tables_are_another_readers() -> None:
    text = "## Data\n\n| Water pressure | 2 to 4 bar |\n| --- | --- |\n| Power | 3.5 kW |"
    start = text.index("2 to 4 bar")
    question = Question("How much?", "a", [(start, start + 10)])
    assert share("Data\nWater pressure 2 to 4 bar\nPower 3.5 kW", question=question, texts={"a": text}) == 1.0
    assert share("Water 5 to 6 bar. Power 3.5 kW and others", question=question, texts={"a": text}) == 0.0


def test_an_answer_without_letters_is_taken_with_what_is_around_it() -> None:
    text = "Write the operator => between both of the sides."
    question = Question("Which sign?", "a", [(19, 21)])
    assert share(text, question=question, texts={"a": text}) == 1.0
    assert share("Nothing of it.", question=question, texts={"a": text}) == 0.0


def test_a_short_answer_in_other_words_needs_what_stands_around_it() -> None:
    text = "It holds 60,000 litres of rain, for five."
    question = Question("How many?", "a", [(9, 15)])
    assert text[9:15] == "60,000"
    assert share("In 1960,000 years", question=question, texts={"a": text}) == 0.0
    assert share("Source: a\nIt holds 60,000 litres of rain", question=question, texts={"a": text}) == 1.0


def test_letters_and_syllables_are_no_answer() -> None:
    letters = sorted(set(make_solid(TEXT)))
    assert share(*letters) == share(*(a + b for a in letters for b in letters)) == 0.0
    assert share("pond is let out") == pytest.approx(12 / len(make_solid(ANSWER)))
    sizes = "Power 3.5 kW, pressure 2 bar, weight 40 kg."
    question = Question("How heavy?", "a", [(37, 42)])
    assert sizes[37:42] == "40 kg"
    assert share("40 kg", question=question, texts={"a": sizes}) == 1.0
    assert share("40", question=question, texts={"a": sizes}) == 0.0


@pytest.mark.parametrize(
    ("file", "found"),
    [
        (None, 1.0),
        ("docs/mill.md", 1.0),
        ("/srv/docs/mill.md", 1.0),
        ("https://example.org/docs/mill.md", 1.0),
        ("mill.md", 1.0),  # either
        ("Annual report", 1.0),  # a title, or what else it may be
        ("docs/pier.md", 0.0),
        ("pier.md", 0.0),
        ("old/mill.md", 0.0),
        ("/srv/old/mill.md", 0.0),
    ],
)
def test_what_is_of_another_file_holds_nothing_of_the_answer(file: str | None, found: float) -> None:
    assert share(FoundText(ANSWER, file)) == found


def test_an_answer_of_several_parts_counts_by_their_characters() -> None:
    question = Question("?", "docs/mill.md", [(0, 8), (START, START + len(ANSWER))])
    both = len(make_solid("The mill")) + len(make_solid(ANSWER))
    assert share("The mill stands", question=question) == pytest.approx(7 / both)
    assert share("The mill stands", ANSWER, question=question) == 1.0


def test_the_text_that_crosses_the_budget_counts_as_far_as_there_is_room() -> None:
    found = [FoundText("12345", "a"), FoundText("67890"), FoundText("no more")]
    assert take_budget(found, 7) == [FoundText("12345", "a"), FoundText("67")]
    assert take_budget(found, 5) == [FoundText("12345", "a")]
    assert take_budget(found, 100) == found
    assert take_budget(iter(()), 5) == []


@given(
    st.text("ab \n", min_size=1, max_size=120).filter(str.strip),
    st.data(),
)
def test_slices_of_a_text_count_as_their_places_do(text: str, data: st.DataObject) -> None:
    """Where the text is not the same twice, what is found by its words is what is found by its place."""
    text = "".join(letter if letter.isspace() else chr(0x4E00 + place) for place, letter in enumerate(text))
    places = st.integers(0, len(text))
    pairs = data.draw(st.lists(st.tuples(places, places).map(sorted), max_size=4))
    pairs = [pair for pair in pairs if len(make_solid(text[pair[0] : pair[1]])) >= RUN // 2]
    start, end = data.draw(
        st.tuples(places, places).map(sorted).filter(lambda pair: make_solid(text[pair[0] : pair[1]]))
    )
    solid = [len(make_solid(text[:at])) for at in range(len(text) + 1)]
    ranges: Sequence[tuple[int, int]] = [(solid[low], solid[high]) for low, high in pairs]
    wanted = count_covered([(solid[start], solid[end])], ranges) / (solid[end] - solid[start])
    pieces = [text[low:high] for low, high in pairs]
    assert share(*pieces, question=Question("?", "a", [(start, end)]), texts={"a": text}) == pytest.approx(wanted)


def test_a_text_of_blanks_between_is_read_as_far_as_needed() -> None:
    text = "Begin " + " " * 5_000 + "middle" + "\n" * 5_000 + " end."  # under a run together
    start = text.index("middle")
    assert share("Begin middle end.", question=Question("?", "a", [(start, start + 6)]), texts={"a": text}) == 1.0


def test_letters_without_end_cost_no_more_than_their_number() -> None:
    text = "a" * 20_000
    question = Question("?", "a", [(9_000, 9_010)])
    assert share("a" * 5_000, question=question, texts={"a": text}) == 1.0
