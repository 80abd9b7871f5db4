"""Measure chunks: segmentation error, retrieval by character ranges, paired bootstrap intervals."""

from caesura_lab.bootstrap import Interval, paired_interval
from caesura_lab.matched import interpolated
from caesura_lab.questions import Question, QuestionsError, read_questions
from caesura_lab.retrieval import Scores, evaluate
from caesura_lab.segmentation import pk, window, window_diff

__version__ = "0.1.0"

__all__ = [
    "Interval",
    "Question",
    "QuestionsError",
    "Scores",
    "evaluate",
    "interpolated",
    "paired_interval",
    "pk",
    "read_questions",
    "window",
    "window_diff",
]
