"""A folder in model2vec's layout -> an embedder: somebody else's static model, which a user has downloaded."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from caesura_static.pooling import check_texts

SLAB = 1 << 6  # tokens whose vectors are added at a time: one sum over a long text would lose digits
_LONE = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")  # surrogates, which `tokenizers` refuses
_LOADED: WeakValueDictionary[tuple[str, Path], LoadedEmbedder] = WeakValueDictionary()


class LoadedEmbedder:
    """A static model that `StaticEmbedder.load` read. Two are equal where their models are, wherever they lie.

    A pickled one is its path and version: the process that receives it reads the folder again, and refuses another
    model. Threads may share one.

    path: the folder. tensors, tokenizer, normalize: what its files say. version: names the model by its content.
    dimension: how many numbers a row has.
    """

    def __init__(
        self, path: Path, version: str, tensors: dict[str, NDArray[Any]], tokenizer: Any, normalize: bool
    ) -> None:
        self.path: Path = path
        self.version: str = version
        self._vectors, self._mapping, self._weights = _check_tensors(path, tensors, tokenizer.get_vocab_size())
        self._normalize = normalize
        self._tokenizer = tokenizer
        self._unknown = _unknown_token(tokenizer)

    @property
    def dimension(self) -> int:
        """How many numbers a row has."""
        return int(self._vectors.shape[1])

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Texts -> float32 rows (n, d).

        Returns one row per text, in order, such that it is the mean of the weighted vectors of all its tokens
        but unknown ones, at length 1 where the model's `normalize` says so; zero where there is none. All of a text
        counts, as with model2vec's `max_length=None`: the model's own `max_length` is not read.

        Raises TypeError where `texts` is a str, no sequence, or holds anything but str.
        """
        read = [text if text.isascii() else text.translate(_LONE) for text in check_texts(texts)]
        rows = np.zeros((len(read), self.dimension), np.float32)
        for row, found in zip(rows, self._tokenizer.encode_batch(read, add_special_tokens=False), strict=True):
            numbers = np.array([number for number in found.ids if number != self._unknown], np.intp)
            total = np.zeros(self.dimension)
            for start in range(0, len(numbers), SLAB):
                total += self._sum(numbers[start : start + SLAB])
            row[:] = total / max(len(numbers), 1)
        if self._normalize:
            lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
            rows /= np.where(lengths > 0, lengths, 1)[:, None]
        return rows

    def _sum(self, numbers: NDArray[np.intp]) -> NDArray[np.float32]:
        vectors = self._vectors[numbers if self._mapping is None else self._mapping[numbers]].astype(np.float32)
        total: NDArray[np.float32] = vectors.sum(axis=0) if self._weights is None else self._weights[numbers] @ vectors
        return total

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LoadedEmbedder) and self.version == other.version

    def __hash__(self) -> int:
        return hash(self.version)

    def __repr__(self) -> str:
        return f"StaticEmbedder.load({str(self.path)!r})"

    def __reduce__(self) -> tuple[Any, tuple[Path, str]]:
        return load_folder, (self.path, self.version)


def load_folder(path: str | Path, version: str | None = None) -> LoadedEmbedder:
    """A folder with model.safetensors, tokenizer.json and config.json -> its embedder; one per model in a process.

    version: the one that the model must have. Raises FileNotFoundError where a file is missing, ImportError where the
    extra is, and ValueError where the model is another one or its tensors do not fit its tokenizer.
    """
    try:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer
    except ImportError as error:
        raise ImportError(
            f"StaticEmbedder.load() needs the packages safetensors and tokenizers, and {error.name} is not installed: "
            f"pip install 'caesura-static[models]'"
        ) from error
    folder = Path(path)
    files = [folder / name for name in ("model.safetensors", "tokenizer.json", "config.json")]
    missing = [file.name for file in files if not file.is_file()]
    if missing:
        raise FileNotFoundError(
            f"StaticEmbedder.load() needs a folder in model2vec's layout: {folder} has no {' and no '.join(missing)}; "
            f"download the model, and pass the folder that holds these files"
        )
    normalize = _normalizes(files[2])
    digest = sha256(bytes([normalize]))
    for file in files[:2]:
        digest.update(sha256(file.read_bytes()).digest())
    found = f"model2vec/{digest.hexdigest()[:24]}"
    if version is not None and found != version:
        raise ValueError(f"{folder} holds another model than before: expected {version}, got {found}; load it anew")
    key = found, folder.resolve()
    known = _LOADED.get(key)
    if known is None:
        tokenizer = _read(files[1], lambda file: Tokenizer.from_file(str(file)))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        tensors = _read(files[0], load_file)
        known = _LOADED[key] = LoadedEmbedder(key[1], found, tensors, tokenizer, normalize)
    return known


def _normalizes(file: Path) -> bool:
    found = _read(file, lambda found: dict(json.loads(found.read_text("utf-8")))).get("normalize", False)
    if not isinstance(found, bool):
        raise ValueError(f"{file} has {found!r} as `normalize`; write true or false, without quotes")
    return found


def _read(file: Path, read: Callable[[Path], Any]) -> Any:
    """What a file holds. Raises ValueError, whatever the library that reads it raises (one raises bare exceptions)."""
    try:
        return read(file)
    except (OSError, MemoryError):
        raise
    except Exception as error:
        raise ValueError(
            f"{file} cannot be read: {error}; download it anew, and whole: what Git LFS leaves is a pointer"
        ) from error


def _check_tensors(
    path: Path, tensors: dict[str, NDArray[Any]], count: int
) -> tuple[NDArray[Any], NDArray[np.intp] | None, NDArray[np.float32] | None]:
    """Tensors of a model and how many tokens it has -> its vectors, the row of each token, the weight of each token."""
    vectors = tensors.get("embeddings", tensors.get("embedding.weight"))
    if vectors is None or vectors.ndim != 2:
        raise ValueError(
            f"{path} has no tensor embeddings of two dimensions: got {sorted(tensors)}; is it a static model?"
        )
    mapping, weights = tensors.get("mapping"), tensors.get("weights")
    for name, tensor in (("mapping", mapping), ("weights", weights)):
        if tensor is not None and (tensor.ndim != 1 or len(tensor) < count):
            raise ValueError(f"{path} has {count} tokens, and {name} of shape {tensor.shape}: it needs one per token")
    for name, tensor in (("embeddings", vectors), ("weights", weights)):
        if tensor is not None and not np.isfinite([tensor.min(initial=0), tensor.max(initial=0)]).all():
            raise ValueError(f"{path} has {name} that are infinite or no numbers; download the model anew")
    if mapping is not None and (mapping.dtype.kind not in "iu" or mapping.min(initial=0) < 0):
        raise ValueError(
            f"{path} needs a mapping of whole numbers from 0 on: got {mapping.dtype}, the least {mapping.min()}"
        )
    rows = count if mapping is None else len(mapping) and int(mapping.max()) + 1
    if rows > len(vectors):
        raise ValueError(f"{path} needs {rows} vectors, and has {len(vectors)}: its files are of different models")
    return (
        vectors,
        None if mapping is None else mapping.astype(np.intp),
        None if weights is None else weights.astype(np.float32),
    )


def _unknown_token(tokenizer: Any) -> int | None:
    """The number of the token for what the vocabulary lacks, which no mean counts."""
    model = tokenizer.model
    if hasattr(model, "unk_token"):
        return None if model.unk_token is None else tokenizer.token_to_id(model.unk_token)
    number: int | None = json.loads(tokenizer.to_str())["model"].get("unk_id")
    return number
