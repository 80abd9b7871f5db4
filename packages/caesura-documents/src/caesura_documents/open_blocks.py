"""Blocks that go on where a chunk begins, such as notes, tabs and fences, by the lines that open them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

from caesura.text.containers import Container, containers

LONGEST = 200
"""What opens a block is cut off here."""
_INDENTED = re.compile(r"!!!|\?\?\?|===|\.\. ")
_MARK = re.compile(r"(/{3,9}|:{3,9}|`{3,9}|~{3,9})|<([\w.]+)")


@dataclass(frozen=True, slots=True)
class OpenBlocks:
    """The blocks of a text that lines open, by their starts, any two apart or one inside the other.

    openings: the lines that open each, without the whitespace around them.

    >>> text = '!!! note "Tides"\\n\\n    High at nine. Low at three.\\n'
    >>> OpenBlocks.of(text).at(text.index("Low"))
    ['!!! note "Tides"']
    """

    blocks: Sequence[Container] = ()
    openings: Sequence[str] = ()
    _parents: list[int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        parents, inside = list[int](), list[int]()
        for number, block in enumerate(self.blocks):
            while inside and self.blocks[inside[-1]].end <= block.start:
                inside.pop()
            parents.append(inside[-1] if inside else -1)
            inside.append(number)
        object.__setattr__(self, "_parents", parents)

    @classmethod
    def of(cls, text: str, openings: Sequence[str] = ()) -> OpenBlocks:
        """The blocks of a text. openings: of those that it begins inside of, the outermost first."""
        before, after = _lines_around(text, openings)
        least = len(before)
        blocks, lines = list[Container](), list[str]()
        whole = f"{before}{text}{after}"
        for start, body, end, kind in containers(whole):
            if start < body < end and start < least + len(text) and end > least:
                own = (start - least, body - least, min(end - least, len(text)))
                blocks.append(Container(*own, kind))
                lines.append(_bare(whole[start:body]))
        return cls(blocks, lines)

    def at(self, start: int) -> list[str]:
        """Returns what opens the blocks that go on at a place, the outermost first; none that begins there."""
        number = bisect_left(self.blocks, start, key=lambda block: block.start) - 1
        found: list[str] = []
        while number >= 0:
            if self.blocks[number].body <= start < self.blocks[number].end:
                found.append(self.openings[number])
            number = self._parents[number]
        return found[::-1]


def _bare(lines: str) -> str:
    return "\n".join(line.strip() for line in lines.strip().splitlines())[:LONGEST].rstrip()


def _lines_around(text: str, openings: Sequence[str]) -> tuple[str, str]:
    """Returns what a text lacks at its start and at its end if it is a part of blocks that these lines open: the lines,
    the indentation of its own first line, and the marks that close the blocks."""
    before, after, indent = "", "", ""
    for opening in openings:
        before += "".join(f"{indent}{line}\n" for line in opening.splitlines())
        mark = _MARK.match(opening)
        if mark:
            after = f"\n{indent}{mark[1] or f'</{mark[2]}>'}{after}"
        indent += "    " * bool(_INDENTED.match(opening))
    quoted = "> " * bool(openings and openings[-1].startswith(">") and not text.lstrip().startswith(">"))
    return before + indent + quoted, after
