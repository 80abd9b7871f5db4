"""Sentence boundary rules: whether a stop ends a sentence, by its kind and the words around it."""

from __future__ import annotations

import re

from caesura.text import marks
from caesura.text import word_lists as data
from caesura.text.graphemes import inside_grapheme
from caesura.text.markup import NEWLINE, SPACE

LATE = frozenset(marks.LATE + marks.NOTES)
LEFT = 32  # how far before a mark is read
NEXT = re.compile(rf"[{re.escape(marks.OPENERS)}\s]{{0,8}}(\w[\w'’]{{0,31}}|)")
CONSONANTS = re.compile("[b-df-hj-np-tv-xz]{2,3}", re.IGNORECASE)
_NEVER_LAST = data.SHORTENED | data.DATES
_MARKER = re.compile(r"[\W_]{0,4}(?:\d{1,3}(?:\.\d{1,2}){0,3}|[IVXLC]{1,4}|[ivx]{1,4}|[^\W\d_])")
_ROMAN = re.compile("[IVXLC]{2,5}|[ivx]{2,4}|V|X")
_COMPOUND = re.compile("(?:[^\\W\\d_]{1,3}\\.[ \u00a0]?)+[^\\W\\d_]{1,4}$")
_DOTTED = re.compile(r"(?:[^\W\d_]{1,3}\.-?)+[^\W\d_]{1,3}")
_FRONTED = re.compile(r"(?:[^\W\d_]+\s+)?\d[\d:.]*\s*(?:[AaPp]\.?\s?[Mm]|[^\W\d_]{1,2})")  # "At 5 a.m", "1968 ж"
_GAP = re.compile(r"\s*(?:[།༎]\s*)*")
_NOTES = re.compile(rf"(?:{marks.NOTE}|\(\d{{1,3}}\))(?:{SPACE}?(?:{marks.NOTE}|\(\d{{1,3}}\)))*+(?:{SPACE}\.)?(?!\S)")
_COUNT = re.compile(r"[\[(]\d{1,3}[\])]")
_FAR = 2000  # how far before "(3)" a "(1)" is looked for
_DEGREES = ("°", "degree", "degrees", "circ$")
_ROW_LETTER, _FAR_LETTER = re.compile(f"[{marks.ROW_LETTERS}]"), 120
_TURKISH = re.compile("[ğşıİ]")  # "Padişah III. Selim", and elsewhere "Ludwig XIV"
_OPEN = re.escape(marks.OPENERS)
_GLUED = re.compile(rf"(?:^|[\s{_OPEN}])([^\W\d_]{{2,}}|\d[\d,]*)$")
_ASIDE = re.compile(
    r"[，、,と]|って|[がはのをにもで]|[\u4e00-\u9fff]{1,4}(?:说|道|问|喊|說|問)[道着著完了，。：；！？,.]"
    r"|ဟု|ဟူ|လို့"
)
_ARMENIAN = re.compile("[\u0531-\u0587]")
_ETHIOPIC = re.compile("[\u1200-\u135a]")
_SYLLABLE = re.compile("[\u0f40-\u0fbc]+(?=\u0f0b?$)")
_LINKED = "།۔។"
_GREEK = re.compile("[\u0370-\u03ff\u1f00-\u1fff]")
_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")


def token_before(text: str, last: int, at: int) -> str:
    """Returns the token directly before `at`, without opening marks and elided articles ("l'Ing" -> "Ing")."""
    left = text[max(last, at - LEFT) : at]
    if not left or left[-1].isspace():
        return ""
    token = left.split()[-1].lstrip(marks.OPENERS).replace("’", "'")
    return token.rpartition("'")[2] or token


def word_before(text: str, last: int, at: int) -> str:
    """The last stretch without blanks before `at`, or ""."""
    return (text[max(last, at - LEFT) : at].split()[-1:] or [""])[0]


