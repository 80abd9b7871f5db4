"""A node in, the picture that it has out."""

from __future__ import annotations

from base64 import b64decode
from pathlib import Path

from llama_index.core.schema import BaseNode

from caesura.errors import SettingError
from caesura.llm.conversation import Image


def image_of(node: BaseNode) -> Image | None:
    """The picture of a node or a document, as one that a message can carry; None where it has none.

    Raises `SettingError` for a path that cannot be read.
    """
    resource = getattr(node, "image_resource", None)
    data = getattr(node, "image", None) or getattr(resource, "data", None)
    path = getattr(node, "image_path", None) or getattr(resource, "path", None)
    url = getattr(node, "image_url", None) or getattr(resource, "url", None)
    kind = getattr(node, "image_mimetype", None) or getattr(resource, "mimetype", None)
    if not data and path is None:
        return None if url is None else Image(str(url))
    try:
        content = b64decode(data) if data else Path(str(path)).read_bytes()
    except (OSError, ValueError) as error:
        raise SettingError(f"the image of node {node.node_id!r} cannot be read: {error}") from error
    return Image.of(content, kind)


def has_image(node: BaseNode) -> bool:
    """Whether a node has a picture, which is not read for that."""
    names = ("image", "image_path", "image_url")
    resource = getattr(node, "image_resource", None)
    held = [getattr(node, name, None) for name in names]
    held += [getattr(resource, name, None) for name in ("data", "path", "url")]
    return any(held)
