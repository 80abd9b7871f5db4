"""The short way past a common full stop finds what the long way does."""

from __future__ import annotations

from collections.abc import Callable
from unittest.mock import patch

import pytest
from fakes.laws import law
from hypothesis import given
from hypothesis import strategies as st

from caesura.text import sentences
from caesura.text import word_lists as abbreviations

LISTED = sorted(abbreviations.SHORTENED | abbreviations.DATES)
WORDS = st.one_of(
    st.sampled_from(LISTED),
    st.sampled_from(LISTED).map(str.title),
    st.sampled_from(
        ["it", "was", "time", "mix", "vi", "ill", "e.g", "U.S", "St", "fig", "a", "I", "1999", "über", "Ärzte", "l'eau"]
    ),
    st.text("abeivxTÉß'-(\"1", min_size=1, max_size=7),
)
SENTENCES = st.builds(
    lambda parts, blank, stop: stop.join(map(blank.join, parts)),
    st.lists(st.lists(WORDS, min_size=1, max_size=4), min_size=1, max_size=6),
    st.sampled_from(" \n"),
    st.sampled_from([". ", ".  ", ".\n"]),
)


@pytest.mark.parametrize("edges", [sentences.sentences, sentences.units])
@law()
@given(SENTENCES)
def test_common_stops_are_as_by_the_long_way(edges: Callable[[str], object], text: str) -> None:
    quick = list(edges(text))  # type: ignore[call-overload]
    with patch.object(sentences, "surely_ends", lambda *_: False):
        assert list(edges(text)) == quick, text  # type: ignore[call-overload]
