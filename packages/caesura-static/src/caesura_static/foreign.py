"""What texts are made of -> a warning, once in a process, where a document is prose in a language other than English.

The languages that are told by name are `SCRIPTS` and `WORDS`.
"""

from __future__ import annotations

import inspect
import re
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import chain, repeat
from unicodedata import normalize

import numpy as np

from caesura_static.pooling import LOCK, Rows

DOCUMENT = 300
"""Characters. Such texts in a row, with so many more than the other texts between them have, are a document."""
SAMPLE, HEAD, TRIES = 16, 400, 4
"""So many texts of a document are read, so many characters of each, of so many documents in a call."""
SHARE, FEWEST = 6, 4
"""A document is in a language if one in so many of the texts read is, and if they have so many of its commonest words,
each counted once in a text, or three if there is one text alone: "os" and "as" in code are Portuguese words too."""
SIGNS, FEW_LETTERS = 0.08, 0.25
"""Prose has a smaller share of digits and of signs, the second in other letters than Latin ones, of which a sentence
may need few; logs, code, tables and numbers have a larger one."""
GLUED = 0.05
"""In a text without spaces between words, a larger share of the characters is in words of 30 letters and more. The
words that are left between them, as "do" and "z", tell no language."""
REPEATED = 12
"""In so many words, one of them alone names no language, however often it is there: "No" in a table."""
SCRIPTS = {
    "Japanese": "\u3040-\u30ff", "Korean": "\uac00-\ud7af", "Chinese": "\u3400-\u9fff", "Thai": "\u0e00-\u0e7f",
    "Lao": "\u0e80-\u0eff", "Tibetan": "\u0f00-\u0fff", "Burmese": "\u1000-\u109f", "Khmer": "\u1780-\u17ff",
    "Georgian": "\u10a0-\u10ff", "Amharic or another language in Ethiopic letters": "\u1200-\u137f",
    "Armenian": "\u0530-\u058f", "Hebrew": "\u0590-\u05ff", "Arabic, Persian or Urdu": "\u0600-\u06ff",
    "Hindi or another language in Devanagari": "\u0900-\u097f", "a language of India": "\u0980-\u0dff",
    "Greek": "\u0370-\u03ff\u1f00-\u1fff", "Russian or another language in Cyrillic letters": "\u0400-\u052f",
}  # fmt: skip
"""Language -> its letters. Japanese stands before Chinese, whose letters it has too."""
WORDS = {
    "Vietnamese": "và của là các có được trong cho không một những với người tôi đã này ra về rất đi",
    "Turkish": "ve bir bu için ile olarak çok daha olan gibi ne kadar sonra her ise ama iki değil yeni",
    "Hungarian": "az és hogy nem egy is volt van meg ez csak még azt mint vagy",
    "Finnish or Estonian": "ja on että ei se oli ovat hän mutta kun joka tai myös ning kui oma",
    "Indonesian or Malay": "yang dan di itu dengan untuk dari tidak ini adalah pada dalam saya ke kami akan",
    "Polish": "na się nie jest że do to jak od przez był oraz w z i o po było który są ale dla mnie",
    "Czech or Slovak": "se na je že do to byl jsou pro jako ale v z o po jsem byla sa som bol bola ako sme",
    "Croatian, Serbian or Slovenian": "je na se da su u i od za koji kao ili bio sam smo nije bilo bila ki",
    "Danish or Norwegian": "og at det som er en på af av til med den ikke et for jeg var havde hadde fra",
    "Swedish": "och att det som är en på av för med den inte till ett jag var hade från",
    "German": "der und das ist nicht mit den ein eine auf für dem von zu sich im des er sie es war ich wir",
    "Dutch": "de het een van en dat niet met voor zijn op te is er aan ik hij was",
    "Portuguese": "o os que do da em para com uma não as dos no por se ao à é um foi mais",
    "Spanish": "el la los las que en del por con una para es se su al y un lo más pero como mi",
    "Catalan": "el la els les que en del per amb una és va al als i un vaig més com",
    "Italian": "il la che di del della per con una non sono gli le nel è un ho mi al alla",
    "French": "le la les des est une dans pour que qui et du sur pas il au je nous elle avec mais à",
    "Romanian": "și în de la cu pe nu este care din că mai un am era lui să",
}
"""Language -> its commonest words. Where two have as many, the first is meant: those with words of their own are."""
_SIGN = re.compile(r"[0-9_{}()\[\]<>=|/\\@#$%^&*+~;:\"]")
_WORD = re.compile(r"(?<![\w.-])[^\W\d_]++(?!\w)")
"""Not the letter of a version, as "v1.4" has, of an option or of a file's name, as "-o plot.o" has."""
_LONG = re.compile("[A-Za-z\u00c0-\u024f]{30,}")
_LETTERS = {
    language: re.compile(f"(?<=[{letters}])[{letters}]|[{letters}](?=[{letters}])")  # not those of a formula
    for language, letters in SCRIPTS.items()
}
_COMMON = {language: frozenset(words.split()) for language, words in WORDS.items()}
_LANGUAGES: defaultdict[str, list[str]] = defaultdict(list)
for _language, _words_of_it in _COMMON.items():
    for _word in _words_of_it:
        _LANGUAGES[_word].append(_language)
