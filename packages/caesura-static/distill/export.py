"""Token vectors and vocabulary -> model.npz, the file that ships; and how far two such files are apart."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float32]


def quantised(rows: Rows) -> tuple[NDArray[np.int8], np.float32]:
    """Rows -> int8 steps and what one step is worth: one scale for all tokens and dimensions."""
    scale = np.float32(np.abs(rows).max() / 127)
    return np.rint(rows / scale).astype(np.int8), scale


def mean_direction(means: Rows) -> Rows:
    """Rows of unrelated sentences -> the mean of their directions: the model's background."""
    lengths = np.linalg.norm(means, axis=1, keepdims=True)
    return np.asarray((means / np.maximum(lengths, 1e-12)).mean(0), np.float32)


def write(
    file: Path, steps: NDArray[np.int8], scale: np.float32, background: Rows, tokens: list[str], version: str
) -> None:
    """Writes the file, such that equal arguments give equal bytes."""
    np.savez_compressed(
        file,
        steps=steps,
        scale=np.float32(scale),
        background=background,
        vocabulary=np.frombuffer("\n".join(tokens).encode(), np.uint8),
        version=np.str_(version),
    )


def difference(one: Path, other: Path) -> tuple[int, float, float]:
    """Two files -> most int8 steps between entries, share of entries that differ, most between the backgrounds."""
    with np.load(one, allow_pickle=False) as a, np.load(other, allow_pickle=False) as b:
        if a["steps"].shape != b["steps"].shape or a["vocabulary"].tobytes() != b["vocabulary"].tobytes():
            raise SystemExit(f"{one} and {other} differ in shape or vocabulary: {a['steps'].shape}, {b['steps'].shape}")
        steps = np.abs(a["steps"].astype(int) - b["steps"].astype(int))
        return int(steps.max()), float((steps > 0).mean()), float(np.abs(a["background"] - b["background"]).max())
