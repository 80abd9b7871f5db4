"""Cut text where its meaning turns.

>>> from caesura import Limits, Splitter
>>> splitter = Splitter(limits=Limits(max_size=1200))
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from caesura.background import Background, calibrate
from caesura.batch import Batch
from caesura.cuts.double_pass import DoublePassCut
from caesura.edges import joined
from caesura.errors import CaesuraError, EmbeddingError, SegmentError, SettingError
from caesura.segmentation import Segmentation
from caesura.sizers import tokens, utf8_bytes, words
from caesura.splitter import Splitter
from caesura.types import Chunk, Limits, Span

if TYPE_CHECKING:
    from caesura.cuts.cluster import ClusterCut, DistanceThreshold, Elbow, NClusters, Silhouette
    from caesura.cuts.optimal import OptimalCut
    from caesura.cuts.percentile import Count, Gradient, Interquartile, Percentile, PercentileCut, StandardDeviation
    from caesura.cuts.scores.gaps import Adjacent, Overlapping
    from caesura.cuts.search.linkages import Average, Cohesion, Ward
    from caesura.text.align import aligned
    from caesura.text.sentences import sentences, units

__version__ = "0.2.0"

_ON_USE = {
    "caesura.cuts.cluster": ("ClusterCut", "DistanceThreshold", "Elbow", "NClusters", "Silhouette"),
    "caesura.cuts.scores.gaps": ("Adjacent", "Overlapping"),
    "caesura.cuts.search.linkages": ("Average", "Cohesion", "Ward"),
    "caesura.cuts.optimal": ("OptimalCut",),
    "caesura.cuts.percentile": (
        "Count",
        "Gradient",
        "Interquartile",
        "Percentile",
        "PercentileCut",
        "StandardDeviation",
    ),
    "caesura.text.align": ("aligned",),
    "caesura.text.sentences": ("sentences", "units"),
}
"""What the default path does not need, and is loaded when it is first asked for."""
CUT_NAMES = ("DoublePassCut", "OptimalCut", "ClusterCut", "PercentileCut")
"""The cuts, in the order in which hosts and tools list them."""

__all__ = [
    "Adjacent",
    "Average",
    "Background",
    "Batch",
    "CaesuraError",
    "Chunk",
    "ClusterCut",
    "Cohesion",
    "Count",
    "DistanceThreshold",
    "DoublePassCut",
    "Elbow",
    "EmbeddingError",
    "Gradient",
    "Interquartile",
    "Limits",
    "NClusters",
    "OptimalCut",
    "Overlapping",
    "Percentile",
    "PercentileCut",
    "SegmentError",
    "Segmentation",
    "SettingError",
    "Silhouette",
    "Span",
    "Splitter",
    "StandardDeviation",
    "Ward",
    "aligned",
    "calibrate",
    "joined",
    "sentences",
    "tokens",
    "units",
    "utf8_bytes",
    "words",
]


def __getattr__(name: str) -> Any:
    for module, names in _ON_USE.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module 'caesura' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
