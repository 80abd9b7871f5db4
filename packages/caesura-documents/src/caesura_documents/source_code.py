"""Source code's statements and definitions by tree-sitter, as a segmenter.

A grammar is loaded when it is first used (``pip install "caesura-documents[code]"``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from caesura.errors import SettingError
from caesura.types import Edges
from caesura_documents.find_outline import Heading
from caesura_documents.html import LONGEST
from caesura_documents.outline import Outline

if TYPE_CHECKING:
    from tree_sitter import Language, Node  # type: ignore[import-not-found, unused-ignore]

LANGUAGES = {
    **{name: (name, "language") for name in ("bash", "c", "c_sharp", "cpp", "go", "java", "javascript", "kotlin")},
    **{name: (name, "language") for name in ("python", "ruby", "rust", "scala", "swift")},
    "php": ("php", "language_php"),
    "tsx": ("typescript", "language_tsx"),
    "typescript": ("typescript", "language_typescript"),
}
"""A language -> where its grammar is: ``tree_sitter_typescript.language_tsx``."""
WHOLE = 240  # bytes: a longer statement or definition is split at the statements in it
SMALL = 120  # bytes: short statements in a row are one unit up to this size
SURROGATE = re.compile(r"[\ud800-\udfff]")
_INDENTED = re.compile(rb"(?:\A|(?<=[\n\r]))[ \t]*(?![ \t\n\r])")
_WIDE = 1000  # bytes: no blank line is longer
_SPACE = b" \t\n\r\x0b\x0c\xef\xbb\xbf"
_HOLDERS = frozenset(
    (
        "ERROR", "module", "program", "source_file", "translation_unit", "compilation_unit",
        "block", "body_statement", "compound_statement", "do_block", "do_group", "else", "function_body",
        "lambda_literal", "statement_block", "statement_list", "statements", "then",
        "class_body", "declaration_list", "enum_body", "enum_body_declarations", "enum_class_body",
        "enum_member_declaration_list", "enum_variant_list", "enumerator_list", "field_declaration_list",
        "interface_body", "protocol_body", "template_body",
        "case_block", "case_clause", "case_item", "case_statement", "default_case", "expression_case", "match_block",
        "switch_block", "switch_block_statement_group", "switch_body", "switch_case", "switch_default",
        "switch_section", "when_expression",
        "else_clause", "if_statement_body", "linkage_specification", "preproc_elif", "preproc_else", "preproc_if",
        "preproc_ifdef",
    )
)  # fmt: skip
"""The nodes of all grammars whose parts are statements, declarations or cases."""
_CLAUSES = frozenset(
    (
        "catch_clause", "elif_clause", "else", "else_clause", "elsif", "ensure", "except_clause",
        "except_group_clause", "finally_clause", "rescue", "switch_entry", "when",
    )
)  # fmt: skip
"""The nodes that continue a statement, and are parts of it."""
_ABOVE = re.compile(r".*comment|decorator|annotation|attribute_item|inner_attribute_item|access_specifier")
"""The nodes that belong to what stands in the next line."""
_SCOPE = re.compile(
    r"(?:(?:abstract_)?class|interface|enum|record|struct|union|trait|object|protocol|namespace|function"
    r"|generator_function|method|constructor|init|impl|mod|macro)_(?:declaration|definition|item|specifier)"
    r"|class|module|internal_module|method|singleton_method|type_spec"
)
"""The nodes whose name is a heading for the code until their end."""
_FUNCTIONS = frozenset(("arrow_function", "function_expression", "generator_function", "class"))


@dataclass(frozen=True, slots=True)
class Code:
    """A language -> a segmenter, str -> Edges, that cuts source code between its statements.

    language: one of `LANGUAGES`, as ``"python"``.

    Returns edges such that each unit starts at the start of a line, with its indentation, and blank lines belong to the
    unit before. A definition or a statement of more than 240 characters is split at the statements in it. Others
    stay whole. Short statements in a row are one unit up to 120. Comments, decorators and attributes belong to what
    stands in the next line, a docstring to what it describes. Code that does not parse is cut where statements are
    found.

    Raises `SettingError` where the language is unknown, `ImportError` where its grammar is missing.

    >>> code = Code("python")  # doctest: +SKIP
    >>> code("import a\\n\\ndef f():\\n    return 1\\n").tolist()  # doctest: +SKIP
    [0, 10, 32]
    """

    language: str
    is_code: ClassVar[bool] = True
    """Its units begin with the indentation of their first line, which chunks keep."""

    def __post_init__(self) -> None:
        if not isinstance(self.language, str) or self.language not in LANGUAGES:
            near = get_close_matches(str(self.language), LANGUAGES, cutoff=0.4)
            raise SettingError(
                f"language must be one of {', '.join(LANGUAGES)}, got {self.language!r:.80}"
                + (f": did you mean {' or '.join(map(repr, near))}?" if near else "")
            )
        load_language(self.language)

    def __call__(self, text: str) -> Edges:
        if not text.strip():
            return np.array([0, len(text)] if text else [0], dtype=np.intp)
        source = SURROGATE.sub("\ufffd", text).encode()
        starts = _joined(source, _statements(source, _parse(self.language, source)))
        return np.array([0, *_characters(text, source, starts), len(text)], dtype=np.intp)

    def outline(self, text: str) -> Outline:
        """Source code -> its classes and functions as headings, each by its name, until its end."""
        source = SURROGATE.sub("\ufffd", text).encode()
        found = sorted(_scopes(source, _parse(self.language, source)))
        places = _characters(text, source, [at for at, _, _ in found])
        return Outline(
            tuple(Heading(at, at, level, title) for at, (_, level, title) in zip(places, found, strict=True))
        )


@cache
def load_language(name: str) -> Language:
    """Raises `ImportError` where tree-sitter or the grammar is missing."""
    module, function = LANGUAGES[name]
    try:
        from tree_sitter import Language

        grammar = import_module(f"tree_sitter_{module}")
    except ImportError as error:
        remedy = 'pip install "caesura-documents[code]"'
        raise ImportError(f"Code({name!r}) needs tree-sitter, {error}: {remedy}") from error
    return Language(getattr(grammar, function)())


def _parse(language: str, source: bytes) -> Node:
    from tree_sitter import Parser

    return Parser(load_language(language)).parse(source).root_node


def _characters(text: str, source: bytes, places: list[int]) -> list[int]:
    """Rising positions in the UTF-8 -> those in the text."""
    if len(source) == len(text):
        return places
    found, at = [], 0
    for before, place in pairwise([0, *places]):
        at += len(source[before:place].decode())
        found.append(at)
    return found


class _Lines:
    """The lines of a source: where each that is not blank begins, and which ones belong to the line below."""

    def __init__(self, source: bytes) -> None:
        self.starts = {found.end(): found.start() for found in _INDENTED.finditer(source)}
        self.above: dict[int, tuple[int, int, int]] = {}  # the row of its end -> row, column and line's start
        self.tops: dict[int, int] = {}  # a row -> the start of the first line that belongs to it

    def add_remark(self, node: Node) -> bool:
        """Returns whether a node belongs to the node below it, and if so notes its lines for `start`."""
        if node.start_byte not in self.starts or _ABOVE.fullmatch(node.type) is None:
            return False
        (row, column), (last, width) = node.start_point, node.end_point
        self.above[last - (width == 0)] = row, column, self.starts[node.start_byte]
        return True

    def start(self, node: Node) -> int:
        """Returns the start of a node's first line, or of the first line above that belongs to it."""
        if node.start_byte not in self.starts:
            return int(node.start_byte)
        row, column = first, _ = node.start_point
        at = self.starts[node.start_byte]
        while (found := self.above.get(row - 1)) and found[1] <= column:
            row, column, at = found
            at = self.tops.get(row, at)
            if row in self.tops:
                break
        self.tops[first] = at
        return at


