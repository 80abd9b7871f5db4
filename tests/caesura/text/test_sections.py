"""Sections: where a long text is cut first, so that an edit changes few of the parts that are cut by themselves."""

from __future__ import annotations

import random
import time
from itertools import pairwise

import pytest
from fakes.growth import assert_time_grows
from fakes.texts.hostile_atoms import hostile_text
from hypothesis import given
from hypothesis import strategies as st

from caesura.edges import is_tiling
from caesura.text.sections import section_edges

WORDS = ["moon", "tide", "yeast", "dough", "harbour", "ferry", "coin", "ticket", "water", "shore", "night", "lamp"]


def paragraphs(count: int, seed: int = 0, joint: str = "\n\n") -> str:
    """Paragraphs of sentences, hardly any of them twice."""
    drawn = random.Random(seed)
    return joint.join(
        " ".join(f"{' '.join(drawn.choices(WORDS, k=drawn.randint(3, 9))).capitalize()}." for _ in range(4))
        for _ in range(count)
    )


def parts(text: str, most: int) -> list[str]:
    """The sections of a text, which tile it; each is its own only one."""
    edges = section_edges(text, most)
    assert is_tiling(edges, len(text))
    found = [text[start:end] for start, end in pairwise(edges.tolist())]
    for part in found:
        assert section_edges(part, most).tolist() == [0, len(part)]
    return found


PARTS = (
    "word. ",
    "Nine words.\n",
    "\n\n",
    "# Head\n\n",
    "```\n",
    "~~~\n",
    "  in\n",
    "海は。",
    " ",
    "\r\n",
    "\r",
    "﷽",
    "\ud800",
)


@given(st.lists(st.sampled_from(PARTS), max_size=200).map("".join), st.integers(1, 60))
def test_sections_tile_any_text_and_each_is_its_own_only_one(text: str, most: int) -> None:
    found = parts(text, most)
    assert all(len(part) >= most // 4 for part in found) or len(found) <= 1


@pytest.mark.parametrize("number", range(20))
def test_sections_tile_hostile_texts(number: int) -> None:
    parts(hostile_text(number, 5_000), 400)


def test_a_text_up_to_the_most_is_one_section() -> None:
    text = paragraphs(10)
    assert section_edges(text, len(text)).tolist() == [0, len(text)]
    assert len(section_edges(text, len(text) - 1)) == 3
    assert section_edges("", 9).tolist() == [0]


def test_sections_begin_after_blank_lines_with_nothing_indented() -> None:
    text = paragraphs(400).replace("\n\nM", "\n\n    M")
    found = parts(text, 4_000)
    assert len(found) > 20
    assert all(before.endswith("\n\n") and after[0] not in " M" for before, after in pairwise(found))


def test_sections_begin_at_headings_where_there_are_some() -> None:
    pieces = paragraphs(400).split("\n\n")
    pieces[::12] = [f"## {piece}" for piece in pieces[::12]]
    found = parts("\n\n".join(pieces), 8_000)
    assert len(found) > 8
    assert all(part.startswith("## ") for part in found[1:])


def test_no_section_begins_in_code_between_fences() -> None:
    code = "```python\n{}\n```".format("\n\n".join(f"x{number} = {number}" for number in range(60)))
    text = "\n\n".join(f"{paragraph}\n\n{code}" for paragraph in paragraphs(60).split("\n\n"))
    found = parts(text, 3_000)
    assert len(found) > 10
    assert all(part.count("```") % 2 == 0 for part in found)


def test_a_fence_that_is_never_closed_hides_nothing() -> None:
    assert len(parts(f"```\n{paragraphs(2_000)}", 4_000)) > 50


def test_without_blank_lines_sections_begin_with_lines_else_with_sentences() -> None:
    lines = parts(paragraphs(400, joint="\n"), 4_000)
    assert len(lines) > 20
    assert all(part.endswith("\n") for part in lines[:-1])
    indented = parts(paragraphs(400, joint="\n  "), 4_000)
    assert all(part.startswith("  ") for part in indented[1:])
    sentences = parts(paragraphs(400, joint=" "), 4_000)
    assert all(part.endswith(". ") for part in sentences[:-1])
    assert all(part.endswith("。") for part in parts("海の水は岸に二度のぼる。" * 900, 900))


@pytest.mark.parametrize("text", ["\n" * 9_000, "a" * 9_000, " " * 9_000, "ab, " * 3_000])
def test_a_text_without_places_stays_whole(text: str) -> None:
    assert section_edges(text, 900).tolist() == [0, len(text)]


def test_a_section_without_places_ends_at_the_first_one_after_it() -> None:
    text = f"{'a' * 5_000}\n\nTwo words.\n\n{paragraphs(100)}"
    found = parts(text, 900)
    assert found[0] == f"{'a' * 5_000}\n\n"
    assert len(found) > 10


@pytest.mark.parametrize("joint", ["\n\n", "\n", " "])
def test_an_edit_changes_few_sections(joint: str) -> None:
    text, drawn = paragraphs(1_200, joint=joint), random.Random(5)
    before = set(parts(text, 8_000))
    changed: list[int] = []
    for _ in range(12):
        at, length = drawn.randrange(len(text)), drawn.choice([0, 0, 40, 4_000, 20_000])
        added = drawn.choice(["", "Nobody came to see it that year. ", "\n\n# New\n\n", paragraphs(40, drawn.random())])
        edited = f"{text[:at]}{added}{text[at + length :]}"
        edges = section_edges(edited, 8_000).tolist()
        changed.append(sum(edited[start:end] not in before for start, end in pairwise(edges)))
    assert len(before) > 25
    assert sorted(changed)[6] <= 2
    assert max(changed) <= 12


@pytest.mark.thorough
@pytest.mark.parametrize("number", range(12))
def test_the_time_grows_with_the_text(number: int) -> None:
    def seconds(length: int) -> float:
        text, begun = hostile_text(number, length), time.process_time()
        section_edges(text, 400)
        return time.process_time() - begun

    assert_time_grows(seconds, 50_000, 400_000, 20)
