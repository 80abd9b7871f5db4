"""Splitters ready to run: ours by name and settings, those of other packages, and a user's own."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, TypeAlias, cast

import numpy as np

from caesura import Segmentation, SettingError, Span, Splitter
from caesura.checks import check_names
from caesura.host.settings import CUTS, SPLITTER_NAMES, chunk_limits, decides, make_cut, settings_of
from caesura.sansio import Blocking, embed_in_batches, run
from caesura.types import Cut, Embed, FileSegmenter
from caesura_lab.embedders import Embedder
from caesura_lab.sizing import Sizing
from caesura_lab.splitters.peers import PEERS, Pieces, Settings, node_contents

WORD = re.compile(r"\S+")
SIZES = {"size": "chunk_size", "min_size": "min_chunk_size", "overlap": "chunk_overlap"}
"""What a name may set beside its splitter's own settings, and what the plugins call it."""

AnySplitter: TypeAlias = "str | Splitter | Callable[[str], Sequence[str]] | Any"
"""A name with settings (``optimal:target_size=300,size=800``), a `Splitter`, a LangChain text splitter, a LlamaIndex
node parser, or a function, str -> list of str."""
AnySplitters: TypeAlias = "Sequence[AnySplitter] | Mapping[str, AnySplitter] | None"


@dataclass(frozen=True, slots=True)
class OwnSplitter:
    """A splitter of ours: its class in both plugins, and that of its cut."""

    class_name: str
    cut: type[Cut]

    @property
    def settings(self) -> list[str]:
        """The names of its settings, those of sizes left out."""
        return [*settings_of(self.cut)]

    def make_method(self, name: str, kind: str, settings: Settings, sizing: Sizing) -> Method:
        """Settings and sizes -> a `Method` that is called so. Raises `SettingError` for what it does not take."""
        check_names(f"splitter {kind!r}", settings, [*self.settings, "target_size", "calibrated", *SIZES])
        given = {key: value for key, value in settings.items() if key not in ("calibrated", "target_size")}
        calibrated = settings.get("calibrated", True)
        if not isinstance(calibrated, bool):
            raise SettingError(f"calibrated must be true or false, got {calibrated!r}")
        target = settings.get("target_size", "auto")
        decided = decides(self.cut, given)
        try:
            limits = chunk_limits(sizing.size, sizing.min_size, sizing.overlap, target, sizing.usual, decided)
        except SettingError as error:
            raise SettingError(_with_own_names(str(error))) from error
        largest = None if limits.max_size is None else limits.max_size + sizing.overlap
        cut, view = make_cut(self.cut, given)
        splitter = Splitter(limits=limits, size=sizing.sizer, cut=cut, view=view)

        def splitter_for(embedder: Embedder) -> Splitter:
            return replace(splitter, background=embedder.background if calibrated else None)

        return Method(name, splitter_for, None, replace(sizing, size=largest))


OURS = {name.replace("_", "-"): OwnSplitter(SPLITTER_NAMES[name], cut) for name, cut in CUTS.items()}
"""Our splitters. Their settings have the names and defaults that they have in the plugins."""


@dataclass(frozen=True, slots=True)
class Cutting:
    """One text as one splitter cut it.

    spans: the chunks, rising; they may overlap. segmentation: the result of one of our splitters, else None. lost: the
    number of pieces of another package's splitter that are not in the text, and so have no span.
    """

    splitter: str
    text: str
    spans: tuple[Span, ...]
    segmentation: Segmentation | None = None
    lost: int = 0

    @property
    def chunks(self) -> list[str]:
        """The texts of the chunks."""
        return [self.text[start:end] for start, end in self.spans]


