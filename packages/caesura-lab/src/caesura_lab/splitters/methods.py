"""What a user calls splitters: names with settings, splitters, functions -> a `Method` each; and what can run here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, cast

from caesura import SettingError, Splitter
from caesura_lab.sizing import Sizing
from caesura_lab.splitters.cutting import Method
from caesura_lab.splitters.llama_index import contents
from caesura_lab.splitters.ours import OURS, SIZES, splitter_for
from caesura_lab.splitters.peer import Pieces
from caesura_lab.splitters.peers import PEERS
from caesura_lab.splitters.spec import parsed

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