def opens_sentence(text: str, found: re.Match[str] | None) -> bool:
    """Whether the next word opens sentences far more often than it goes on a name."""
    word = found[1].replace("’", "'").lower() if found else ""
    dotted = found is not None and text.startswith(".", found.end())
    return (dotted and word in data.SHORT_TITLES) or (word in data.STARTERS and not (dotted and len(word) < 3))


def is_common_word(token: str) -> bool:
    """Whether only a full stop can follow a word: it has five letters or more and is never shortened."""
    low = token.lower()
    return len(low) > 4 and low.isalpha() and low not in _NEVER_LAST and low[-3:] != "str"


def surely_ends(text: str, last: int, at: int) -> bool:
    """Whether a full stop at `at`, with a blank and a capital after it, ends the sentence whatever else is near.

    It does after a blank, and after a word that is never shortened. It does after a shorter word in lower case that is
    no numeral and has no other stop near it.
    """
    left = text[at - LEFT if at - LEFT > last else last : at]
    token = left[left.rfind(" ") + 1 :]
    if not token.isalpha() and not (token := token[token.rfind("\n") + 1 :]).isalpha():
        return not token or is_common_word(token_before(text, last, at))
    low = token.lower()
    if len(low) > 4 or low in _NEVER_LAST:
        return low not in _NEVER_LAST
    plain = len(low) > 1 and low == token and "." not in left
    return plain and CONSONANTS.fullmatch(low) is None and low.strip("ivx") != ""


def inner_stop(text: str, opened: int, closed: int) -> int:
    """Returns where the stops begin that end what a quotation holds, or -1."""
    at = closed - 2
    while at > opened and (text[at] in marks.CLOSERS or text[at] in marks.EITHER or text[at].isspace()):
        at -= 1
    if text[at] not in marks.STOPS:
        return -1
    while at > opened and text[at - 1] in marks.STOPS:
        at -= 1
    return at if at > opened + 1 and text[at - 1] not in "[(" else -1


def full_stop_ends(text: str, last: int, at: int, found: re.Match[str] | None, word: str) -> bool:
    """Whether a single full stop ends the sentence, by the words around it. The next one is not in lower case."""
    token = token_before(text, last, at)
    low, digit = token.lower(), word[:1].isdigit()
    if not token or is_common_word(token):
        return True
    if at - last <= 8 and _MARKER.fullmatch(text, last, at):
        return False
    if token.isdigit() or (_ROMAN.fullmatch(token) and low not in data.SHORTENED):
        return _ends_ordinal(text, last, at, token, word)
    low = low if len(token) > 4 else _with_earlier_letters(text, last, at, token)
    if low in data.INNER or (low in data.TITLES and _is_titled(token, word)):
        return False
    if low in data.ENDS:
        timed = low in ("a.m", "p.m", "am", "pm")
        if timed and ((word.isupper() and 1 < len(word) < 5) or word in data.AFTER_TIME):
            return False
        return not digit and (word.lower() in data.STARTERS or not _FRONTED.fullmatch(text, last, at))
    if digit and (low in data.NUMBERS or low in data.MAYBE or low in data.DATES or low[-3:] == "str"):
        return False  # "Goethestr. 12"
    if low in data.DATES:
        return word[:3].lower() not in data.DATES
    if low in data.NUMBERS and _ROMAN.fullmatch(word):
        return False
    if len(low) == 1 and low.isalpha():
        return not digit and _ends_letter(text, last, at, found, token)
    if low in data.MAYBE or _DOTTED.fullmatch(low) or (CONSONANTS.fullmatch(token) and not token.isupper()):
        counted = token.islower() and text[max(last, at - len(token) - 2) : at - len(token)].strip().isdigit()
        ends = counted and not word.isupper() and word not in data.MONEY
        return not digit and (ends or opens_sentence(text, found))
    return True


def _is_titled(name: str, word: str) -> bool:
    """Whether a form is written as a title: "Gen. Lee", "MM. Roux", "GEN. LEE"; not the unit mm, nor "good PR. We"."""
    return name.istitle() or name == "MM" or (name.isupper() and word.isupper())


