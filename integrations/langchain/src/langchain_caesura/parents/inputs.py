"""What is given to a retriever, document by document: those of one name, and the views that lead to each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any
from uuid import UUID

from langchain_core.documents import Document

from caesura.errors import SettingError
from caesura.ids import digest
from caesura_documents.caller_warning import warn_caller
from caesura_documents.chunk_metadata import CONTEXT_KEY
from caesura_documents.layout import LAYOUT
from caesura_documents.page_numbers import TOTALS
from caesura_retrieval.upkeep import is_in_scope, is_of_user
from langchain_caesura.documents import PLACE, metadata_key
from langchain_caesura.parents.record import ABSENT, ParentRecord, StoredText
from langchain_caesura.parents.rows import are_of_one_model

UUID_FORM = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
NUMBERS = {"page": 0, "page_number": 1, "row": 0, "seq_num": 1}
"""Metadata in which loaders number the documents of one source, and the number of the first."""
VOLATILE = re.compile(
    "(last)?(mod|modified|modification|creat(ed|ion)|updated?|edited|access(ed)?|changed|loaded|fetched)(at|date|time)*"
    "|etag|md|sha|hash|checksum|(file)?size|length|bytes|version|revision|format|producer|creator|encryption|trapped"
    "|description|keywords|totalpages|pagecount|pagelabel|(start|end|chunk)index|(previous|next)id"
)
"""Metadata, by the letters of their names, that may be others in a new version of the same document."""

USER = "@"
"""Stands between the key of a document within its source and the key of its user, where its metadata name one."""
MODEL = "/"
"""Stands between the fingerprint of a stored document and the sketch of its model, see `sketch_model`."""
ALIKE = 0.25
"""The share of words that two versions of a text have in common, of all that are in either."""


@dataclass(slots=True)
class DocumentInput:
    """The documents of one name, by what each is known by among them, and the small texts that point to each."""

    identities: dict[str, tuple[Document, list[Document]]] = field(default_factory=dict)
    by_source: bool = False
    """Whether the name is that of their source, which may have further documents."""
    is_named: bool = False
    """Whether `source_id_key` says so, so that one document of the source takes the place of the one before."""
    fingerprints: dict[str, str] = field(default_factory=dict)
    """Of each document: what tells its text, metadata, views and all settings from others."""
    embedder: str = ""
    """What the model that embeds them is known by; "" where it is not known. See `sketch_model`."""

    def print_of(self, identity: str) -> str:
        """Returns the fingerprint of a document as it is stored: with what its model is known by."""
        return f"{self.fingerprints[identity]}{MODEL}{self.embedder}"

    @property
    def has_views(self) -> bool:
        """Whether small texts of the caller's own point to one of them."""
        return any(views for _, views in self.identities.values())

    def sort_others(self, known: Mapping[str, Set[int]]) -> tuple[set[str], set[str]]:
        """Returns which documents go of those that are stored under the name and not given, and which perhaps do.

        Of a source, documents of a user go only if the same user gives others: see `_sort_others`. If one names a user
        and the other none, nobody can know. known: what is stored of the name, with the numbers of the calls that wrote
        each.
        """
        others, users = known.keys() - self.identities.keys(), set(map(_user, self.identities))
        if not self.by_source:
            return others, set()
        gone = set[str]()
        doubtful = {each for each in others if _user(each) not in users and "" in {*users, _user(each)}}
        for own, stored in self._by_user(known):
            some, unsure = own._sort_others(stored)
            gone |= some
            doubtful |= unsure
        return gone, doubtful

    def find_replaced(self, known: Mapping[str, Set[int]]) -> dict[str, tuple[str, bool]]:
        """Returns each stored document that a given one replaces, with the key of the given one, and whether the whole
        source is given with it, in several documents. known: see `sort_others`."""
        found: dict[str, tuple[str, bool]] = {}
        for own, stored in self._by_user(known):
            is_whole = len(own.identities) > 1 and own._is_whole(stored)
            found |= {each: (each, is_whole) for each in stored if each in own.identities}
            if (before := own._renamed_from(stored)) is not None:
                found[before] = next(iter(own.identities)), is_whole
        return found

    def _by_user(self, known: Mapping[str, Set[int]]) -> Iterator[tuple[DocumentInput, dict[str, Set[int]]]]:
        """Yields what is given of each user, or of none, with what is stored of the same."""
        for user in dict.fromkeys(map(_user, self.identities)):
            own = {key: given for key, given in self.identities.items() if _user(key) == user}
            yield replace(self, identities=own), {key: turns for key, turns in known.items() if _user(key) == user}

    def _is_whole(self, known: Mapping[str, Set[int]]) -> bool:
        """Whether the documents given are the whole source, so that all others that are stored of it are gone.

        They are if they have all pages that their metadata count, or are one document without a number in the place of
        numbered ones. Where nothing counts them: if they are several, without a gap from the first number stored. In
        any case each has a number of its own, which no other has, or at least half of what is stored is among them;
        and of what is stored and nothing counts, others were once written in one call with some that are given. Several
        without a number are whole only where no other is stored.
        """
        others, documents = known.keys() - self.identities.keys(), self._documents
        numbers, stored, total = self._numbers, _stored_numbers(known), self._total
        is_one_each = len(numbers) == len(documents) and not any(stored.get(each) in numbers for each in others)
        is_known = is_one_each or 2 * len(known.keys() - others) >= len(known)
        if total is not None and numbers:
            return len(numbers) == total and is_known
        if total is not None and len(documents) == 1:
            return others <= stored.keys()
        if not numbers:
            return len(documents) > 1 and not others
        turns, own = (set().union(*(known[each] for each in some)) for some in (others, known.keys() - others))
        is_known &= numbers[0] == min(stored.values(), default=0) and (not turns or not turns.isdisjoint(own))
        return is_known and len(documents) > 1 and all(before + 1 == after for before, after in pairwise(numbers))

    def _sort_others(self, known: Mapping[str, Set[int]]) -> tuple[Set[str], Set[str]]:
        """Returns which of one user's documents of a source go that are stored and not given, and which perhaps do.

        They go if those that are given are the whole source, see `_is_whole`, or have views, which lead to chunks: an
        edit makes others. Pages over the number that the metadata count go in any case. Others that come before the
        first page given, or after the last where all that is stored does, are known to stay.
        """
        others = known.keys() - self.identities.keys()
        if self.has_views or self._renamed_from(known) is not None or self._is_whole(known):
            return others, set()
        numbers, stored, total = self._numbers, _stored_numbers(known), self._total
        first = min(stored.values(), default=0)
        gone = {each for each in others if total is not None and stored.get(each, -1) >= total}
        told = total is not None or (bool(numbers) and (numbers[0] > first or numbers[-1] < first))
        stay = {each for each in others - gone if told and each in stored and stored[each] not in numbers}
        return gone, others - gone - stay

    def _renamed_from(self, known: Collection[str]) -> str | None:
        """Returns the one document stored of the source and its user that the one given is perhaps a version of,
        although their metadata differ, such as the title or a tag. None where `source_id_key` is not set, where several
        are stored or given, where one of them has a number, and where they are known to be one.

        known: what the stored documents are known by.
        """
        if not self.is_named or len(known) != 1 or len(self.identities) != 1 or self._numbers or _stored_numbers(known):
            return None
        (before,) = known
        return None if before in self.identities else before

    @property
    def _documents(self) -> list[Document]:
        return [document for document, _ in self.identities.values()]

    @property
    def _numbers(self) -> list[int]:
        return sorted({number for document in self._documents if (number := _number(document)) is not None})

    @property
    def _total(self) -> int | None:
        """How many pages the source has, if the metadata count them."""
        totals = [document.metadata.get(key) for document in self._documents for key in TOTALS]
        return max((total for total in totals if type(total) is int), default=None)


