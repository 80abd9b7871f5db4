"""`odd_texts`: of many kinds, the same every time."""

from __future__ import annotations

import pytest

from caesura_testing import odd_texts


def test_texts_are_the_same_every_time_of_many_kinds_and_the_shortest_first() -> None:
    texts = odd_texts()
    assert texts == odd_texts()
    assert len(texts) == 300
    assert texts != odd_texts(seed=1)
    assert texts == sorted(texts, key=len)
    assert texts[0] == ""
    assert len(texts[-1]) > 1000
    held = set().union(*texts)
    for wanted in "\x00\r\u2028\u3000\u0301\u200d\ud800aвλ渡कع배":
        assert wanted in held
    assert any(ord(one) > 0x1FFFF for one in held)
    assert sum(text.isspace() for text in texts) >= 5


def test_texts_without_lone_surrogates_can_be_encoded() -> None:
    "".join(odd_texts(surrogates=False)).encode()
    with pytest.raises(UnicodeEncodeError):
        "".join(odd_texts()).encode()
