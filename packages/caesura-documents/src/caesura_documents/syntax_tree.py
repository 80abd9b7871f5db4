"""Source code's syntax tree by tree-sitter, and where statements and definitions begin in it.

A grammar is loaded when it is first used (``pip install "caesura-documents[code]"``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from caesura_documents.scopes import is_open, is_scope, may_be_scope, scope_names

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
_PARTS = 8  # parts of a name, as `A::b` has two: the outermost of more are left out
_LEAST = 6  # bytes: no class or function is smaller
_WIDE = 1000  # bytes: no blank line is longer
_SPACE = b" \t\n\r\x0b\x0c\xef\xbb\xbf"
_EXPORT = re.compile(
    rb"(?:(?<=\bclass )|(?<=\bstruct ))[A-Z][A-Z0-9_]{2,60}"
    rb"(?=[ \t]{1,9}(?!final\b)[A-Za-z_]\w{0,120}\s{0,9}(?:final\s{0,9})?[:{])"
)
"""A macro before the name of a class, as ``class TIDE_API Tide {``, which no grammar can tell from a name."""
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
_WHOLE_SOURCES = frozenset(("ERROR", "module", "program", "source_file", "translation_unit", "compilation_unit"))
_CLAUSES = frozenset(
    (
        "catch_clause", "elif_clause", "else", "else_clause", "elsif", "ensure", "except_clause",
        "except_group_clause", "finally_clause", "rescue", "switch_entry", "when",
    )
)  # fmt: skip
"""The nodes that continue a statement, and are parts of it."""
_ABOVE = re.compile(r".*comment|decorator|annotation|attribute_item|inner_attribute_item|access_specifier")
"""The nodes that belong to what stands in the next line."""
DEEPEST = 32
"""What is deeper within named classes and functions has no heading."""
KEPT = 150_000
"""So many units and scopes of the last sources are remembered, about 10 MB: those of some thousand files."""


class ParsedSource(NamedTuple):
    """What was found in a source, by positions in its text: where units begin, but the first, and its scopes.

    scopes: where the lines of each begin, its level from 1, and its name; and where it ends, without one.
    """

    starts: list[int]
    scopes: list[tuple[int, int, str]]


def parse_source(language: str, text: str) -> ParsedSource:
    """Source code -> its units and its scopes. The same text is parsed once while it is remembered."""
    source = SURROGATE.sub("\ufffd", text).encode()
    key = language, blake2b(source, digest_size=16).digest()
    found = _MEMORY.get(*key)
    if found is None:
        root = _parse(language, source)
        statements, scopes = _walk(source, root)
        places = _characters(text, source, [at for at, _, _ in scopes])
        named = [(at, level, name) for at, (_, level, name) in zip(places, scopes, strict=True)]
        found = ParsedSource(_characters(text, source, _joined(source, statements)), named)
        _MEMORY.put(*key, found)
    return found


class _Memory:
    """Remembers what was found in the last sources, up to `KEPT` units and scopes."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, bytes], ParsedSource] = {}
        self._size = 0

    def get(self, language: str, key: bytes) -> ParsedSource | None:
        return self._kept.get((language, key))

    def put(self, language: str, key: bytes, found: ParsedSource) -> None:
        size = len(found.starts) + len(found.scopes) + 1
        if self._size + size > KEPT:
            self._kept.clear()
            self._size = 0
        self._kept[language, key] = found
        self._size += size


_MEMORY = _Memory()


@cache
def _is_remark(kind: str) -> bool:
    return _ABOVE.fullmatch(kind) is not None


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

    if language in ("c", "cpp"):
        source = _EXPORT.sub(lambda found: b" " * len(found[0]), source)
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

    def add_remark(self, node: Node) -> None:
        """Notes the lines of a node that begins a line and belongs to the node below it."""
        (row, column), (last, width) = node.start_point, node.end_point
        self.above[last - (width == 0)] = row, column, self.starts[node.start_byte]

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


class _Found(NamedTuple):
    """A class or a function in a tree: where it begins, where it ends, if it does, its level and its names."""

    node: Node
    end: int | None
    level: int
    names: list[str]


def _walk(source: bytes, root: Node) -> tuple[list[tuple[int, bool]], list[tuple[int, int, str]]]:
    """Returns the lines where statements begin, with whether a definition does; and the beginning of each class and
    function with its level and names, and its end with an empty name.

    It does not look for statements in small nodes. A class or function begins where the statement that holds it
    begins, unless another one began there.
    """
    lines = _Lines(source)
    statements: list[tuple[Node, bool, bool]] = []
    scopes: list[_Found] = []
    waiting: list[tuple[Node, Node | None, int]] = [(root, None, 0)]
    while waiting:
        node, statement, level = waiting.pop()
        holds, large, below = node.type in _HOLDERS, node.end_byte - node.start_byte > WHOLE or node is root, level
        opens = holds and node.type not in _WHOLE_SOURCES
        for number, child in enumerate(node.children):
            kind, start = child.type, child.start_byte
            first = start in lines.starts
            remark = first and _is_remark(kind)
            if remark:
                lines.add_remark(child)
            if not child.is_named:
                continue
            if not number and _is_docstring(child):
                opens = False
            elif first and large and (holds or kind in _CLAUSES):
                statements.append((child, not remark and _defines(child), opens))
                opens = opens and remark
            size = child.end_byte - start
            if size < _LEAST:
                continue
            around, depth = child if holds else statement, below
            if may_be_scope(kind) and below < DEEPEST and is_scope(child) and (names := scope_names(child)[-_PARTS:]):
                endless = is_open(child)
                depth = level if endless else below
                scopes.append(_Found(around or child, None if endless else child.end_byte, depth + 1, names))
                around, depth = None, depth + len(names)
                below = depth if endless else below
            if size > WHOLE or source.find(b"\n", start, child.end_byte) >= 0:
                waiting.append((child, around, depth))
    return _line_starts(lines, statements), sorted(_headings(lines, scopes))


def _line_starts(lines: _Lines, statements: list[tuple[Node, bool, bool]]) -> list[tuple[int, bool]]:
    """The lines where statements begin, but those that open a body, which stay with the line before it."""
    starts: dict[int, bool] = {}
    first: set[int] = set()
    for node, defines, opens in statements:
        at = lines.start(node)
        starts[at] = defines or starts.get(at, False)
        if opens:
            first.add(at)
    return sorted(item for item in starts.items() if item[0] not in first)


def _headings(lines: _Lines, scopes: list[_Found]) -> Iterator[tuple[int, int, str]]:
    for node, end, level, names in scopes:
        at = lines.start(node)
        yield from ((at, depth, name) for depth, name in enumerate(names, level))
        if end is not None:
            yield end, level, ""


def _is_docstring(node: Node) -> bool:
    alone = node.type == "expression_statement" and node.child_count == 1
    return bool(alone and node.children[0].type == "string")


def _defines(node: Node) -> bool:
    """Whether a node is a definition or has one as a child, as `export` does."""
    return is_scope(node) or any(may_be_scope(each.type) and is_scope(each) for each in node.named_children)


def _joined(source: bytes, starts: list[tuple[int, bool]]) -> list[int]:
    """Returns where units start: at definitions, after blank lines, and where a unit would be over `SMALL`."""
    kept: list[int] = []
    before = 0
    for (at, defines), (after, _) in pairwise([*starts, (len(source), False)]):
        alone = defines or after - before > SMALL or _follows_blank(source, at)
        if alone and at < len(source) and source[before:at].strip(_SPACE):  # a missing one may be at the end
            kept.append(at)
            before = at
    return kept


def _follows_blank(source: bytes, at: int) -> bool:
    """Whether the line above is blank."""
    above = source.rfind(b"\n", max(at - _WIDE, 0), max(at - 1, 0)) + 1
    return above > 0 and not source[above:at].strip()
