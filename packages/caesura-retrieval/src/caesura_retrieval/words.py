"""Text -> the terms of it that a search compares: stems of words, parts of identifiers, pairs of characters.

What words a language has that only hold a sentence together is in `data/function_words.txt`, a line for each language.
They tell in which language a text is, and are left out of a question. "how+long" means "long" after "how".
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Collection, Iterable
from functools import cache, lru_cache
from itertools import chain
from pkgutil import get_data
from string import punctuation
from typing import NamedTuple
from unicodedata import decimal, is_normalized, normalize

import Stemmer  # type: ignore[import-not-found, unused-ignore]

from caesura.sizers import without_hyphenation

MOST_ASKED = 128
"""How many distinct words of a question are searched for, the first ones."""
LONGEST = 64
"""How many characters of a term are kept."""
MOST_READ = 20_000
"""How many characters of a question are read for words: while a longer one was read, all threads would wait."""
HEAD = 5000
"""How many characters of a text tell its language."""
KEPT = 50_000
"""How many words of a language, with the marks around them, are remembered with their terms, about 10 MB."""
MOST_PARTS = 8
"""A word of letters and digits by turns that has more parts is a hash or the like, and is not divided."""
PAIRED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
"""Thai, Lao, Burmese, Khmer, Japanese, Chinese, which write no spaces, and Korean, whose words end in particles. Each
pair of characters is a term."""
_MARKED = "\u07a6-\u07b0\u0900-\u0963\u0966-\u0dff\u0f71-\u0f84\u0f90-\u0fbc"
"""Maldivian, the scripts of India and Tibetan, whose vowels are marks: without them words would end at each."""
_STEMMERS = {
    "ar": "arabic", "hy": "armenian", "eu": "basque", "ca": "catalan", "cs": "czech", "da": "danish", "nl": "dutch",
    "en": "english", "et": "estonian", "fi": "finnish", "fr": "french", "de": "german", "el": "greek", "hi": "hindi",
    "hr": "serbian", "hu": "hungarian", "id": "indonesian", "ga": "irish", "it": "italian", "lt": "lithuanian",
    "ne": "nepali", "no": "norwegian", "fa": "persian", "pl": "polish", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "es": "spanish", "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip
_KNOWN = frozenset(Stemmer.algorithms())
"""An older Snowball lacks some: words of their languages are compared as they are."""
_SCRIPTS = {
    "a-z\u00c0-\u024f\u1e00-\u1eff": "en", "\u0400-\u052f": "ru", "\u0600-\u06ff": "ar",
    "\u0370-\u03ff\u1f00-\u1fff": "el", "\u0900-\u097f": "hi", "\u0530-\u058f": "hy", "\u0b80-\u0bff": "ta",
    "\u0590-\u05ff": "he", "\u3040-\u30ff": "ja",
    "\u4e00-\u9fff": "zh", "\uac00-\ud7af": "ko", "\u0e00-\u0e7f": "th", "\u0e80-\u0eff": "lo", "\u1780-\u17ff": "km",
    "\u1000-\u109f": "my",
}  # fmt: skip
"""The letters of a script -> the language whose stems its words have in a text of another script."""
_LETTERS = {code: re.compile(f"[{letters}]") for letters, code in _SCRIPTS.items()}
_LATIN = re.compile("[a-z]+")
_WORD = re.compile(
    r"[A-Za-z0-9]+(?:(?:-|_+|\.(?=[a-z0-9]|[A-Z](?![a-z]))|(?<=[0-9]),(?=[0-9]{3}(?![0-9])))[A-Za-z0-9]+)*"
)
_LATER = r"(?:-|_+|\.(?=[^\W_A-Z]|[A-Z](?![^\W\d_A-Z]))|(?<=\d),(?=\d{3}(?!\d)))"
_WIDE_WORD = re.compile(rf"[^\W_]+(?:{_LATER}[^\W_]+)*")
_PIECE = f"[^\\W_{PAIRED}]+(?:[{_MARKED}]+[^\\W_{PAIRED}]*)*"
_ANY_WORD = re.compile(rf"[{PAIRED}]+|{_PIECE}(?:{_LATER}{_PIECE})*")
_SPECIAL = re.compile(f"[{PAIRED}{_MARKED}]")
_PAIRS = re.compile(f"[{PAIRED}]")
_BETWEEN = re.compile("[-_.]+")
_PARTS = re.compile("[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+|\d{1,3}(?:\.\d{3}){2,}$")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_MARKS = re.compile(
    "[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u0652\u0670\ud800-\udfff]"
)
"""Accents, the points of Hebrew and of Arabic, and halves of surrogates: taken off."""
_PLAIN = str.maketrans({"ı": "i", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe"})
_STRETCH = re.compile(r"(?s).{1,2000}(?!\S)|.{1,2000}")
"""So much is normalized together: a run of accents takes the square of its length."""
_UNSEEN = re.compile("[\u00ad\u2060\ufeff]")
_SET_APART = re.compile(
    "[\u2120\u2122\u00b2\u00b3\u00b9\u2070-\u207f\u00bc-\u00be\u2150-\u215f]"
    r"(?:(?<=[\u2120\u2122])|(?<=[^\W\d_]{3}[\u00b2\u00b3\u00b9\u2070-\u207f])|(?<=\d[\u00bc-\u00be\u2150-\u215f]))"
)
"""Marks of trade, of notes behind a word, and fractions behind a number: no letters and digits of it."""
_TURKISH = str.maketrans("Iİ", "ıi")
_stemmers = threading.local()


class AskedWord(NamedTuple):
    """A word of a question as it is written there, and the terms that it has in texts, by the languages of these."""

    word: str
    terms: tuple[str, ...]


def terms(text: str, language: str = "") -> list[str]:
    """Text -> its terms in order, each as often as it is there: stems of words without case and accents.

    language: whose stems, as `language_of` names it. An identifier is there as a whole, then by its parts.

    >>> terms("Déjà vu: the 3 cats of getUserName, 北京市", "en")
    ['deja', 'vu', 'the', '3', 'cat', 'of', 'getusernam', 'get', 'user', 'name', '北京', '京市']
    """
    return joined_terms(text, language).split()


def joined_terms(text: str, language: str = "") -> str:
    """The `terms` of a text with a space between two.

    >>> joined_terms("The ferries, and userName", "en")
    'the ferri and usernam user name'
    """
    return " ".join(filter(None, map(_remembered(language).__getitem__, _joined(text).split())))


def language_of(text: str) -> str:
    """Text -> the code of its language by its commonest words, else by its letters; "" where neither tell.

    >>> language_of("Der Hafen ist voll, und das Wasser ist ruhig."), language_of("status: 503")
    ('de', '')
    """
    words = _lower_words(text[:HEAD])
    letters = "".join(words)
    counts = dict[str, int]()
    if not letters.isascii():
        others = _LATIN.sub("", letters)
        counts = {code: len(found.findall(others)) for code, found in _LETTERS.items()}
        counts["en"] += len(letters) - len(others)
    if "ja" in counts and 10 * counts["ja"] > len(letters):  # Japanese and Chinese have letters in common
        return "ja"
    script = next((code for code, count in counts.items() if 2 * count > len(letters)), "en")
    return _by_words(words, _in_script(script)) or ("" if script in ("en", "ru") else script)


@lru_cache(maxsize=16)  # a question is read for its words, for what is shortened, and for which of them passages have
def question_terms(question: str, languages: tuple[str, ...]) -> tuple[AskedWord, ...]:
    """A question -> its distinct words, the first `MOST_ASKED`, without function words unless it has no others.

    Of a longer question the first `MOST_READ` characters are read. languages: those of the texts that are searched.
    Parts of an identifier are words of their own. So are two words with a hyphen between, in English function words
    too: in French "dit-elle", "elle" stays one.

    >>> question_terms("Where is the ferries' userName?", ("en",))[1:3]
    (AskedWord(word='userName', terms=('usernam',)), AskedWord(word='user', terms=('user',)))
    >>> question_terms("Is it read-only?", ("en",))
    (AskedWord(word='read', terms=('read',)), AskedWord(word='only', terms=('onli',)))
    """
    question = question[:MOST_READ]
    pieces = [piece for word in _words(question) for piece in _asked_pieces(word)]
    known = {"en", *languages}
    several = len(known - {"en", ""}) + ("en" in languages) > 1  # then one word, as "war", may be of either
    own = _by_words(_lower_words(question), known, 1 + several)
    common = _folded_function_words(own)
    folded = [_fold(piece.casefold()) for piece, _, _ in pieces]
    asked = dict[tuple[str, ...], str]()
    telling = [
        piece
        for before, word, piece in zip(["", *folded], folded, pieces, strict=False)
        if (piece[2] and own == "en") or (word not in common and f"{before}+{word}" not in common)
    ]
    for piece, shown, _ in telling or pieces:
        asked.setdefault(tuple(dict.fromkeys(_stem(piece, code) for code in languages or ("",))), shown)
        if len(asked) == MOST_ASKED:
            break
    return tuple(AskedWord(word, variants) for variants, word in asked.items())


def matching_words(question: str, text: str, languages: Collection[str]) -> tuple[str, ...]:
    """A question and a text -> the words of the question, as they are written there, that the text has.

    >>> matching_words("When do ferries leave?", "The ferry left.", ["en"])
    ('ferries',)
    """
    there = set(chain.from_iterable(terms(text, code) for code in languages or ("",)))
    asked = question_terms(question, tuple(languages))
    return tuple(each.word for each in asked if not there.isdisjoint(each.terms))


def find_words(question: str, text: str, languages: Collection[str]) -> list[tuple[int, int]]:
    """A question and a text -> where the text has words of the question: first and last character + 1, rising.

    >>> find_words("When do ferries leave?", "The ferry left, other ferries stay.", ["en"])
    [(4, 9), (22, 29)]
    """
    codes = [*languages] or [""]
    asked = {term for word in question_terms(question, tuple(codes)) for term in word.terms}
    found = list[tuple[int, int]]()
    for word in _ANY_WORD.finditer(text):
        if not _PAIRS.match(word[0]):
            if not asked.isdisjoint(chain.from_iterable(terms(word[0], code) for code in codes)):
                found.append(word.span())
            continue
        for start in range(word.start(), max(word.end() - 1, word.start() + 1)):
            if text[start : min(start + 2, word.end())] in asked:
                begin = found.pop()[0] if found and found[-1][1] >= start else start
                found.append((begin, min(start + 2, word.end())))
    return found


class _Remembered(dict[str, str]):
    """A stretch of text without whitespace -> its terms in a text of one language; new ones are found out."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language

    def __missing__(self, stretch: str) -> str:
        inner = stretch.strip(punctuation)
        is_plain = stretch.isascii() and _is_plain(inner)
        words = [inner] if is_plain else _words(stretch)
        if words != [stretch]:  # as "(ferries)": the word inside is known from elsewhere
            found = " ".join(filter(None, map(self.__getitem__, words)))
        elif is_plain:
            found = _stem(stretch, self._language)
        elif _PAIRS.match(stretch):
            return " ".join(_pieces(stretch))
        else:
            found = " ".join([_stem(piece, self._language) for piece in _pieces(stretch)])
        if len(stretch) <= LONGEST:
            if len(self) >= KEPT:
                self.clear()
            self[stretch] = found
        return found


