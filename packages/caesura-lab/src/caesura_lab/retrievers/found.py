"""What a retriever returned, in whatever form -> texts and the files that they are said to be of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from caesura import SettingError

FILES = ("source", "file_path", "path", "file_name", "filename")
"""What the file of a text is called in metadata."""
TEXTS = ("text", "page_content", "content")


class FoundText(NamedTuple):
    """A text that a retriever returned, and the file that it is said to be of, or None."""

    text: str
    file: str | None = None


Find: TypeAlias = "Callable[[str, int], Iterable[FoundText]]"
"""A question and a budget of characters -> texts, the best first. What is over the budget is not looked at."""


def read_found(name: str, returned: Any) -> Iterator[FoundText]:
    """What a retriever returned: a str, or several of str, documents, nodes, passages, objects of JSON, or pairs of
    one of these and a score. Raises `SettingError`, which says the retriever's name, for anything else.

    >>> list(read_found("mine", ["One.", ({"text": "Two.", "source": "b.md"}, 0.7)]))
    [FoundText(text='One.', file=None), FoundText(text='Two.', file='b.md')]
    """
    if isinstance(returned, str):
        yield FoundText(returned)
        return
    if isinstance(returned, Mapping) or not isinstance(returned, Iterable):
        nodes = getattr(returned, "source_nodes", None)  # of LlamaIndex's query engines
        if nodes is None:
            raise SettingError(_refusal(name, returned))
        returned = nodes
    for item in returned:
        yield _read_item(name, item[0] if isinstance(item, tuple) and not hasattr(item, "text") and item else item)


def _read_item(name: str, item: Any) -> FoundText:
    if isinstance(item, str):
        return FoundText(item)
    if isinstance(item, Mapping):
        text = next((item[key] for key in TEXTS if key in item), None)
        metadata = item.get("metadata") or {}
        named = {**metadata, **item} if isinstance(metadata, Mapping) else item
    else:
        node = getattr(item, "node", item)  # LlamaIndex's with its score
        read = getattr(node, "get_content", None)
        text = read() if callable(read) else next((getattr(node, key) for key in TEXTS if hasattr(node, key)), None)
        metadata = getattr(node, "metadata", None)
        named = metadata if isinstance(metadata, Mapping) else {"path": getattr(node, "path", None)}
    if not isinstance(text, str):
        raise SettingError(_refusal(name, item))
    return FoundText(text, next((str(named[key]) for key in FILES if named.get(key)), None))


def _refusal(name: str, returned: object) -> str:
    return (
        f"retriever {name!r} must return texts: str, documents of LangChain, nodes of LlamaIndex, or objects with text "
        f"and source, got {type(returned).__name__} {returned!r:.80}"
    )
