"""Embedders by name, `static`, `openai:MODEL`, `sentence-transformers:NAME` or `spacy:NAME`, or of any function."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from caesura import Background, CaesuraError, EmbeddingError, SettingError, calibrate
from caesura.sizers import without_surrogates
from caesura.types import Embed, Sizer
from caesura.vectors import as_rows

if TYPE_CHECKING:
    from caesura_llm.conversation import Chat

AT_ONCE = 2000
"""So many texts are embedded between two looks at a bar."""
KINDS = ("static", "openai:MODEL", "sentence-transformers:NAME", "spacy:NAME")


@dataclass(frozen=True)
class Embedder:
    """A function, texts -> rows, with the name it goes by and its background.

    known_background: None computes it when it is first needed.
    """

    name: str
    embed: Embed
    known_background: Background | None = None

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Texts -> (n, d) rows. None are embedded for no texts."""
        if not texts:
            return np.zeros((0, 0), np.float32)
        return as_rows(self.embed([without_surrogates(text) for text in texts]), len(texts))  # which no API takes

    @cached_property
    def background(self) -> Background:
        """What unrelated texts have in common for this embedder: its own, or one call with 64 short texts."""
        return self.known_background or calibrate(self.embed)


def embedder(given: str | Embed | Embedder = "static") -> Embedder:
    """A name, or a function of a list of str -> an embedder.

    Raises `SettingError` for a name that is none, a library that is not installed, a model that it does not find, or
    an API key that is not set.
    """
    if isinstance(given, Embedder):
        return given
    if not isinstance(given, str):
        if not callable(given):
            raise SettingError(f"embedder must be one of {', '.join(KINDS)}, or a function, got {given!r:.80}")
        return Embedder(getattr(given, "__name__", type(given).__name__), given)
    if given == "static":
        from caesura_static import StaticEmbedder  # its vectors are read when they are wanted

        return Embedder(given, StaticEmbedder())
    kind, _, name = given.partition(":")
    if kind in LOADERS and name:
        return Embedder(given, LOADERS[kind](name))
    raise SettingError(f"embedder must be one of {', '.join(KINDS)}, got {given!r}")


@dataclass(slots=True)
class CountingEmbed:
    """An embedding function that counts its calls, and how many tokens and characters they had."""

    embed: Embed
    size: Sizer
    calls: int = 0
    tokens: int = 0
    characters: int = 0
    counting_seconds: float = 0.0

    def __call__(self, texts: list[str]) -> Any:
        start = perf_counter()
        self.calls += 1
        self.characters += sum(map(len, texts))
        self.tokens += sum(map(self.size, texts))
        self.counting_seconds += perf_counter() - start
        return self.embed(texts)


@dataclass(slots=True)
class CachingEmbed:
    """An embedding function that asks for no text twice."""

    embed: Embed
    rows: dict[str, NDArray[np.float32]] = field(default_factory=dict)

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        new = list(dict.fromkeys(text for text in texts if text not in self.rows))
        if new:
            self.rows.update(zip(new, as_rows(self.embed(new), len(new)), strict=True))
        return np.array([self.rows[text] for text in texts], np.float32)


def caching_embedder(given: str | Embed | Embedder) -> Embedder:
    """What `embedder` takes -> an embedder that asks for no text twice."""
    inner = embedder(given)
    return Embedder(inner.name, CachingEmbed(inner.embed), inner.background)


def tell_embedded(embedder: Embedder, tell: Callable[[int], object]) -> Embedder:
    """An embedder that says after each of some texts how many characters they had."""

    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        rows = []
        for start in range(0, len(texts), AT_ONCE):
            some = texts[start : start + AT_ONCE]
            rows.append(embedder(some))
            tell(sum(map(len, some)))
        return np.concatenate(rows) if rows else embedder(())

    return Embedder(embedder.name, embed, embedder.background)


def load_openai(model: str) -> Embed:
    """Raises `SettingError` where the client is not installed or the key is not set; what the API says of a call is an
    `EmbeddingError` that does not show the key.
    """
    client = _open_client(f"embedder openai:{model}", None)
    from caesura_llm.openai import openai_vectors

    vectors = openai_vectors(client, model)  # which paces and repeats its calls itself

    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        with _short_errors(f"openai:{model}", client.api_key, EmbeddingError):
            return vectors(texts)

    return embed


@contextmanager
def chat_client(model: str, base_url: str | None = None) -> Iterator[Chat]:
    """Gives a client of a model: OpenAI's, or that of a server at `base_url` or OPENAI_BASE_URL, which needs no key.

    Raises `SettingError` where the package is not installed or the key is not set; what the API says of a call within
    the block is a `CaesuraError` that does not show the key.
    """
    base_url = base_url or os.environ.get("OPENAI_BASE_URL") or None
    if base_url and not base_url.startswith(("http://", "https://")):
        raise SettingError(f"the base URL of a server must begin with http:// or https://, got {base_url!r}")
    client = _open_client(f"model {model!r}", base_url, "; a server of your own, --base-url, needs none")
    from caesura_llm.openai import openai_chat

    with _short_errors(f"model {model!r}", client.api_key, CaesuraError):
        yield openai_chat(client, model, structured=base_url is None)  # which other servers may refuse


def _open_client(wanted_for: str, base_url: str | None, instead: str = "") -> Any:
    try:
        from openai import OpenAI  # type: ignore[import-not-found, unused-ignore]
    except ImportError as error:
        raise SettingError(f'{wanted_for} needs the openai client: pip install "caesura-llm[openai]"') from error
    key = os.environ.get("OPENAI_API_KEY", "") or ("none" if base_url else "")
    if not key:
        raise SettingError(f"{wanted_for} needs the environment variable OPENAI_API_KEY, which is not set{instead}")
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise SettingError("OPENAI_API_KEY must be ASCII without white space: copy the key again")
    return OpenAI(api_key=key, base_url=base_url, max_retries=0)


@contextmanager
def _short_errors(name: str, key: str, kind: type[CaesuraError]) -> Iterator[None]:
    """What the client raises, in one line and without the key."""
    from openai import OpenAIError  # type: ignore[import-not-found, unused-ignore]

    try:
        yield
    except OpenAIError as error:
        cause = f" ({error.__cause__})" if error.__cause__ else ""
        message = f"{error}{cause}".replace(key, "…")  # some servers say the key that they refuse
        raise kind(f"{name}: {message}") from None  # nor is it in what a traceback shows


def load_sentence_transformers(name: str) -> Embed:
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


def load_spacy(name: str) -> Embed:
    """Raises `SettingError` where spaCy is not installed, or has no pipeline of that name."""
    try:
        import spacy  # type: ignore[import-not-found, unused-ignore]

        from caesura_documents.spacy import spacy_vectors
    except ImportError as error:
        raise SettingError(f'embedder spacy:{name} needs spaCy: pip install "caesura-documents[spacy]"') from error
    try:
        return spacy_vectors(spacy.load(name))
    except OSError as error:
        raise SettingError(
            f"spaCy has no pipeline {name!r}: python -m spacy download {name}, or give the path of one"
        ) from error


LOADERS: dict[str, Callable[[str], Embed]] = {
    "openai": load_openai,
    "sentence-transformers": load_sentence_transformers,
    "spacy": load_spacy,
}
