"""Whether a cut at a position would part what a reader takes for one character."""

import pytest

from caesura.text.graphemes import inside_grapheme


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("e\u0301", 1), ("\r\n", 1), ("\U0001f44d\U0001f3fd", 1), ("\U0001f468\u200d\U0001f469", 1),
        ("\U0001f468\u200d\U0001f469", 2), ("\U0001f1e9\U0001f1ea", 1),
        ("x\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7", 4), ("\u1112\u1161", 1), ("\u1161\u11ab", 1),
        ("\ud55c\u11ab", 1), ("\u0915\u093f", 1),
        ("a\u20dd", 1), ("a\ufe0f", 1),
    ],
    ids=ascii,
)  # fmt: skip
def test_a_position_inside_a_grapheme_is_known(text: str, position: int) -> None:
    assert inside_grapheme(text, position)


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("ab", 1), ("\n\r", 1), ("\n\n", 1), ("\U0001f44d\U0001f44d", 1),
        ("\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7", 2), ("\u0301a", 1), ("\u4e2d\u6587", 1),
        ("a\u1161", 1), ("\u11ab\u1112", 1), ("a\ud800", 1),
    ],
    ids=ascii,
)  # fmt: skip
def test_a_position_between_graphemes_is_known(text: str, position: int) -> None:
    assert not inside_grapheme(text, position)
