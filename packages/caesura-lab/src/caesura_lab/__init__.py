"""See and measure chunks: compare splitters on your own texts, look at what they cut, and measure what retrieval finds.

>>> from caesura_lab import compare
>>> note = "Yeast makes bread dough rise. Flour and yeast make bread. The moon pulls at the sea. So the sea has tides."
>>> [(row["splitter"], row["chunks"]) for row in compare(note, ["double-pass:target_size=60", "fixed:size=60"])]
[('double-pass:target_size=60', 2), ('fixed:size=60', 2)]
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from caesura_lab.questions import Question, QuestionsError, ask, known_items, read_questions
from caesura_lab.retrieval import Scores, evaluate
from caesura_lab.segmentation_metrics import pk, window, window_diff
from caesura_lab.significance import Interval, interpolated, paired_interval

if TYPE_CHECKING:
    from caesura_lab.comparison_table import compare
    from caesura_lab.embedders import embedder
    from caesura_lab.plotting import plot
    from caesura_lab.reading import read_texts
    from caesura_lab.retrieval import evaluate_retrieval
    from caesura_lab.segmentation_metrics import evaluate_segmentation
    from caesura_lab.significance import leads
    from caesura_lab.sizing import token_counter
    from caesura_lab.splitting import split
    from caesura_lab.tables import Table
    from caesura_lab.tuning import Tuned, tune
    from caesura_lab.viewer import Page, view
    from caesura_lab.written_questions import WrittenQuestions, write_questions

__version__ = "0.1.0"

__all__ = [
    "Interval",
    "Page",
    "Question",
    "QuestionsError",
    "Scores",
    "Table",
    "Tuned",
    "WrittenQuestions",
    "ask",
    "compare",
    "embedder",
    "evaluate",
    "evaluate_retrieval",
    "evaluate_segmentation",
    "interpolated",
    "known_items",
    "leads",
    "paired_interval",
    "pk",
    "plot",
    "read_questions",
    "read_texts",
    "split",
    "token_counter",
    "tune",
    "view",
    "window",
    "window_diff",
    "write_questions",
]

_ON_USE = {
    "compare": "comparison_table",
    "embedder": "embedders",
    "evaluate_retrieval": "retrieval",
    "evaluate_segmentation": "segmentation_metrics",
    "leads": "significance",
    "Page": "viewer",
    "plot": "plotting",
    "read_texts": "reading",
    "split": "splitting",
    "Table": "tables",
    "token_counter": "sizing",
    "tune": "tuning",
    "Tuned": "tuning",
    "view": "viewer",
    "write_questions": "written_questions",
    "WrittenQuestions": "written_questions",
}
"""What measuring ranges and vectors does not need, and is loaded when it is first asked for."""


def __getattr__(name: str) -> Any:
    if name in _ON_USE:
        return getattr(import_module(f"caesura_lab.{_ON_USE[name]}"), name)
    raise AttributeError(f"module 'caesura_lab' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