def _with_earlier_letters(text: str, last: int, at: int, token: str) -> str:
    """Returns a token in lower case, with the letters and stops before it that it goes with, as in "e. g"."""
    if not token.isalpha() or text.rfind(".", max(last, at - LEFT), at) < 0:
        return token.lower()
    compound = _COMPOUND.search(text[max(last, at - LEFT) : at])
    if compound is None:
        return token.lower()
    joined = compound[0].replace(" ", "").replace("\u00a0", "").lower()
    return joined if joined in data.SHORTENED or len(token) == 1 else token.lower()


def _ends_letter(text: str, last: int, at: int, found: re.Match[str] | None, token: str) -> bool:
    """Whether the stop after a single letter ends the sentence: "plan B. The", "it is 5 m. Then"; not "J. Smith"."""
    before = word_before(text, last, at - 1)
    if before.endswith(_DEGREES):
        return True
    small = token == token.lower()
    counted = small and before[-1:].isdigit() and not _FRONTED.fullmatch(text, last, at)
    return counted or ((small or before[:1].islower()) and opens_sentence(text, found))


def _ends_ordinal(text: str, last: int, at: int, token: str, word: str) -> bool:
    """Whether the stop after a number ends the sentence: "in 1999. The"; not "am 12. Juni", "der 2. Band"."""
    if len(token) > 3:
        return True
    low, before = word.lower(), word_before(text, last, at - len(token))
    if token.isdigit() and (word[:1].isdigit() or low in data.MONTHS or low in data.ORDERED):
        return False
    counts = before.isdigit() or before[:-1].lower() in data.NUMBERS  # "No. 5", "tel. 123 456"
    named = not token.isdigit() and before[:1].isupper() and not _TURKISH.search(text, max(last, at - _FAR_LETTER), at)
    if not counts and not named and _ROW_LETTER.search(text, max(last, at - _FAR_LETTER), at):
        return low in data.STARTERS
    return before.lower() not in data.ORDINAL_AFTER


def stops_end(text: str, last: int, at: int, stop: int, gap: int, end: int) -> bool:
    """Whether the stops at `text[at:stop]`, with `text[gap]` the next thing, end the sentence that began at `last`.

    end: where the paragraph ends. Nothing beyond it is read.
    """
    mark, following = text[at], text[gap]
    if following >= "\u0300" and inside_grapheme(text, gap, at):
        return False
    plain = mark == "." and stop - at == 1
    if mark in ":;፡":
        if mark == "፡" or text.startswith("::", at):
            return _ETHIOPIC.search(text, max(last, at - 2), at) is not None
        return (_ARMENIAN if mark == ":" else _GREEK).search(text, max(last, at - 8), at) is not None
    if not plain and (mark in marks.FREE or text[at + 1] in marks.FREE or text[stop - 1] in marks.FREE):
        if (text[stop - 1] in marks.CLOSERS or text[stop - 1] in marks.EITHER) and _ASIDE.match(text, gap):
            return False
        if mark in _LINKED and _goes_on(text, last, at, stop, gap, end):
            return False
        return following not in "，、,：:;；" and not (mark == "؟" and following.islower())
    if gap == stop:
        return ends_glued(text, last, at, stop, end)
    found = NEXT.match(text, gap, end)
    word = found[1] if found else ""
    if word[:1].islower() and not word[1:2].isupper() and not "\u10d0" <= word[0] <= "\u10ff":  # Georgian has no case
        return plain and _ends_before_lower(text, last, token_before(text, last, at))
    if plain:
        return full_stop_ends(text, last, at, found, word)
    if mark in "!?‼⁇⁈⁉‽\u037e":
        return mark != "!" or token_before(text, last, at).lower() not in data.SHOUTED or opens_sentence(text, found)
    if mark == "…" or text.startswith("...", at):
        return not ((at == 0 or text[at - 1].isspace()) and (word in ("I", "I'm", "I’m", "") or word[0].isdigit()))
    return text.startswith("..", at) or full_stop_ends(text, last, at, found, word)


