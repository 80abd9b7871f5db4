"""The classes and functions of a syntax tree, and what each of them is called, in sixteen languages."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, TypeAlias

from caesura_documents.html import LONGEST

Node: TypeAlias = Any
"""A node of tree-sitter, which may be missing."""
_SCOPE = re.compile(
    r"(?:(?:abstract_)?class|interface|enum|record|struct|union|trait|object|protocol|namespace|function"
    r"|generator_function|method|constructor|compact_constructor|destructor|init|deinit|subscript|impl|mod|macro"
    r"|annotation_type|given|file_scoped_namespace)_(?:declaration|definition|item|specifier)"
    r"|class|module|internal_module|method|singleton_method|type_spec|package_object|companion_object"
    r"|secondary_constructor|preproc_function_def|local_function_statement|type_definition"
)
"""The nodes whose name is a heading for the code until their end."""
_IN_LINES = {"property_declaration": ("computed_value", "accessors"), "type_alias_declaration": ("value",)}
"""The nodes that are one where they have several lines, and one of these fields."""
_BOUND = {
    "variable_declarator": ("name", "value"),
    "pair": ("key", "value"),
    "assignment_expression": ("left", "right"),
    "field_definition": ("property", "value"),
    "public_field_definition": ("name", "value"),
}
"""The nodes that give a function its name -> the fields of both."""
_FUNCTIONS = frozenset(("arrow_function", "function_expression", "generator_function", "class", "anonymous_function"))
_WRAPPERS = frozenset(("debounce", "forwardRef", "memo", "memoize", "observer", "once", "throttle", "useCallback"))
"""What functions of JavaScript are handed through on the way to their name."""
_CALLED = {
    "companion_object": "Companion",
    "deinit_declaration": "deinit",
    "init_declaration": "init",
    "secondary_constructor": "constructor",
    "subscript_declaration": "subscript",
}
"""The nodes that may have no name -> what they are called."""
_OUTER = frozenset(("exports", "module", "prototype", "self", "this", "window"))
"""What no function of JavaScript is named by: ``exports.rise``."""
_MARKS = "$#\"'`"


@cache
def may_be_scope(kind: str) -> bool:
    """Whether `is_scope` is true of a node of this kind, or may be."""
    return kind in _BOUND or kind in _IN_LINES or _SCOPE.fullmatch(kind) is not None


def is_scope(node: Node) -> bool:
    """Whether a node is a class, a function or another part of a program that has a name for what is in it."""
    kind = node.type
    if not may_be_scope(kind):
        return False
    if kind in _BOUND:
        value = node.child_by_field_name(_BOUND[kind][1])
        return value is not None and _is_function(value)
    if kind in _IN_LINES:
        long = node.is_named and node.start_point.row < node.end_point.row
        return bool(long and any(map(node.child_by_field_name, _IN_LINES[kind])))
    if not node.is_named:
        return False
    if kind == "type_definition":  # in C, of what has no name of its own; in Scala it is a line
        return _is_unnamed(node.child_by_field_name("type"))
    return not kind.endswith("specifier") or node.child_by_field_name("body") is not None


def is_open(node: Node) -> bool:
    """Whether a node names what follows it, as a namespace without braces does."""
    kind = node.type
    if kind == "namespace_definition":
        return node.child_by_field_name("body") is None
    return bool(kind == "file_scoped_namespace_declaration")


def scope_names(node: Node) -> list[str]:
    """Returns the names of a scope, the outermost first, as ``["Tide", "rise"]`` of ``Tide::rise``."""
    kind = node.type
    if kind in _BOUND:
        return _bound_names(node.child_by_field_name(_BOUND[kind][0]))
    if kind == "impl_item":
        return _impl_names(node)
    found = node.child_by_field_name("name")
    if found is None and (kind == "type_definition" or node.child_by_field_name("declarator") is not None):
        return _declared_names(node)
    names = _split(_text(found)) if found is not None else [_CALLED[kind]] if kind in _CALLED else []
    if kind == "method_declaration" and (receiver := node.child_by_field_name("receiver")) is not None:
        return [*_receiver_names(receiver), *names]
    return names


def _is_function(node: Node) -> bool:
    if node.type != "call_expression":
        return node.type in _FUNCTIONS
    called, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if called is None or given is None or _text(called).rpartition(".")[2] not in _WRAPPERS:
        return False
    first = given.named_child(0)
    return first is not None and (first.type in _FUNCTIONS or first.type == "call_expression")


def _is_unnamed(node: Node | None) -> bool:
    """Whether a node is a structure of C that has no name."""
    if node is None or not node.type.endswith("_specifier"):
        return False
    return node.child_by_field_name("body") is not None and node.child_by_field_name("name") is None


def _bound_names(node: Node | None) -> list[str]:
    """The names of what a function is bound to: ``Tide.prototype.rise`` is `rise` of `Tide`."""
    if node is None or node.type in ("object_pattern", "array_pattern", "subscript_expression", "list_literal"):
        return []
    parts = [part.strip(_MARKS) for part in re.split(r"->|::|\.", _text(node))]
    return [part for part in parts if part and part not in _OUTER]


def _impl_names(node: Node) -> list[str]:
    """The names of an implementation of Rust: its type, or its trait for it."""
    of, trait = node.child_by_field_name("type"), node.child_by_field_name("trait")
    if of is not None and of.type == "generic_type":
        of = of.child_by_field_name("type")
    name = "" if of is None else _text(of)
    return [name if trait is None else f"{_text(trait)} for {name}"] if name else []


def _receiver_names(node: Node) -> list[str]:
    """The name of the type that a method of Go is of."""
    for _ in range(8):
        if node.type == "type_identifier":
            return [_text(node)]
        inner = node.child_by_field_name("type") or node.named_child(0)
        if inner is None:
            break
        node = inner
    return []


def _declared_names(node: Node) -> list[str]:
    """The names of what C or C++ declares, which are within what it returns and takes."""
    inner: Node | None = node
    while inner is not None and inner.type not in ("qualified_identifier", "operator_cast"):
        node = inner
        by_field = inner.type != "reference_declarator"
        inner = inner.child_by_field_name("declarator") if by_field else inner.named_child(0)
    found, names = inner or node, list[str]()
    while found.type == "qualified_identifier" and len(names) < LONGEST:
        scope, name = found.child_by_field_name("scope"), found.child_by_field_name("name")
        if scope is not None:
            names.append(_text(scope.child_by_field_name("name") or scope))
        if name is None:
            return names
        found = name
    return [*names, _text(found).partition("(")[0].strip() or _text(found)]


def _split(name: str) -> list[str]:
    return [name] if "<" in name else [part for part in name.strip("\"'").split("::") if part]


def _text(node: Node) -> str:
    return "" if node.text is None else " ".join(node.text[: 4 * LONGEST].decode("utf-8", "ignore").split())[:LONGEST]
