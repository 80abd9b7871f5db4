"""`sentence-transformers:NAME`: the name or the path of a model -> texts in, rows out."""

from __future__ import annotations

from caesura import SettingError
from caesura.types import Embed


def sentence_transformer(name: str) -> Embed:
    """Raises `SettingError` where the library is not installed, or finds no model of that name."""
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise SettingError(
            f"embedder sentence-transformers:{name} needs it installed: pip install sentence-transformers"
        ) from error
    try:
        model = SentenceTransformer(name)
    except (OSError, ValueError) as error:
        raise SettingError(f"sentence-transformers finds no model {name!r}: {error}") from error
    return lambda texts: model.encode(list(texts), show_progress_bar=False)