def _stored_numbers(known: Iterable[str]) -> dict[str, int]:
    """What documents are known by among those of a source -> their numbers, of those that are numbered."""
    leads = ((identity, re.split(f"[ {USER}]", identity, maxsplit=1)[0]) for identity in known)
    return {identity: int(lead) for identity, lead in leads if lead}


def _user(identity: str) -> str:
    """What a document of a source is known by -> what its user is known by; "" where it names none."""
    return identity.partition(USER)[2]


def _number(document: Document) -> int | None:
    """Which document of its source it is, from 0, if it is numbered. One of joined pages is not."""
    given = [] if LAYOUT in document.metadata else [(str(document.metadata.get(key)), key) for key in NUMBERS]
    return next((int(number) - NUMBERS[key] for number, key in given if number.isdecimal()), None)


def _lasting(document: Document) -> dict[Any, Any]:
    """The metadata that a new version of the same document has as well. A page without a number has its label; a file
    whose pages are counted may have another title."""
    labels = () if LAYOUT in document.metadata or _number(document) is not None else (*NUMBERS, "page_label")
    said = () if document.metadata.keys().isdisjoint(TOTALS) else ("title", "author", "subject")
    return {
        key: value for key, value in document.metadata.items() if key in labels or (key not in said and _lasts(key))
    }


