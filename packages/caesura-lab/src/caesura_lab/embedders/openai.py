"""`openai:MODEL`: the name of a model -> texts in, rows out, by OpenAI's API; the key is in OPENAI_API_KEY."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from caesura import EmbeddingError, SettingError
from caesura.types import Embed


def openai_model(model: str) -> Embed:
    """Raises `SettingError` where the client is not installed or the key is not set; what the API says of a call is an
    `EmbeddingError` that does not show the key.
    """
    try:
        from openai import OpenAI, OpenAIError  # type: ignore[import-not-found, unused-ignore]

        from caesura.embed.openai import openai_vectors
    except ImportError as error:
        raise SettingError(f'embedder openai:{model} needs the openai client: pip install "caesura[openai]"') from error
    key = os.environ.get("OPENAI_API_KEY", "")
    if not key:
        raise SettingError(f"embedder openai:{model} needs the environment variable OPENAI_API_KEY, which is not set")
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise SettingError("OPENAI_API_KEY must be ASCII without white space: copy the key again")
    rows = openai_vectors(OpenAI(max_retries=0), model)  # which paces and repeats its calls itself

    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        try:
            return rows(texts)
        except OpenAIError as error:
            cause = f" ({error.__cause__})" if error.__cause__ else ""
            said = f"{error}{cause}".replace(key, "…")  # some servers say the key that they refuse
            raise EmbeddingError(f"openai:{model}: {said}") from None  # nor is it in what a traceback shows

    return embed
