"""The pieces that a hierarchy made of one document in, each of the largest with those of the smallest in it out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from langchain_caesura.pieces import Piece


def nested(pieces: list[Piece], deepest: int) -> Iterator[tuple[Piece, list[Piece]]]:
    """See above. deepest: the level of the smallest.

    A smallest one knows what it lies in; a chunk that is all of the one that it lies in is passed over.
    """
    by_id = {piece.id: piece for piece in pieces}
    inside: dict[str | None, list[Piece]] = {piece.id: [] for piece in pieces if piece.added["level"] == 0}
    for piece in pieces:
        if piece.added["level"] == deepest:
            line = [piece]
            for _ in range(deepest):
                line.append(by_id[line[-1].added["parent_id"]])
            between = [one for one, outer in pairwise(line[1:]) if one.text not in (piece.text, outer.text)]
            above = tuple(replace(one, added={}) for one in between)
            inside[line[-1].id].append(replace(piece, added={}, above=above))
    return ((replace(piece, added={}), inside[piece.id]) for piece in pieces if piece.id in inside)