@lru_cache(maxsize=1024)
def _lasts(key: object) -> bool:
    known = key in (*NUMBERS, CONTEXT_KEY, LAYOUT)
    return not known and not VOLATILE.fullmatch(re.sub("[^a-z]", "", str(key).lower()))


def _identify(documents: Sequence[Document]) -> Iterator[str]:
    """Documents of one source -> what each is known by among them: its number, else its metadata, and of several that
    have these in common its text; and its user. Dates and other metadata that loaders change from time to time do not
    count.
    """
    numbers, users = list(map(_number, documents)), list(map(_name_user, documents))
    counts = Counter(zip(numbers, users, strict=True))
    kinds: list[str] = []
    for number, user, document in zip(numbers, users, documents, strict=True):
        kind = "" if number is None else str(number)
        if number is None or counts[number, user] > 1:
            kind += f" {digest(LAYOUT if LAYOUT in document.metadata else metadata_key(_lasting(document)))}"
        kinds.append(kind)
    alike, turns = Counter(zip(kinds, users, strict=True)), Counter[tuple[str, str, str]]()
    for kind, user, document in zip(kinds, users, documents, strict=True):
        key = (kind, user, document.page_content)
        turns[key] += 1
        own = kind if alike[kind, user] == 1 else f"{kind} {digest(document.page_content, str(turns[key]))}"
        yield f"{own}{USER}{user}" if user else own


def _name_user(document: Document) -> str:
    """What the user of a document is known by: all metadata that say whose it is; "" where none do."""
    said = {key: value for key, value in document.metadata.items() if is_of_user(key)}
    return digest(metadata_key(said)) if said else ""


def group_inputs(
    documents: Sequence[Document],
    names: Sequence[str],
    sources: Set[str],
    own_names: Sequence[str],
    views: Iterable[Document],
    id_key: str,
    source_id_key: str | None = None,
) -> dict[str, DocumentInput]:
    """Documents and their names -> what was given for each name. A document given twice counts once.

    sources: names of sources, which may have several documents each. own_names: what language-model transformers know
    each document by, see `unique_names`. views: each has in its metadata, as ``parent_id`` or under `id_key`, the id of
    the document that it points to. source_id_key: the key that names the sources, if it is set. Raises `SettingError`.
    """
    given: dict[str, dict[tuple[str, str], tuple[Document, list[Document]]]] = {name: {} for name in names}
    owners: dict[str, list[Document]] = {}
    counts = Counter(names)
    for document, name, own_name in zip(documents, names, own_names, strict=True):
        content = (document.page_content, metadata_key(document.metadata)) if counts[name] > 1 else ("", "")
        pair = given[name].setdefault(content, (document, []))
        if len(given[name]) > 1 and name not in sources:
            raise SettingError(f"two documents that differ have the id {name!r}: give each its own")
        for pointer in (own_name, name):  # as transformers that use a language model know it, and as it is stored
            owners.setdefault(pointer, pair[1])
    for view in views:
        parent = view.metadata.get("parent_id", view.metadata.get(id_key))
        if parent not in owners:
            raise SettingError(f"a view must have the id of one of the documents as its parent_id, got {parent!r}")
        owners[parent].append(view)
    inputs: dict[str, DocumentInput] = {}
    for name, pairs in given.items():
        identities = _identify([document for document, _ in pairs.values()]) if name in sources else [""]
        inputs[name] = DocumentInput(
            dict(zip(identities, pairs.values(), strict=True)), name in sources, source_id_key is not None
        )
    return inputs