@dataclass(frozen=True, slots=True)
class Method:
    """A splitter, ready for texts: ``method(texts, embedder)`` -> one `Cutting` per text.

    With ``rooms``, one per text, chunks of our splitters measure so much less at most. With ``files``, the names of the
    texts, a segmenter that goes by them, as `Code()` does, gets them.

    splitter_for: makes one of our splitters for an embedder. pieces_for: makes another package's, where
    `splitter_for` is None. limited: whether the splitter keeps to the size.
    """

    name: str
    splitter_for: Callable[[Embedder], Splitter] | None
    pieces_for: Callable[[Embed], Pieces] | None
    sizing: Sizing
    limited: bool = True

    def __call__(
        self, texts: Sequence[str], embedder: Embedder, rooms: Sequence[int] = (), files: Sequence[str] = ()
    ) -> list[Cutting]:
        if self.splitter_for is not None:
            segmentations = segment(self.splitter_for(embedder), texts, embedder, rooms, files)
            return [self._cutting_of_ours(segmentation) for segmentation in segmentations]
        split = cast("Callable[[Embed], Pieces]", self.pieces_for)(embedder.embed)
        return [self._cutting_of_pieces(text, split(text)) for text in texts]

    def _cutting_of_ours(self, segmentation: Segmentation) -> Cutting:
        spans = tuple(Span(chunk.start, chunk.end) for chunk in segmentation.chunks(self.sizing.overlap))
        return Cutting(self.name, segmentation.text, spans, segmentation)

    def _cutting_of_pieces(self, text: str, pieces: Sequence[str]) -> Cutting:
        spans, lost = locate(text, pieces)
        return Cutting(self.name, text, tuple(spans), None, lost)


def make_method(splitter: AnySplitter, sizing: Sizing, name: str | None = None) -> Method:
    """What a user calls a splitter -> a `Method`.

    Raises `SettingError` for an unknown name or setting, a value out of range, or a library that is not installed.
    """
    if isinstance(splitter, Method):
        return splitter
    if isinstance(splitter, Splitter):
        own = replace(sizing, size=splitter.limits.max_size, overlap=0)
        return Method(name or type(splitter.cut).__name__, lambda _: splitter, None, own)
    if not isinstance(splitter, str):
        own_name = str(getattr(splitter, "__name__", type(splitter).__name__))
        return Method(name or own_name, None, lambda _: _split_function(splitter), sizing.settled())
    kind, settings = parse_spec(splitter)
    sizing = replace(sizing, **{key: settings.pop(key) for key in SIZES if key in settings})
    if kind in OURS:
        return OURS[kind].make_method(name or splitter, kind, settings, sizing)
    if kind not in PEERS:
        near = get_close_matches(kind, [*OURS, *PEERS], 1)
        remedy = f"did you mean {near[0]}?" if near else f"choose from {', '.join([*OURS, *PEERS])}"
        raise SettingError(f"there is no splitter {kind!r}: {remedy}")
    peer, sizing = PEERS[kind], sizing.settled()
    peer.pieces(kind, settings, sizing, lambda texts: [[1.0]] * len(texts))  # so that a wrong setting is told now
    return Method(
        name or splitter, None, lambda embed: peer.pieces(kind, settings, sizing, embed), sizing, peer.limited
    )


def make_methods(splitters: Sequence[AnySplitter] | Mapping[str, AnySplitter], sizing: Sizing) -> list[Method]:
    """Several splitters -> a method each, by names of which none is there twice."""
    if isinstance(splitters, str):
        splitters = [splitters]
    pairs = splitters.items() if isinstance(splitters, Mapping) else ((None, splitter) for splitter in splitters)
    methods = [make_method(splitter, sizing, name) for name, splitter in pairs]
    names = [method.name for method in methods]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise SettingError(f"splitters must differ in their names, {', '.join(twice)} is there more than once")
    if not methods:
        raise SettingError(f"give at least one splitter: {', '.join([*OURS, *PEERS])}")
    return methods


