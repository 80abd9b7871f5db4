"""See and measure chunks: compare splitters on your own texts, look at what they cut, and measure what retrieval finds.

>>> from caesura_lab import compare
>>> note = "Yeast makes bread dough rise. Flour and yeast make bread. The moon pulls at the sea. So the sea has tides."
>>> [(row["splitter"], row["chunks"]) for row in compare(note, ["double-pass:target_size=60", "fixed:size=60"])]
[('double-pass:target_size=60', 2), ('fixed:size=60', 2)]
"""

from caesura_lab.comparison_table import compare
from caesura_lab.embedders import embedder
from caesura_lab.measuring import Measured, measure
from caesura_lab.passage_index import FoundChunk, FoundPassage, PassageIndex
from caesura_lab.plotting import plot
from caesura_lab.questions import Question, QuestionsError, ask, known_items, read_questions
from caesura_lab.reading import read_texts
from caesura_lab.recall_plot import plot_recalls
from caesura_lab.retrieval import Scores, evaluate, evaluate_retrieval
from caesura_lab.segmentation_metrics import evaluate_segmentation, pk, window, window_diff
from caesura_lab.significance import Interval, interpolated, leads, paired_interval
from caesura_lab.sizing import token_counter
from caesura_lab.splitting import split
from caesura_lab.tables import Table
from caesura_lab.tuning import Tuned, tune
from caesura_lab.viewer import Page, view
from caesura_lab.written_questions import WrittenQuestions, write_questions

__version__ = "0.2.0"

__all__ = [
    "FoundChunk",
    "FoundPassage",
    "Interval",
    "Measured",
    "Page",
    "PassageIndex",
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
    "measure",
    "paired_interval",
    "pk",
    "plot",
    "plot_recalls",
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