@cache
def _remembered(language: str) -> _Remembered:
    return _Remembered(language)


@cache
def _function_words() -> dict[str, frozenset[str]]:
    """Language -> its function words in lower case."""
    lines = (get_data("caesura_retrieval", "data/function_words.txt") or b"").decode().splitlines()
    return {code: frozenset(words) for code, *words in map(str.split, lines)}


@cache
def _folded_function_words(language: str) -> frozenset[str]:
    """A language's function words as they are compared with a question's."""
    return frozenset(map(_fold, _function_words().get(language, ())))


@cache
def _in_script(script: str) -> frozenset[str]:
    """The languages that are written in a script and have function words."""
    return frozenset(code for code in _function_words() if _script(code) == script)


@cache
def _languages_of_words() -> dict[str, list[str]]:
    """Function word -> the languages that have it."""
    found = dict[str, list[str]]()
    for code, words in _function_words().items():
        for word in words:
            found.setdefault(word, []).append(code)
    return found


def _joined(text: str) -> str:
    """Text -> it without hyphens at the ends of lines that divide words."""
    return without_hyphenation(text) if "-\n" in text else text


def _words(text: str) -> list[str]:
    """Text -> its words as they are written, identifiers whole, and runs of characters that count by pairs."""
    text = _joined(text)
    if text.isascii():
        return _WORD.findall(text)
    text = _SET_APART.sub(r" \g<0>", _UNSEEN.sub("", text))
    if not is_normalized("NFKC", text):
        text = "".join([normalize("NFKC", part) for part in _STRETCH.findall(text)])
    text = _MARKS.sub("", text)
    return (_ANY_WORD if _SPECIAL.search(text) else _WIDE_WORD).findall(text)


