"""The words that the rules of sentences know, each with what a full stop after it means.

They are in `data/abbreviations/`, a form a line with its language behind it: in lower case, without the last stop and
without inner spaces (`z. B.` is `z.b`). The first line of a file says what its forms have in common. One table serves
all languages of a script: a form is listed by what follows it, and so a clash with an ordinary word of another language
does no harm where that word is not followed by the same thing. Dotted letters that are not listed (`u.s.a`) are known
by their shape.
"""

from __future__ import annotations

from caesura.text import read_data


def _forms(name: str) -> frozenset[str]:
    lines = read_data("abbreviations", f"{name}.txt").splitlines()[1:]
    return frozenset([line.split(None, 1)[0] for line in lines])


INNER = _forms("never_end")
TITLES = _forms("titles")
ENDS = _forms("always_end")
MAYBE = _forms("may_end")
NUMBERS = _forms("numbers")
DATES = _forms("dates")
MONTHS = _forms("months")
ORDINAL_AFTER = _forms("ordinal_after")
STARTERS = _forms("starters")
ORDERED = _forms("ordered")
MONEY = _forms("money")
LINKS = _forms("tibetan_links")
URDU_LETTERS = _forms("urdu_letters")
SHOUTED = _forms("exclaimed_names")
AFTER_TIME = _forms("after_time")

SHORT_TITLES = frozenset(("mr", "mrs", "ms", "dr"))
SHORTENED = INNER | ENDS | MAYBE | NUMBERS
