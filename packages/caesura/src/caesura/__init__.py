"""Cut text where its meaning turns.

>>> from caesura import Limits, Splitter
>>> splitter = Splitter(limits=Limits(max_size=1200))
"""

from caesura.background import Background, calibrate
from caesura.cuts.double_pass import DoublePassCut
from caesura.cuts.gaps import Adjacent, Neighbours, Overlapping
from caesura.cuts.percentile import Count, Gradient, Interquartile, Percentile, PercentileCut, StandardDeviation
from caesura.edges import joined
from caesura.errors import CaesuraError, EmbeddingError, SegmentError, SettingError
from caesura.size import characters, tokens, utf8_bytes, words
from caesura.splitter import Batch, Segmentation, Splitter
from caesura.text.align import aligned
from caesura.text.sentences import sentences
from caesura.types import Chunk, Limits, Span

__version__ = "0.1.0"

__all__ = [
    "Adjacent",
    "Background",
    "Batch",
    "CaesuraError",
    "Chunk",
    "Count",
    "DoublePassCut",
    "EmbeddingError",
    "Gradient",
    "Interquartile",
    "Limits",
    "Neighbours",
    "Overlapping",
    "Percentile",
    "PercentileCut",
    "SegmentError",
    "Segmentation",
    "SettingError",
    "Span",
    "Splitter",
    "StandardDeviation",
    "aligned",
    "calibrate",
    "characters",
    "joined",
    "sentences",
    "tokens",
    "utf8_bytes",
    "words",
]
