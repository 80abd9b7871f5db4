"""Source code as a segmenter: its statements and definitions by tree-sitter, and those of code in Markdown.

It needs the grammars: ``pip install "caesura-documents[code]"``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import NamedTuple

import numpy as np

from caesura.errors import SettingError
from caesura.text.sentences import units
from caesura.types import Edges
from caesura_documents.find_outline import BY_MARK, Heading
from caesura_documents.html import closing_end
from caesura_documents.outline import HeadingPath, Outline, outline
from caesura_documents.syntax_tree import LANGUAGES, WHOLE, load_language, parse_source

AUTO = "auto"
"""The language that is another one for each document."""
ALIASES = {
    "bash": "console shell shell-script shell-session shellscript sh zsh ksh",
    "c": "h",
    "c_sharp": "c# cs csharp dotnet",
    "cpp": "c++ cc cplusplus cxx hpp",
    "go": "golang",
    "java": "",
    "javascript": "cjs ecmascript es6 js jsx mjs node",
    "kotlin": "kt kts",
    "php": "php3 php4 php5 php7 php8",
    "python": "py py3 python3 pyi",
    "ruby": "jruby rb",
    "rust": "rs",
    "scala": "sbt",
    "swift": "",
    "tsx": "",
    "typescript": "cts mts ts",
}
"""A language of `LANGUAGES` -> what Markdown, LangChain and LlamaIndex call it too."""
ENDINGS = {
    "bash": "bash bats ksh sh zsh",
    "c": "c",
    "c_sharp": "cs csx",
    "cpp": "c++ cc cpp cu cuh cxx h h++ hh hpp hxx inl ipp ino tpp",
    "go": "go",
    "java": "java",
    "javascript": "cjs es6 js jsx mjs",
    "kotlin": "kt kts",
    "php": "php php5 php7 phps phtml",
    "python": "py pyi pyw",
    "ruby": "gemspec podspec rake rb ru",
    "rust": "rs",
    "scala": "sbt sc scala",
    "swift": "swift",
    "tsx": "tsx",
    "typescript": "cts mts ts",
}
"""A language -> the endings of its files. A header may be C or C++, whose grammar reads both."""
_BY_ALIAS = {name: language for language, names in ALIASES.items() for name in (language, *names.split())}
_BY_ENDING = {ending: language for language, endings in ENDINGS.items() for ending in endings.split()}
_BY_NAME = {"gemfile": "ruby", "rakefile": "ruby", "podfile": "ruby", "vagrantfile": "ruby", "jenkinsfile": ""}
_FILE = re.compile(r"([^/\\?#]*)(?:[?#].*)?\Z", re.DOTALL)
_FENCE = re.compile(
    r"^(?P<indent>[ \t]*+)(?P<fence>`{3,9}(?!`)|~{3,9}(?!~))[ \t]*+\{?\.?(?P<info>[\w+#-]{0,20})(?P<rest>[^`\n]*)$",
    re.MULTILINE,
)
_DIRECTIVES = frozenset(("code", "code-block", "code-cell", "sourcecode"))
"""What MyST says before the language of a fence."""
_LANGUAGE = re.compile(r"[\w+#-]{1,20}")
_INDENT = re.compile(r"^[ \t]*+(?=\S)", re.MULTILINE)
FENCED = 24
"""The level of a heading in a fence is over this: below those of Markdown."""
DEEPEST_FENCED = 7
"""So many levels of headings a fence has."""


def find_language(name: str) -> str | None:
    """The name of a file, or its path or address -> its language, one of `LANGUAGES`; None if it is of none of them.

    >>> find_language("src/tide.rs"), find_language("https://code.example/tide.kt?plain=1"), find_language("tide.md")
    ('rust', 'kotlin', None)
    """
    bare = _bare_name(name).lower()
    return _BY_ENDING.get(bare.rpartition(".")[2]) if "." in bare else _BY_NAME.get(bare)


def _bare_name(name: str) -> str:
    found = _FILE.search(name[-1000:].rstrip("/\\"))
    return found[1] if found else ""


@dataclass(frozen=True, slots=True)
class Code:
    """A language -> a segmenter, str -> Edges, that cuts source code between its statements.

    language: one of `LANGUAGES`, as ``"python"``, or another name of it, as ``"js"`` or ``"c++"``. ``"auto"``: that of
    each document by the name of its file, which the plugins read in its metadata. A document of no known language, or
    of no known file, is cut by our rules, and code in it that stands in a fence with a language by that one's
    statements, where it is over the limit.

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

    language: str = AUTO

    def __post_init__(self) -> None:
        known = isinstance(self.language, str) and (self.language == AUTO or self.language.lower() in _BY_ALIAS)
        if not known:
            near = get_close_matches(str(self.language), LANGUAGES, cutoff=0.4)
            raise SettingError(
                f"language must be {AUTO!r} or one of {', '.join(LANGUAGES)}, got {self.language!r:.80}"
                + (f": did you mean {' or '.join(map(repr, near))}?" if near else "")
            )
        object.__setattr__(self, "language", _BY_ALIAS.get(self.language.lower(), AUTO))
        load_language("python" if self.language == AUTO else self.language)

    @property
    def is_code(self) -> bool:
        """Whether its units begin with the indentation of their first line, which chunks keep."""
        return self.language != AUTO

    def for_file(self, name: str) -> Code | CodeFile:
        """Returns what segments the text of a file, whose name is its first heading."""
        language = find_language(name) if self.language == AUTO else self.language
        title = _bare_name(name)
        return CodeFile(language, title) if language and title else self

    def __call__(self, text: str) -> Edges:
        return _code_edges(self.language, text) if self.is_code else units(text)

    def block_parts(self, block: str) -> Edges | None:
        """Returns the edges of the parts of a block of code in a fence; None if its language is not known."""
        fence = next(_fences(block), None) if not self.is_code else None
        if fence is None or fence.start:
            return None
        starts, _ = _read_fence(block, fence)
        inner = [at for at in starts if fence.first < at < fence.last and block[fence.first : at].strip()]
        return np.array([0, *inner, len(block)], dtype=np.intp)

    def outline(self, text: str) -> Outline:
        """Source code -> its classes and functions as headings, each by its name, until its end.

        Another text -> its headings and tables, and below them the classes and functions of the code in its fences.
        """
        return Outline(_code_headings(self.language, text)) if self.is_code else _with_fences(text, outline(text))


