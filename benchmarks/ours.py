"""The name of each of our cuts -> the cut at its defaults, and the cut for a number of chunks where it takes one.

Every table of `nox -s quality` goes through this list, which has each cut that the core exports.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import get_args

from caesura.host.settings import CUTS, make_cut, settings_of
from caesura.types import Cut


@dataclass(frozen=True, slots=True)
class Ours:
    """A cut as a user gets it, and as one gets it who knows the number of chunks."""

    default: Cut
    given: Callable[[int], Cut] | None = None


def _into(cut: type[Cut], name: str, chunks: int) -> Cut:
    return make_cut(cut, {name: chunks})[0]


def _make_row(cut: type[Cut]) -> Ours:
    """A number of chunks is the setting that says where to cut and is a whole number."""
    numbers = [name for name, one in settings_of(cut).items() if one.decides and int in get_args(one.type)]
    return Ours(cut(), partial(_into, cut, numbers[0]) if numbers else None)


OURS: dict[str, Ours] = {cut.__name__: _make_row(cut) for cut in CUTS.values()}
