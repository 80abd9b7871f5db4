"""Values of metadata that hold themselves, or are nested deeper than Python goes."""

from __future__ import annotations

from typing import Any


def own_list() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


def own_dict() -> dict[str, Any]:
    value: dict[str, Any] = {}
    value["self"] = value
    return value


def deep_list(depth: int = 3000) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def deep_dict(depth: int = 3000) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(depth):
        value = {"in": value}
    return value


CYCLIC = {"own list": own_list, "own dict": own_dict}
DEEP = {"deep list": deep_list, "deep dict": deep_dict}
