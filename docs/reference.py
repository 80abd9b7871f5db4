"""The sources in, the pages of docs/api out: by task, in plain Markdown that reads well as a file too.

python docs/reference.py            writes them; run by `nox -s reference`
python docs/reference.py --check    fails where a page is not what it would write; run by `nox -s docs`
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from docstrings import SHARED, Setting, bases, kind, plain, settings, shared_base, split_prose, within
from griffe import (
    AliasResolutionError,
    Class,
    ExprSubscript,
    ExprTuple,
    Function,
    GriffeLoader,
    NameResolutionError,
    Object,
    Parameter,
    ParameterKind,
)
from reference_pages import PAGES, ReferencePage

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "api"
EXAMPLE = re.compile(r"(?:^[ \t]*>>> .*\n?(?:^[ \t]*\S.*\n?)*)+", re.MULTILINE)
LITERAL = re.compile(r"``([^`\n]+)``")
NAME = re.compile(r"(?<!`)`([A-Za-z_][\w.]*)`(?!`)")
OTHERS = re.compile(r"\s*(?:The other settings|Settings): `\w+`\.?")
RAISES = re.compile(r"(?:(?<=^)|(?<=[.:)] ))Raises (?:[^.`]|`[^`]*`|\.(?!\s|$))*\.?")
RAISED = re.compile(r"(?:,|;)? and (?=`\w+(?:Error|Exception)`)|; and (?=for |if |where )")
"""Where one reason to raise ends and the next begins."""
KEYS = re.compile(r"(?<=\.) (?=`\w+`: )")
"""Before each key that a setting of several explains."""
LONG = 120
"""What exceeds a row's first sentence by more letters is said once on a page, and linked from the other rows."""
QUOTED = re.compile(r"'([^'\"]*)'")
TYPE = re.compile(r"\b[A-Z]\w+\b")
WRITTEN = "<!-- written by docs/reference.py from the docstrings: change those -->"
STARS = {ParameterKind.var_positional: "*", ParameterKind.var_keyword: "**"}
COLUMNS = 88
"""Columns of a line of code."""
PLUMBING = {
    "acall", "aembed_document_batch", "aget_text_embedding_batch", "block_parts", "build_index_from_nodes",
    "chunk_count", "class_name", "compiled", "cut_class", "cutter", "each", "embed_document_batch", "filed_settings",
    "find_outline", "fitting_units", "functions", "get_cache_key", "in_parts", "index_struct", "index_struct_cls",
    "is_code", "joints", "keep", "known", "kvstore", "lc_id", "model_post_init", "open_words", "outline", "owner",
    "place", "prompts", "reduced", "runs", "scores", "split_levels", "stages", "surely", "to_dict", "tree", "within",
    "work",
}  # fmt: skip
"""What only the frameworks or our own modules call."""
POSITIONAL = {"cut", "decided", "embeddings"}
"""What the heirs of a shared base say for themselves."""
RARE = {
    *(
        "BaseSemanticSplitter.transform_documents",
        "lazy_transform_documents",
        "forget_failures",
        "close",
        "set_index_id",
        "from_vector_store",
        "update_ref_doc",
        "refresh_ref_docs",
    ),
    *("ParentDocumentRetriever.upsert", "BM25Retriever.upsert", "HierarchyIndex.insert", "HierarchyIndex.delete"),
    *("HierarchyIndex.insert_nodes", "HierarchyIndex.delete_nodes"),
}
"""Methods that come last: what a framework calls, and other names of what stands above them."""
RESULTS = {
    *("Chunk", "Evidence", "FoundChunk", "FoundNode", "FoundPassage", "Nested", "ScoredDocument", "Segmentation"),
    *("ChunkResult", "ContextResult", "Failure", "PassageResult", "Proposition", "Reply", "Tally", "Topic"),
    *("Measured", "Page", "Scores", "Table", "Tuned", "WrittenQuestions"),
}
"""What a user is given, and does not make."""


