"""The words of an answer, and texts by name -> which text has them, and where; or an error with what to change."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePath

from caesura import SettingError, Span


def answered(answer: object, corpus: object, texts: Mapping[str, str]) -> tuple[str, tuple[Span, ...]]:
    """A str or a list of str, each of which is in one text, once -> the name of the text, and their places there.

    corpus: the name of the text, or None for whichever has them. Whitespace may differ. Raises `SettingError`.
    """
    answers = [answer] if isinstance(answer, str) else answer
    if not isinstance(answers, list) or not answers or not all(isinstance(one, str) and one.split() for one in answers):
        raise SettingError(f"answer must be a str or a list of str, none of them blank, got {answer!r:.80}")
    names = list(texts) if corpus is None else [named(corpus, texts)]
    places = {name: [_places(one, texts[name]) for one in answers] for name in names}
    holding = [name for name, each in places.items() if all(each)]
    if not holding:
        raise SettingError(f"the answer is not in {_listed(names)}, word for word: {' … '.join(answers)!r:.120}")
    if len(holding) > 1:
        raise SettingError(f"the answer is in {_listed(holding)}: name its text as corpus, or quote more of it")
    for one, found in zip(answers, places[holding[0]], strict=True):
        if len(found) > 1:
            raise SettingError(
                f"the answer {one!r:.80} is in {holding[0]} at {', '.join(str(start) for start, _ in found[:5])}: "
                f"quote more of it, or give spans"
            )
    return holding[0], tuple(found[0] for found in places[holding[0]])


def named(corpus: object, texts: Mapping[str, str]) -> str:
    """The text that is meant: its name, the end of its path, or that without the suffix. Raises `SettingError`."""
    if corpus is None and len(texts) == 1:
        return next(iter(texts))
    if not isinstance(corpus, str):
        raise SettingError(f"corpus must be the name of a text, one of {_listed(texts)}, got {corpus!r}")
    if corpus in texts:
        return corpus
    ending = PurePath(corpus).parts
    found = [
        name
        for name in texts
        for path in (PurePath(name), PurePath(name).with_suffix("") if PurePath(name).name else PurePath(name))
        if ending and path.parts[-len(ending) :] == ending
    ]
    if len(found) == 1:
        return found[0]
    if found:
        raise SettingError(f"corpus {corpus!r} may be {_listed(found)}: give more of its path")
    raise SettingError(f"there is no text named {corpus!r}, only {_listed(texts)}")


def _places(answer: str, text: str) -> list[Span]:
    """Where the words stand, whatever whitespace is between them."""
    words = r"\s+".join(map(re.escape, answer.split()))
    return [Span(*match.span()) for match in re.finditer(words, text)]


def _listed(names: Iterable[str]) -> str:
    every = sorted(names)
    return ", ".join(every[:10]) + (f" and {len(every) - 10} more" if len(every) > 10 else "")
