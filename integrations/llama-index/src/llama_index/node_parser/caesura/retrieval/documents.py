"""Documents in, what an index knows them by and whether they have changed out; and which of their nodes it embeds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.schema import BaseNode, IndexNode, MetadataMode, NodeRelationship, TransformComponent

from caesura.adapter import digest
from caesura.errors import SettingError
from caesura.plain import kind_of, plain, without_secrets
from llama_index.node_parser.caesura.documents import check_documents
from llama_index.node_parser.caesura.filing import Filed
from llama_index.node_parser.caesura.nodes import document_of


def made_by(transformations: Sequence[TransformComponent], embed_model: BaseEmbedding) -> str:
    """What nodes are made by, apart from versions: a new one of Caesura makes no document anew that is the same."""
    settings = []
    for each in transformations:
        data = plain(each.to_dict())
        settings.append(str(_unversioned(data if isinstance(each, Filed) else without_secrets(data))))
    return digest(*settings, kind_of(type(embed_model)), embed_model.model_name)


def _unversioned(settings: Any) -> Any:
    """Settings, and those of their parts -> the same without the versions of what is ours."""
    if not isinstance(settings, dict):
        return settings
    data = {key: _unversioned(value) for key, value in settings.items()}
    if isinstance(data.get("resolved"), dict):
        data["resolved"] = {key: value for key, value in data["resolved"].items() if key not in ("caesura", "static")}
    return data


def by_document(documents: Sequence[BaseNode]) -> dict[str, list[BaseNode]]:
    """Documents, or nodes of documents -> those of each document, by its id. Raises `SettingError` for an id given
    twice, and for what is no document."""
    groups: dict[str, list[BaseNode]] = {}
    for document in check_documents(documents):
        if not document_of(document):
            raise SettingError("a document has an empty id, under which it could not be deleted: give it another")
        groups.setdefault(document_of(document), []).append(document)
    for name, group in groups.items():
        if len(group) > 1 and any(document.ref_doc_id is None for document in group):
            raise SettingError(f"{len(group)} documents have the id {name!r}: give each its own")
    return groups


def fingerprint(settings: str, documents: Sequence[BaseNode]) -> str:
    """All that a document's nodes are made of, as one string."""
    data = [{**document.to_dict(), "embedding": None} for document in documents]
    return digest(settings, *(json.dumps(each, default=str) for each in data))


def searchable(node: BaseNode) -> bool:
    """Whether a node is embedded: one without children, or a reference, that has something to embed."""
    small = isinstance(node, IndexNode) or not node.child_nodes
    return small and node.get_content(metadata_mode=MetadataMode.EMBED) != ""


def attributed(nodes: Sequence[BaseNode], names: Sequence[str]) -> None:
    """Gives a reference without a SOURCE that of what it refers to. Raises `SettingError` for a node of no document."""
    by_id, known = {node.node_id: node for node in nodes}, set(names)
    for node in nodes:
        if node.ref_doc_id is None and isinstance(node, IndexNode) and node.index_id in by_id:
            source = by_id[node.index_id].source_node
            if source is not None:
                node.relationships[NodeRelationship.SOURCE] = source
        if node.ref_doc_id not in known:
            raise SettingError(
                f"the transformations returned node {node.node_id!r} of the source {node.ref_doc_id!r}, which is none "
                f"of the documents: a node's SOURCE must be the document that it is deleted with"
            )