def _lower_words(text: str) -> list[str]:
    """Text -> its words in lower case; those that are joined by a hyphen or the like apart."""
    return " ".join(_words(text)).lower().replace("-", " ").replace("_", " ").replace(".", " ").split()


def _by_words(words: Collection[str], known: Collection[str], least: int = 1) -> str:
    """Words -> the language of `known` whose function words are among them most often.

    Returns "" if these are fewer than `least` or one in 12.
    """
    scores, counts = dict[str, float](), dict[str, int]()
    languages = _languages_of_words()
    for word, count in Counter(filter(languages.__contains__, words)).items():
        own = languages[word]
        for code in own:
            scores[code] = scores.get(code, 0) + count / len(own)
            counts[code] = counts.get(code, 0) + count
    best = max((code for code in scores if code in known), key=scores.__getitem__, default="")
    return best if counts.get(best, 0) >= max(least, len(words) / 12) else ""


def _is_plain(word: str) -> bool:
    """Whether a word is letters with no capital among them, or with nothing else."""
    return word.isalpha() and (word.islower() or word.istitle() or word.isupper())


def _pieces(word: str) -> Iterable[str]:
    """A word -> itself and its parts, or its pairs of characters; as written, but for joints and separators."""
    if _is_plain(word):
        return (word,)
    if _PAIRS.match(word):
        return [word[at : at + 2] for at in range(max(1, len(word) - 1))]
    if not word.isascii():
        word = "".join([str(decimal(one, one)) for one in word])
    if _THOUSANDS.match(word):
        word = _THOUSANDS.sub(lambda found: found[0].replace(",", "").replace(".", ""), word, count=1)
    apart = _BETWEEN.split(word)
    if _NUMBER.fullmatch(word) and "." in word:
        whole = word.rstrip("0").rstrip(".")
        return (whole, *apart) if "." in whole else (whole,)
    parts = [part for each in apart for part in _divide(each)]
    if len(parts) == 1 and parts[0] == word:
        return parts
    if "." in word and all(len(part) == 1 and part.isalpha() for part in apart):  # U.S.
        return ("".join(apart),)
    if "-" in word and len(apart) == len(parts) == 2 and all(len(part) > 2 and part.isalpha() for part in parts):
        return parts  # two words, as "well-known"
    return (word.replace("-", "").replace("_", ""), *parts)


