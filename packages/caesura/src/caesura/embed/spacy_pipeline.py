"""A spaCy pipeline -> what its components may do to sentences and vectors, and how it must be shown a text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from caesura.errors import SettingError

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


def checked(nlp: object) -> None:
    """Raises `ImportError` where spaCy is missing, `SettingError` where `nlp` is no pipeline of it."""
    try:
        from spacy.language import Language
    except ImportError as error:
        raise ImportError(f'this needs spaCy, {error}: pip install "caesura[spacy]"') from error
    if not isinstance(nlp, Language):
        raise SettingError(f'nlp must be a spaCy pipeline, as spacy.load("en_core_web_md") returns it, got {nlp!r:.80}')


def idle(nlp: Language) -> list[str]:
    """The components at the end of the pipeline that set no boundaries; nothing follows that could use theirs."""
    names = list(nlp.pipe_names)
    while names and _factory(nlp, names[-1]) in LABELLING:
        names.pop()
    return list(nlp.pipe_names[len(names) :])


def keeps_tokens(nlp: Language) -> bool:
    """Whether no component can change tokens or their vectors."""
    return all(_factory(nlp, name) in KEEPING for name in nlp.pipe_names)


def readable(nlp: Language, text: str) -> str:
    """A text -> what spaCy can read, in the same positions. Raises `SettingError` where it is over its maximum."""
    if len(text) > nlp.max_length:
        raise SettingError(
            f"a text has {len(text)} characters, over nlp.max_length={nlp.max_length}: raise it, as nlp.max_length = "
            f"{len(text)} does (a parser or ner takes about 1 GB for each 100,000 characters, a sentencizer does not)"
        )
    return SURROGATE.sub("\ufffd", text)


def _factory(nlp: Language, name: str) -> str:
    return str(nlp.get_pipe_meta(name).factory)
