"""What was found and the parents in, what is returned out: copies with scores and the places found, best first."""

from __future__ import annotations

import copy
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.documents import Document

from caesura.merging import Score
from langchain_caesura.parents.merging import Found

logger: logging.Logger = logging.getLogger(__name__)


def ranked(
    found: Sequence[Found], parents: Mapping[str, Document | None], merge_ratio: float | None, score: Score
) -> list[Document]:
    """What is to be returned and the parents -> new documents, best first, with scores and matches in the metadata.

    A parent that is not there is passed over; where children may stand for themselves, they do. By "max" the order is
    the store's own: that of the best hit of each.
    """
    rows: list[tuple[float, int, Document]] = []
    for one in found:
        parent = None if one.parent is None else parents.get(one.parent)
        if parent is not None:
            total = one.total(score)
            copied = _copied(parent, total, {"matches": [hit.match() for hit in one.hits]})
            rows.append((_order(total, score), one.hits[0].rank, copied))
        elif merge_ratio is not None:
            rows += [(_order(hit.score, score), hit.rank, _copied(hit.document, hit.score, {})) for hit in one.hits]
    return [document for _, _, document in sorted(rows, key=lambda row: row[:2])]


def warn_of_missing(parents: Sequence[str]) -> None:
    """Logs parents that the document store does not have, though two searches in a row found texts of theirs."""
    if parents:
        logger.warning(
            "%d parents of texts that two searches in a row found are not in the document store, such as %r: those "
            "texts are passed over, or stand for themselves in merge mode. Use the document store that was written "
            "together with this vector store; if it is this one, add_documents(documents, force=True) makes it whole.",
            len(parents),
            parents[0],
        )


def _order(total: float | None, score: Score) -> float:
    return 0.0 if total is None or score == "max" else -total


def _copied(document: Document, score: float | None, more: dict[str, Any]) -> Document:
    metadata = copy.deepcopy(document.metadata)
    if score is not None:
        metadata["relevance_score"] = score
    return Document(document.page_content, id=document.id, metadata={**metadata, **more})