def _asked_pieces(word: str) -> Iterable[tuple[str, str, bool]]:
    """A word of a question -> its pieces: as each is compared, as it is shown, and whether a hyphen joins two words."""
    own = [*_pieces(word)]
    is_pair = len(own) == 2 and "-" in word  # as one word, "finetuning", they cost the handbook and papers
    return [(piece, piece if piece in word else word, is_pair) for piece in own]


def _divide(word: str) -> list[str]:
    """A word of letters and digits -> its parts, of which each begins with a capital or a first digit."""
    if _is_plain(word):
        return [word]
    if word.endswith("s") and word[:-1].isupper() and len(word) > 2:  # as APIs
        return [word]
    shape = word
    if not (word.isascii() and word.isalnum()):
        shape = "".join(["0" if one.isdecimal() else "A" if one.isupper() else "a" for one in word])
    parts = [word[found.start() : found.end()] for found in _PARTS.finditer(shape)]
    if len(parts) > MOST_PARTS and not word.isalpha():
        return [word]
    return [part for part in parts if len(part) > 1 or part.isdecimal() or len(parts) == 1]  # no letter alone: x2


def _stem(piece: str, language: str) -> str:
    """A word, or a part of one, -> its term in a text of this language."""
    piece = piece[: 4 * LONGEST]
    word = (piece.translate(_TURKISH) if language == "tr" else piece).casefold()
    own = _stem_language(word, language)
    if own:
        word = _stemmer(own).stemWord(word) or word
    return _fold(word)[:LONGEST]


def _stem_language(word: str, language: str) -> str:
    """Returns whose stems a word has: those of the text's language, if it is written in its letters."""
    if not word or word[0].isdecimal():
        return ""
    script = "en" if word[0] <= "z" else next((code for code, own in _LETTERS.items() if own.match(word)), "")
    own = language if _script(language) == script else script
    return own if _STEMMERS.get(own) in _KNOWN else ""


@cache
def _script(language: str) -> str:
    """Language -> the language that stands for its script, "" if nothing is known of it."""
    words = "".join(_function_words().get(language, ()))
    return max(_LETTERS, key=lambda code: len(_LETTERS[code].findall(words))) if words else ""


def _stemmer(language: str) -> Stemmer.Stemmer:
    """A stemmer is no other thread's: two must not use it at once."""
    own: dict[str, Stemmer.Stemmer] = _stemmers.__dict__
    if language not in own:
        own[language] = Stemmer.Stemmer(_STEMMERS[language], 0)
    return own[language]


def _fold(word: str) -> str:
    """Takes the accents off a word in lower case."""
    if word.isascii():
        return word
    return normalize("NFKC", _MARKS.sub("", normalize("NFKD", word))).translate(_PLAIN)
