"""State of a document in an index: by which settings its rows were made, and of what."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.schema import BaseNode, TransformComponent

from caesura.host.secrets import known_settings
from caesura.host.setting_keys import canonical, package_path, settings_fingerprint
from caesura.ids import digest
from llama_index.node_parser.caesura.base import SemanticParser
from llama_index.node_parser.caesura.serialization import SerializableParser


class DocumentState(NamedTuple):
    """By which settings the rows of a document were made, of what, and the id of one that was written last.

    These are empty while it is written. turn: of the version that readers see, see `Versions`. pending: ids of rows
    that the vector store may have beside those of this version. is_whole: whether all nodes of the version are there.
    """

    settings: str = ""
    content: str = ""
    row: str = ""
    turn: int = 0
    pending: Sequence[str] = ()
    is_whole: bool = True

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> DocumentState:
        """Reads what `entry` made."""
        settings, _, rest = entry["doc_hash"].partition("/")
        content, _, row = rest.partition("/")
        return cls(settings, content, row, entry["turn"], entry["pending"], entry["is_whole"])

    def entry(self) -> dict[str, Any]:
        """What is filed in the place of the document's hash."""
        made = "/".join(self[:3]) if self.settings else ""
        return {"doc_hash": made, "turn": self.turn, "pending": [*self.pending], "is_whole": self.is_whole}


def document_states(
    groups: Mapping[str, Sequence[BaseNode]],
    transformations: Sequence[TransformComponent],
    embed_model: BaseEmbedding,
    context: float,
) -> dict[str, DocumentState]:
    """Returns the states that documents are to have. groups: what there is of each."""
    contents = {name: document_fingerprint(group) for name, group in groups.items()}
    settings = writing_fingerprint(transformations, embed_model, context)
    return {name: DocumentState(settings, content) for name, content in contents.items()}


def writing_fingerprint(
    transformations: Sequence[TransformComponent], embed_model: BaseEmbedding, context: float
) -> str:
    """Returns what names the settings that make nodes and rows.

    Versions are no part of it: a new one of Caesura makes no unchanged document anew.
    """
    parts = list(map(_settings_of, transformations))
    return digest(
        settings_fingerprint([*parts, package_path(type(embed_model)), embed_model.model_name, float(context)])
    )


def _settings_of(part: TransformComponent) -> Any:
    """Returns the settings of a transformation; of a model, or of models within it, those that are known by name."""
    if isinstance(part, SemanticParser):
        return part.filed_settings()
    data = canonical(part.to_dict())
    if isinstance(part, SerializableParser):
        return data
    own = () if isinstance(part, BaseEmbedding) else [name for name, item in data.items() if not isinstance(item, dict)]
    return {**known_settings(data), **{name: data[name] for name in own}}


def are_made_otherwise(
    hashes: Iterable[str], transformations: Sequence[TransformComponent], embed_model: BaseEmbedding, context: float
) -> bool:
    """Whether a document store's hashes have a document that was made by other settings."""
    own = writing_fingerprint(transformations, embed_model, context)
    return any(each.partition("/")[0] != own for each in hashes)


def document_fingerprint(documents: Sequence[BaseNode]) -> str:
    """Returns what names all that a document's nodes are made of."""
    data = [{**document.to_dict(), "embedding": None} for document in documents]
    return digest(*(json.dumps(each, default=str) for each in data))
