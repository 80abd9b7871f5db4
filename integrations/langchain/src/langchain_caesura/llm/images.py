"""A chunk in, the images that its metadata names out, as a model is shown them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langchain_core.documents import Document

from caesura.errors import SettingError
from caesura.llm.conversation import Image


def images_of(document: Document, key: str) -> Sequence[Any]:
    """What the metadata has as images under a key. Raises `SettingError` for what is none."""
    found = document.metadata.get(key)
    listed = [] if found is None else found if isinstance(found, (list, tuple)) else [found]
    for value in listed:
        url = isinstance(value, str) and value.startswith(("https:", "http:", "data:"))
        if not url and not isinstance(value, (bytes, Path)):
            raise SettingError(
                f"an image must be an https: or data: URL, bytes or a Path, got {value!r:.60}; of Base64 make a "
                "URL: 'data:image/png;base64,' + value"
            )
    return listed


def image(value: str | bytes | Path) -> Image:
    """A URL, the bytes of a file, or where it is -> the image. A file is read."""
    if isinstance(value, str):
        return Image(value)
    return Image.of(value if isinstance(value, bytes) else value.read_bytes())
