"""What a reader takes for one character, in many scripts, by name; and texts of such as hypothesis draws them."""

from __future__ import annotations

import unicodedata

from hypothesis import strategies as st

SEQUENCES = {
    "CR LF": "\r\n",
    "a letter with one mark": "e\u0301",
    "a letter with many marks": "a" + "\u0300\u0316\u0342" * 4,
    "a mark that encloses": "1\u20dd",
    "skin tone": "\U0001f44d\U0001f3fd",
    "keycap": "1\ufe0f\u20e3",
    "a heart on fire": "\u2764\ufe0f\u200d\U0001f525",
    "family": "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",
    "two, each with a skin tone": "\U0001f9d1\U0001f3fb\u200d\U0001f91d\u200d\U0001f9d1\U0001f3ff",
    "rainbow flag": "\U0001f3f3\ufe0f\u200d\U0001f308",
    "flag of Germany": "\U0001f1e9\U0001f1ea",
    "flag of Scotland": "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "initial and vowel": "\u1112\u1161",
    "initial, vowel and final": "\u1112\u1161\u11ab",
    "two initials": "\u1107\u1109\u1161",
    "an initial and a syllable": "\u1100\uac00",
    "a syllable and a final": "\ud558\u11ab",
    "old jamo": "\ua960\ud7b0\ud7cb",
    "vowel sign before": "\u0928\u093f",
    "vowel sign around": "\u0995\u09cb",
    "conjunct": "\u0915\u094d\u0937",
    "conjunct of three with a sign": "\u0938\u094d\u0924\u094d\u0930\u0940",
    "conjunct with a joiner": "\u0915\u094d\u200d\u0937",
    "Bengali conjunct": "\u0995\u09cd\u09b7",
    "Thai am": "\u0e19\u0e49\u0e33",
    "half-width voiced": "\uff76\uff9e",
    "non-joiner": "\u06cc\u200c",
    "Arabic number sign": "\u06001",
    "Malayalam dot reph": "\u0d4e\u0d15",
}

FILLER = ("word ", "a", " ", "\n", ", ", "\u4e2d", "\u3002", "\U0001f600", "\x00", "\u00e9", "\uac00", "\ud800")

sequences = st.sampled_from(list(SEQUENCES.values()))
fillers = st.sampled_from(FILLER)
# without what this Python's Unicode does not know, and what breaks only one rule of UAX 29: a mark behind a virama
known = st.characters(exclude_categories=("Cn", "Cs")).filter(lambda one: unicodedata.combining(one) != 9)
odd = st.text(known, max_size=4)
marked = st.builds(lambda base, count: base + "\u0301" * count, st.sampled_from("ae\u4e2d"), st.integers(1, 90))
grapheme_texts = st.lists(st.one_of(sequences, sequences, fillers, odd, marked), min_size=1, max_size=24).map("".join)
