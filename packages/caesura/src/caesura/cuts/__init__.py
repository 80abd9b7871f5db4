"""Where a text is cut: (Vectors, Sizes, Limits) -> Breaks. Here are the defaults that the cuts share.

Each cut has a file of its own here, and its name in `caesura.CUT_NAMES`; docs/architecture.md says how to add one.
A cut says its settings once, in its own file: plugins, lab and reference read them there, see `caesura.host.settings`.
"""

from dataclasses import dataclass

HALF_WEIGHT = 0.25
"""The default of the cuts that weigh units by `reliability_weights`."""
CONFIDENCE = 0.95
MOST_SURE = 0.999999
"""The default of the cuts that compare a document with chance, and the highest that they take."""
STRUCTURE = 0.3
"""The default of what the end of a paragraph counts; the end of a line counts half of it, a heading twice."""
MOST = 1e6
"""The highest `half_weight` and `structure`: far over all that means anything, and without overflow."""


@dataclass(frozen=True, slots=True)
class Setting:
    """The metadata of the annotation of a cut's setting that hosts show to their users.

    meaning: one or two sentences. decides: whether it says where to cut. Where it is given, no size is aimed at by
    default.
    """

    meaning: str
    decides: bool = False
