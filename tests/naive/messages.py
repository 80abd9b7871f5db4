"""Who speaks and when in a part of a text, found character by character."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def naive_messages(layout: Sequence[dict[str, Any]], start: int, end: int) -> dict[str, Any]:
    """A layout whose entries all have a time, and a range -> `speakers`, `time_start` and `time_end`."""
    own = [[entry for entry in layout if entry["start"] <= place][-1:] for place in range(start, end)]
    entries = [entry for found in own for entry in found]
    speakers: list[str] = []
    for entry in entries:
        if "speaker" in entry and entry["speaker"] not in speakers:
            speakers.append(entry["speaker"])
    times = sorted(entry["time"] for entry in entries)
    return {"speakers": speakers or None, "time_start": times[0], "time_end": times[-1]}
