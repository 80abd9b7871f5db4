"""Ids, digests, and the canonical form of settings that they are made of, without secrets.

Not loaded by `import caesura`. Keys of caches and journals, and what is filed of a setting, are made of them.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import fields, is_dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from functools import partial
from hashlib import sha256
from itertools import count
from pathlib import PurePath
from types import CellType, CodeType, FunctionType
from typing import Any
from uuid import UUID

import numpy as np

VALUES = (bytes, complex, date, time, timedelta, Decimal, PurePath, re.Pattern, UUID)
"""What a `repr` says all of, and the same in every process."""
HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[-.:\s]+")
SECRET = re.compile(
    r"(^|_)(keys?|token|auth|headers?)$"
    r"|(^|_)(pwd|creds?|bearer|jwt|sas|pat|pem|dsn|sig|signatures?|cookies?|authorization)(_|\d|$)"
    r"|api_?key|access_?key|access_?token|private_?key|secret(?!ar)|passw(or)?d|passphrase|credential|conn(ection)?_?str"
)
"""Names, in small letters, whose values are secrets whatever they are."""
SECRET_TEXT = re.compile(r"(^|_)(keys?|tokens?|auth)(_|\d|$)")
"""Names whose values are secrets unless they are numbers, as in max_tokens=512."""
WORDS = re.compile(r"(^|_)(stop|special)_tokens$")
"""Names of `SECRET_TEXT` that are words of a model."""
OURS = re.compile(r"(langchain_)?caesura")
"""The packages that may move what they define to another of their files, and have no two of one name to set."""
_OUTER: ContextVar[tuple[FunctionType, ...]] = ContextVar("caesura_outer_functions", default=())
"""The nested functions that are being described, outermost first."""
LOGIN = re.compile(r"(?<=://)[^/@\s]+@")
URL = re.compile(r"(?<![\w+.-])\w[\w+.-]*://\S+")
PAIRS = re.compile(r"\s*\w[\w .-]*=[^\n]*")
"""A text that is a connection string: Server=x;Password=…, or host=x password=…"""
PAIR = re.compile(r"(?<![\w.-])(?P<name>\w[\w.-]*)\s*=\s*(\"[^\"]*\"|'[^']*'|[^;&\s]*)([;&]|\s+|$)")
SECRET_PART = re.compile(
    r"\b(Bearer|Basic)\s+[\w.~+/=-]{8,}"
    r"|(?<![\w-])eyJ[\w-]{8,}\.[\w-]+(\.[\w-]*)?"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|\b(sk-|gh[pousr]_|github_pat_|glpat-|hf_|xox[abprs]-|AKIA|ASIA|AIza)[\w-]{16,}",
    re.DOTALL,
)
"""What can be told to be a secret wherever it is: the header of a request, a JWT, a private key, keys with a prefix."""


def canonical(value: Any, described: tuple[type, ...] = ()) -> Any:
    """A value -> str, numbers, truth values, None, lists and dicts of them, the same in every process.

    A function or a class is known by where it is defined, a dataclass by its class and fields, an array by its content,
    and any other object by its class alone: its `repr` may hold a secret or its address. A lambda, or a function within
    another, is known by a digest of its code and of what it has captured too; another version of Python makes other
    code of it. described: classes whose instances are known by their attributes too; a dataclass that can change is
    then known by its class alone. In which of its files a package has a class, or we a function, is no difference.

    >>> canonical({"stop": ("a",), "hook": len, "client": object()})
    {'stop': ['a'], 'hook': 'builtins:len', 'client': 'builtins:object'}
    """

    def entries(items: Iterable[tuple[Any, Any]]) -> dict[str, Any]:
        return {str(key): canonical(item, described) for key, item in items}

    if isinstance(value, Enum):
        return canonical(value.value, described)
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, Mapping):
        return entries(value.items())
    if isinstance(value, (list, tuple)):
        return [canonical(item, described) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((canonical(item, described) for item in value), key=repr)
    if isinstance(value, np.ndarray):
        return digest(str(value.dtype), str(value.shape), value.tobytes().hex())
    if isinstance(value, partial):
        return ["partial", *canonical((value.func, value.args, value.keywords), described)]
    if isinstance(value, VALUES):
        return repr(value)
    definition = value if callable(value) and hasattr(value, "__qualname__") else type(value)
    path = _definition_path(definition, described)
    if is_dataclass(value) and not isinstance(value, type) and (value.__dataclass_params__.frozen or not described):  # type: ignore[attr-defined]
        return {"class": path, **entries((entry.name, getattr(value, entry.name)) for entry in fields(value))}
    return {"class": path, **entries(vars(value).items())} if isinstance(value, described) else path


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


def _definition_path(definition: Any, described: tuple[type, ...]) -> str:
    """A class or a function -> where it is defined, and what tells it from others that are defined there."""
    path = import_path(definition)
    if isinstance(definition, type) or OURS.match(path):
        path = package_path(definition)
    function = _nested_function(definition)
    return path if function is None else f"{path}#{_closure_digest(function, described)}"


def _nested_function(definition: Any) -> FunctionType | None:
    """A definition -> the function in it, if it is one of many that may be defined at the same place."""
    if "<" not in getattr(definition, "__qualname__", ""):
        return None
    function = definition
    while not isinstance(function, FunctionType):  # a method, or what a cache is around
        function = getattr(function, "__func__", getattr(function, "__wrapped__", None))
        if function is None:
            return None
    return function


def _closure_digest(function: FunctionType, described: tuple[type, ...]) -> str:
    """A function -> a digest of its code, where it is not ours, its defaults and the values that it has captured."""
    outer = _OUTER.get()
    if function in outer:  # it has captured itself
        return str(outer.index(function))
    token = _OUTER.set((*outer, function))
    try:
        code = None if OURS.match(function.__module__ or "") else _code_form(function.__code__)
        captured = [_cell_value(cell) for cell in function.__closure__ or ()]
        parts = code, captured, function.__defaults__, function.__kwdefaults__
        return digest(json.dumps(canonical(parts, described), sort_keys=True))
    finally:
        _OUTER.reset(token)


def _code_form(code: CodeType) -> list[Any]:
    """Code -> what it does, wherever it stands in its file."""
    constants = [_code_form(item) if isinstance(item, CodeType) else [type(item), item] for item in code.co_consts]
    return [code.co_code, code.co_names, code.co_varnames, code.co_freevars, constants, code.co_argcount, code.co_flags]


def _cell_value(cell: CellType) -> Any:
    """What is captured in a cell; None where it is not set yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