def _goes_on(text: str, last: int, at: int, stop: int, gap: int, end: int) -> bool:
    """Whether a sentence goes on after a shad, after an abbreviation's stop in Urdu, or after that of "etc." in
    Khmer.
    """
    if text[at] == "។":
        return text.startswith("ល។", stop)
    left = text[max(last, at - LEFT) : at]
    if text[at] == "།":
        found = _SYLLABLE.search(left)
        return found is not None and found[0] in data.LINKS
    token, before = ["", "", *left.replace("۔", " ").split()][:-3:-1]
    if token.isdigit():
        return at - last <= 4 or (gap == stop and text[gap].isdigit())
    if token not in data.URDU_LETTERS:
        return len(token) == 1
    following = NEXT.match(text, gap, end)
    after = following is not None and following[1] in data.URDU_LETTERS and text.startswith("۔", following.end())
    return after or (before in data.URDU_LETTERS and left[: -len(token)].rstrip().endswith("۔"))


def _ends_before_lower(text: str, last: int, token: str) -> bool:
    """Whether a full stop before a lower-case word may end a sentence: in Greek, and where nobody writes capitals."""
    if len(token) < 3 or not token.isalpha() or token.lower() in data.SHORTENED:
        return False
    return _GREEK.match(token) is not None or text[last].islower()


def ends_glued(text: str, last: int, at: int, stop: int, end: int) -> bool:
    """Whether a stop that no space follows ends the sentence: "the end.The start", wide letters; not "a.Name"."""
    following = text[stop]
    if stop - at > 1 or text[at] != ".":
        return _WIDE.match(following) is not None and _WIDE.match(text, max(at - 1, 0)) is not None and text[at] in "!?"
    caseless = "\u0590" <= following < "\u0e00" and following.isalpha()
    left = _glued(text[max(last, at - LEFT) : at]) if caseless or following.isupper() else ""
    right = NEXT.match(text, stop, end)
    if not left or right is None or left.lower() in data.SHORTENED:
        return False
    if left[0] > "\u036f" or following > "\u036f":
        return len(left) > 2 and (caseless or left[-1].islower())
    word, after = right[1].lower(), text[right.end() : right.end() + 1]
    return (word in data.STARTERS or word in data.SHORT_TITLES) and (not after or after not in "(_/@")


def _glued(left: str) -> str:
    """Returns the word or number directly before a stop, or ""."""
    word = left[left.rfind(" ") + 1 :]
    if len(word) > 1 and word.isalpha():
        return word  # nearly always
    found = _GLUED.search(left)
    return found[1] if found else ""


def skip(text: str, at: int, end: int) -> int:
    """Returns where the text goes on after whitespace."""
    found = _GAP.match(text, at, end)
    return found.end() if found else at


def past_late_mark(text: str, start: int, last: int, at: int, gap: int, end: int) -> int:
    """Returns where the text goes on after marks that belong to the stop at `at` although a space stands between.

    A closing mark belongs to it if a space follows the mark too. Marks of notes belong to it in the same line, or alone
    in the next. Marks that begin the paragraph at `start`, or count from (1) inside it, number what follows them.
    """
    if text[gap] in marks.LATE:
        return skip(text, gap + 1, end) if text[gap + 1 : gap + 2].isspace() else gap
    found = _NOTES.match(text, gap, end)
    if found is None or token_before(text, last, at).lower() in data.SHORTENED:
        return gap
    after = skip(text, found.end(), end)
    if NEWLINE.search(text, at, gap) and after < end and not NEWLINE.search(text, found.end(), after):
        return gap
    if text[gap] not in "[(" or (_COUNT.match(text, start) is None and not _counts(text, start, gap)):
        return after
    return gap


def _counts(text: str, start: int, gap: int) -> bool:
    """Whether the mark at `gap` is one of a count inside the paragraph: "(1) …; (2) …", ": [1] … [2] …"."""
    first = "(1)" if text[gap] == "(" else ": [1]"
    return text.startswith("(1)", gap) or text.find(first, max(start, gap - _FAR), gap) >= 0
