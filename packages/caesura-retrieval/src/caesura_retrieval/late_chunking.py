"""Late chunking: a model reads a whole text, and a chunk's row is the mean of the rows of its tokens.

Source: Günther et al., Late Chunking (2024).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caesura.checks import check_int
from caesura.errors import EmbeddingError, SettingError
from caesura.types import Span
from caesura.vectors import normalize, stack_rows
from caesura_retrieval.document_embedders import embed_alone

JOINT = "\n"
"""The text between chunks if the document that they are from is not known."""
SLACK = 8
"""One part in so many of the window is left free, because a text that is cut within a word may have more tokens."""

Tokens: TypeAlias = Callable[[str], tuple[Any, ArrayLike]]
"""A text that fits the window -> (t, d) the rows of its tokens, and (t, 2) where each begins and ends in it."""
Offsets: TypeAlias = Callable[[str], ArrayLike]
"""A text of any length -> (t, 2) where its tokens begin and end."""


def late_rows(tokens: ArrayLike, offsets: ArrayLike, spans: Sequence[Span | tuple[int, int]]) -> NDArray[np.float32]:
    """(t, d) rows of a text's tokens, (t, 2) their offsets and the (n, 2) spans of chunks -> (n, d) the chunks' rows.

    A chunk's row is the mean of the rows of the tokens whose last character is in it, and zero if there are none.
    Tokens without characters, such as the first and the last that a model reads, count for no chunk. Spans may overlap.
    Raises `EmbeddingError` unless there is one pair of offsets per token.

    >>> late_rows([[9, 9], [1, 0], [0, 1], [4, 4]], [(0, 0), (0, 3), (3, 5), (6, 8)], [(0, 5), (6, 8), (8, 8)]).tolist()
    [[0.5, 0.5], [4.0, 4.0], [0.0, 0.0]]
    """
    places = _as_offsets(offsets)
    rows = stack_rows(tokens, len(places))
    said = np.flatnonzero(places[:, 1] > places[:, 0])
    said = said[np.argsort(places[said, 1], kind="stable")]
    ends = places[said, 1]
    found = np.zeros((len(spans), rows.shape[1]), np.float32)
    for number, (start, end) in enumerate(spans):
        own = said[np.searchsorted(ends, start, side="right") : np.searchsorted(ends, end, side="right")]
        if len(own):
            found[number] = rows[own].mean(axis=0, dtype=np.float64)
    return found


def _as_offsets(offsets: ArrayLike) -> NDArray[np.intp]:
    places = np.asarray(offsets, np.intp).reshape(-1, 2) if np.size(offsets) else np.zeros((0, 2), np.intp)
    if (places[:, 1] < places[:, 0]).any():
        raise EmbeddingError("the offsets of a token must be where it begins and where it ends")
    return places


@dataclass(frozen=True, slots=True)
class late_chunking:  # noqa: N801 - used as a function: late_chunking(tokens, offsets, window)
    """A model that gives rows of tokens -> a `caesura_retrieval.document_embedders.DocumentEmbedder`, whose rows have
    length 1.

    tokens, offsets: the model, see `Tokens` and `Offsets`. window: the most tokens that `tokens` takes. overlap: how
    many tokens two windows of a longer text share; None: a quarter of a window. A token's row is from the window in
    which more text is around it. query: a question -> its row; None: a question is embedded as a text by itself.
    `late_chunking.of(model)` is for models of sentence-transformers.
    """

    tokens: Tokens
    offsets: Offsets
    window: int
    overlap: int | None = None
    query: Callable[[str], Any] | None = None

    def __post_init__(self) -> None:
        check_int("window", self.window, 2)
        if self.overlap is not None:
            check_int("overlap", self.overlap, 0)
            if self.overlap >= self._size:
                raise SettingError(f"overlap must be under {self._size} of a window of {self.window}: {self.overlap}")

    @classmethod
    def of(cls, model: Any, overlap: int | None = None) -> Self:
        """A `SentenceTransformer` with a fast tokenizer, which tells offsets -> the embedder."""
        own = _SentenceTransformer(model)
        return cls(own.tokens, own.offsets, own.window(), overlap, own.query)

    def embed_document(self, chunks: Sequence[str]) -> NDArray[np.float32]:
        """The texts of a document's chunks -> (n, d) rows. The model reads the chunks joined by line ends."""
        edges = [*accumulate((len(chunk) + len(JOINT) for chunk in chunks), initial=0)]
        return self.embed_spans(JOINT.join(chunks), [(start, end - len(JOINT)) for start, end in pairwise(edges)])

    def embed_spans(self, text: str, spans: Sequence[Span | tuple[int, int]]) -> NDArray[np.float32]:
        """A document and the spans of its chunks -> (n, d) rows. The model reads the document as it is."""
        places = _as_offsets(self.offsets(text))
        rows, offsets = list[NDArray[np.float32]](), list[NDArray[np.intp]]()
        for start, end, first, last in self._windows(places[places[:, 1] > places[:, 0]], len(text)):
            own = self._read(text[start:end])
            at = own[1] + start
            kept = (own[1][:, 1] > own[1][:, 0]) & (at[:, 1] > first) & (at[:, 1] <= last)
            rows.append(own[0][kept])
            offsets.append(at[kept])
        return normalize(late_rows(np.concatenate(rows), np.concatenate(offsets), spans))

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Texts -> (n, d) rows. Each text is a document by itself."""
        return embed_alone(self, texts)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """A question -> its row, (d,)."""
        row = self.embed_document([text]) if self.query is None else np.atleast_2d(_as_array(self.query(text)))
        return np.asarray(normalize(stack_rows(row, 1))[0])

    @property
    def _size(self) -> int:
        """The number of tokens in a window, if a text has several."""
        return self.window - self.window // SLACK

    def _windows(self, places: NDArray[np.intp], length: int) -> Iterator[tuple[int, int, int, int]]:
        """Offsets of a text's tokens -> for each window its start and end, and the first and last of its own part.

        A token is taken from the window whose own part its last character is in.
        """
        if len(places) <= self.window:
            yield 0, length, 0, length
            return
        size = self._size
        overlap = size // 4 if self.overlap is None else self.overlap
        starts = [*range(0, len(places) - size, size - overlap), len(places) - size]
        middles = [(first + size + second) // 2 for first, second in pairwise(starts)]
        seams = [0, *(int(places[middle - 1, 1]) for middle in middles), length]
        for number, at in enumerate(starts):
            yield int(places[at, 0]), int(places[at + size - 1, 1]), seams[number], seams[number + 1]

    def _read(self, text: str) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
        tokens, offsets = self.tokens(text)
        places = _as_offsets(offsets)
        if len(tokens) != len(places):
            raise EmbeddingError(
                f"the model must return one row per token: expected {len(places)}, got {len(tokens)}, for the text "
                f"that begins {text[:60]!r}; does it add a prompt, or take under {self.window} tokens?"
            )
        return stack_rows(_as_array(tokens), len(places)), places


def _as_array(rows: Any) -> Any:
    """Rows, perhaps of torch, on any device and of any type, -> what NumPy takes."""
    return rows.detach().cpu().float().numpy() if hasattr(rows, "detach") else rows


@dataclass(frozen=True, slots=True)
class _SentenceTransformer:
    """A model of sentence-transformers, as `late_chunking` takes it."""

    model: Any

    def tokens(self, text: str) -> tuple[Any, ArrayLike]:
        bare, left = text.strip(), len(text) - len(text.lstrip())  # the model strips too
        rows = self.model.encode(bare, output_value="token_embeddings")
        return rows, [(left + start, left + end) for start, end in self._offsets(bare, special=True)]

    def offsets(self, text: str) -> ArrayLike:
        return self._offsets(text, special=False)

    def query(self, text: str) -> Any:
        return getattr(self.model, "encode_query", self.model.encode)(text)

    def window(self) -> int:
        check_int("max_seq_length", self.model.max_seq_length, 1)
        return int(self.model.max_seq_length) - len(self._offsets("", special=True))

    def _offsets(self, text: str, special: bool) -> list[tuple[int, int]]:
        read = self.model.tokenizer(text, add_special_tokens=special, return_offsets_mapping=True)
        offsets: list[tuple[int, int]] = read["offset_mapping"]
        return offsets
