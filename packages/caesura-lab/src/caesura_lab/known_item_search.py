"""Texts -> questions of which the answer is known, for who has none yet: a sentence is asked for by its own words."""

from __future__ import annotations

from collections.abc import Mapping

from caesura import Span, sentences
from caesura.edges import spans, trim
from caesura.errors import whole
from caesura_lab.question import Question


def known_items(texts: Mapping[str, str], each: int = 3) -> list[Question]:
    """Texts by name -> up to `each` sentences of each text, evenly through it, as questions that they answer.

    Known-item search: it shows whether a chunk is found at all by what it says. It is far easier than a question in
    other words, so use it to see that all is well, and not to compare splitters. Sentences of 40 to 200 characters,
    where the text has some; none is asked for twice.

    >>> [(one.question, one.spans) for one in known_items({"note": "Yeast makes dough rise. The sea has tides."}, 1)]
    [('The sea has tides.', (Span(start=24, end=42),))]
    """
    whole("each", each, 1)
    found: dict[str, Question] = {}
    for name, text in texts.items():
        pieces = [span for span in (trim(text, *place) for place in spans(sentences(text))) if span.start < span.end]
        fitting = [span for span in pieces if 40 <= span.end - span.start <= 200] or pieces
        for number in range(each if fitting else 0):
            start, end = fitting[len(fitting) * (2 * number + 1) // (2 * each)]
            asked = " ".join(text[start:end].split())
            found.setdefault(asked, Question(asked, name, [Span(start, end)]))
    return list(found.values())
