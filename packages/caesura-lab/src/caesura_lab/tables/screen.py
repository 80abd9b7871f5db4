"""A table -> what rich draws on a screen: as many columns side by side as there is room for, the rest under them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table as Drawn
from rich.text import Text

if TYPE_CHECKING:
    from caesura_lab.tables.table import Table


@dataclass(frozen=True, slots=True)
class Screen:
    """A table, as rich wants what it draws."""

    table: Table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        table = self.table
        yield Text(table.title, style="bold")
        for part in self._parts(options.max_width):
            drawn = Drawn()
            for name, width in part.items():
                left = any(isinstance(row[name], str) for row in table.rows)
                drawn.add_column(
                    table.label(name),
                    justify="left" if left else "right",
                    overflow="ellipsis" if name == "text" else "fold",
                    no_wrap=name == "text",
                    width=width,
                )
            for row in table.rows:
                drawn.add_row(*(Text(table.shown(name, row[name])) for name in part))
            yield drawn
        yield from (Text(note, style="dim") for note in table.notes)

    def _parts(self, room: int) -> Iterator[dict[str, int]]:
        """Columns and their widths, each part with the first column and no wider than `room`, if that can be."""
        first, *others = self.table.columns or [""]
        if not first:
            return
        part = start = {first: min(self._width(first), max(24, room // 3))}
        for name in others:
            width, begins = self._width(name), any(name == each[0] for each in self.table.parts)
            least = 14 if any(isinstance(row[name], str) for row in self.table) else width  # words wrap, or are cut off
            if part != start and (begins or min(width, least) > _left(part, room)):
                yield part
                part = start
            part = {**part, name: min(width, max(_left(part, room), 1))}
        yield part

    def _width(self, name: str) -> int:
        cells = (self.table.shown(name, row[name]) for row in self.table.rows)
        return max(*map(len, self.table.label(name).split()), *map(len, cells), 1)


def _left(part: dict[str, int], room: int) -> int:
    """What is left for one more column, lines and spaces between columns taken off."""
    return room - sum(part.values()) - 3 * len(part) - 4
