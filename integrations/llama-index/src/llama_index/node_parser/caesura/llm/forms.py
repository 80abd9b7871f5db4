"""A JSON schema in, a pydantic model out: what LlamaIndex asks for the form of a reply by."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from llama_index.core.bridge.pydantic import BaseModel, ConfigDict, create_model

from caesura.errors import SettingError
from caesura.llm.conversation import Schema

_SIMPLE: dict[str, Any] = {"string": str, "integer": int, "number": float, "boolean": bool}


@lru_cache(maxsize=64)
def form(schema: Schema) -> type[BaseModel]:
    """A schema of objects, lists and simple values -> a model of the same form. Raises `SettingError` for another."""
    found: type[BaseModel] = _type(schema.value, schema.name.title())
    return found


def _type(schema: dict[str, Any], name: str) -> Any:
    kind = schema.get("type")
    if kind == "object":
        fields: dict[str, Any] = {
            key: (_type(value, f"{name}_{key}"), ...) for key, value in schema["properties"].items()
        }
        return create_model(name, __config__=ConfigDict(extra="forbid"), **fields)
    if kind == "array":
        return list[_type(schema["items"], f"{name}_item")]  # type: ignore[misc]
    if kind not in _SIMPLE:
        raise SettingError(f"a schema must be of objects, arrays and simple values, got {schema!r:.80}")
    return _SIMPLE[kind]
