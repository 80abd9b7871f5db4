"""The settings that both plugins share -> the core's limits and cuts, or a `SettingError` that names the setting."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from inspect import signature
from typing import Any, Literal, NamedTuple, TypeAlias, cast, get_args, get_type_hints

import caesura
from caesura.background import Background
from caesura.checks import check_int, check_number
from caesura.cuts import MOST, Setting
from caesura.errors import SettingError
from caesura.types import Cut, Limits, View

CUTS: dict[str, type[Cut]] = {
    re.sub(r"\B([A-Z])", r"_\1", name.removesuffix("Cut")).lower(): getattr(caesura, name) for name in caesura.CUT_NAMES
}
"""The cuts of the core under the names that hosts have for them: double_pass, optimal, …"""
SPLITTER_NAMES = {name: f"{cut.__name__.removesuffix('Cut')}SemanticSplitter" for name, cut in CUTS.items()} | {
    "percentile": "SemanticPercentileSplitter"
}
"""What each plugin calls the class that splits by a cut."""
Size: TypeAlias = int | Literal["auto"] | None
CHARACTERS, TOKENS = (800, 2000), (200, 512)
"""The most that a chunk may measure where nothing is said: of even chunks, and of those that end by meaning alone."""


class CutSetting(NamedTuple):
    """What a host's user may type to have a cut.

    type: what it may be. default: where nothing is typed. meaning: a sentence. decides: whether it says where to cut.
    """

    type: Any
    default: Any
    meaning: str
    decides: bool


@cache
def settings_of(cut: type[Cut]) -> dict[str, CutSetting]:
    """A cut's class -> its settings by name, as its file says them: what its `from_settings` takes, where it has one,
    then its fields.

    They are those whose annotations hold a `Setting`. A field that decides is None unless it is typed, which stands for
    its own default.
    """
    found: dict[str, CutSetting] = {}
    for maker in filter(None, (getattr(cut, "from_settings", None), cut)):
        hints = get_type_hints(maker, include_extras=True)
        for name, parameter in signature(maker).parameters.items():
            kind, said = hints.get(name), getattr(hints.get(name), "__metadata__", [None])[0]
            if name in found or not isinstance(said, Setting):
                continue
            kind, default, meaning = get_args(kind)[0], parameter.default, said.meaning
            if maker is cut and said.decides and default is not None:
                kind, default, meaning = kind | None, None, f"{meaning.rstrip('.')}; None is {default}."
            found[name] = CutSetting(kind, default, meaning, said.decides)
    return found


def make_cut(cut: type[Cut], given: Mapping[str, Any]) -> tuple[Cut, View | None]:
    """A cut's class and what a user typed -> the cut, and the view where it needs one. Raises `SettingError`."""
    known = settings_of(cut)
    typed = {name: value for name, value in given.items() if value is not None or known[name].default is not None}
    made = getattr(cut, "from_settings", cut)(**typed)
    return made if isinstance(made, tuple) else (made, None)


def decides(cut: type[Cut], given: Mapping[str, Any]) -> bool:
    """Whether what a user typed says where to cut, so that by default no size is aimed at."""
    return any(
        given.get(name, setting.default) != setting.default
        for name, setting in settings_of(cut).items()
        if setting.decides
    )


def chunk_limits(
    chunk_size: Size = "auto",
    min_chunk_size: int = 0,
    chunk_overlap: int = 0,
    target_size: Size = "auto",
    usual: tuple[int, int] = CHARACTERS,
    decided: bool = False,
) -> Limits:
    """A plugin's sizes -> the limits of the cut, with room left for the overlap. Raises `SettingError`.

    "auto": `chunk_size` is twice `target_size`, and `target_size` half of `chunk_size`, or none where it is `decided`
    where to cut. usual: `chunk_size` where neither is given, with a target and without.
    """
    for name, value in (("target_size", target_size), ("chunk_size", chunk_size)):
        if isinstance(value, str) and value != "auto":
            raise SettingError(f"{name} must be a whole number of at least 1, 'auto' or None, got {value!r}")
    if target_size is not None and target_size != "auto":
        check_int("target_size", target_size, 1)
    if chunk_size == "auto":
        if isinstance(target_size, int):
            chunk_size = 2 * target_size
        else:
            chunk_size = usual[1] if target_size is None or decided else usual[0]
    elif chunk_size is not None:
        check_int("chunk_size", chunk_size, 1)
    if isinstance(target_size, str):
        target_size = None if chunk_size is None or decided else max(1, chunk_size // 2)
    check_int("chunk_overlap", chunk_overlap, 0)
    check_int("min_chunk_size", min_chunk_size, 0)
    if chunk_size is None:
        return Limits(None, min_chunk_size, target_size)
    if target_size is not None and target_size > chunk_size:
        raise SettingError(f"target_size={target_size} must not be over chunk_size={chunk_size}: raise chunk_size")
    if 2 * chunk_overlap > chunk_size:
        raise SettingError(
            f"chunk_overlap={chunk_overlap} must be at most half of chunk_size={chunk_size}: what is new needs the rest"
        )
    if chunk_overlap + min_chunk_size > chunk_size:
        rest = f" and chunk_overlap={chunk_overlap}" if chunk_overlap else ""
        raise SettingError(f"chunk_size={chunk_size} must have room for min_chunk_size={min_chunk_size}{rest}")
    return Limits(chunk_size, min_chunk_size, target_size).reduced(chunk_size - chunk_overlap)


def given_background(background: Background | Sequence[float] | None, calibrated: bool) -> Background | None:
    """What was given as background, if anything was. Raises `SettingError` where it cannot serve."""
    if background is None:
        return None
    if not calibrated:
        raise SettingError("a background is what vectors are centred on: give it with calibrated=True, or leave it out")
    return background if isinstance(background, Background) else Background(background)


def check_context(context: float, embedded: bool) -> float:
    """How far vectors lean, if it can be. embedded: whether there are vectors. Raises `SettingError`."""
    check_number("context", context, 0, MOST)
    if context and not embedded:
        raise SettingError(f"context={context!r} moves the vectors of chunks: give embed_chunks=True too")
    return context


def check_own_cut(cut: object) -> Cut:
    """What was given as cut -> the same. Raises `SettingError` for what is not called, or is a class of cuts."""
    if callable(cut) and not isinstance(cut, type):
        return cast(Cut, cut)
    got = f"the class {cut.__name__}, not an instance: {cut.__name__}(…)" if isinstance(cut, type) else f"{cut!r:.120}"
    raise SettingError(
        f"cut must be a function, (vectors, sizes, limits) -> breaks, such as caesura.OptimalCut(), got {got}"
    )
