"""Sizers."""

import pytest
from fakes.splitters.sizers import odd_tokens
from fakes.texts.drawn_texts import documents
from hypothesis import given

from caesura import tokens, utf8_bytes, words
from caesura.sizers import without_surrogates

TEXT = "naïve  中文\r\ne\u0301 \x00"


@pytest.mark.parametrize(("size", "expected"), [(utf8_bytes, 21), (words, 4), (tokens(str.split), 4)])
def test_a_sizer_counts_what_its_name_says(size: object, expected: int) -> None:
    assert size(TEXT) == expected
    assert size("") == 0


def test_a_lone_surrogate_is_three_bytes() -> None:
    assert (utf8_bytes("\ud800"), words("a\udc00")) == (3, 1)


@given(documents)
def test_a_tokenizer_never_sees_a_lone_surrogate(text: str) -> None:
    seen: list[str] = []
    tokens(lambda shown: seen.append(shown) or [])(text)
    assert seen[0].encode("utf-8").decode("utf-8") == seen[0] == without_surrogates(text)


@given(documents)
def test_only_surrogates_are_replaced(text: str) -> None:
    shown = without_surrogates(text)
    if not any("\ud800" <= character <= "\udfff" for character in text):
        assert shown == text
    kept = [character for character in text if not "\ud800" <= character <= "\udfff"]
    rest = iter(shown)
    assert all(character in rest for character in kept)


def test_lone_surrogates_become_the_replacement_character() -> None:
    assert without_surrogates("a\ud800b\udc00") == "a\ufffdb\ufffd"


def test_the_tests_own_tokenizer_does_not_add_up() -> None:
    assert odd_tokens("a") + odd_tokens("\n") < odd_tokens("a\n")
    assert odd_tokens(" hello") < odd_tokens("hello")
    assert odd_tokens("semantic") < odd_tokens("semanti")
