"""Ids, digests, and the canonical form of settings that they are made of, without secrets.

Not loaded by `import caesura`. Keys of caches and journals, and what is filed of a setting, are made of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from hashlib import sha256
from pathlib import PurePath
from typing import Any
from uuid import UUID

VALUES = (bytes, date, time, timedelta, Decimal, PurePath, re.Pattern, UUID)
"""What a `repr` says all of, and the same in every process."""
HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|-")
SECRET = re.compile(
    r"(^|_)(api_?keys?|keys?|secrets?|token|passwords?|passwd|credentials?|auth|authorization|headers?|cookies?)$"
)
LOGIN = re.compile(r"(?<=://)[^/@\s]+@")


def canonical(value: Any) -> Any:
    """A value -> str, numbers, truth values, None, lists and dicts of them. An object is known by its class alone: its
    `repr` may hold a secret, or its address, which is another one in every process.

    >>> canonical({"stop": ("a",), "hook": len, "client": object()})
    {'stop': ['a'], 'hook': 'builtins:len', 'client': 'builtins:object'}
    """
    if isinstance(value, Enum):
        return canonical(value.value)
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, Mapping):
        return {str(key): canonical(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [canonical(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted(map(canonical, value), key=repr)
    if is_dataclass(value) and not isinstance(value, type):
        return {entry.name: canonical(getattr(value, entry.name)) for entry in fields(value)}
    if isinstance(value, VALUES):
        return repr(value)
    return import_path(value if hasattr(value, "__qualname__") else type(value))


def import_path(definition: Any) -> str:
    """A class or a function, a method of a built-in type too -> where it is defined.

    >>> import_path(str.split)
    'builtins:str.split'
    """
    owner = getattr(definition, "__objclass__", None)
    module = getattr(definition, "__module__", None) or getattr(owner, "__module__", "")
    return f"{module}:{getattr(definition, '__qualname__', '')}"


def package_path(definition: Any) -> str:
    """A class or a function -> its package and name: in which of its files a package has it may change with a version.

    >>> package_path(PurePath)
    'pathlib:PurePath'
    """
    return f"{definition.__module__.partition('.')[0]}:{definition.__qualname__}"


def without_secrets(value: Any) -> Any:
    """Plain values -> the same without the entries that a key, a token, a password or a header is kept under, and
    without the user and password of a URL.

    >>> without_secrets({"model": "m", "openAIApiKey": "sk-…", "base": "https://me:word@host/v1"})
    {'model': 'm', 'base': 'https://host/v1'}
    """
    if isinstance(value, dict):
        return {key: without_secrets(item) for key, item in value.items() if not SECRET.search(_snake_case(key))}
    if isinstance(value, str):
        return LOGIN.sub("", value)
    return [without_secrets(item) for item in value] if isinstance(value, (list, tuple)) else value


def _snake_case(key: object) -> str:
    """A name in any spelling -> in small letters, with one underscore between words: accessToken, X-API-Key."""
    return HUMP.sub("_", str(key)).lower()


def chunk_id(document: str, level: int, start: int, end: int, text: str) -> str:
    """What identifies a chunk -> its id, in the form of a UUID, which every vector store takes.

    The first half of the SHA-256 of document id, level, span and text, each apart from the next: an edited text at the
    same span has another id, so that no store keeps a stale row for it.
    """
    return digest(document, str(level), str(start), str(end), text)


def digest(*fields: str) -> str:
    """Strings -> the first half of the SHA-256 of them and their lengths, in the form of a UUID."""
    head = ",".join(str(len(field)) for field in fields)
    content = "\n".join((head, *fields)).encode("utf-8", "surrogatepass")
    return str(UUID(bytes=sha256(content).digest()[:16]))