@dataclass(slots=True)
class Reference:
    """All that the pages are written from."""

    modules: Any
    places: dict[str, tuple[str, str]] = field(default_factory=dict)
    """The path of an object -> its page and its anchor."""

    @classmethod
    def read(cls) -> Reference:
        """Reads the sources of every package."""
        paths = [str(path) for kind in ("packages", "integrations") for path in sorted((ROOT / kind).glob("*/src"))]
        loader = GriffeLoader(search_paths=paths)
        packages = [".".join(path.parts[path.parts.index("src") + 1 : -1]) for path in ROOT.glob("*/*/src/**/py.typed")]
        for package in sorted(packages):
            loader.load(package)
        made = cls(loader.modules_collection)
        for page in PAGES:
            for name in names_of(page):
                one = made.find(name)
                made.places[one.path] = made.places[name] = page.file, one.name.lower()
        for package in packages:
            for one in within(made.modules[package]):
                plain(one)
        return made

    def find(self, path: str) -> Object:
        """A path, also through a package that exports it -> what it leads to."""
        found = self.modules[path]
        return found.final_target if found.is_alias else found  # type: ignore[no-any-return]

    def target(self, scope: Object, name: str) -> Object | None:
        """A name as it is written in a scope -> what it stands for, if that is ours."""
        try:
            found = self.find(name if "." in name else scope.resolve(name))
        except (NameResolutionError, AliasResolutionError, KeyError):  # as in a setting that comes of a base
            paths = {path for path in self.places if path.endswith(f".{name}") and name[0].isupper()}
            several = {self.find(path).path for path in paths if path.split(".")[0] == scope.path.split(".")[0]}
            several = several or {self.find(path).path for path in paths}
            if len(several) != 1:
                return None
            found = self.find(several.pop())
        return found if "caesura" in found.path else None

    def members(self, cls: Class) -> Iterator[Object]:
        """What a user may call: the class's own, and what it has of bases of ours that have no entry."""
        seen = set()
        for each in self.line(cls):
            for name, member in each.members.items():
                if name in seen or name.startswith("_") or name in PLUMBING or member.is_alias:
                    continue
                seen.add(name)
                if member.docstring is not None and isinstance(member, Object) and not member.is_class:
                    yield member

    def line(self, cls: Class) -> Iterator[Class]:
        """A class and its bases of ours, down to the first that has an entry."""
        yield cls
        for base in bases(cls):
            if base.path not in self.places and shared_base(base) is None:
                yield from self.line(base)

    def methods(self, cls: Class) -> list[str]:
        """The methods of a class -> those that have a heading, the rare ones last. An awaited twin has none."""
        named = [one.name for one in self.members(cls) if isinstance(one, Function)]
        synced = [name for name in named if not any(sync in named for sync in _twins(name))]
        return sorted(synced, key=lambda name: bool({name, f"{cls.name}.{name}"} & RARE))


def names_of(page: ReferencePage) -> list[str]:
    """A page -> the paths of what stands on it."""
    names = [name for section in page.sections for name in section.names]
    return [f"{page.package}.{name}" if page.package else name for name in names]


