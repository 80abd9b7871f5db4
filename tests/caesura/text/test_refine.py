"""Where `refine` cuts what is too large: at clauses, words, graphemes, code points."""

import numpy as np
import pytest
from fakes.splitters.sizers import dear_ends
from hypothesis import given
from hypothesis import strategies as st
from naive.chunks import units

from caesura import utf8_bytes
from caesura.text.refine import refine


def pieces(text: str, size: object, max_size: int, *inner: int) -> list[str]:
    return units(text, refine(text, np.array([0, *inner, len(text)]), size, max_size).tolist())


def test_a_clause_end_in_the_second_half_comes_before_a_word_end() -> None:
    assert pieces("when it rains, we stay at home", len, 20) == ["when it rains, ", "we stay at home"]


def test_a_clause_end_in_the_first_half_does_not() -> None:
    assert pieces("so, we will all of us stay here", len, 20) == ["so, we will all of ", "us stay here"]


def test_a_word_end_comes_before_a_letter() -> None:
    assert pieces("alpha beta gamma", len, 12) == ["alpha beta ", "gamma"]


def test_chinese_commas_and_line_ends_part_clauses() -> None:
    assert pieces("天空是蓝色的，草是绿色的", len, 8) == ["天空是蓝色的，", "草是绿色的"]
    assert pieces("first item\nsecond", len, 14) == ["first item\n", "second"]


def test_a_long_word_is_cut_where_it_reaches() -> None:
    assert pieces("abcdefghij", len, 4) == ["abcd", "efgh", "ij"]
    assert pieces("中文中文", utf8_bytes, 7) == ["中文", "中文"]


def test_graphemes_stay_whole_while_they_fit() -> None:
    assert pieces("e\u0301" * 5, len, 3) == ["e\u0301"] * 5
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    assert pieces(family * 3, len, 6) == [family] * 3
    assert pieces("\U0001f1e9\U0001f1ea" * 3, len, 3) == ["\U0001f1e9\U0001f1ea"] * 3


def test_a_grapheme_that_does_not_fit_is_cut_between_code_points() -> None:
    assert pieces("e" + "\u0301" * 9, len, 4) == ["e\u0301\u0301\u0301", "\u0301" * 4, "\u0301" * 2]


def test_a_word_end_is_passed_over_where_the_piece_would_not_fit() -> None:
    assert pieces("alpha beta gamma", dear_ends, 12)[0] == "alpha "


def test_whitespace_alone_is_cut_too() -> None:
    assert [len(piece) for piece in pieces(" " * 25, len, 10)] == [10, 10, 5]


@pytest.mark.parametrize("below", ["- one\n- two\n- three\n", "```\na = 1\nb = 2\n```\n", "It is one. It is two.\n"])
def test_a_heading_stays_with_the_first_of_what_follows_it(below: str) -> None:
    first, *rest = pieces(f"## Ferries\n\n{below}", len, 24)
    assert rest
    assert first.startswith("## Ferries\n\n")
    assert len(first.strip()) > len("## Ferries\n\n") + 2


def test_a_heading_stays_with_the_beginning_of_a_sentence_that_fits_by_itself_only() -> None:
    assert pieces("## Ferries\n\nThey leave at nine.", len, 24) == ["## Ferries\n\nThey leave ", "at nine."]


def test_a_heading_over_half_of_the_limit_is_alone_where_the_sentence_below_fits_by_itself() -> None:
    assert pieces("## Ferries\n\nThey leave at 9.", len, 18) == ["## Ferries\n\n", "They leave at 9."]


def test_a_sentence_below_a_heading_that_fits_nowhere_is_cut_as_any() -> None:
    assert pieces("## Ferries\n\nThey leave at nine in the morning.", len, 24) == [
        "## Ferries\n\nThey leave ",
        "at nine in the morning.",
    ]


@given(st.lists(st.integers(1, 30), min_size=2, max_size=8), st.integers(20, 60), st.sampled_from(["# ", "## "]))
def test_no_piece_is_a_heading_alone_if_the_first_item_fits_beside_it(
    lengths: list[int], max_size: int, mark: str
) -> None:
    heading, items = f"{mark}Fares\n\n", [f"- {'x' * length}\n" for length in lengths]
    first = pieces(heading + "".join(items), len, max_size)[0]
    if len(heading + items[0]) <= max_size:
        assert first.startswith(heading + items[0])


def test_a_block_is_cut_where_its_parts_end_if_somebody_knows_them() -> None:
    text = "Code:\n\n```python\nfirst = [1,\n\n2]\nsecond = 3\n```"
    asked: list[str] = []

    def block_parts(block: str) -> np.ndarray | None:
        asked.append(block)
        at = block.index("second")
        return np.array([0, at, len(block)])

    edges = refine(text, np.array([0, 7, len(text)]), len, 30, block_parts=block_parts)
    assert units(text, edges.tolist()) == ["Code:\n\n", "```python\nfirst = [1,\n\n2]\n", "second = 3\n```"]
    assert asked == ["```python\nfirst = [1,\n\n2]\nsecond = 3\n```"]
    edges = refine(text, edges, len, 30, block_parts=block_parts)
    assert units(text, edges.tolist())[1:] == ["```python\nfirst = [1,\n\n2]\n", "second = 3\n```"]


def test_a_part_of_a_block_that_is_over_the_limit_is_cut_at_lines() -> None:
    text = "```\nfirst = [\n  1,\n  2,\n]\n```"
    edges = refine(text, np.array([0, len(text)]), len, 14, block_parts=lambda block: np.array([0, len(block)]))
    assert units(text, edges.tolist()) == ["```\nfirst = [\n", "  1,\n  2,\n]\n", "```"]
    assert refine(text, np.array([0, len(text)]), len, 14, block_parts=lambda block: None).tolist() == edges.tolist()


@pytest.mark.parametrize("opening", ['=== "CSS"\n', '=== "CSS"\n    //// collapse-code\n', '!!! note\n    === "CSS"\n'])
def test_code_that_is_all_of_a_container_is_cut_between_lines(opening: str) -> None:
    indent = " " * 4 * (1 + opening.startswith("!!!"))
    rules = "".join(
        f"{indent}.tab-{n} {{\n{indent}  display: flex;\n{indent}  margin: 1em 0;\n{indent}}}\n" for n in range(9)
    )
    text = f"{opening}{indent}```css\n{rules}{indent}```\n" + "    ////\n" * ("////" in opening)
    found = pieces(text, len, 200)
    assert all(piece.endswith("\n") for piece in found[:-2])
    assert [piece for piece in found[1:-1] if not piece.lstrip().startswith(".tab-")] == []