def _statements(source: bytes, root: Node) -> list[tuple[int, bool]]:
    """Returns the lines where statements begin, and whether a definition does. It does not look into small nodes."""
    lines = _Lines(source)
    found: list[tuple[Node, bool]] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        holds = node.type in _HOLDERS
        for number, child in enumerate(node.children):
            if child.end_byte - child.start_byte > WHOLE:
                waiting.append(child)
            remark = lines.add_remark(child)
            begins = child.is_named and child.start_byte in lines.starts and (holds or child.type in _CLAUSES)
            if begins and (number or not _is_docstring(child)):
                found.append((child, not remark and _defines(child)))
    starts: dict[int, bool] = {}
    for node, defines in found:
        at = lines.start(node)
        starts[at] = defines or starts.get(at, False)
    return sorted(starts.items())


def _is_docstring(node: Node) -> bool:
    alone = node.type == "expression_statement" and node.child_count == 1
    return bool(alone and node.children[0].type == "string")


def _defines(node: Node) -> bool:
    """Whether a node is a definition or has one as a child, as `export` does."""
    return _is_scope(node) or any(map(_is_scope, node.named_children))


def _is_scope(node: Node) -> bool:
    if node.type == "variable_declarator":
        value = node.child_by_field_name("value")
        return value is not None and value.type in _FUNCTIONS
    if not node.is_named or _SCOPE.fullmatch(node.type) is None:
        return False
    return not node.type.endswith("specifier") or node.child_by_field_name("body") is not None


def _joined(source: bytes, starts: list[tuple[int, bool]]) -> list[int]:
    """Returns where units start: at definitions, after blank lines, and where a unit would be over `SMALL`."""
    kept: list[int] = []
    before = 0
    for (at, defines), (after, _) in pairwise([*starts, (len(source), False)]):
        alone = defines or after - before > SMALL or _follows_blank(source, at)
        if alone and source[before:at].strip(_SPACE):
            kept.append(at)
            before = at
    return kept


def _follows_blank(source: bytes, at: int) -> bool:
    """Whether the line above is blank."""
    above = source.rfind(b"\n", max(at - _WIDE, 0), max(at - 1, 0)) + 1
    return above > 0 and not source[above:at].strip()


def _scopes(source: bytes, root: Node) -> Iterator[tuple[int, int, str]]:
    """Yields the beginning of each class and function with its level and name, and its end with an empty name.

    It begins where the statement that holds it begins, unless another one began there.
    """
    lines = _Lines(source)
    waiting: list[tuple[Node, Node | None, int]] = [(root, None, 0)]
    while waiting:
        node, statement, level = waiting.pop()
        title = _name(node) if _is_scope(node) else ""
        if title:
            level += 1
            yield lines.start(statement or node), level, title
            yield node.end_byte, level, ""
            statement = None
        if node.start_point.row < node.end_point.row:
            for child in node.children:
                lines.add_remark(child)
            holds = node.type in _HOLDERS
            waiting += [(child, child if holds else statement, level) for child in reversed(node.named_children)]


def _name(node: Node) -> str:
    """Returns the name of a class or function, "" if it has none."""
    found = node.child_by_field_name("name")
    inner = node.child_by_field_name("declarator")
    while found is None and inner is not None:  # in C and C++ it is within what it returns and takes
        if inner.type == "reference_declarator":
            node, inner = inner, inner.named_children[-1] if inner.named_children else None
        else:
            node, inner = inner, inner.child_by_field_name("declarator")
        found = node if inner is None else None
    found = found or node.child_by_field_name("type")
    return "" if found is None or found.text is None else found.text.decode()[:LONGEST]
