"""What single vector stores do otherwise than the rest: names, FAISS, and what a question of zeros is answered."""

from __future__ import annotations

from typing import Any

from langchain_core.vectorstores import VectorStore

from caesura.errors import SettingError

STORE_NAMES = (
    "collection_name",
    "_collection_name",
    "index_name",
    "_index_name",
    "table_name",
    "_table_name",
    "namespace",
    "_namespace",
)
"""The attributes in which vector stores have the name of what they write to."""
FAISS_ROWS = "index_to_docstore_id"
"""The attribute in which FAISS keeps its rows."""
NOTHING_NEAR = "NaN values found"
"""What LangChain's store in memory says where the question, or every row, is zeros: its model knows no word of it."""


def store_name(store: VectorStore) -> str:
    """The name of a store's collection, index or table; "" where it has none."""
    names = [getattr(store, attribute, None) for attribute in STORE_NAMES]
    return " ".join(dict.fromkeys(name for name in names if isinstance(name, str)))


def refuses_known_ids(store: VectorStore) -> bool:
    """Whether a store refuses to write a row under the id of another, which has to be deleted first: FAISS does."""
    return hasattr(store, FAISS_ROWS)


def widen_filtered_search(store: VectorStore, options: dict[str, Any]) -> None:
    """Lets a search with a filter look at all rows of a store that filters after its search, as FAISS does."""
    if "filter" in options and hasattr(store, FAISS_ROWS):
        options.setdefault("fetch_k", max(options["k"], len(getattr(store, FAISS_ROWS))))


def finds_nothing_near(error: ValueError) -> bool:
    """Whether this error of a search says that nothing is near, and so is none."""
    return NOTHING_NEAR in str(error)


def check_ids_kept(store: VectorStore, ids: list[str], returned: object) -> None:
    """Raises `SettingError` where a store that was given rows with ids returns that it wrote them under others."""
    if isinstance(returned, list) and len(returned) == len(ids) and set(returned).isdisjoint(ids):
        raise SettingError(
            f"{type(store).__name__} gave rows ids of its own, such as {returned[0]!r}, in place of {ids[0]!r}: it "
            f"must keep the ids that it is given, else nothing could be updated or deleted"
        )
