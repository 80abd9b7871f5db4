"""Laws that parts of your own have to keep: each check passes, or raises what broke, for which input, and the remedy.

Needs no test runner; the texts and rows that are tried are the same on every run.

>>> from caesura import OptimalCut, sentences
>>> check_segmenter(sentences)
>>> check_cut(OptimalCut())
>>> check_sizer(lambda text: min(len(text), 512), pickled=False)
Traceback (most recent call last):
    ...
AssertionError: prose twice as long measures more
...
"""

from caesura_testing.adapter_laws import Record, acheck_adapter, check_adapter, check_chunks
from caesura_testing.cut_laws import check_cut
from caesura_testing.embedder_laws import acheck_embedder, check_embedder
from caesura_testing.segmenter_laws import check_segmenter
from caesura_testing.sizer_laws import check_sizer
from caesura_testing.texts import odd_texts

__all__ = [
    "Record",
    "acheck_adapter",
    "acheck_embedder",
    "check_adapter",
    "check_chunks",
    "check_cut",
    "check_embedder",
    "check_segmenter",
    "check_sizer",
    "odd_texts",
]
__version__ = "0.2.0"
