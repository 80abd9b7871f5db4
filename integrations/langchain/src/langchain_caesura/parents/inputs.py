"""What is given to a retriever, document by document: those of one name, and the views that lead to each."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from uuid import UUID

from langchain_core.documents import Document

from caesura.errors import SettingError
from caesura.ids import digest
from caesura_documents.chunk_metadata import context_of
from caesura_documents.layout import LAYOUT
from langchain_caesura.documents import known_metadata, metadata_key
from langchain_caesura.parents.record import ParentRecord

UUID_FORM = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(slots=True)
class DocumentInput:
    """The documents of one name, by what each is known by among them, and the small texts that point to each."""

    identities: dict[str, tuple[Document, list[Document]]] = field(default_factory=dict)

    @property
    def replaces(self) -> bool:
        """Whether they take the place of all documents of the name: views lead to chunks, and an edit makes others."""
        return any(views for _, views in self.identities.values())


def fingerprint_inputs(inputs: Mapping[str, DocumentInput], settings: str) -> dict[str, dict[str, str]]:
    """Inputs -> for each document a string that is the same for the same texts, metadata and settings."""
    fingerprints: dict[str, dict[str, str]] = {name: {} for name in inputs}
    for name, own in inputs.items():
        for identity, (document, views) in own.identities.items():
            texts = [document, *views]
            contents = [text.page_content for text in texts]
            said = [metadata_key(text.metadata) for text in texts]
            pairs = zip(contents, said, strict=True)
            fingerprints[name][identity] = digest(settings, str(document.id), *chain.from_iterable(pairs))
    return fingerprints


def group_inputs(
    documents: Sequence[Document],
    names: Sequence[str],
    own_names: Sequence[str],
    views: Iterable[Document],
    id_key: str,
    several: bool,
) -> dict[str, DocumentInput]:
    """Documents and their names -> what was given for each name. A document given twice counts once.

    own_names: what language-model transformers know each document by, see `unique_names`. views: each has in its
    metadata, as ``parent_id`` or under `id_key`, the id of the document that it points to.
    several: whether documents of one name, as the pages of a file, may differ; each is known by its metadata, and by
    which of several alike it is. Pages that were joined are one document, whatever its metadata.
    Raises `SettingError` where not.
    """
    inputs: dict[str, DocumentInput] = {}
    given: dict[tuple[str, str, str], list[Document]] = {}
    alike: Counter[tuple[str, str]] = Counter()
    owners: dict[str, list[Document]] = {}
    for document, name, own_name in zip(documents, names, own_names, strict=True):
        own = inputs.setdefault(name, DocumentInput())
        metadata = known_metadata(document)
        content = name, document.page_content, metadata_key(document.metadata)
        if content not in given:
            if own.identities and not several:
                raise SettingError(f"two documents that differ have the id {name!r}: give each its own")
            given[content] = []
            kind = LAYOUT if LAYOUT in document.metadata else metadata
            alike[name, kind] += 1
            identity = digest(kind, str(alike[name, kind])) if several else ""
            own.identities[identity] = document, given[content]
        for pointer in (own_name, name):  # as transformers that use a language model know it, and as it is stored
            owners.setdefault(pointer, given[content])
    for view in views:
        parent = view.metadata.get("parent_id", view.metadata.get(id_key))
        if parent not in owners:
            raise SettingError(f"a view must have the id of one of the documents as its parent_id, got {parent!r}")
        owners[parent].append(view)
    return inputs


def select_changed(
    inputs: Mapping[str, DocumentInput],
    fingerprints: Mapping[str, Mapping[str, str]],
    records: Mapping[str, ParentRecord],
    force: bool,
    alone: bool,
) -> tuple[dict[str, DocumentInput], dict[str, frozenset[str]]]:
    """Inputs -> those of which something is to be written, with the documents that changed; and which documents go.

    A document stays where its record is complete and has its fingerprint, unless `force`. alone: whether all documents
    go that are not given.
    """
    changed: dict[str, DocumentInput] = {}
    gone: dict[str, frozenset[str]] = {}
    for name, own in inputs.items():
        record = records.get(name)
        parts = [] if record is None else record.parts
        sure = record is not None and record.complete and not force
        known = {part.identity: part.fingerprint for part in parts} if sure else {}
        wanted = fingerprints[name]
        rest = {key: given for key, given in own.identities.items() if known.get(key) != wanted[key]}
        goes = frozenset(part.identity for part in parts if alone or own.replaces) - own.identities.keys()
        if rest or goes:
            changed[name], gone[name] = DocumentInput(rest), goes
    return changed, gone


def has_contexts(inputs: Mapping[str, DocumentInput]) -> bool:
    """Whether a document has a context that is to be embedded."""
    metadatas = [document.metadata for own in inputs.values() for document, _ in own.identities.values()]
    return any(map(context_of, metadatas))


def warn_of_content_ids(inputs: dict[str, DocumentInput]) -> None:
    """Warns of views where the name of a document changes with its text, as a chunk's id does. Such a name is a UUID of
    no version, as seven in eight of ours are, and none of another's."""
    given = [name for name, own in inputs.items() if own.replaces and UUID_FORM.fullmatch(name)]
    if any(UUID(name).version not in range(1, 9) for name in given):
        warnings.warn(
            "views were given of documents whose ids are made of their content, as chunks' ids are: after an edit, the "
            "old ones would still be found. Set source_id_key='source', or what names the source in your metadata, and "
            "give all chunks of a source in one call; or give all documents to sync(documents, views=…)",
            stacklevel=2,
        )
