"""Serialization of parsers: settings as plain values, for a cache, a file and another process, and back."""

from __future__ import annotations

import builtins
import pickle
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from pkgutil import resolve_name
from typing import Any, ClassVar, Self, get_args

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import ConfigDict, Field, ValidationError, model_validator
from llama_index.core.instrumentation import get_dispatcher  # type: ignore[attr-defined]
from llama_index.core.node_parser import NodeParser
from llama_index.core.node_parser.node_utils import default_id_func
from llama_index.core.schema import BaseComponent, BaseNode, Document

import caesura
from caesura.checks import check_names
from caesura.errors import SettingError
from caesura.sansio import Awaiting, Blocking, Calls, run
from caesura_store.setting_keys import import_path, package_path
from llama_index.node_parser.caesura.nodes import check_documents

_dispatcher = get_dispatcher(__name__)

BUILT_IN = re.compile(r"builtins:([a-z]+)(\.[a-z]+)?")
CODE = "caesura_documents.source_code:Code"
"""The sentence splitter for code, which no package exports at its top."""
PEER_SENTENCES = "llama_index.node_parser.caesura.splitters:peer_sentences"
"""The sentence splitter of the `like_…` constructors."""
PLAIN_TYPES = (bool, int, float, str, type(None))
"""Types that JSON brings back as they were."""

PEER_NAMES = {
    "embeddings": "embed_model is its name here",
    "length_function": "tokenizer takes its place here: str -> list of tokens; list counts characters",
    "max_chunk_size": "chunk_size is its name here",
    "max_size": "chunk_size is its name here",
    "min_size": "min_chunk_size is its name here",
    "merging_range": "look_ahead is its name here",
    "chunk_overlap": "Nodes share no text, so that each is found once. What is around a node is found by its "
    "relationships PREVIOUS and NEXT, or by its parent (HierarchyIndex)",
}
"""Settings of other splitters, and what the error says about each."""


class CheckedSettings(BaseComponent):
    """Settings that are checked when they are given, and when one is assigned. A bad one is a `SettingError`."""

    def __init__(self, *unnamed: Any, **settings: Any) -> None:
        self._check_names(settings)
        with _setting_errors():
            super().__init__(*unnamed, **settings)
        self._check()

    def __setattr__(self, name: str, value: Any) -> None:
        if name in type(self).model_fields:
            other = self.model_copy()
            with _setting_errors():
                other.__pydantic_validator__.validate_assignment(other, name, value)
            other._check()
            value = getattr(other, name)
        elif not name.startswith("_") and not hasattr(self, name):
            self._check_names({name: value})
        super().__setattr__(name, value)

    def __repr_args__(self) -> Any:
        """What `repr` shows: the settings that were given."""
        for name, value in super().__repr_args__():
            idle = value is default_id_func or (name == "callback_manager" and not value.handlers)
            if name in self.model_fields_set and not idle:
                yield name, value

    def __str__(self) -> str:
        return repr(self)

    @classmethod
    def _check_names(cls, settings: dict[str, Any]) -> None:
        """Raises `SettingError` for a setting that there is not. `class_name` comes of LlamaIndex's `from_dict`."""
        names = [each for name, own in cls.model_fields.items() for each in (name, own.alias) if each]
        check_names(cls.__name__, settings, [*names, "class_name"], PEER_NAMES)

    def _check(self) -> None:
        """Raises `SettingError` for settings that cannot serve together."""


@contextmanager
def _setting_errors() -> Iterator[None]:
    """Raises `SettingError` instead of pydantic's errors."""
    try:
        yield
    except ValidationError as error:
        first, *others = error.errors(include_url=False)
        if isinstance(given := first.get("ctx", {}).get("error"), SettingError):
            raise given from None
        name = ".".join(map(str, first["loc"][:1])) or error.title
        messages = [first["msg"], *(each["msg"] for each in others if each["loc"][:1] == first["loc"][:1])]
        if first["type"] != "missing":
            messages.append(f"got {first['input']!r:.80}")
        raise SettingError(f"{name}: {'; '.join(messages)}") from error


