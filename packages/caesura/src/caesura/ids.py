"""Ids of chunks, and the digest that they and the keys of caches are made of. Not loaded by `import caesura`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from hashlib import sha256
from itertools import count


def chunk_ids(chunks: Iterable[tuple[str, int, str]]) -> list[str]:
    """Returns the id of each chunk, in the form of a UUID, which every vector store takes. chunks: document id, level,
    text.

    An id is the first half of the SHA-256 of these three and of how many equal ones come before. A chunk keeps its id
    wherever it moves. An edited text gets another, so that no store keeps a stale row for it.

    >>> before = chunk_ids([("a", 0, "Yes."), ("a", 0, "No."), ("a", 0, "Yes.")])
    >>> after = chunk_ids([("a", 0, "New."), ("a", 0, "Yes."), ("a", 0, "No."), ("a", 0, "Yes.")])
    >>> len(set(before)), after[1:] == before
    (3, True)
    """
    equal = defaultdict[tuple[str, int, str], "count[int]"](count)
    return [digest(chunk[0], str(chunk[1]), chunk[2], str(next(equal[chunk]))) for chunk in chunks]


def digest(*fields: str) -> str:
    """Returns the first half of the SHA-256 of strings and their lengths, in the form of a UUID."""
    head = ",".join(map(str, map(len, fields)))
    found = sha256("\n".join((head, *fields)).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{found[:8]}-{found[8:12]}-{found[12:16]}-{found[16:20]}-{found[20:32]}"
