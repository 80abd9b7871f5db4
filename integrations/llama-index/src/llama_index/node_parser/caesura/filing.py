"""A parser's settings -> plain values that a cache, a file and another process see, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self, get_args

from llama_index.core.bridge.pydantic import ConfigDict, Field, model_validator
from llama_index.core.node_parser import NodeParser
from llama_index.core.node_parser.node_utils import default_id_func
from llama_index.core.schema import BaseNode, Document

import caesura
from caesura.errors import SettingError
from llama_index.node_parser.caesura.documents import check_documents
from llama_index.node_parser.caesura.functions import found, must_pickle, named


class Filed(NodeParser):
    """What all parsers share: settings under their names and without secrets, and nodes that are left as they are."""

    model_config: ClassVar[ConfigDict] = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    cache_tag: str | None = Field(default=None, description="What a cache knows a function without a name by.")

    functions: ClassVar[tuple[str, ...]] = ("id_func",)
    """The settings that are functions."""

    @model_validator(mode="before")
    @classmethod
    def _refused(cls, settings: Any) -> Any:
        """Refuses, in words that help, what pydantic would take for a number or know nothing to say of."""
        given = settings if isinstance(settings, dict) else {}
        if "chunk_overlap" in given and "chunk_overlap" not in cls.model_fields:
            raise SettingError(
                f"{cls.__name__} has no chunk_overlap: nodes share no text, so that each is found once; what is around "
                f"a node is found by its relationships PREVIOUS and NEXT, or by its parent (HierarchyIndex)"
            )
        for name, value in given.items():
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
        """As `get_nodes_from_documents`, by the awaited methods of what it asks."""
        return await super().aget_nodes_from_documents(check_documents(documents), show_progress, **kwargs)

    def _postprocess_parsed_nodes(self, nodes: list[BaseNode], parent_doc_map: dict[str, Document]) -> list[BaseNode]:
        """Nothing: the base class would search for each text and overwrite exact offsets."""
        return nodes

    def to_dict(self, **kwargs: Any) -> dict[str, Any]:
        """All settings that say what comes out, as plain values without secrets: what `from_dict` and a pipeline's
        cache key are made of.

        Raises `SettingError` for a function without a name of its own, unless `cache_tag` says which it is.
        """
        data = super().to_dict(**kwargs)
        for name in self.functions:
            value = getattr(self, name)
            if value is None or value is default_id_func:
                data[name] = None
            else:
                data[name] = named(name, value, self.cache_tag)
        data["resolved"] = {"caesura": caesura.__version__}
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any], trusted: bool = False, **kwargs: Any) -> Self:
        """What `to_dict` returned -> the parser. Arguments take the place of entries.

        trusted: whether functions are imported by the names that data gives, which runs what it says; else they have to
        be passed, types and methods that Python has built in aside. Raises `SettingError` for what has to be passed.
        """
        given = {**data, **kwargs}
        settings = {name: value for name, value in given.items() if name not in ("class_name", "resolved")}
        for name in cls.functions:
            value = settings.get(name)
            if value is None:
                settings.pop(name, None)
            elif not callable(value):
                settings[name] = found(name, value, trusted)
        cls._revive(settings, data.get("resolved", {}), trusted)
        return cls(**settings)

    @classmethod
    def _revive(cls, settings: dict[str, Any], resolved: dict[str, Any], trusted: bool) -> None:
        """Puts components in the place of what `to_dict` says of them."""

    def __getstate__(self) -> dict[str, Any]:
        for name in self.functions:
            must_pickle(name, getattr(self, name))
        return super().__getstate__()
