"""`check_sizer` passes what keeps the laws, and says of each broken sizer which law it breaks, where, and why."""

from __future__ import annotations

import re

import pytest
from broken.sizers import BROKEN, IDS
from fakes.splitters.sizers import SIZERS, tiktoken_sizer

from caesura import tokens
from caesura.types import Sizer
from caesura_testing import check_sizer


@pytest.mark.parametrize(("size", "most"), SIZERS.values(), ids=SIZERS)
def test_a_sound_sizer_passes(size: Sizer, most: int) -> None:
    check_sizer(size, max_size=most)


def test_openais_tokenizer_passes() -> None:
    found = tiktoken_sizer()
    if found is None:
        pytest.skip("needs tiktoken and the data that llama-index-core carries")
    check_sizer(found, max_size=16)


@pytest.mark.parametrize(("size", "said"), BROKEN, ids=IDS)
def test_a_broken_sizer_is_caught(size: Sizer, said: str) -> None:
    with pytest.raises(AssertionError, match=said) as caught:
        check_sizer(size)
    assert re.search(r"\n  given:  .+\n  found:  .+\n  remedy: .+", str(caught.value))


def test_a_code_point_over_the_limit_is_shown() -> None:
    def with_two_more(text: str) -> list[str]:
        return ["[CLS]", *text, "[SEP]"]

    size = tokens(with_two_more)
    check_sizer(size, max_size=3, pickled=False)
    with pytest.raises(AssertionError, match=r"at most max_size=2(?s:.*)found:  3(?s:.*)what the tokenizer adds"):
        check_sizer(size, max_size=2, pickled=False)
