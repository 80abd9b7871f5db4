"""Reads a tide table and answers when the harbour gate can be opened.

The table is a CSV file with a time and a height per line. Heights are metres above chart datum, e.g. 3.42.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

SILL = 2.1  # metres. The gate stands on a concrete sill.
MARGIN = timedelta(minutes=10)


@dataclass(frozen=True)
class Height:
    """One line of the table."""

    when: datetime
    metres: float

    def clears(self, draught: float) -> bool:
        """Whether a boat of this draught passes over the sill. Half a metre is kept for the swell."""
        return self.metres - SILL >= draught + 0.5


def read(path: Path) -> list[Height]:
    """The heights in the file, oldest first."""
    with path.open(newline="") as lines:
        rows = csv.DictReader(lines)
        return sorted(
            (Height(datetime.fromisoformat(row["time"]), float(row["height"])) for row in rows),
            key=lambda height: height.when,
        )


def openings(heights: list[Height], draught: float) -> list[tuple[datetime, datetime]]:
    # A window opens when the water first clears the sill. It closes a little before it no longer does,
    # because nobody likes to wait in the gate.
    found: list[tuple[datetime, datetime]] = []
    start: datetime | None = None
    for height in heights:
        if height.clears(draught):
            start = start or height.when
        elif start is not None:
            found.append((start, height.when - MARGIN))
            start = None

    return found


if __name__ == "__main__":
    for begin, end in openings(read(Path("tides.csv")), draught=1.4):
        print(f"open from {begin:%H:%M} to {end:%H:%M}. Mind the flow!")
