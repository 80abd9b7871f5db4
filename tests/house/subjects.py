"""The stage of docs/architecture.md that each part of the core serves; a module that serves none has no place in it."""

from __future__ import annotations

STAGES = ("segment", "refine", "size", "view", "embed", "centre", "cut", "merge", "slice", "host", "values")
"""As the page lists them. values: what passes between the stages, and what a door says of it."""

SUBJECTS = {
    "errors": "values",
    "checks": "values",
    "types": "values",
    "text": "segment",
    "text.refine": "refine",
    "text.graphemes": "refine",
    "sizers": "size",
    "tiktoken_sizer": "size",
    "edges": "merge",
    "sansio": "embed",
    "batch": "view",
    "splitter": "embed",
    "background": "centre",
    "vectors": "centre",
    "cuts": "cut",
    "cutting": "cut",
    "hierarchy": "cut",
    "segmentation": "slice",
    "ids": "host",
    "host": "host",
}
"""A module or folder of the core -> the stage that it serves. A module within a folder serves the folder's."""
