"""Lines that are no prose: a heading opens a unit, an entry of a log is one, a tag closes one, a fence is whole."""

from __future__ import annotations

from itertools import pairwise

import pytest

from caesura.text.sentences import sentences


def units(text: str) -> list[str]:
    return [text[a:b] for a, b in pairwise(sentences(text).tolist())]


@pytest.mark.parametrize(
    "heading",
    [
        *("CHAPTER III", "Chapter 3. The Weir", "THE BELL AT LOWER MARSH", "2.1 Methods", "2.1.3. Drying"),
        *("2 Related Work", "2. TERM AND NOTICE", "III. FEES", "B) COSTS"),
    ],
)
def test_a_heading_in_capitals_or_numbered_opens_the_unit_of_what_follows_it(heading: str) -> None:
    found = units(f"It rang. It stopped.\n\n{heading}\n\nThe bell was cast here. It is cracked.")
    assert found == ["It rang. ", "It stopped.\n\n", f"{heading}\n\nThe bell was cast here. ", "It is cracked."]


@pytest.mark.parametrize(
    "line", ["CERI 0908", "10 steps to a sound bell", "OK", "STOP!", "It was 1953", "2.5 tons of bronze", "3.50 €"]
)
def test_a_short_line_that_is_no_heading_is_a_unit(line: str) -> None:
    assert units(f"It rang.\n\n{line}\n\nThe bell was cast here.") == [
        "It rang.\n\n",
        f"{line}\n\n",
        "The bell was cast here.",
    ]


def test_a_title_stays_with_the_first_numbered_heading() -> None:
    text = "SERVICE AGREEMENT\n\n1. DEFINITIONS\n\n1.1 A bell is a bell.\n\n2. TERM\n\nIt ends in May."
    assert units(text) == [text[:58], text[58:]]
    assert units("1. APPLES\n\n2. PEARS\n\n") == ["1. APPLES\n\n", "2. PEARS\n\n"]


def test_lines_in_capitals_that_follow_each_other_are_not_all_one_unit() -> None:
    text = "HELLO THERE\n\nIS ANYBODY IN\n\nGOING NOW\n\n"
    assert len(units(text * 50)) == 150


@pytest.mark.parametrize("mark", "=-~`")
def test_an_underlined_line_opens_the_unit_of_what_follows_it(mark: str) -> None:
    text = f"The bell of Marsh\n{mark * 17}\n\nIt rang. It stopped."
    assert units(text) == [f"The bell of Marsh\n{mark * 17}\n\nIt rang. ", "It stopped."]


def test_an_entry_of_a_log_is_no_sentence_of_the_entry_before_it() -> None:
    entries = [
        "2024-05-12 08:10:44,371 ERROR [http-7] Orders - Could not place order 12: timeout\n\tat Gateway.charge(88)\n",
        "Caused by: java.io.IOException: reset\n\t... 12 more\n",
        "2024-05-12T08:10:45Z INFO Order 12 placed\n",
        "2024-05-12T08:10:46Z INFO Report sent",
    ]
    assert units("".join(entries)) == entries


def test_closing_tags_belong_to_what_precedes_them() -> None:
    text = "<div>\n<p>It rang.</p>\n</div>\n<p>It stopped.</p>\n</body>\n"
    assert units(text) == ["<div>\n<p>It rang.</p>\n</div>\n", "<p>It stopped.</p>\n</body>\n"]


@pytest.mark.parametrize("mark", ["````", "~~~~~"])
def test_a_fence_is_closed_by_one_of_its_own_length(mark: str) -> None:
    fence = f"{mark}md\n{mark[:3]}\nIt rang. It stopped.\n{mark[:3]}\n{mark}\n"
    assert units(fence + "Nobody came.") == [fence, "Nobody came."]
