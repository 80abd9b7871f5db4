"""A number of sentences in, a text whose subject turns every few of them out; and what of a text is not whitespace."""

from __future__ import annotations

from random import Random

WORDS = {
    "cats": "cat kitten whisker paw purr tail fur claw basket mouse milk nap",
    "taxes": "tax levy income salt duty treasury rate bracket refund audit clerk form",
    "ships": "ship mast harbour sail anchor tide rope deck captain hull storm compass",
    "bread": "bread flour oven yeast crust dough loaf baker rye salt crumb knead",
}
SUBJECTS = {subject: words.split() for subject, words in WORDS.items()}


def article(sentences: int = 24, seed: int = 7, between: str = " ") -> str:
    """Sentences that stay with a subject for about five at a time. The same for the same arguments."""
    random = Random(seed)
    made: list[str] = []
    while len(made) < sentences:
        words = SUBJECTS[random.choice(sorted(SUBJECTS))]
        for _ in range(random.randint(3, 7)):
            made.append(" ".join(["The", *random.choices(words, k=random.randint(4, 12))]) + ".")
    return between.join(made[:sentences])


def letters(text: str) -> str:
    """A text without its whitespace."""
    return "".join(text.split())
