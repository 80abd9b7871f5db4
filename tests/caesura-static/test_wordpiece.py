"""caesura_static's tokenizer against the `tokenizers` library's BERT, and what it does where that library refuses."""

from __future__ import annotations

import random
import sys
import unicodedata
from typing import Any

import numpy as np
import pytest

from caesura_static import pieces
from caesura_static.folding import joined_up
from caesura_static.model import load

# Each character class whose treatment is a rule of its own, and the ways that rules can meet.
ODD = [
    "",
    " \t\n\r\u00a0\u3000\u2028",
    "Café CAFÉ cafe\u0301 naïve Ångström ﬁne Ǆungla",
    "ΟΔΥΣΣΕΥΣ Σ ς ΑΣ. İstanbul ISTANBUL ß ẞ Straße",
    "end\x0cstart a\x0bb a\x1cb a\x1fb a\x85b",
    "a\x00b a\u200bb a\ufeffb a\u00adb a\ufffdb a\ue000b",
    "漢字かな交じり文。한국어 문장, 中文句子！",
    "\uf900 \u2f81a \U00020000\U0002a700 豈",
    "Хорошо, 'quoted' «guillemets» — dash… ¿qué? ¡sí!",
    "$5+5=10 <tag> a^b `x` |y| ~z @w #h %p &a *s (b) [c] {d} \\e /f :g ;h ?i !j",
    "x²+y² ½ © ™ € £ → ∀x∃y 😀👩\u200d👩\u200d👧 🇫🇷",
    "مرحبا بالعالم שָׁלוֹם नमस्ते สวัสดี ភាសា",
    "[CLS] [SEP] [UNK] [MASK] ##ing ## #",
    "a" * 100 + " " + "a" * 101 + " " + "é" * 101,
    "supercalifragilisticexpialidocious antidisestablishmentarianism zzzzqqqq",
    "don't can't it's U.S.A. e.g. 3.14 1,000 v2.0.1 foo_bar fooBar HTTPServer",
    "\u037e \u1fef \u2126 \u212b \u0344 \u0340 \u2000\u2001",
    "e\u0301\u0323\u0327 \u0301alone \u0301",
    "\U0001d400\U0001d7ce ﷽ ⅷ Ⅷ ℌ",
]


@pytest.fixture(scope="module")
def tokens() -> list[str]:
    return list(load().words.vocabulary)


@pytest.fixture(scope="module")
def oracle(tokens: list[str]) -> Any:
    """Text -> token numbers, as the library's uncased BERT does it, without added special tokens."""
    library = pytest.importorskip("tokenizers")
    numbers = {token: number for number, token in enumerate(tokens)}
    made = library.Tokenizer(library.models.WordPiece(numbers, unk_token="[UNK]", max_input_chars_per_word=100))
    made.normalizer = library.normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = library.pre_tokenizers.BertPreTokenizer()
    return lambda text: made.encode(text, add_special_tokens=False).ids


def numbers(text: str) -> list[int]:
    return list(load().words.numbers(text))


def words(tokens: list[str], count: int) -> list[str]:
    """Words of the vocabulary, glued, cut, capitalised, with accents and marks: the same in every run."""
    draw = random.Random(20)
    plain = [token.removeprefix("##") for token in tokens]
    made = []
    for _ in range(count):
        word = "".join(draw.choices(plain, k=draw.choice((1, 1, 2, 3))))
        word = draw.choice((str, str.title, str.upper, str.swapcase))(word[: draw.randint(1, 24)])
        place, mark = (
            draw.randint(0, len(word)),
            draw.choice(("", "", "", "-", "'", ".", "é", "\u0308", "ß", "7", "語")),
        )
        made.append(word[:place] + mark + word[place:])
    return made


@pytest.mark.thorough
def test_20_000_words_agree_with_the_library(tokens: list[str], oracle: Any) -> None:
    for word in words(tokens, 20_000):
        assert numbers(word) == oracle(word), word


def test_texts_agree_with_the_library(tokens: list[str], oracle: Any) -> None:
    made, draw = words(tokens, 4_000), random.Random(21)
    for start in range(0, len(made), 20):
        blanks = draw.choices((" ", "  ", "\n", "\t", ", ", "\u00a0", "\x0c"), k=20)
        text = "".join(word + blank for word, blank in zip(made[start : start + 20], blanks, strict=True))
        assert numbers(text) == oracle(text), text


@pytest.mark.parametrize("text", ODD)
def test_odd_unicode_agrees_with_the_library(text: str, oracle: Any) -> None:
    assert numbers(text) == oracle(text)


@pytest.mark.thorough
def test_every_old_character_agrees_with_the_library(oracle: Any) -> None:
    """Characters that Unicode 3.2 had and that kept their category; the library's tables are older than Python's."""
    for code in range(sys.maxunicode + 1):
        kind = unicodedata.category(chr(code))
        if kind not in ("Cn", "Cs") and kind == unicodedata.ucd_3_2_0.category(chr(code)):
            text = f"a{chr(code)}b"
            assert numbers(text) == oracle(text), hex(code)


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\ud83d \ude00", "x" * 10**5, "é" * 10**4, "\u0301" * 10**4])
def test_what_the_library_refuses_or_takes_long_for_is_still_read(text: str) -> None:
    assert all(0 <= number < len(load().steps) for number in numbers(text))


def test_blanks_only_have_no_token() -> None:
    assert numbers(" \t\n\r\x00\u200b\u00a0\u3000") == []


def test_words_are_split_alike_whatever_is_read_together(monkeypatch: pytest.MonkeyPatch, tokens: list[str]) -> None:
    made = words(tokens, 400)
    want = [numbers(word) for word in made]
    monkeypatch.setattr(pieces, "BLOCK", 7)
    assert numbers(" ".join(made)) == [number for each in want for number in each]


def test_the_words_of_some_stretches_are_those_of_these_stretches_read_alone() -> None:
    words, draw = load().words, random.Random(8)
    stretches = [stretch for text in ODD for stretch in joined_up(text).split()] + ["harbour,", "xkqzvwr(1)"]
    read = words.read(stretches)
    for count in (0, 1, 7, len(stretches)):
        some = sorted(draw.sample(range(len(stretches)), count))
        found, alone = read.some(np.array(some, np.intp)), words.read([stretches[place] for place in some])
        for own, want in zip(found, alone, strict=True):
            np.testing.assert_array_equal(own, want)