@dataclass(frozen=True, slots=True)
class CodeFile:
    """What segments the text of one file, as `Code` does.

    language: one of `LANGUAGES`. name: of the file, which is above all of its headings.
    """

    language: str
    name: str

    @property
    def is_code(self) -> bool:
        """Its units are lines of code."""
        return True

    def __call__(self, text: str) -> Edges:
        return _code_edges(self.language, text)

    def outline(self, text: str) -> Outline:
        """Source code -> the file, its classes and functions as headings."""
        return Outline(_code_headings(self.language, text), above=HeadingPath((self.name,), (0,)))


def _code_edges(language: str, text: str) -> Edges:
    if not text.strip():
        return np.array([0, len(text)] if text else [0], dtype=np.intp)
    return np.array([0, *parse_source(language, text).starts, len(text)], dtype=np.intp)


def _code_headings(language: str, text: str) -> tuple[Heading, ...]:
    return tuple(Heading(at, at, level, name) for at, level, name in parse_source(language, text).scopes)


# -- code in Markdown --------------------------------------------------------------------------------------------------


class _Fence(NamedTuple):
    """Code in a fence: where its opening line starts, where the code starts and ends, where the fence ends."""

    start: int
    first: int
    last: int
    end: int
    language: str


def _fences(text: str) -> Iterator[_Fence]:
    """Yields the fences of a text whose language is known."""
    missing: set[str] = set()
    match = _FENCE.search(text) if "```" in text or "~~~" in text else None
    while match:
        fence, first = match["fence"], min(match.end() + 1, len(text))
        closed = closing_end(text, match.end(), rf"^[ \t]*+{fence}{fence[0]}*+[ \t]*+\r?$", missing)
        end = closed or len(text)
        last = max(text.rfind("\n", first, end) + 1, first) if closed else end
        if language := _fence_language(match["info"].lower(), match["rest"]):
            yield _Fence(match.start(), first, last, end, language)
        match = _FENCE.search(text, max(end, match.end()))


def _fence_language(info: str, rest: str) -> str | None:
    if info in _DIRECTIVES:
        word = _LANGUAGE.search(rest)
        info = word[0].lower() if word else ""
    return _BY_ALIAS.get(info)


def _read_fence(text: str, fence: _Fence) -> tuple[list[int], list[tuple[int, int, str]]]:
    """Returns where units begin in a fence, and its scopes, by positions in the text."""
    body = text[fence.first : fence.last]
    indents = _INDENT.findall(body)
    width = min(map(len, indents), default=0)
    if width and len({indent[:width] for indent in indents}) == 1:  # in a list, say: Python counts spaces
        return _read_indented(body, width, fence)
    starts, scopes = parse_source(fence.language, body)
    return [fence.first + at for at in starts], [(fence.first + at, level, name) for at, level, name in scopes]


def _read_indented(body: str, width: int, fence: _Fence) -> tuple[list[int], list[tuple[int, int, str]]]:
    """As `_read_fence`, of code whose lines are all indented so far."""
    bare: list[str] = []
    begins: list[int] = []
    wide: list[int] = []
    at = bare_at = 0
    for line in body.splitlines(keepends=True):
        cut = line[width:] if line[:width].isspace() and len(line) > width else line.lstrip(" \t")
        begins.append(bare_at)
        wide.append(at)
        bare.append(cut)
        at, bare_at = at + len(line), bare_at + len(cut)

    places = np.array(begins or [0]), np.array(wide or [0])

    def place(found: int) -> int:
        line = int(np.searchsorted(places[0], found, side="right")) - 1
        inner = found - int(places[0][line])
        return fence.first + int(places[1][line]) + (inner and inner + width)

    starts, scopes = parse_source(fence.language, "".join(bare))
    return [place(found) for found in starts], [(place(found), level, name) for found, level, name in scopes]


def _with_fences(text: str, found: Outline) -> Outline:
    """The outline of a text, and the classes and functions of the code in its fences."""
    if any(heading.level >= BY_MARK for heading in found.headings):
        return found
    inner: list[Heading] = []
    for fence in _fences(text):
        if fence.last - fence.first > WHOLE:  # a shorter one is in one piece
            _, scopes = _read_fence(text, fence)
            shallow = [each for each in scopes if each[1] <= DEEPEST_FENCED]
            inner += [Heading(at, at, FENCED + level, name) for at, level, name in shallow]
            inner.append(Heading(fence.last, fence.last, FENCED, ""))
    return replace(found, headings=tuple(sorted([*found.headings, *inner]))) if inner else found
