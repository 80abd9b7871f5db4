"""What texts are made of -> a warning, once in a process, where most of a call is not in the model's language."""

from __future__ import annotations

import inspect
import warnings

import numpy as np

from caesura_static.pooling import Tally

FOREIGN_SHARE = 0.3
"""A text with so large a share of tokens that are no whole words is in a language, or a code, that the model does not
know: in English sentences 95 in 100 stay under 0.2, in German 95 in 100 are over 0.4, in Chinese and Arabic all."""
FOREIGN = ((100, 0.4), (1000, 0.1))
"""So many tokens in such texts, and so large a part of all tokens of the call, are worth a warning."""
INSIDE = frozenset(
    [
        "caesura",
        "caesura_lab",
        "caesura_static",
        "langchain_caesura",
        "langchain_core",
        "langchain_text_splitters",
        "llama_index",
        "llama_index_instrumentation",
        "asyncio",
        "concurrent",
        "contextlib",
        "threading",
        "wrapt",
    ]
)
"""The packages between a user's call and us."""
_warned = False


def warn_once(tally: Tally) -> None:
    """The tallies of a call's texts -> a warning, the first time that most of a call is foreign."""
    global _warned
    every = int(tally[:, 1].sum())
    if _warned or every < FOREIGN[0][0]:
        return
    foreign = tally[:, 2] >= FOREIGN_SHARE * np.maximum(tally[:, 1], 1)
    tokens = int(tally[foreign, 1].sum())
    if not any(tokens >= least and tokens >= part * every for least, part in FOREIGN):
        return
    _warned = True
    warnings.warn(
        f"the embedded model knows English: of {len(tally)} texts, {int(foreign.sum())} are to it pieces of words or "
        f"unknown, and it can hardly tell their subjects apart; pass an embedder for their language, such as a "
        f"multilingual sentence-transformers model (embed_model= in LlamaIndex, embeddings= in LangChain, --embedder "
        f"of the command caesura)",
        UserWarning,
        stacklevel=_level_of_caller(),
    )


def _level_of_caller() -> int:
    """For `warn_once`, the stacklevel of the innermost line outside `INSIDE`; in a thread that is not the user's, that
    of who called the embedder."""
    level, frame = 0, inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in INSIDE:
        level, frame = level + 1, frame.f_back
    return 3 if frame is None else level