def select_changed(
    inputs: Mapping[str, DocumentInput],
    records: Mapping[str, ParentRecord],
    force: bool,
    alone: bool,
) -> tuple[dict[str, DocumentInput], dict[str, frozenset[str]]]:
    """Inputs -> those of which something is to be written, with the documents that changed; and which documents go.

    A document stays where its record is complete and has its fingerprint and its model, unless `force`. alone: whether
    all documents go that are not given.
    """
    changed: dict[str, DocumentInput] = {}
    gone: dict[str, frozenset[str]] = {}
    for name, own in inputs.items():
        record = records.get(name)
        parts = [] if record is None else record.parts
        sure = record is not None and record.complete and not force
        same = [part for part in parts if sure and not _is_of_another_model(part, own.embedder)]
        known = {part.identity: part.fingerprint.partition(MODEL)[0] for part in same}
        rest = {key: given for key, given in own.identities.items() if known.get(key) != own.fingerprints[key]}
        stored = stored_turns(parts)
        goes, doubtful = (stored.keys() - own.identities.keys(), set[str]()) if alone else own.sort_others(stored)
        if doubtful:
            _warn_of_others(name, own, len(doubtful))
        if rest or goes:
            changed[name], gone[name] = replace(own, identities=rest), frozenset(goes)
    return changed, gone


def find_other_model(inputs: Mapping[str, DocumentInput], records: Mapping[str, ParentRecord]) -> list[str]:
    """Returns the names of the records with a document that is given and that another model embedded."""
    return [
        name
        for name, own in inputs.items()
        if name in records
        if any(
            part.identity in own.identities and _is_of_another_model(part, own.embedder) for part in records[name].parts
        )
    ]


def is_beside_other_model(inputs: Mapping[str, DocumentInput], record: ParentRecord, embedder: str) -> bool:
    """Whether another model embedded a document of a record, and none of it that is given. embedder: see
    `sketch_model`."""
    given = inputs[record.name].identities if record.name in inputs else {}
    other = {part.identity for part in record.parts if _is_of_another_model(part, embedder)}
    return bool(other) and other.isdisjoint(given)


def _is_of_another_model(part: StoredText, embedder: str) -> bool:
    """Whether a stored text has rows, of another model."""
    return bool(part.ids) and not are_of_one_model(embedder, part.fingerprint.partition(MODEL)[2])


def warn_of_other_model(name: str, alone: bool) -> None:
    """Warns of rows that another model made of a document. alone: whether `mirror` was given it."""
    remedy = "give those of all other scopes to mirror() too" if alone else "give all documents to mirror()"
    warn_caller(
        f"another model than the vector store has now embedded the document {name!r}: what is given is embedded anew, "
        f"and no question finds any others rightly: {remedy}, or give the vector store its old model"
    )


def stored_turns(parts: Iterable[StoredText]) -> dict[str, set[int]]:
    """Stored texts of a name -> what the documents are known by, with the numbers of the calls that wrote each."""
    stored: dict[str, set[int]] = {}
    for part in parts:
        stored.setdefault(part.identity, set()).update(turn for turn in part.turns if turn != ABSENT)
    return stored


