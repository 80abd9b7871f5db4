"""Rows of words that the vocabulary does not have: against a slow twin, and what they promise."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from caesura_static import StaticEmbedder, letters, model
from caesura_static.folding import is_ideograph
from caesura_static.pooling import MORE, widen
from caesura_static.wordpiece import END

EMBED = StaticEmbedder()
LOADED = model.load()
TOKENS = list(LOADED.words.vocabulary)
UNSPACED = [
    range(0x0E00, 0x0F00), range(0x1000, 0x10A0), range(0x1780, 0x1800), range(0x3040, 0x3100), range(0x3400, 0x4DC0),
    range(0x4E00, 0xA000), range(0xF900, 0xFB00), range(0x20000, 0x40000),
]  # fmt: skip
TEXTS = [
    "Гавань была полна рыбацких лодок, и канаты блестели.",
    "Der Hafen lag voller Fischerboote; Kubelík, 1.234 Schiffe, Straße.",
    "Το λιμάνι ήταν γεμάτο βάρκες. כל הסירות בנמל، كان الميناء مليئا",
    "बंदरगाह मछली पकड़ने वाली नावों से भरा था। ወደቡ በአሳ ተሞልቶ ነበር",
    "港口里停满了渔船，ABC公司的绳子。カタカナとひらがな、丂丄丅",
    "ท่าเรือเต็มไปด้วยเรือประมง ဆိပ်ကမ်း កំពង់ផែ",
    "Bến cảng đầy thuyền. Limanda balıkçı tekneleri vardı. Portul era plin de bărci.",
    "€50 ═════ \U0001f9ff\U0001f9ff β \U0001d7ce12345678 " + "щ" * 101 + " \u0901\u0901",
]


def directions(name: str, count: int) -> list[list[int]]:
    """The 1 and -1 that a name draws, bit by bit."""
    digest = hashlib.shake_128(name.encode("utf-8", "surrogatepass")).digest(count * EMBED.dimension // 8)
    signs = [2 * (byte >> place & 1) - 1 for byte in digest for place in range(7, -1, -1)]
    return [signs[start : start + EMBED.dimension] for start in range(0, len(signs), EMBED.dimension)]


PAIRS = np.array(directions("pairs", letters.DIRECTIONS))


def unspaced(character: str) -> bool:
    return any(ord(character) in block for block in UNSPACED)


def words_of(stretches: list[str]) -> list[str]:
    read = LOADED.words.read(stretches)
    return [word for word in read.strings(np.arange(len(read.sizes))) if word != END]


def slow_word(word: str) -> list[Fraction]:
    """What one folded word adds to the sum of a text that is read by its letters."""
    tokens = list(LOADED.words.numbers(word))
    pieces = ["" if token == LOADED.silent else TOKENS[token].removeprefix("##") for token in tokens]
    alone = pieces[0] if [len(piece) for piece in pieces] == [1] else ""
    letter = alone.isalpha() and not alone.isascii() and not is_ideograph(ord(alone))
    if len(tokens) == 1 and pieces[0] and not letter:
        return list(map(Fraction, LOADED.steps[tokens[0]].tolist()))
    total = [Fraction(0)] * EMBED.dimension
    if not 1 < len(word) <= 100 or unspaced(word[0]) or not tokens:
        return total
    says = [Fraction(min(max(len(piece) - 1, 0), 3), 3) for piece in pieces]
    covered = sum((share * len(piece) for share, piece in zip(says, pieces, strict=True)), Fraction(0)) / len(word)
    for share, token in zip(says, tokens, strict=True):
        counted = 1 if word.isascii() else share
        total = [a + counted * b for a, b in zip(total, LOADED.steps[token].tolist(), strict=True)]
    if word[0].isalnum():
        loudness = round(letters.WORD * (1 - covered) * Fraction(min(len(word) - 1, 5), 5))
        total = [a + loudness * b for a, b in zip(total, directions(word[:5], 1)[0], strict=True)]
    return total


def slow_letters(text: str) -> NDArray[np.float64]:
    """The sum of a text that is read by its letters alone."""
    total = np.zeros(EMBED.dimension)
    for stretch in text.split():
        words = words_of([stretch])
        for word in words:
            total += np.array(list(map(float, slow_word(word))))
        for first, second in pairwise("".join(words)):
            if unspaced(first) and unspaced(second):
                drawn = (ord(first) * 2654435761 + ord(second) * 2246822519) % 2**32 >> 16
                total += letters.PAIR * PAIRS[drawn % letters.DIRECTIONS]
    return total


def known_whole(word: str) -> bool:
    tokens = list(LOADED.words.numbers(word))
    if len(tokens) != 1:
        return not tokens
    token = TOKENS[tokens[0]]
    return token != "[UNK]" and (len(token) > 1 or token.isascii())


def slow_row(text: str) -> NDArray[np.float64]:
    tokens = list(LOADED.words.numbers(text))
    words = [word for word in words_of(text.split()) if word[0].isalpha()]
    strange = Fraction(sum(len(word) for word in words if not known_whole(word)), max(sum(map(len, words)), 1))
    share = round(16 * min(max(Fraction(0), (strange - Fraction(45, 100)) * 4), Fraction(1))) / 16
    total = (1 - share) * LOADED.steps[tokens].sum(axis=0, dtype=np.int64) + share * slow_letters(text)
    row: NDArray[np.float64] = total / (np.linalg.norm(total) or 1)
    return row


def cosine(one: str, other: str) -> float:
    a, b = EMBED([one, other])
    return float(a @ b)


@pytest.mark.parametrize("text", TEXTS)
def test_a_row_is_that_of_the_slow_twin(text: str) -> None:
    np.testing.assert_allclose(EMBED([text])[0], slow_row(text), rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    "text",
    [
        "The harbour was full of fishing boats, and a café's ropes weren't wet in 1987.",
        "Kubelík conducted Smetana's Má vlast in Prague again, with the Czech Philharmonic, after years of exile.",
        "Patients were treated with hydroxychloroquine and azithromycin, and their viral load was measured.",
    ],
)
def test_english_is_the_sum_of_its_tokens_also_where_it_has_names_and_terms(text: str) -> None:
    total = LOADED.steps[list(LOADED.words.numbers(text))].sum(axis=0, dtype=np.int64).astype(np.float32)
    np.testing.assert_array_equal(EMBED([text])[0], total / np.sqrt(np.einsum("i,i->", total, total)))


@pytest.mark.parametrize(
    ("one", "same", "other"),
    [
        ("рыбацкие лодки", "рыбацкая лодка", "процентные ставки"),
        ("ወደቡ በአሳ ተሞልቶ", "በአሳ ወደቡ ተሞልቶ", "የባንክ ወለድ ተመን"),
        ("मछली पकड़ने वाली नाव", "मछली की नाव", "ब्याज दर बढ़ी"),
        ("ท่าเรือประมง", "เรือประมง", "อัตราดอกเบี้ย"),
        ("丂丄丅丆", "丂丄丅", "丏丒丗丟"),
    ],
)
def test_texts_that_share_words_are_nearer_than_others_in_any_script(one: str, same: str, other: str) -> None:
    assert cosine(one, same) > 0.4
    assert cosine(one, same) > cosine(one, other) + 0.3


def test_what_is_not_known_is_nearly_at_right_angles_to_the_rest() -> None:
    words = ["гавань", "ставки", "ወደቡን", "λιμάνι", "מטוסים", "சந்தைகள்", "harbour", "rates", "telescope"]
    rows = EMBED(words)
    assert np.abs(rows @ rows.T - np.eye(len(words))).max() < 0.4


@pytest.mark.parametrize("other", ["\U0001f9ff\U0001f9ff", "щ" * 101, "\u0901\u0901"])
def test_unknown_signs_and_long_data_say_nothing_beside_words(other: str) -> None:
    np.testing.assert_array_equal(*EMBED(["гавань полна лодок", f"гавань полна {other} лодок"]))


@pytest.mark.filterwarnings("ignore:the built-in model knows English")
def test_rows_are_the_same_in_every_process() -> None:
    code = (
        "import sys; from caesura_static import StaticEmbedder;"
        "sys.stdout.write(StaticEmbedder()(sys.argv[1:]).tobytes().hex())"
    )
    want = EMBED(TEXTS).tobytes().hex()
    own = {**os.environ, "PYTHONHASHSEED": "77", "PYTHONUTF8": "1"}
    run = subprocess.run([sys.executable, "-c", code, *TEXTS], env=own, capture_output=True, text=True, check=True)
    assert run.stdout == want


def test_the_directions_are_these() -> None:
    """Stored vectors depend on them: another draw needs another `version`."""
    wide = letters.Letters(widen(LOADED.steps), LOADED.words).directions
    rows = (wide.view("<u2").astype(np.intp) - MORE).astype(np.int8)
    assert rows.shape == (letters.DIRECTIONS, EMBED.dimension)
    np.testing.assert_array_equal(rows, PAIRS)
    assert hashlib.sha256(np.ascontiguousarray(rows).tobytes()).hexdigest()[:16] == "acdde24292bb3916"