@dataclass(slots=True)
class Writer:
    """Writes one page."""

    reference: Reference
    page: ReferencePage
    types: dict[str, Object] = field(default_factory=dict)
    """Types of ours that are named here and have no entry."""
    told: dict[tuple[str, str], str] = field(default_factory=dict)
    """Each setting with what is said of it -> the entry that said so first."""
    closed: bool = False
    """Whether no more of them are added."""
    here: str = ""
    """The anchor of the entry that is being written."""

    def write(self) -> str:
        """Returns the page."""
        page = self.page
        parts = [f"# {page.title}", WRITTEN, page.text]
        names = iter(names_of(page))
        entries = [(section, [(name, next(names)) for name in section.names]) for section in page.sections]
        parts += ["\n".join(self.contents(section.title, [path for _, path in each]) for section, each in entries)]
        for section, each in entries:
            parts += [f"## {section.title}", self.linked(self.reference.find("caesura"), section.text)]
            for _, path in each:
                parts += self.entry(path)
        parts += self.explained()
        return "\n\n".join(part.strip("\n") for part in parts if part) + "\n"

    def contents(self, title: str, paths: list[str]) -> str:
        """A section -> its line of the page's table of contents."""
        if not paths:
            return f"- [{title}](#{title.lower()})"
        links = [f"[`{path.rpartition('.')[2]}`](#{self.reference.places[path][1]})" for path in paths]
        return f"- {title}: {', '.join(links)}"

    def entry(self, path: str) -> list[str]:
        """What a name is -> its part of the page."""
        one = self.reference.find(path)
        self.here = one.name.lower()
        package, _, name = path.rpartition(".")
        imported = f"from {package} import {name}"
        if isinstance(one, Class):
            return [f"### {name}", *self.of_class(one, imported)]
        if isinstance(one, Function):
            return [f"### {name}", *self.of_function(one, f"{imported}\n\n", name)]
        said = self.prose(one, one.docstring.value if one.docstring else "")
        return [f"### {name}", f"```py\n{imported}\n```", said]

    def of_class(self, cls: Class, imported: str = "", methods: bool = True) -> list[str]:
        """A class -> what it is for, how it is used, its settings, what it raises, its attributes and its methods."""
        rows = settings(cls)
        text = cls.docstring.value if cls.docstring else ""
        text = OTHERS.sub("", split_prose(text, [row.name for row in rows])[0])
        first, _, rest = text.partition("\n\n")
        paragraphs = rest.split("\n\n")
        example = next((each for each in paragraphs if ">>>" in each), "")
        rest = "\n\n".join(each for each in paragraphs if each is not example)
        ours = imported.rpartition(" ")[0] + " "  # from a package of ours import
        shown = example.replace(ours, f"{imported}, ", 1) if ours in example else f">>> {imported}\n{example}"
        shown = shown if imported and example else example
        head = self.prose(cls, shown) if shown else f"```py\n{imported}\n```" if imported else ""
        parts = [self.prose(cls, first), head]
        label = "field" if cls.name in RESULTS or not methods else "setting"
        if any(row.text for row in rows):
            rows = [row for row in rows if cls.name not in SHARED or row.name not in POSITIONAL]
            before, _, after = rest.partition("\n\n")  # the rest is for who has seen the settings
            parts += [self.prose(cls, before), self.table(cls, label, rows), self.prose(cls, after)]
        else:
            parts += [self.fields(cls, rows), self.prose(cls, rest)]
        parts.append(self.raised(cls, text))
        if base := shared_base(cls):
            parts += [f"{self.link(cls, base.name)} has the other settings, the methods, and what is raised when."]
        attributes = [one for one in self.reference.members(cls) if not isinstance(one, Function)]
        attributes = [one for one in attributes if one.name not in {row.name for row in rows}]
        if attributes:
            parts += ["Attributes:", "\n".join(self.attribute(cls, one) for one in attributes)]
        called_for = {one.name: one for one in self.reference.members(cls) if isinstance(one, Function)}
        for name in self.reference.methods(cls) if methods else ():
            awaited = [other for other in called_for if name in _twins(other)]
            parts.append(f"#### {cls.name}.{name}")
            parts += self.of_function(called_for[name], "", name, cls, awaited)
        return parts

    def table(self, scope: Object, label: str, rows: list[Setting]) -> str:
        """Settings, fields or parameters -> a table: meaning, type and default of each."""
        head = [f"| {label} | meaning | type |", "|---|---|---|"]
        return "\n".join([*head, *(self.row(scope, row, rows[:place]) for place, row in enumerate(rows))])

    def row(self, scope: Object, row: Setting, above: list[Setting]) -> str:
        """A setting -> its row. What another row of the table or of the page says in full is linked."""
        value = QUOTED.sub(r'"\1"', row.default or "")
        said = " ".join(row.text.split())
        said = said[:1].upper() + said[1:] + "." * (said[-1:] not in ".:!?")
        first = re.match(r"(?:[^.`]|`[^`]*`|\.(?!\s))*\.", said)
        told = self.told.setdefault((row.name, said), scope.name)
        if same := [each.name for each in above if said and each.text == row.text]:
            said = f"See `{same[0]}`."
        elif told != scope.name and first and len(said) - len(first[0]) > LONG:
            said = f"{first[0]} More: `{told}`."
        said = KEYS.sub("<br>", self.linked(scope, said)).replace("|", "\\|")
        default = "required" if row.default is None else f"default `{value}`" if value else ""
        return f"| `{row.name}` | {said} | {', '.join(filter(None, (self.type(scope, row.type), default)))} |"

    def attribute(self, scope: Object, one: Object) -> str:
        """An attribute or property -> its line."""
        type_ = self.type(scope, str(getattr(one, "annotation", "") or ""))
        said = self.linked(scope, " ".join(one.docstring.value.split())) if one.docstring else ""
        return f"- `{one.name}`{': ' + type_ if type_ else ''}. {said}"

    def fields(self, cls: Class, rows: list[Setting]) -> str:
        """A class whose settings have no text -> how it is made."""
        named = "NamedTuple" in " ".join(map(str, cls.bases))
        if named:
            rows = [Setting(name, str(one.annotation), None) for name, one in cls.members.items() if one.is_attribute]
        given = [f"{row.name}: {row.type}" + ("" if row.default is None else f" = {row.default}") for row in rows]
        self.note(cls, " ".join(row.type for row in rows))
        return f"```py\n{called(cls.name, given)}\n```" if given else ""

    def of_function(
        self, one: Function, before: str, name: str, scope: Class | None = None, awaited: list[str] | None = None
    ) -> list[str]:
        """A function or method -> its signature, what it does, and what it takes."""
        given = list(one.parameters)
        if scope is not None and given and "staticmethod" not in one.labels:
            given = given[1:]
            name = f"{scope.name if 'classmethod' in one.labels else ''}.{name}"
        returned = f" -> {one.returns}" if one.returns is not None else ""
        self.note(one, " ".join(str(each.annotation) for each in given) + returned)
        signature = f"```py\n{before}{called(name, parameters_of(given), returned)}\n```"
        text, said = split_prose(one.docstring.value if one.docstring else "", [each.name for each in given])
        first, _, rest = text.partition("\n\n")
        rows = [
            Setting(
                f"{STARS.get(each.kind, '') if each.kind else ''}{each.name}",
                kind(one, each.annotation),
                "" if each.kind in STARS else None if each.default is None else default_of(each),
                what,
            )
            for each in given
            if (what := said.get(each.name))
        ]
        table = self.table(one, "argument", rows) if rows else ""
        parts = [self.prose(one, first), signature, self.prose(one, rest), table, self.raised(one, text)]
        if awaited:
            parts.append(f"Awaited: `{awaited[0]}`, with the same arguments.")
        return parts

    def prose(self, scope: Object, text: str) -> str:
        """A docstring -> Markdown without what is raised: names linked, examples fenced."""
        parts = list[str]()
        for paragraph in text.split("\n\n"):
            if ">>>" in paragraph:
                linked = self.linked(scope, paragraph)
                parts.append(EXAMPLE.sub(lambda found: f"\n```pycon\n{found[0].rstrip()}\n```\n", linked).strip("\n"))
            else:
                parts.append(self.linked(scope, RAISES.sub("", " ".join(paragraph.split("\n"))).strip()))
        return "\n\n".join(filter(None, parts))

    def raised(self, scope: Object, text: str) -> str:
        """A docstring -> what is raised, and when, in a paragraph of its own."""
        prose = [" ".join(each.split("\n")) for each in text.split("\n\n") if ">>>" not in each]
        found = [match[0].strip() for each in prose for match in RAISES.finditer(each)]
        each = [part.strip(" .") + "." for one in found for part in RAISED.split(one.removeprefix("Raises "))]
        if len(each) < 2:
            return self.linked(scope, f"**Raises** {each[0]}") if each else ""
        return self.linked(scope, "\n".join(["**Raises**", "", *(f"- {one}" for one in each)]))

    def linked(self, scope: Object, text: str) -> str:
        """Names in backquotes -> links, where the reference has them."""
        linked = NAME.sub(lambda found: self.link(scope, found[1]), text)
        return LITERAL.sub(r"`\1`", linked)

    def link(self, scope: Object, name: str) -> str:
        """A name -> a link to its entry, or the name."""
        found = self.reference.target(scope, name)
        if found is None or found.path == scope.path:
            return f"`{name}`"
        place = self.reference.places.get(found.path)
        if place is None and found.parent is not None:  # a method stands in the entry of its class
            place = self.reference.places.get(found.parent.path)
        if place is None:
            if found.path in {each.path for each in self.types.values()}:
                return f"[`{name}`](#{found.name.lower()})"
            return f"`{name}`"
        page, anchor = place
        if isinstance(found.parent, Class) and found.name in self.reference.methods(found.parent):
            anchor = f"{found.parent.name}{found.name}".lower()
        if page == self.page.file and anchor == self.here:
            return f"`{name}`"
        return f"[`{name}`]({'' if page == self.page.file else page}#{anchor})"

    def type(self, scope: Object, text: str) -> str:
        """A type -> its alternatives in words, each linked where it has an entry."""
        self.note(scope, text)
        return " or ".join(
            self.link(scope, each) if re.fullmatch(r"[\w.]+", each) else self.link_within(scope, each)
            for each in alternatives(text)
        )

    def link_within(self, scope: Object, text: str) -> str:
        """A type of others, such as ``list[Chunk]`` -> a link, if one of them has an entry, or the type."""
        linked = [self.link(scope, name) for name in TYPE.findall(re.sub(r"'[^']*'|\"[^\"]*\"", "", text))]
        places = {link.partition("](")[2] for link in linked if link.startswith("[")}
        whole = f"`{text.replace(' | ', ' or ')}`"
        return f"[{whole}]({places.pop()}" if len(places) == 1 else whole

    def note(self, scope: Object, text: str) -> None:
        """Remembers the types of ours in a text that have no entry."""
        for name in TYPE.findall(re.sub(r"'[^']*'|\"[^\"]*\"", "", text)):
            found = self.reference.target(scope, name)
            if found is not None and found.path not in self.reference.places and not (name.isupper() or self.closed):
                self.types.setdefault(name, found)

    def explained(self) -> list[str]:
        """The types that this page names and that have no entry -> what each stands for."""
        parts, done = list[tuple[str, str]](), set[str]()
        while left := sorted(set(self.types) - done):
            for name in left:
                done.add(name)
                one = self.types[name]
                said = self.prose(one, one.docstring.value if one.docstring else "")
                stands = ""
                if one.is_attribute and one.value is not None:  # type: ignore[union-attr]
                    value = written_out(one.value)  # type: ignore[union-attr]
                    stands = f"```py\n{name} = {value}\n```"
                    self.note(one, value)
                elif isinstance(one, Class):
                    self.here, self.closed = name.lower(), True  # a class is explained, not what it is made of
                    said = "\n\n".join(filter(None, self.of_class(one, methods=False)))
                    self.closed = False
                parts.append((name, "\n\n".join(filter(None, (f"### {name}", stands, said)))))
        if not parts:
            return []
        body = [text for _, text in sorted(parts)]
        return ["## Types", "Types without a link are Python's, numpy's or the framework's.", *body]


