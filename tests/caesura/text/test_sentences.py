"""Sentences by rule, as golden files: what is cut, what must not be, and what is known to go wrong."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from _pytest.mark.structures import ParameterSet

from caesura.edges import is_tiling
from caesura.text.sentences import sentences

GOLDEN = Path(__file__).parents[2] / "golden"


def golden(name: str) -> list[ParameterSet]:
    groups = json.loads((GOLDEN / f"sentences_{name}.json").read_text("utf-8"))
    return [pytest.param(row, id=f"{group}-{i}") for group, rows in groups.items() for i, row in enumerate(rows)]


def units(text: str) -> list[str]:
    return [text[a:b] for a, b in pairwise(sentences(text).tolist())]


@pytest.mark.parametrize("expected", golden("wild"))
def test_sentences_in_the_wild_are_found(expected: list[str]) -> None:
    assert units("".join(expected)) == expected


@pytest.mark.parametrize("text", golden("negative"))
def test_what_must_not_be_cut(text: str) -> None:
    assert units(text) == [text]


@pytest.mark.xfail(strict=True, reason="known failure")
@pytest.mark.parametrize("expected", golden("known_failures"))
def test_what_is_known_to_be_cut_wrong(expected: list[str]) -> None:
    assert units("".join(expected)) == expected


@pytest.mark.parametrize("name", ["wild", "known_failures"])
def test_no_golden_sentence_is_blank(name: str) -> None:
    rows = [row for param in golden(name) for row in param.values]
    assert all(isinstance(row, list) and all(unit.strip() for unit in row) for row in rows)


def test_the_empty_and_the_blank_text() -> None:
    assert sentences("").tolist() == [0]
    assert sentences(" \n\n ").tolist() == [0, 4]
    assert sentences("").dtype == np.intp


@pytest.mark.parametrize(
    "seed", [".", "((((", "a.a.a.", '"', "\n", "word", " ", "1. 1. 1. ", "。", "། ", ". ", "$$ ", "```a\n", "• a ", "“"]
)
def test_odd_input_of_100_kb_ends(seed: str) -> None:
    text = seed * (100_000 // len(seed))
    assert is_tiling(sentences(text), len(text))


def test_what_is_beyond_a_blank_line_has_no_say() -> None:
    for beyond in ("", "0", "and so on", "The dog"):
        assert sentences(f"The cat sat. ,\n\n{beyond}").tolist()[:3] == [0, 13, 16]


def test_an_ellipsis_before_a_number_is_no_sentence_at_the_head_of_a_text_or_of_a_paragraph() -> None:
    assert sentences("… 0").tolist() == [0, 3]
    assert sentences("The cat sat.\n\n… 0").tolist() == [0, 14, 17]
