"""Texts of several sections where these are short, edits of them, and which texts are cut."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from fakes.texts.articles import article

from caesura.host.session import EmbeddingSession

MOST = 500
"""Characters of a section there, so that documents need not be long."""
QUESTIONS = "Part 3", "Equal words", "boat toll", "dough"
ADDED = (
    "The parrot spoke.",
    "",
    "# Parrots\n\n",
    "\n\n## Crews\n\nNobody came. ",
    "| boat | toll |\n|---|---|\n| a | 1 |\n| b | 2 |\n\n",
    "\n\n```\ncode = 1\n\nmore = 2\n```\n\n",
    "Equal words stand here, and there.\n\n",
    "\n\n" + article(12, 77) + "\n\n",
)


def long_text(seed: int) -> str:
    """Articles under headings, in which some paragraphs and a table are twice."""
    pieces = [f"{'#' * (1 + at % 3)} Part {at}\n\n{article(12, seed + at)}" for at in range(5)]
    again = "Equal words stand here, and there.\n\n| boat | toll |\n|---|---|\n| a | 1 |\n\n"
    return "\n\n".join([*pieces[:2], again, *pieces[2:4], again, pieces[1], pieces[4], again])


def edit(text: str, drawn: random.Random, more: Sequence[str] = ()) -> str:
    """The text with something added, taken away or replaced. more: what may be added beside `ADDED`."""
    at, length = drawn.randrange(len(text) or 1), drawn.choice([0, 0, 30, 500, 1500])
    if drawn.random() < 0.7:
        at = max(text.rfind("\n\n", 0, at), 0)
    return f"{text[:at]}{drawn.choice([*ADDED, *more])}{text[at + length :]}"


@contextmanager
def cut_texts() -> Iterator[list[str]]:
    """Yields a list of all texts that are cut meanwhile."""
    cut, split = list[str](), EmbeddingSession.split

    def seen(self: EmbeddingSession[Any], *args: Any) -> Any:
        cut.extend(self.texts)
        return split(self, *args)

    with patch.object(EmbeddingSession, "split", seen):
        yield cut
