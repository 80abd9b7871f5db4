"""Sentences by rule: what is cut, what is not, what is known to go wrong, and what holds for any text."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from _pytest.mark.structures import ParameterSet
from hypothesis import given, settings
from hypothesis import strategies as st
from texts import blanks, documents

import caesura
from caesura.edges import is_tiling
from caesura.text.refine import refine
from caesura.text.sentences import sentences

GOLDEN = Path(__file__).parents[1] / "golden"


def golden(name: str) -> list[ParameterSet]:
    groups = json.loads((GOLDEN / f"sentences_{name}.json").read_text("utf-8"))
    return [pytest.param(row, id=f"{group}-{i}") for group, rows in groups.items() for i, row in enumerate(rows)]


def units(text: str) -> list[str]:
    return [text[a:b] for a, b in pairwise(sentences(text).tolist())]


@pytest.mark.parametrize("expected", golden("wild"))
def test_sentences_in_the_wild(expected: list[str]) -> None:
    assert units("".join(expected)) == expected


@pytest.mark.parametrize("text", golden("negative"))
def test_what_must_not_be_cut(text: str) -> None:
    assert units(text) == [text]


@pytest.mark.xfail(strict=True, reason="known failure")
@pytest.mark.parametrize("expected", golden("known_failures"))
def test_known_failures(expected: list[str]) -> None:
    assert units("".join(expected)) == expected


@pytest.mark.parametrize("name", ["wild", "known_failures"])
def test_no_golden_sentence_is_blank(name: str) -> None:
    rows = [row for param in golden(name) for row in param.values]
    assert all(isinstance(row, list) and all(unit.strip() for unit in row) for row in rows)


def test_the_empty_and_the_blank_text() -> None:
    assert sentences("").tolist() == [0]
    assert sentences(" \n\n ").tolist() == [0, 4]
    assert sentences("").dtype == np.intp


@settings(max_examples=200)
@given(documents)
def test_whitespace_ends_a_unit_and_begins_none_but_the_first(text: str) -> None:
    assert not any(text[at].isspace() for at in sentences(text)[1:-1].tolist())


@given(blanks)
def test_a_blank_text_is_one_unit(text: str) -> None:
    assert sentences(text).tolist() == sorted({0, len(text)})


@settings(max_examples=100)
@given(documents)
def test_the_same_text_has_the_same_sentences(text: str) -> None:
    assert sentences(text).tolist() == sentences(text).tolist()


def unfenced(text: str) -> bool:
    titles = any(line.strip().isupper() or line.strip()[:1].isdigit() for line in text.splitlines())
    return not titles and not any(mark in text for mark in ("```", "~~~", "$$", "#", "==", "--", "</"))


@settings(max_examples=300)
@given(documents.filter(unfenced), documents.filter(unfenced))
def test_a_blank_line_keeps_paragraphs_apart(one: str, two: str) -> None:
    """Fences, formulas and headings aside, which may span it: a cut does not depend on what is beyond a blank line."""
    one, two = f"{one.strip()}\n\n", two.strip()
    if not one.strip() or not two:
        return
    expected = [*sentences(one).tolist(), *(sentences(two)[1:] + len(one)).tolist()]
    assert sentences(one + two).tolist() == expected


LETTERS = st.text("abcdefgh", min_size=5, max_size=9)


@settings(max_examples=200)
@given(st.lists(st.lists(LETTERS, min_size=2, max_size=8), min_size=1, max_size=8), st.sampled_from(" \n"))
def test_plain_sentences_are_found_however_they_are_wrapped(rows: list[list[str]], space: str) -> None:
    expected = [space.join(["The", *words]) + ". " for words in rows]
    assert units("".join(expected)) == expected


@pytest.mark.parametrize(
    "seed", [".", "((((", "a.a.a.", '"', "\n", "word", " ", "1. 1. 1. ", "。", "། ", ". ", "$$ ", "```a\n", "• a ", "“"]
)
def test_odd_input_of_100_kb_ends(seed: str) -> None:
    text = seed * (100_000 // len(seed))
    assert is_tiling(sentences(text), len(text))


def test_the_module_imports_numpy_and_the_standard_library_alone() -> None:
    code = (
        "import sys; before = set(sys.modules); import caesura.text.sentences\n"
        "print(*{name.split('.')[0] for name in set(sys.modules) - before})"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(caesura.__file__).parents[1])}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    loaded = {name for name in run.stdout.split() if not name.startswith("_cython_")}
    assert loaded - {"caesura", "numpy", "cython_runtime", *sys.stdlib_module_names} == set()


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


def test_an_entry_of_a_log_is_no_sentence_of_the_entry_before_it() -> None:
    entries = [
        "2024-05-12 08:10:44,371 ERROR [http-7] Orders - Could not place order 12: timeout\n\tat Gateway.charge(88)\n",
        "Caused by: java.io.IOException: reset\n\t... 12 more\n",
        "2024-05-12T08:10:45Z INFO Order 12 placed\n",
        "2024-05-12T08:10:46Z INFO Report sent",
    ]
    assert units("".join(entries)) == entries


def test_lines_in_capitals_that_follow_each_other_are_not_all_one_unit() -> None:
    text = "HELLO THERE\n\nIS ANYBODY IN\n\nGOING NOW\n\n"
    assert len(units(text * 50)) == 150


def test_closing_tags_belong_to_what_precedes_them() -> None:
    text = "<div>\n<p>It rang.</p>\n</div>\n<p>It stopped.</p>\n</body>\n"
    assert units(text) == ["<div>\n<p>It rang.</p>\n</div>\n", "<p>It stopped.</p>\n</body>\n"]


@pytest.mark.parametrize("mark", "=-~`")
def test_an_underlined_line_opens_the_unit_of_what_follows_it(mark: str) -> None:
    text = f"The bell of Marsh\n{mark * 17}\n\nIt rang. It stopped."
    assert units(text) == [f"The bell of Marsh\n{mark * 17}\n\nIt rang. ", "It stopped."]


@pytest.mark.parametrize("mark", ["````", "~~~~~"])
def test_a_fence_is_closed_by_one_of_its_own_length(mark: str) -> None:
    fence = f"{mark}md\n{mark[:3]}\nIt rang. It stopped.\n{mark[:3]}\n{mark}\n"
    assert units(fence + "Nobody came.") == [fence, "Nobody came."]


@pytest.mark.parametrize("seed", ["\n* ", "\t..."])
def test_parts_within_parts_have_an_end(seed: str) -> None:
    text = seed * 4000
    edges = refine(text, sentences(text), lambda part: len(part) + 2, 300)
    assert is_tiling(edges, len(text))
    assert max(b - a for a, b in pairwise(edges.tolist())) <= 298
