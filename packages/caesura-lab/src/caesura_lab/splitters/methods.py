"""Our splitters by name with their settings, and a `Sizing` -> for an embedder a `Splitter`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, cast

import numpy as np

from caesura import Segmentation, SettingError, Span, Splitter
from caesura.plugin.settings import chunk_limits, cluster_cut, double_pass_cut, optimal_cut, percentile_cut
from caesura.sansio import Blocking, embed_in_batches, run
from caesura.types import Cut, Embed, View
from caesura_lab.embedders import Embedder
from caesura_lab.sizing import Sizing
from caesura_lab.splitters.peers import PEERS, Pieces, Settings, contents

WORD = re.compile(r"\S+")


def located(text: str, pieces: Sequence[str]) -> tuple[list[Span], int]:
    """Pieces in the text's order -> their spans, rising, and the number that is not in the text from there on.

    Whitespace may be missing, added or changed; pieces may overlap, and text may be left out between them. A piece that
    occurs more than once is taken where it begins nearest to the end of the one before, before that if it goes on
    from there, else after it. Pieces of whitespace alone are left out and counted nowhere.

    >>> located("One two. Three  four.", ["One two.", "two.\\nThree", "four.", "five"])
    ([Span(start=0, end=8), Span(start=4, end=14), Span(start=16, end=21)], 1)
    """
    stretches = [match.span() for match in WORD.finditer(text)]
    bare = "".join(text[start:end] for start, end in stretches)
    starts = np.array([start for start, _ in stretches], np.intp)
    held = np.cumsum([0, *(end - start for start, end in stretches)])

    def place(position: int) -> int:
        stretch = int(np.searchsorted(held, position, side="right")) - 1
        return int(starts[stretch] + position - held[stretch])

    spans: list[Span] = []
    lost, first, end = 0, -1, 0
    for piece in pieces:
        wanted = "".join(piece.split())
        if not wanted:
            continue
        found = bare.rfind(wanted, max(first + 1, end - len(wanted) + 1), end + len(wanted))
        if found < 0:
            found = bare.find(wanted, end)
        if found < 0:
            lost += 1
            continue
        first, end = found, found + len(wanted)
        spans.append(Span(place(first), place(end - 1) + 1))
    return spans, lost


@dataclass(frozen=True, slots=True)
class Cutting:
    """One text as one splitter cut it.

    spans: the chunks, rising; they may overlap. made: all that is known of the cut, where it is ours. lost: how many
    pieces of another's splitter are not in the text, and so are not among the spans.
    """

    splitter: str
    text: str
    spans: tuple[Span, ...]
    made: Segmentation | None = None
    lost: int = 0

    @property
    def chunks(self) -> list[str]:
        """The texts of the chunks."""
        return [self.text[start:end] for start, end in self.spans]


@dataclass(frozen=True, slots=True)
class Method:
    """A splitter, ready for texts: ``method(texts, embedder)`` -> one `Cutting` per text.

    make: one of ours; pieces: in its place, another's. limited: whether the size is kept by it.
    """

    name: str
    make: Callable[[Embedder], Splitter] | None
    pieces: Callable[[Embed], Pieces] | None
    sizing: Sizing
    limited: bool = True

    def __call__(self, texts: Sequence[str], embedder: Embedder) -> list[Cutting]:
        if self.make is not None:
            splitter = self.make(embedder)
            batch = splitter.prepare(texts)
            made = splitter.finish(batch, run(embed_in_batches(Blocking(), embedder.embed, batch.texts)))
            return [self._ours(segmentation) for segmentation in made]
        split = cast("Callable[[Embed], Pieces]", self.pieces)(embedder.embed)
        return [self._theirs(text, split(text)) for text in texts]

    def _ours(self, made: Segmentation) -> Cutting:
        spans = tuple(Span(chunk.start, chunk.end) for chunk in made.chunks(self.sizing.overlap))
        return Cutting(self.name, made.text, spans, made)

    def _theirs(self, text: str, pieces: Sequence[str]) -> Cutting:
        spans, lost = located(text, pieces)
        return Cutting(self.name, text, tuple(spans), None, lost)


OURS: dict[str, Settings] = {
    "double-pass": {
        "initial_threshold": None,
        "appending_threshold": None,
        "merging_threshold": None,
        "look_ahead": 1,
        "min_units": 3,
    },
    "optimal": {"penalty": None, "n_chunks": None, "target_size": None, "structure": 0.3, "half_weight": 0.25},
    "cluster": {
        "linkage": "cohesion",
        "n_clusters": None,
        "distance_threshold": None,
        "stop": None,
        "half_weight": 0.25,
    },
    "percentile": {
        "breakpoint_threshold_type": "percentile",
        "breakpoint_threshold_amount": None,
        "number_of_chunks": None,
        "window": "adjacent",
        "window_size": None,
        "buffer_size": None,
    },
}
"""Our splitters and their settings, by the names and defaults that they have in the plugins."""
SIZES = ("size", "min_size", "overlap")
"""What a name may set beside its own settings."""


def splitter_for(kind: str, settings: Settings, sizing: Sizing) -> Callable[[Embedder], Splitter]:
    """One of `OURS` with settings. Raises `SettingError` for a setting that it has not, or a value out of range."""
    calibrated = settings.pop("calibrated", True)
    if unknown := sorted(set(settings) - set(OURS[kind])):
        raise SettingError(
            f"splitter {kind!r} has no setting {unknown[0]!r}: it has {', '.join([*OURS[kind], 'calibrated', *SIZES])}"
        )
    if not isinstance(calibrated, bool):
        raise SettingError(f"calibrated must be true or false, got {calibrated!r}")
    limits = chunk_limits(sizing.size, sizing.min_size, sizing.overlap)
    cut, view = _cut(kind, OURS[kind] | settings, sizing)
    splitter = Splitter(limits=limits, size=sizing.sizer, cut=cut, view=view)
    return lambda embedder: replace(splitter, background=embedder.background if calibrated else None)


def _cut(kind: str, settings: Settings, sizing: Sizing) -> tuple[Cut, View | None]:
    if kind == "percentile":
        return percentile_cut(**settings)
    if kind == "optimal":
        return optimal_cut(**settings, chunk_size=sizing.size), None
    return (double_pass_cut(**settings) if kind == "double-pass" else cluster_cut(**settings)), None


def parsed(spec: str) -> tuple[str, Settings]:
    """A spec -> the name and its settings; numbers, true, false and none are read as such.

    Raises `SettingError` where a setting has no value.

    >>> parsed("optimal:penalty=0.9,n_chunks=none")
    ('optimal', {'penalty': 0.9, 'n_chunks': None})
    """
    name, _, rest = spec.partition(":")
    settings: Settings = {}
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        if not equals or not key.strip():
            raise SettingError(
                f"a splitter's settings must be key=value, with commas between, got {part!r} in {spec!r}"
            )
        settings[key.strip().replace("-", "_")] = _value(value.strip())
    return name.strip(), settings


def _value(written: str) -> Any:
    named = {"true": True, "false": False, "none": None}
    if written.lower() in named:
        return named[written.lower()]
    for kind in (int, float):
        try:
            return kind(written)
        except ValueError:
            continue
    return written


Given: TypeAlias = "str | Splitter | Callable[[str], Sequence[str]] | Any"
"""A name with settings (``optimal:penalty=0.9,size=800``), a `Splitter`, a LangChain text splitter, a LlamaIndex node
parser, or a function, str -> list of str."""
Splitters: TypeAlias = "Sequence[Given] | Mapping[str, Given] | None"


def method(given: Given, sizing: Sizing, name: str | None = None) -> Method:
    """What a user calls a splitter -> a `Method`.

    Raises `SettingError` for an unknown name or setting, a value out of range, or a library that is not installed.
    """
    if isinstance(given, Method):
        return given
    if isinstance(given, Splitter):
        return Method(name or type(given.cut).__name__, lambda _: given, None, replace(sizing, overlap=0))
    if not isinstance(given, str):
        own_name = str(getattr(given, "__name__", type(given).__name__))
        return Method(name or own_name, None, lambda _: _strings(given), sizing)
    kind, settings = parsed(given)
    own = {key: settings.pop(key) for key in SIZES if key in settings}
    sizing = replace(sizing, **own)
    if kind in OURS:
        return Method(name or given, splitter_for(kind, settings, sizing), None, sizing)
    if kind not in PEERS:
        raise SettingError(f"there is no splitter {kind!r}: choose from {', '.join([*OURS, *PEERS])}")
    peer = PEERS[kind]
    peer.pieces(kind, settings, sizing, lambda texts: [[1.0]] * len(texts))  # so that a wrong setting is told now
    return Method(name or given, None, lambda embed: peer.pieces(kind, settings, sizing, embed), sizing, peer.limited)


def methods(given: Sequence[Given] | Mapping[str, Given], sizing: Sizing) -> list[Method]:
    """Several splitters -> a method each, by names of which none is there twice."""
    if isinstance(given, str):
        given = [given]
    named = given.items() if isinstance(given, Mapping) else ((None, one) for one in given)
    made = [method(one, sizing, name) for name, one in named]
    names = [one.name for one in made]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise SettingError(f"splitters must differ in their names, {', '.join(twice)} is there more than once")
    if not made:
        raise SettingError(f"give at least one splitter: {', '.join([*OURS, *PEERS])}")
    return made


def available(sizing: Sizing) -> tuple[list[str], list[str]]:
    """Returns the names of all splitters that can run here, and for each other one a line with the remedy."""
    out = {name: f"pip install {peer.missing}" for name, peer in PEERS.items() if peer.missing}
    if sizing.sizer is not len:
        out["fixed"] = "it counts characters"
    remedies = [f"{name} is left out: {why}" for name, why in out.items()]
    return [*OURS, *(name for name in PEERS if name not in out)], remedies


def _strings(given: Any) -> Pieces:
    """A user's own splitter -> text in, strings out."""
    if hasattr(given, "get_nodes_from_documents"):
        return contents(given)
    split = getattr(given, "split_text", given)
    if not callable(split):
        raise SettingError(
            f"a splitter must be a name, a Splitter, a framework's splitter or a function, got {given!r}"
        )
    return cast(Pieces, split)
