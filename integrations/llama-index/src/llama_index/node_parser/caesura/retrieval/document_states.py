"""Fingerprints of what an index writes: by which settings the rows of documents are made, and of what."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.schema import BaseNode, MetadataMode, TransformComponent

from caesura.ids import digest
from caesura_documents.caller_warning import warn_caller
from caesura_store.secrets import known_settings
from caesura_store.setting_keys import canonical, package_path, settings_fingerprint
from llama_index.node_parser.caesura.base import SemanticParser
from llama_index.node_parser.caesura.retrieval.docstore import DocumentState
from llama_index.node_parser.caesura.serialization import SerializableParser

RANDOM_ID: re.Pattern[str] = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
"""What LlamaIndex gives a document that was given no id: a random UUID."""
FILE_KEYS = "file_path file_name file_type file_size creation_date last_modified_date last_accessed_date".split()  # noqa: SIM905
"""What `SimpleDirectoryReader` says of a file, which changes where the file is moved or written again."""


def document_states(
    groups: Mapping[str, Sequence[BaseNode]],
    transformations: Sequence[TransformComponent],
    embed_model: BaseEmbedding,
    context: float,
) -> dict[str, DocumentState]:
    """Returns the states that documents are to have. groups: what there is of each."""
    settings = writing_fingerprint(transformations, embed_model, context)
    return {name: DocumentState(settings, document_fingerprint(group)) for name, group in groups.items()}


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
    """Whether a document store's hashes have a document that was made by other settings, or of nodes that others
    embedded."""
    own = {writing_fingerprint(parts, embed_model, context) for parts in (transformations, ())}
    return any(each.partition("/")[0] not in own for each in hashes)


def find_sources(groups: Iterable[Sequence[BaseNode]]) -> dict[str, dict[str, dict[str, Any]]]:
    """Returns for each document with a random id what it is known by: its place, then its content.

    groups: what there is of each document; of one with a random id, itself.
    The place is its file and its page there, or its number among those of one file that are given together.
    """
    numbers, copies = Counter[tuple[str, str]](), Counter[str]()
    sources: dict[str, dict[str, dict[str, Any]]] = {}
    for document, *_ in groups:
        if document.ref_doc_id is not None or not RANDOM_ID.fullmatch(document.node_id):
            continue
        metadata, text = document.metadata, document.get_content(metadata_mode=MetadataMode.NONE)
        path, page = str(metadata.get("file_path", "")), str(metadata.get("page_label", ""))
        rest = {key: value for key, value in metadata.items() if key not in FILE_KEYS}
        about = json.dumps(rest, sort_keys=True, default=str)
        content = digest("content", text, about)
        found = sources[document.node_id] = {}
        if path:
            place = digest("place", path, page, str(numbers[path, page]))
            numbers[path, page] += 1
            file = [metadata.get(key) for key in ("file_size", "last_modified_date")]
            found[place] = {"content": content, "about": digest(about), "is_page": bool(page), "file": file}
        key = digest(content, str(copies[content])) if copies[content] and not path else content
        copies[content] += not path  # as many as are given together are known again
        if text.strip():
            found[key] = {"path": path}
    return sources


def known_ids(
    sources: Mapping[str, Mapping[str, Mapping[str, Any]]], known: Mapping[str, Mapping[str, Any]]
) -> dict[str, str]:
    """Returns the ids that documents with random ids had before. sources: see `find_sources`. known: those of before.

    Warns of a document that may be a new version of one of before, or another part of its file.
    """
    ids: dict[str, str] = {}
    for name, keys in sources.items():
        for key, own in keys.items():
            old = known.get(key)
            if old is None or old["id"] in ids.values():
                continue
            if "path" in own:
                is_same = own["path"] == old["path"] or not os.path.exists(old["path"])  # else it is a copy
            else:
                is_file_unknown = own["is_page"] and not any(own["file"])
                is_new = is_file_unknown or old["file"] != own["file"]  # else it is another part of the same version
                is_same = (is_new or old["content"] == own["content"]) and old["about"] == own["about"]
            if is_same:
                ids[name] = old["id"]
                break
        else:
            before = [old["id"] for key in keys if (old := known.get(key)) and "file" in old]
            if before:
                warn_caller(
                    f"document {name!r} has a random id and the file of {before[0]!r}, but another text or other "
                    f"metadata: both are kept. If it is the same document, its old text is still found: give documents "
                    f"ids that last, as SimpleDirectoryReader(filename_as_id=True) does"
                )
    return ids


def document_fingerprint(documents: Sequence[BaseNode]) -> str:
    """Returns what names all that a document's nodes are made of."""
    data = [{**document.to_dict(), "embedding": None} for document in documents]
    return digest(*(json.dumps(each, default=str) for each in data))