def written_out(value: Any) -> str:
    """What an alias stands for -> the same without what only pydantic reads."""
    inner = value.slice if isinstance(value, ExprSubscript) and str(value.left) == "Annotated" else None
    value = inner.elements[0] if isinstance(inner, ExprTuple) else value
    return str(value).strip("'\"")


def _twins(name: str) -> tuple[str, ...]:
    """The name of an awaited method -> that of the method which it may be a twin of."""
    return tuple(name.removeprefix(prefix) for prefix in ("async_", "a") if name.startswith(prefix))


def alternatives(text: str) -> list[str]:
    """A type -> what it may be: parted at the bars that stand in no bracket, the words of a `Literal` one by one."""
    found, depth, start, quoted = list[str](), 0, 0, ""
    for place, letter in enumerate(text):
        if letter in "'\"":
            quoted = "" if quoted == letter else quoted or letter
        depth += 0 if quoted else (letter in "[(") - (letter in "])")
        if letter == "|" and not depth and not quoted:
            found.append(text[start:place])
            start = place + 1
    found.append(text[start:])
    several = list[str]()
    for each in filter(None, map(str.strip, found)):
        words = re.fullmatch(r"(?:typing\.)?Literal\[(.*)\]", each)
        several += [word.strip().replace("'", '"') for word in words[1].split(",")] if words else [each]
    return list(dict.fromkeys(several))