def _warn_of_others(name: str, own: DocumentInput, count: int) -> None:
    """Warns of documents of a source that may be of an older version."""
    warn_caller(
        f"{count} earlier documents of the source {name!r} can still be found beside the {len(own.identities)} given, "
        f"for nothing says whether they are gone: to forget them, delete([{name!r}]) and add the source again, or give "
        f"all documents to mirror(); to have it known, give each document its page number as 'page' in its metadata, "
        f"and all of a source in one call"
    )


def check_in_scope(inputs: Mapping[str, DocumentInput], scope: Mapping[str, Any]) -> None:
    """Raises `SettingError` unless all documents have what a scope says."""
    for name, own in inputs.items():
        for document, _ in own.identities.values():
            if not is_in_scope(document.metadata, scope):
                raise SettingError(
                    f"all documents must have the scope {dict(scope)!r} in their metadata, {_say(name, document)} has "
                    f"{ {key: document.metadata.get(key) for key in scope} }: add it, or leave the document out"
                )


def _say(name: str, document: Document) -> str:
    """What a user knows a document by: its source, if its name is made of its content, else its name."""
    source = document.metadata.get("source")
    return repr(name) if source is None or not UUID_FORM.fullmatch(name) else f"the document of source {source!r:.80}"


def warn_of_labels(documents: Iterable[Document], sources: Set[str]) -> bool:
    """Warns of documents known by their content although each has a source of its own, which is no path or address.
    Returns whether it did. sources: those that documents are known by."""
    labels = Counter(str(each.metadata["source"]) for each in documents if not each.id and each.metadata.get("source"))
    own = [label for label, count in labels.items() if count == 1 and label not in sources]
    if own:
        warn_caller(
            f"a document of the source {own[0]!r:.80}, which is no path or address, is known by its content: after an "
            f"edit, its old text is found too. If a source is one document, set source_id_key='source'; if it is a "
            f"label of many, give each an id"
        )
    return bool(own)


def warn_of_another(name: str, document: Document, old: Document, is_whole: bool, is_renamed: bool) -> None:
    """Warns where a document of a source takes the place of one that is perhaps another: a page of those that come one
    at a time without a number, or a part of a page whose parts come in several calls.

    is_whole: whether all of the source is given, in several documents. is_renamed: whether it takes the place of one
    with other metadata.
    """
    now, before = _lasting(document), _lasting(old)
    words, old_words = set(document.page_content.split()), set(old.page_content.split())
    is_elsewhere = any(document.metadata.get(key) != old.metadata.get(key) for key in PLACE)
    is_apart = is_elsewhere and not is_whole and document.page_content != old.page_content
    is_alike = len(words & old_words) >= len(words | old_words) * ALIKE
    if (is_apart or not is_alike) and not (is_whole and _number(document) is not None):
        warn_caller(
            f"a text that begins with {document.page_content[:40]!r} takes the place of one of the source {name!r} "
            f"that has little in common with it, {old.page_content[:40]!r}: if both are to stay, give each its page "
            f"number as 'page' in its metadata, or an id, and all of a page in one call"
        )
    other = [] if is_renamed else [key for key in now if key in before and key != "title" and now[key] != before[key]]
    if other:
        key = other[0]
        warn_caller(
            f"a document of the source {name!r} with the metadata {key!r}: {now[key]!r:.80} "
            f"takes the place of one with {before[key]!r:.80}: if both are to stay, give them sources, or ids, that "
            f"differ"
        )


def warn_of_content_ids(inputs: Mapping[str, DocumentInput]) -> None:
    """Warns of views where the name of a document changes with its text, as a chunk's id does. Such a name is a UUID of
    no version, as seven in eight of ours are, and none of another's."""
    given = [name for name, own in inputs.items() if own.has_views and UUID_FORM.fullmatch(name)]
    if any(UUID(name).version not in range(1, 9) for name in given):
        warn_caller(
            "views were given of documents whose ids are made of their content, as chunks' ids are: after an edit, the "
            "old ones would still be found. Set source_id_key='source', or what names the source in your metadata, and "
            "give all chunks of a source in one call; or give all documents to mirror(documents, views=…)"
        )
