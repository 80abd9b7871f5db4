"""What the tests of spaCy share: blank pipelines with a sentencizer, and one whose word vectors are made here.

The tests skip on "spacy.language".
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import pytest

from caesura.background import TEXTS

pytest.importorskip("spacy.language")
import spacy

PROSE = {
    "en": "Dr. Smith came at 5 p.m. He left at six!  Did he? Yes.\n\nThe U.S. won't say so. “Why?” she asked.",
    "de": "Das ist z. B. ein Satz. Am 3. Mai kam er! Warum?\r\nNiemand weiß es.",
    "fr": "Où est-il ? Il est là ! « Bien. » Il part.",
    "es": "¿Dónde está? ¡Aquí! Bien. Vámonos.",
    "it": "Dov'è? È qui. Andiamo!",
    "ru": "Он пришёл. Где она? Там! И т. д.",
    "el": "Ήρθε χθες. Πού είναι; Εκεί! Πάμε.",
    "hy": "Նա եկավ ։ Որտե՞ղ է նա ։ Այնտեղ ։",
    "ar": "جاء الرجل. أين هو؟ هناك!",
    "he": "הוא בא. איפה הוא? שם!",
    "hi": "वह आया। वह कहाँ है? वहाँ।",
    "zh": "他来了。她在哪里？在那里！好。",
    "xx": "One. Zwei! Trois? 四。",
}
SUBJECTS = {
    "sea": ["ship", "mast", "harbour", "sail", "anchor", "tide", "rope", "deck", "captain", "hull", "storm"],
    "bread": ["flour", "oven", "yeast", "crust", "dough", "loaf", "baker", "rye", "crumb", "knead", "salt"],
    "tax": ["levy", "income", "duty", "treasury", "rate", "bracket", "refund", "audit", "clerk", "form", "budget"],
}
PARTS = [" ".join(f"The {' '.join(words[i : i + 5])}." for i in (0, 3, 1, 5, 2)) for words in SUBJECTS.values()]
ARTICLE = "\n\n".join(PARTS)
WIDTH = 24


@cache
def blank(language: str = "en") -> Any:
    """A pipeline of its own: a tokenizer and spaCy's rules for sentences."""
    nlp = spacy.blank(language)
    nlp.add_pipe("sentencizer")
    return nlp


def with_vectors() -> Any:
    """An English pipeline with a word table: the words of a subject lie close together, all others anywhere.

    Every row leans the same way, as word vectors do, so that cosines are high before they are centred.
    """
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    random, lean = np.random.default_rng(0), np.full(WIDTH, 4.0)
    nlp.vocab.reset_vectors(width=WIDTH)
    for word in sorted({word for text in TEXTS for word in re.findall(r"\w+", text)}):
        nlp.vocab.set_vector(word, (lean + random.normal(size=WIDTH)).astype(np.float32))
    for words in SUBJECTS.values():
        subject = 2 * random.normal(size=WIDTH)
        for word in words:
            nlp.vocab.set_vector(word, (lean + subject + 0.5 * random.normal(size=WIDTH)).astype(np.float32))
    return nlp


def starts(nlp: Any, text: str) -> list[int]:
    """Where spaCy's own sentences start that are not blank; the text's own start for the first."""
    found = [sentence.start_char for sentence in nlp(text).sents if sentence.text.strip()]
    return [0, *found[1:]]