def default_of(one: Parameter) -> str:
    """A parameter -> its default; of a constant that is a number, the number."""
    name = str(one.default)
    if not name.isupper() or one.function is None:
        return name
    value = str(getattr(one.function.module.members.get(name), "value", name))
    return value if value.replace("_", "").isdigit() else name


def parameters_of(given: list[Parameter]) -> list[str]:
    """Parameters -> each as it is written in a signature, with the signs that part them."""
    found, starred = list[str](), False
    for place, one in enumerate(given):
        if one.kind is ParameterKind.keyword_only and not starred:
            found.append("*")
            starred = True
        starred |= one.kind is ParameterKind.var_positional
        star = STARS.get(one.kind, "") if one.kind else ""
        annotation = f": {one.annotation}" if one.annotation is not None else ""
        default = f"{' = ' if annotation else '='}{default_of(one)}" if one.default is not None and not star else ""
        found.append(f"{star}{one.name}{annotation}{default}")
        following = given[place + 1].kind if place + 1 < len(given) else None
        if one.kind is ParameterKind.positional_only and following is not ParameterKind.positional_only:
            found.append("/")
    return found


def called(name: str, given: list[str], returned: str = "") -> str:
    """A name and its arguments -> a signature, in one line where it fits."""
    line = f"{name}({', '.join(given)}){returned}"
    if len(line) <= COLUMNS or not given:
        return line
    return f"{name}(\n" + "".join(f"    {each},\n" for each in given) + f"){returned}"


def pages() -> dict[Path, str]:
    """The file of each page, and what is to stand in it."""
    reference = Reference.read()
    return {FOLDER / page.file: Writer(reference, page).write() for page in PAGES}


def main() -> None:
    """Writes the pages, or says which of them are not up to date."""
    stale = [path for path, text in pages().items() if not path.exists() or path.read_text("utf-8") != text]
    if "--check" in sys.argv and stale:
        names = ", ".join(path.name for path in stale)
        sys.exit(f"docs/api is not what the docstrings say: {names}. Run `python -m nox -s reference` and commit it.")
    for path in stale:
        path.write_text(pages()[path], encoding="utf-8")


if __name__ == "__main__":
    main()