class SerializableParser(CheckedSettings, NodeParser):
    """What all parsers share: their settings can be filed without secrets, and their nodes stay as they were made."""

    model_config: ClassVar[ConfigDict] = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    cache_tag: str | None = Field(default=None, description="A name by which a cache knows functions that have none.")

    functions: ClassVar[tuple[str, ...]] = ("id_func",)
    """The settings that are functions."""

    @model_validator(mode="before")
    @classmethod
    def _check_settings(cls, settings: Any) -> Any:
        """Raises `SettingError` for a bool given as a number, which pydantic would take."""
        values = settings if isinstance(settings, dict) else {}
        for name, value in values.items():
            if isinstance(value, bool) and name in cls.model_fields:
                kind = cls.model_fields[name].annotation
                kinds = {kind, *get_args(kind)}
                if kinds & {int, float} and bool not in kinds:
                    raise SettingError(f"{name} must be a number, got {value!r}")
        return settings

    def get_nodes_from_documents(
        self, documents: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any
    ) -> list[BaseNode]:
        """Documents, or nodes, -> nodes. Raises `SettingError` for what is no list of them."""
        return super().get_nodes_from_documents(check_documents(documents), show_progress, **kwargs)

    async def aget_nodes_from_documents(
        self, documents: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any
    ) -> list[BaseNode]:
        """As `get_nodes_from_documents`, with async calls of the models."""
        return await super().aget_nodes_from_documents(check_documents(documents), show_progress, **kwargs)

    def _postprocess_parsed_nodes(self, nodes: list[BaseNode], parent_doc_map: dict[str, Document]) -> list[BaseNode]:
        """Returns the nodes as they are: the base class would search for each text and overwrite exact offsets."""
        return nodes

    async def _parse(self, calls: Calls, nodes: Sequence[BaseNode], show_progress: bool) -> list[BaseNode]:
        """Makes nodes of nodes, for sync and async callers. Not abstract: LlamaIndex would report a span for it."""
        raise NotImplementedError

    def _parse_nodes(self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any) -> list[BaseNode]:
        return run(self._parse(Blocking(), nodes, show_progress))

    @_dispatcher.span
    async def _aparse_nodes(
        self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any
    ) -> list[BaseNode]:
        return await self._parse(Awaiting(), nodes, show_progress)

    def to_dict(self, **kwargs: Any) -> dict[str, Any]:
        """The settings that decide what comes out, as plain values without secrets.

        `from_dict` reads them, and a pipeline's cache key is made of them. Raises `SettingError` for a function without
        a name of its own, unless `cache_tag` says which it is.
        """
        data = super().to_dict(**kwargs)
        for name in self.functions:
            value = getattr(self, name)
            data[name] = None if value is default_id_func else to_plain(name, value, self.cache_tag)
        data["resolved"] = {"caesura": caesura.__version__}
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any], trusted: bool = False, **kwargs: Any) -> Self:
        """What `to_dict` returned -> the parser. Arguments take the place of entries.

        trusted: whether functions are imported by the names in `data`, which runs the modules that it names. Otherwise
        functions have to be passed, except Python's built-in types and their methods. Raises `SettingError` for a
        function or a model that has to be passed.
        """
        entries = {**data, **kwargs}
        settings = {name: value for name, value in entries.items() if name not in ("class_name", "resolved")}
        for name in cls.functions:
            value = settings.get(name)
            if value is None:
                settings.pop(name, None)
            elif isinstance(value, dict) or (isinstance(value, str) and ":" in value):
                settings[name] = from_plain(name, value, trusted)
        cls._revive(settings, data.get("resolved", {}), trusted)
        return cls(**settings)

    @classmethod
    def _revive(cls, settings: dict[str, Any], resolved: dict[str, Any], trusted: bool) -> None:
        """Replaces in `settings` what `to_dict` wrote about components by the components."""

    def __getstate__(self) -> dict[str, Any]:
        for name in self.functions:
            check_pickles(name, getattr(self, name))
        return super().__getstate__()


def importable_path(value: Any) -> str | None:
    """Returns the ``module:qualname`` of a function or a class, or None if it is not found there."""
    path = import_path(value)
    try:
        return path if resolve_name(path) is value else None
    except (ValueError, ImportError, AttributeError):
        return None


def check_pickles(name: str, value: Any) -> None:
    """Raises `SettingError` if a setting cannot be pickled: LlamaIndex would leave it out."""
    try:
        pickle.dumps(value)
    except Exception as error:
        kind = "an embedding" if isinstance(value, BaseEmbedding) else "a function at the top of a module"
        raise SettingError(
            f"{name}={value!r:.120} cannot be sent to another process ({error}): "
            f"use {kind} that pickles, or num_workers=None"
        ) from error


