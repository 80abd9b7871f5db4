"""`spacy:NAME`: the name or the path of a pipeline -> texts in, rows out."""

from __future__ import annotations

from caesura import SettingError
from caesura.types import Embed


def spacy_pipeline(name: str) -> Embed:
    """Raises `SettingError` where spaCy is not installed, or has no pipeline of that name."""
    try:
        import spacy  # type: ignore[import-not-found, unused-ignore]

        from caesura.embed.spacy import spacy_vectors
    except ImportError as error:
        raise SettingError(f'embedder spacy:{name} needs spaCy: pip install "caesura[spacy]"') from error
    try:
        return spacy_vectors(spacy.load(name))
    except OSError as error:
        raise SettingError(
            f"spaCy has no pipeline {name!r}: python -m spacy download {name}, or give the path of one"
        ) from error