def without_secrets(value: Any) -> Any:
    """Plain values -> the same without the entries that a key, a token, a password or a header is kept under, and
    without the secrets in texts: those of a URL or a connection string, and what looks like a key.

    >>> without_secrets({"model": "m", "openAIApiKey": "sk-…", "base": "https://me:word@host/v1?api_key=sk-…&v=1"})
    {'model': 'm', 'base': 'https://host/v1?v=1'}
    """
    if isinstance(value, dict):
        return {key: without_secrets(item) for key, item in value.items() if not _is_secret(key, item)}
    if isinstance(value, str):
        return _redact_text(value)
    return [without_secrets(item) for item in value] if isinstance(value, (list, tuple)) else value


def _is_secret(key: object, value: Any) -> bool:
    name = _snake_case(key)
    if SECRET.search(name):
        return True
    plain = value is None or isinstance(value, (bool, int, float))
    return not plain and bool(SECRET_TEXT.search(name)) and not WORDS.search(name)


def _redact_text(text: str) -> str:
    """A text -> the same without the secrets in it."""
    text = SECRET_PART.sub("", LOGIN.sub("", text))
    if PAIRS.fullmatch(text):
        return _redact_pairs(text)
    return URL.sub(lambda match: _redact_pairs(match[0]), text)


def _redact_pairs(text: str) -> str:
    """A URL or a connection string -> the same without the pairs whose name is that of a secret."""
    return PAIR.sub(lambda match: "" if _is_secret(match["name"], match[0]) else match[0], text)


def _snake_case(key: object) -> str:
    """A name in any spelling -> in small letters, with one underscore between words: accessToken, X-API-Key."""
    return HUMP.sub("_", str(key)).lower()


def chunk_ids(chunks: Iterable[tuple[str, int, str]]) -> list[str]:
    """The document's id, the level and the text of each chunk, in their order -> the id of each, in the form of a
    UUID, which every vector store takes.

    The first half of the SHA-256 of the three, each apart from the next, and of how many equal ones come before: a
    chunk keeps its id wherever it moves, and an edited text has another, so that no store keeps a stale row for it.

    >>> before = chunk_ids([("a", 0, "Yes."), ("a", 0, "No."), ("a", 0, "Yes.")])
    >>> after = chunk_ids([("a", 0, "New."), ("a", 0, "Yes."), ("a", 0, "No."), ("a", 0, "Yes.")])
    >>> len(set(before)), after[1:] == before
    (3, True)
    """
    given = list(chunks)
    return [
        digest(document, str(level), text, str(number))
        for (document, level, text), number in zip(given, occurrences(given), strict=True)
    ]


def occurrences(items: Iterable[Hashable]) -> list[int]:
    """Things -> how many equal ones come before each.

    >>> occurrences("abba")
    [0, 0, 1, 1]
    """
    counts = defaultdict[Hashable, "count[int]"](count)
    return [next(counts[item]) for item in items]


def digest(*fields: str) -> str:
    """Strings -> the first half of the SHA-256 of them and their lengths, in the form of a UUID."""
    head = ",".join([str(len(field)) for field in fields])
    content = "\n".join((head, *fields)).encode("utf-8", "surrogatepass")
    found = sha256(content).hexdigest()
    return f"{found[:8]}-{found[8:12]}-{found[12:16]}-{found[16:20]}-{found[20:32]}"