def to_plain(name: str, value: Any, cache_tag: str | None) -> Any:
    """Returns a setting that is, or may be, a function, as plain values.

    A function becomes ``module:qualname``. A frozen dataclass becomes ``{"class": "module:qualname", "fields": {…}}``,
    if its fields are plain values, functions and such dataclasses. Any other callable becomes its `cache_tag`. Raises
    `SettingError` without one: nothing tells one lambda from another, so a cache could not know which of them made its
    entries.
    """
    try:
        plain = _to_plain(name, value)
    except SettingError:
        if cache_tag is None:
            raise
        return {"cache_tag": cache_tag}
    return plain["function"] if isinstance(plain, dict) and "function" in plain else plain


def _to_plain(name: str, value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if type(value) in PLAIN_TYPES:
        return value
    if callable(value) and (path := importable_path(value)) is not None:
        return {"function": path}
    if _is_frozen_dataclass(type(value)):
        path = _class_path(type(value))
        given = [entry for entry in fields(value) if entry.init]
        if path is not None and all(entry.repr for entry in given):  # what a repr does not show is a secret
            settings = {entry.name: _to_plain(f"{name}.{entry.name}", getattr(value, entry.name)) for entry in given}
            return {"class": path, "fields": settings}
    raise SettingError(
        f"{name}={value!r:.120} has no name to be filed under, so a cache cannot tell it from another: make it a "
        f"function, or a frozen dataclass with fields of numbers, words and functions, at the top of a module, or say "
        f"which it is with cache_tag='…' (change the tag when it changes)"
    )


def from_plain(name: str, data: Any, trusted: bool) -> Any:
    """What `to_plain` returned for a function or a dataclass -> the same again.

    Without `trusted` only built-in types, their methods, the core's own classes and `peer_sentences` are imported: data
    that may name any function may run any. Raises `SettingError` for what has to be passed.
    """
    if isinstance(data, str):
        return _import(name, data, trusted)
    path, settings = data.get("class"), data.get("fields")
    if not isinstance(path, str) or not isinstance(settings, dict):
        raise SettingError(f"from_dict() cannot make {name} from {data!r}: pass it, from_dict(data, {name}=…)")
    kind = _core_export(path) or _import(name, path, trusted)
    values = {key: _from_field(name, value, trusted) for key, value in settings.items()}
    try:
        if _is_frozen_dataclass(kind):
            return kind(**values)
    except TypeError:
        pass
    raise SettingError(
        f"from_dict() cannot make {name} from {path} and the settings {sorted(values)}: pass it, "
        f"from_dict(data, {name}=…)"
    )


def _from_field(name: str, data: Any, trusted: bool) -> Any:
    if not isinstance(data, dict):
        return data
    return from_plain(name, data["function"] if isinstance(data.get("function"), str) else data, trusted)


def _import(name: str, path: str, trusted: bool) -> Any:
    built_in = BUILT_IN.fullmatch(path)
    is_known = path == PEER_SENTENCES or (built_in and isinstance(getattr(builtins, built_in[1], None), type))
    if not trusted and not is_known:
        raise SettingError(
            f"from_dict() does not import {name}={path!r} because data says so: pass it, from_dict(data, {name}=…), "
            f"or from_dict(data, trusted=True) if you would run whatever the data names"
        )
    try:
        return resolve_name(path)
    except (ValueError, ImportError, AttributeError) as error:
        raise SettingError(
            f"from_dict() cannot find {name}={path!r} ({error}): pass it, from_dict(data, {name}=…)"
        ) from error


def _class_path(kind: type) -> str | None:
    """Returns the name under which the core exports a class, or else its ``module:qualname``."""
    path = package_path(kind)
    return path if _core_export(path) is kind else importable_path(kind)


def _core_export(path: str) -> Any:
    """Returns what the core exports under this name, or None."""
    if path == CODE:
        return resolve_name(path)
    package, _, name = path.partition(":")
    return getattr(caesura, name) if package == "caesura" and name in caesura.__all__ else None


def _is_frozen_dataclass(kind: Any) -> bool:
    """Whether `kind` is a frozen dataclass: its fields say all there is to know of an instance."""
    return isinstance(kind, type) and is_dataclass(kind) and kind.__dataclass_params__.frozen  # type: ignore[attr-defined]
