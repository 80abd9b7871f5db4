"""The JSON that each kind of reply should be: an object with one list, of objects whose properties are all required."""

from __future__ import annotations

import json
from typing import Any

from caesura.llm.conversation import Schema


def schema(name: str, item: dict[str, Any]) -> Schema:
    """The JSON schema of an object with one list `name`, of objects with these properties, all required."""
    return Schema(name, json.dumps(_object({name: _array(_object(item))}), sort_keys=True))


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _array(of: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": of}


_STRING, _INTEGER = {"type": "string"}, {"type": "integer"}
_STRINGS, _INTEGERS = _array(_STRING), _array(_INTEGER)

PASSAGES_OF_PROPOSITIONS = schema(
    "passages", {"number": _INTEGER, "propositions": _array(_object({"text": _STRING, "sentences": _INTEGERS}))}
)
PASSAGES_OF_TEXTS = schema("passages", {"number": _INTEGER, "texts": _STRINGS})
GROUPS = schema("groups", {"topic": _INTEGER, "title": _STRING, "summary": _STRING, "propositions": _INTEGERS})
TOPIC_TITLES = schema("topics", {"number": _INTEGER, "title": _STRING, "summary": _STRING})
