"""A number -> so many texts of 2 kB in paragraphs, each on a subject; the same on every run."""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

SUBJECTS = (
    "tide harbour mast anchor sail rope deck hull storm compass captain ferry island pilot buoy",
    "dough oven yeast crust loaf rye crumb flour baker salt butter honey kitchen tray batch",
    "levy treasury audit clerk form refund bracket duty income ledger budget office stamp rate return",
    "lamp wick oil glass flame shadow candle match mirror lens beam night tower keeper signal",
)


class Text(NamedTuple):
    """A text with what a store keeps beside it."""

    id: str
    text: str
    metadata: dict[str, Any]


def texts(number: int) -> list[Text]:
    """The texts, in order."""
    random = Random(5)
    made: list[Text] = []
    for at in range(number):
        text = ""
        while len(text) < 2000:
            words = random.choice(SUBJECTS).split()
            sentences = [" ".join(["The", *random.choices(words, k=random.randint(5, 14))]) + "." for _ in range(5)]
            text += " ".join(sentences) + "\n\n"
        made.append(Text(f"document-{at}", text[:2000], {"source": f"{at}.md", "part": at % 7}))
    return made