def list_available(sizing: Sizing) -> tuple[list[str], list[str]]:
    """Returns the names of all splitters that can run here, and for each other one a line with the remedy."""
    out = {name: f"pip install {peer.missing}" for name, peer in PEERS.items() if peer.missing}
    if sizing.sizer is not len:
        out["fixed"] = "it counts characters"
    remedies = [f"{name} is left out: {why}" for name, why in out.items()]
    return [*OURS, *(name for name in PEERS if name not in out)], remedies


def parse_spec(spec: str) -> tuple[str, Settings]:
    """A spec -> the name and its settings; numbers, true, false and none are read as such.

    Raises `SettingError` where a setting has no value.

    >>> parse_spec("optimal:penalty=0.9,n_chunks=none")
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
        settings[key.strip().replace("-", "_")] = _parse_value(value.strip())
    return name.strip(), settings


def _with_own_names(message: str) -> str:
    """A plugin's message about sizes -> the same with what they are called here."""
    for name, plugin_name in SIZES.items():
        message = re.sub(rf"\b{plugin_name}\b", name, message)
    return message


def _parse_value(text: str) -> Any:
    constants = {"true": True, "false": False, "none": None}
    if text.lower() in constants:
        return constants[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def segment(
    splitter: Splitter,
    texts: Sequence[str],
    embedder: Embedder,
    rooms: Sequence[int] = (),
    files: Sequence[str] = (),
) -> list[Segmentation]:
    """A splitter of ours and texts -> the texts as it cuts them.

    rooms: how much less than the splitter's limit the chunks of each text may measure. files: the name of each text,
    for a segmenter that goes by it.
    """
    most = splitter.limits.max_size
    limits = [splitter.limits.reduced(most - room) for room in rooms] if most is not None and rooms else None
    own = splitter.segment
    segmenters = [own.for_file(name) for name in files] if files and isinstance(own, FileSegmenter) else None
    batch = splitter.prepare(texts, limits, segmenters)
    return splitter.finish(batch, run(embed_in_batches(Blocking(), embedder.embed, batch.texts)))


def locate(text: str, pieces: Sequence[str]) -> tuple[list[Span], int]:
    """Pieces in the text's order -> their spans, rising, and the number that is not in the text from there on.

    Whitespace may be missing, added or changed; pieces may overlap, and text may be left out between them. A piece that
    occurs more than once is taken where it begins nearest to the end of the one before, before that if it goes on
    from there, else after it. Pieces of whitespace alone are left out and counted nowhere.

    >>> locate("One two. Three  four.", ["One two.", "two.\\nThree", "four.", "five"])
    ([Span(start=0, end=8), Span(start=4, end=14), Span(start=16, end=21)], 1)
    """
    words = [match.span() for match in WORD.finditer(text)]
    solid = "".join(text[start:end] for start, end in words)  # the text without its whitespace
    starts = np.array([start for start, _ in words], np.intp)
    solid_starts = np.cumsum([0, *(end - start for start, end in words)])

    def place_in_text(position: int) -> int:
        word = int(np.searchsorted(solid_starts, position, side="right")) - 1
        return int(starts[word] + position - solid_starts[word])

    spans: list[Span] = []
    lost, first, end = 0, -1, 0
    for piece in pieces:
        wanted = "".join(piece.split())
        if not wanted:
            continue
        start = solid.rfind(wanted, max(first + 1, end - len(wanted) + 1), end + len(wanted))
        if start < 0:
            start = solid.find(wanted, end)
        if start < 0:
            lost += 1
            continue
        first, end = start, start + len(wanted)
        spans.append(Span(place_in_text(first), place_in_text(end - 1) + 1))
    return spans, lost


def _split_function(splitter: Any) -> Pieces:
    """A user's own splitter -> text in, strings out."""
    if hasattr(splitter, "get_nodes_from_documents"):
        return node_contents(splitter)
    split = getattr(splitter, "split_text", splitter)
    if not callable(split):
        raise SettingError(
            f"a splitter must be a name, a Splitter, a framework's splitter or a function, got {splitter!r}"
        )
    return cast(Pieces, split)