_FIRST = "\u0370"  # of the letters of `SCRIPTS`
_ENGLISH = frozenset(("the", "of", "and", "to", "in", "is", "that", "it", "was", "for", "with", "be", "at", "by"))
INSIDE = ("caesura", "langchain_caesura", "langchain_core", "langchain_text_splitters", "llama_index", "wrapt")
"""What the names of the packages between a user's call and us begin with; Python's own stand there too."""
warned: bool = False


def warn_once(texts: Sequence[str], share: Rows) -> None:
    """Texts, and how much of each row is made of letters -> a warning, once, if a document is foreign prose.

    A document is a row of texts most of which the model cannot read; it is named by its language and its first words.
    """
    global warned
    if warned:
        return
    sizes = np.fromiter(map(len, texts), np.intp, len(texts))
    foreign = share > 0
    if int(sizes[foreign].sum()) < DOCUMENT:
        return
    gains = np.where(foreign, sizes, -sizes)
    for _ in range(TRIES):
        totals = np.cumsum(gains)
        floors = np.minimum.accumulate(np.concatenate(([0], totals)))[:-1]
        end = int(np.argmax(totals - floors)) + 1
        if totals[end - 1] - floors[end - 1] < DOCUMENT:
            return
        start = int(np.argmin(np.concatenate(([0], totals[:end]))))
        inside = (start + np.flatnonzero(foreign[start:end])).tolist()
        sample = inside[:: -(-len(inside) // SAMPLE)]
        names = Counter(filter(None, (name_language(texts[i]) for i in sample))).most_common(1)
        if names and SHARE * names[0][1] >= len(sample) and _has_words([texts[i] for i in sample], names[0][0]):
            _warn(names[0][0], [texts[i] for i in inside], len(texts))
            return
        gains[start:end] = -DOCUMENT


def _warn(language: str, texts: list[str], count: int) -> None:
    """Warns of the texts of one document, of so many in the call."""
    global warned
    with LOCK:
        if warned:
            return
        warned = True
    opening = next(" ".join(text[:HEAD].split())[:40] for text in texts if name_language(text) == language)
    warnings.warn(
        f"the built-in model knows English: of {count} texts, {len(texts)} are {language}, from {opening!r} on. It "
        f"compares the letters of their words, because it does not know what they mean: pass an embedder for their "
        f"language, such as a multilingual sentence-transformers model (embed_model= in LlamaIndex, embeddings= in "
        f"LangChain, --embedder of the command caesura)",
        UserWarning,
        stacklevel=_level_of_caller(),
    )


def name_language(text: str) -> str | None:
    """A text -> the name of its language, or None where it is English, no prose, or nothing that we can tell.

    >>> name_language("Der Hafen ist voll, und das Wasser ist ruhig."), name_language("2024-05-01 12:00:03 status ok")
    ('German', None)
    """
    head = normalize("NFC", text[:HEAD])
    signs, letters = len(_SIGN.findall(head)), max(sum(map(str.isalpha, head)), 1)
    if signs > FEW_LETTERS * len(head):
        return None
    for language, found in {}.items() if max(head, default="") < _FIRST else _LETTERS.items():
        if len(found.findall(head)) > (0.1 if language == "Japanese" else 0.5) * letters:
            return language
    if sum(map(len, _LONG.findall(head))) > GLUED * len(head):
        return None
    words = _words(head)
    counts = dict.fromkeys(_COMMON, 0)
    for language in chain.from_iterable(map(_LANGUAGES.get, words, repeat(()))):
        counts[language] += 1
    best = max(counts, key=counts.__getitem__)
    least = max(len(words) / 12, 1 + sum(word in _ENGLISH for word in words))
    if counts[best] < least or signs > SIGNS * len(head):
        return None
    return best if len(words) < REPEATED or len({*words} & _COMMON[best]) > 1 else None


def _words(head: str) -> list[str]:
    return list(map(str.lower, _WORD.findall(head)))


def _has_words(texts: Sequence[str], language: str) -> bool:
    """Whether texts have enough of the commonest words of a language, or its letters tell it."""
    common = _COMMON.get(language)
    counts = [len(common & {*_words(normalize("NFC", text[:HEAD]))}) for text in texts] if common else []
    return common is None or sum(counts) >= min(FEWEST, len(texts) + 2)


def _level_of_caller() -> int:
    """For `warn_once`, the stacklevel of the innermost line outside `INSIDE`; in a thread that is not the user's, that
    of who called the embedder."""
    level, frame = 0, inspect.currentframe()
    while frame is not None:
        package = frame.f_globals.get("__name__", "").partition(".")[0]
        if not package.startswith(INSIDE) and package not in sys.stdlib_module_names:
            break
        level, frame = level + 1, frame.f_back
    return 3 if frame is None else level
