"""Shortening: the best run of sentences that fits, with any sizer, and what is measured for it."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from fakes.laws import law
from hypothesis import given
from hypothesis import strategies as st
from naive.passages import shortened

from caesura_retrieval.passages import PassageSpan
from caesura_retrieval.shortening import TRIES, shorten_span

TEXT = "The pier is old. The ferry leaves at nine. It is red. A ferry ticket costs four. Nobody came."


@pytest.mark.parametrize(
    ("query", "room", "wanted"),
    [
        (["ferries", "leave"], 30, "The ferry leaves at nine."),
        (["ferry", "tickets"], 40, "A ferry ticket costs four. Nobody came."),
        (["ferry", "tickets"], 30, "A ferry ticket costs four."),
        (["ferry", "tickets"], 64, "The ferry leaves at nine. It is red. A ferry ticket costs four."),
        (["red"], 20, "It is red."),  # no question of short words alone stays without an answer
        (["cost", "tickets"], 30, "A ferry ticket costs four."),
        (["pier"], 1000, TEXT),
        (["ferry"], 10, None),
        (["moon"], 1000, None),
        (["it", "is"], 1000, None),
    ],
)
def test_the_sentences_with_the_words_are_what_is_left_of_a_span(
    query: list[str], room: int, wanted: str | None
) -> None:
    asked = " ".join(query)
    part = shorten_span(f"Before. {TEXT} After.", PassageSpan("p", 8, 8 + len(TEXT), 3, 3), room, len, asked)
    assert (part and f"Before. {TEXT} After."[part.start : part.end]) == wanted
    assert part is None or (part.first, part.last) == (3, 3)


@pytest.mark.parametrize(("asked", "said"), [("virus", "viruses"), ("glass", "glasses"), ("ports", "port")])
def test_a_plural_is_the_same_word(asked: str, said: str) -> None:
    for word, other in ((asked, said), (said, asked)):
        text = f"Most of the rooms are cold in winter. The old {other} were in the ice. People came and left."
        part = shorten_span(text, PassageSpan("p", 0, len(text), 0, 0), 40, len, word)
        assert part is not None
        assert other in text[part.start : part.end]


def test_stems_are_those_of_the_language_that_is_given_or_of_the_beginning() -> None:
    text = "The rooms of the inn are cold and the roofs are old. Alte Häuser stehen hier. Nobody came."
    span = PassageSpan("p", 0, len(text), 0, 0)
    for language, is_found in ((None, False), ("en", False), ("de", True)):
        assert (shorten_span(text, span, 26, len, "Häusern", language) is not None) == is_found
    assert shorten_span(
        f"{'Das ist der Hafen. ' * 9}{text}", PassageSpan("p", 171, 171 + len(text), 0, 0), 26, len, "Häusern"
    )


def test_two_pairs_of_a_script_without_spaces_are_words_enough() -> None:
    text = "The halls are closed. 门票旺季六十元。Nobody came. 展厅很大。"
    part = shorten_span(text, PassageSpan("p", 0, len(text), 0, 0), 12, len, "门票几元？")
    assert part is None  # one pair may be anything
    part = shorten_span(text, PassageSpan("p", 0, len(text), 0, 0), 12, len, "旺季的门票")
    assert part is not None
    assert text[part.start : part.end] == "门票旺季六十元。"


@pytest.mark.parametrize("code", ["E07", "F7", "E-07", "E0712"])
def test_a_code_says_enough_and_what_is_said_twice_says_it_once(code: str) -> None:
    text = f"The tank is empty and is filled again. {code} is a hot boiler. The cat sleeps. The dog eats by the stove."
    part = shorten_span(text, PassageSpan("p", 0, len(text), 0, 0), 40, len, f"What is the {code}?")
    assert part is not None
    assert text[part.start : part.end].startswith(code)
    without = text.replace(f"{code} is a hot boiler. ", "")
    assert shorten_span(without, PassageSpan("p", 0, len(without), 0, 0), 50, len, f"So the {code}?") is None


def test_no_run_is_measured_where_no_sentence_has_words_of_the_question() -> None:
    measured: list[str] = []

    def size(text: str) -> int:
        measured.append(text)
        return len(text)

    assert shorten_span(TEXT, PassageSpan("p", 0, len(TEXT), 0, 0), 40, size, "moon") is None
    assert TEXT.split() == " ".join(measured).split()  # each sentence once


def test_no_sentence_is_measured_where_each_is_surely_too_long() -> None:
    measured: list[str] = []

    def size(text: str) -> int:
        measured.append(text)
        return len(text)

    span = PassageSpan("p", 0, len(TEXT), 0, 0)
    assert shorten_span(TEXT, span, 8, size, "red", least=lambda text: len(text) - 1) is None
    assert not measured
    assert shorten_span(TEXT, span, 10, size, "red", least=lambda text: len(text) - 1) is not None


def test_only_the_span_is_read_where_no_sentence_of_it_fits() -> None:
    class Watched:
        def __init__(self) -> None:
            self.read = list[tuple[int, int]]()

        def __getitem__(self, part: slice) -> str:
            self.read.append((part.start, part.stop))
            return TEXT[part]

    text, start = Watched(), TEXT.index(" ") + 1
    assert shorten_span(text, PassageSpan("p", start, len(TEXT), 0, 0), 3, len, "tide") is None
    assert min(first for first, _ in text.read) >= start


def count_pieces(text: str) -> int:
    """As a tokenizer counts: a space belongs to the word after it."""
    return len(re.findall(r" ?\w{1,4}|\S|\s+", text))


ADDING_UP: dict[str, Callable[[str], int]] = {
    "characters": len,
    "words": lambda text: len(text.split()),
    "bytes": lambda text: len(text.encode()),
    "characters and metadata": lambda text: len(f"file: a.txt\n\n{text}".strip()),
}
OTHERS: dict[str, Callable[[str], int]] = {
    "tokens": count_pieces,
    "tokens with marks around": lambda text: count_pieces(text) + 2,
    "squares": lambda text: len(text) ** 2 // 10,
    "roots": lambda text: int(10 * len(text) ** 0.5),
    "one": lambda text: 1,
    "of its own mind": lambda text: len(text) * 7919 % 31,
}
SENTENCES = st.lists(
    st.sampled_from(["a b. ", "c d e! ", "F? ", "\n\n", "The bell rang.\n", "No fish here.  ", "北京很大。", "bell "])
).map("".join)


@law()
@given(SENTENCES, st.integers(0, 60), st.sampled_from(sorted(ADDING_UP)))
def test_no_run_of_sentences_that_fits_is_better(text: str, room: int, sizer: str) -> None:
    span, size = PassageSpan("p", 0, len(text), 0, 0), ADDING_UP[sizer]
    part = shorten_span(text, span, room, size, "bell fish rang")
    assert (part and (part.start, part.end)) == shortened(text, room, size, ["bell", "fish", "rang"])


@law()
@given(SENTENCES, st.integers(0, 60), st.sampled_from(sorted(OTHERS)))
def test_a_run_fits_also_where_sizes_do_not_add_up(text: str, room: int, sizer: str) -> None:
    size = OTHERS[sizer]
    part = shorten_span(text, PassageSpan("p", 0, len(text), 0, 0), room, size, "bell fish")
    if part is not None:
        piece = text[part.start : part.end]
        assert size(piece) <= room
        assert piece == piece.strip()
        assert "bell" in piece or "fish" in piece


@pytest.mark.parametrize("sizer", ["tokens", "tokens with marks around"])
def test_most_of_the_room_is_taken_where_sizes_nearly_add_up(sizer: str) -> None:
    text, size = 400 * "Some bees live in old trees. They like dry wood. " + "The bell rang.", OTHERS[sizer]
    room = size(text[-2000:])
    part = shorten_span(text, PassageSpan("p", 0, len(text), 0, 0), room, size, "bell")
    assert part is not None
    assert "bell" in text[part.start : part.end]
    assert 0.95 * room < size(text[part.start : part.end]) <= room


@pytest.mark.parametrize("sizer", [*ADDING_UP, *OTHERS])
@pytest.mark.parametrize("share", [0.001, 0.1, 0.9])
def test_what_is_measured_grows_as_the_text(sizer: str, share: float) -> None:
    size = (ADDING_UP | OTHERS)[sizer]
    for count in (100, 400):
        text, measured = count * "Some bees live in old trees. The bell rang twice. ", 0

        def measure(piece: str) -> int:
            nonlocal measured
            measured += len(piece)
            return size(piece)

        shorten_span(text, PassageSpan("p", 0, len(text), 0, 0), int(share * size(text)), measure, "bell")
        assert measured <= (1 + TRIES) * len(text) + 100
        if sizer in ADDING_UP:
            assert measured <= (1 + share) * len(text) + 100
