"""Sentences and vectors of a spaCy pipeline, as a segmenter and an embedder.

spaCy is loaded where it is first used (``pip install "caesura-documents[spacy]"``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import SegmentError, SettingError
from caesura.text.align import aligned
from caesura.types import Edges

if TYPE_CHECKING:
    from spacy.language import Language  # type: ignore[import-not-found, unused-ignore]

SURROGATE = re.compile(r"[\ud800-\udfff]")
LABELLING = frozenset(
    (
        "ner", "beam_ner", "entity_linker", "entity_ruler", "future_entity_ruler", "span_ruler", "span_finder",
        "spancat", "spancat_singlelabel", "textcat", "textcat_multilabel", "lemmatizer",
        "trainable_lemmatizer", "tagger", "morphologizer",
    )
)  # fmt: skip
"""spaCy's components that label and bound no sentence: what comes last of them is not needed for sentences."""
KEEPING = LABELLING | frozenset(["tok2vec", "parser", "beam_parser", "senter", "sentencizer", "attribute_ruler"])
"""spaCy's components that leave tokens and their vectors alone: where all are of these, none is needed for vectors."""


def check_pipeline(nlp: object) -> None:
    """Raises `ImportError` where spaCy is missing, `SettingError` where `nlp` is no pipeline of it."""
    try:
        from spacy.language import Language
    except ImportError as error:
        raise ImportError(f'this needs spaCy, {error}: pip install "caesura-documents[spacy]"') from error
    if not isinstance(nlp, Language):
        raise SettingError(f'nlp must be a spaCy pipeline, as spacy.load("en_core_web_md") returns it, got {nlp!r:.80}')


def idle_components(nlp: Language) -> list[str]:
    """Returns the components at the end of the pipeline that set no boundaries, and that nothing else needs."""
    names = list(nlp.pipe_names)
    while names and _factory(nlp, names[-1]) in LABELLING:
        names.pop()
    return list(nlp.pipe_names[len(names) :])


def keeps_tokens(nlp: Language) -> bool:
    """Whether no component can change tokens or their vectors."""
    return all(_factory(nlp, name) in KEEPING for name in nlp.pipe_names)


def replace_surrogates(nlp: Language, text: str) -> str:
    """Returns a text that spaCy can read, with the same positions. Raises `SettingError` where it is too long."""
    if len(text) > nlp.max_length:
        raise SettingError(
            f"a text has {len(text)} characters, over nlp.max_length={nlp.max_length}: raise it, as nlp.max_length = "
            f"{len(text)} does (a parser or ner takes about 1 GB for each 100,000 characters, a sentencizer does not)"
        )
    return SURROGATE.sub("\ufffd", text)


def _factory(nlp: Language, name: str) -> str:
    return str(nlp.get_pipe_meta(name).factory)


@dataclass(frozen=True, slots=True)
class spacy_sentences:  # noqa: N801 - used as a function: spacy_sentences(nlp)
    """A spaCy pipeline -> a segmenter, str -> Edges.

    Returns edges such that each unit starts where one of spaCy's own sentences does (``doc.sents``), which can be with
    whitespace; what lies between two of them belongs to the earlier one, and so does a sentence of whitespace alone.
    Components that only label (``ner``) are not run where they come last. spaCy is shown U+FFFD for a lone surrogate,
    which it cannot read.

    Raises `SettingError` where the pipeline sets no sentence boundaries, or a text is over ``nlp.max_length``;
    `SegmentError` where its tokens are not the text.
    """

    nlp: Language

    def __post_init__(self) -> None:
        check_pipeline(self.nlp)

    def __call__(self, text: str) -> Edges:
        if not text.strip():
            return np.array([0, len(text)] if text else [0], dtype=np.intp)
        shown = replace_surrogates(self.nlp, text)
        doc = self.nlp(shown, disable=idle_components(self.nlp))
        if not doc.has_annotation("SENT_START"):
            raise SettingError(
                f"nlp must set sentence boundaries, and its components {self.nlp.pipe_names} set none: "
                f'add nlp.add_pipe("sentencizer"), or load a pipeline that has a parser or a senter'
            )
        held = [sentence for sentence in doc.sents if sentence.text.strip()]
        if doc.text == shown:
            return np.array([0, *(sentence.start_char for sentence in held[1:]), len(text)], dtype=np.intp)
        try:
            return aligned(lambda _: [sentence.text for sentence in held])(shown)
        except SegmentError as error:
            raise SegmentError(f"spaCy's tokens must be the text, as nlp.tokenizer makes them: {error}") from error


@dataclass(frozen=True, slots=True)
class spacy_vectors:  # noqa: N801 - used as a function: spacy_vectors(nlp)
    """A spaCy pipeline with word vectors -> an embedder, texts -> (n, d) float32: each text's ``doc.vector``.

    That is the mean of its tokens' vectors, zero for a text that has none in the table. Where no component can change
    it the texts are tokenized and nothing else is run; else, and where a component makes the vectors itself (a hook of
    the doc), ``nlp.pipe`` takes all texts.

    Raises `SettingError` where the pipeline has no vectors, or a text is over ``nlp.max_length``.
    """

    nlp: Language

    def __post_init__(self) -> None:
        check_pipeline(self.nlp)
        if not self.nlp.vocab.vectors.size and keeps_tokens(self.nlp):
            raise SettingError(_no_vectors(self.nlp))

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        shown = [replace_surrogates(self.nlp, text) for text in texts]
        rows = [_row(self.nlp, doc) for doc in self._docs(shown)]
        if not rows:
            return np.zeros((0, self.nlp.vocab.vectors_length), np.float32)
        return np.stack(rows).astype(np.float32, copy=False)

    def _docs(self, texts: list[str]) -> Iterable[Any]:
        table = self.nlp.vocab.vectors
        if table.size and self.nlp.vocab.strings[table.attr] in ("ORTH", "LOWER") and keeps_tokens(self.nlp):
            return map(self.nlp.make_doc, texts)
        docs: Iterable[Any] = self.nlp.pipe(texts)
        return docs


def _row(nlp: Language, doc: Any) -> NDArray[Any]:
    """A doc -> its vector, on the CPU. Raises `SettingError` where that is none, or only a tagger's working state."""
    row = doc.vector
    if not nlp.vocab.vectors.size and "vector" not in doc.user_hooks and (doc.tensor.size or not row.size):
        raise SettingError(_no_vectors(nlp))
    return np.asarray(row.get() if hasattr(row, "get") else row)  # a row of cupy is got from the GPU


def _no_vectors(nlp: Language) -> str:
    name = f"{nlp.lang}_{nlp.meta.get('name') or 'pipeline'}"
    return (
        f"nlp must have word vectors, and {name} has none: load a pipeline that has, as "
        f'spacy.load("en_core_web_md") (the small ones, …_sm, have none), or set them in nlp.vocab'
    )
