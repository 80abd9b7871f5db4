"""The sources as Griffe reads them in; out, the settings of each class, and its docstring without these.

Used by reference.py.
"""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pydoc import locate
from typing import Any

from griffe import (
    AliasResolutionError,
    Attribute,
    Class,
    CyclicAliasError,
    Docstring,
    ExprCall,
    ExprKeyword,
    ExprSubscript,
    ExprTuple,
    Function,
    NameResolutionError,
    Object,
    ParameterKind,
)

from caesura.host.settings import settings_of

REST = re.compile(r" (?=The other settings: |Raises `)")
WRAPPED = re.compile(r"(?:\w+\.)?(?:Annotated|SkipValidation|SerializeAsAny)\[((?:[^\[\],]|\[[^\]]*\])+)[^|]*\]")
SHARED = "BaseSemanticSplitter", "LLMTransformer", "LLMNodeParser"
"""Bases that have an entry of their own, to which those of their heirs lead."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A row of a table."""

    name: str
    type: str
    default: str | None
    """None: it has to be given."""
    text: str = ""


def within(one: Object) -> Iterator[Object]:
    """A module or class and all that is defined in it."""
    yield one
    for member in list(one.members.values()):
        if not member.is_alias:
            yield from within(member)  # type: ignore[arg-type]


def plain(one: Object) -> None:
    """A setting of a cut, annotated with what it means -> the same with its type, and the meaning as its text."""
    several: list[Any] = [one] if isinstance(one, Attribute) else [*one.parameters] if isinstance(one, Function) else []
    for each in several:
        annotation = each.annotation
        inner = annotation.slice if isinstance(annotation, ExprSubscript) else None
        if isinstance(inner, ExprTuple) and str(inner.elements[1]).startswith("Setting("):
            each.annotation, said = inner.elements[0], inner.elements[1].arguments[0]  # type: ignore[union-attr]
            if isinstance(each, Attribute):
                each.docstring = Docstring(literal_eval(str(said)), parent=each)


def cut_settings(cls: Class) -> list[Setting]:
    """A splitter of a plugin -> the settings that it has of its cut. Its constructor shows their defaults."""
    found = locate(cls.path) if "cut_class" in cls.members else None
    if getattr(found, "cut_class", None) is None:
        return []
    rows = []
    for name, one in settings_of(found.cut_class).items():  # type: ignore[union-attr]
        type_ = one.type.__name__ if isinstance(one.type, type) else str(one.type).replace("typing.", "")
        type_ = re.sub(r"^Optional\[(.*)\]$", r"\1 | None", type_)
        rows.append(Setting(name, type_, repr(one.default), one.meaning))
    init = cls.members.get("__init__")
    defaults = {row.name: row.default for row in rows}
    for parameter in init.parameters if isinstance(init, Function) else []:
        parameter.default = defaults.get(parameter.name, parameter.default)
    return rows


def settings(cls: Class) -> list[Setting]:
    """A class -> what its constructor takes: its own settings, then those of the bases that have no table of theirs."""
    named, filed = parameters(cls), fields(cls)
    own = unique([*cut_settings(cls), *named, *filed])
    inherited = [] if takes_no_more(cls) else [row for base in bases(cls) for row in settings(base)]
    texts = {row.name: row.text for row in reversed([*filed, *inherited]) if row.text}
    names = {row.name for row in own}
    linked_to = shared_base(cls) is not None
    rows = own + [row for row in inherited if row.name not in names and not linked_to]
    said = split_prose(cls.docstring.value if cls.docstring else "", [row.name for row in rows])[1]
    return [replace(row, text=said.get(row.name) or row.text or texts.get(row.name, "")) for row in unique(rows)]


def takes_no_more(cls: Class) -> bool:
    """Whether the class has a constructor of its own that takes nothing."""
    init = cls.members.get("__init__")
    return isinstance(init, Function) and len(list(init.parameters)) == 1


def unique(rows: Iterable[Setting]) -> list[Setting]:
    """The first row of each name."""
    return list({row.name: row for row in reversed(list(rows))}.values())[::-1]


def bases(cls: Class) -> list[Class]:
    """The base classes that are ours."""
    try:
        return [base for base in cls.resolved_bases if isinstance(base, Class) and "caesura" in base.path]
    except (AliasResolutionError, CyclicAliasError):
        return []


def shared_base(cls: Class) -> Class | None:
    """A class -> the base of it that has an entry of its own."""
    for base in bases(cls):
        if base.name in SHARED:
            return base
        if found := shared_base(base):
            return found
    return None


def parameters(cls: Class) -> list[Setting]:
    """What the class's own constructor names."""
    init = cls.members.get("__init__")
    if init is None or init.is_alias or not hasattr(init, "parameters"):
        return []
    several = ParameterKind.var_positional, ParameterKind.var_keyword
    return [
        Setting(one.name, kind(cls, one.annotation), None if one.default is None else value(cls, one.default))
        for one in list(init.parameters)[1:]
        if one.kind not in several
    ]


def fields(cls: Class) -> list[Setting]:
    """The fields of a pydantic model or of a dataclass."""
    if any(str(base).startswith(("TypedDict", "Protocol", "NamedTuple")) for base in cls.bases):
        return []
    rows, dataclass_ = [], any("dataclass" in str(one.value) for one in cls.decorators)
    init = cls.members.get("__init__")
    own = range(init.lineno or 0, (init.endlineno or 0) + 1) if init is not None and init.lineno else range(0)
    for one in cls.members.values():
        if not isinstance(one, Attribute) or one.annotation is None or one.name.startswith("_"):
            continue
        if "instance-attribute" not in one.labels or "property" in one.labels or one.lineno in own:
            continue
        text, default = one.docstring.value if one.docstring else "", one.value
        if isinstance(default, ExprCall) and str(default.function) in ("Field", "field"):
            given = {each.name: each.value for each in default.arguments if isinstance(each, ExprKeyword)}
            if str(given.get("init")) == "False":  # follows from the settings
                continue
            if isinstance(said := given.get("description"), str):
                text = literal_eval(said)
            factory = str(given.get("default_factory", ""))
            made = factory.removeprefix("lambda: ") if factory.startswith("lambda") else f"{factory}()"
            default = made if factory else given.get("default")
        if dataclass_ or text or default is not one.value or one.value is None:  # else nothing that a user sets
            rows.append(
                Setting(one.name, kind(cls, one.annotation), None if default is None else value(cls, default), text)
            )
    return rows


def kind(cls: Class, annotation: Any) -> str:
    """A type as the table shows it: without what only pydantic reads, and with the words that an alias stands for."""
    text, known = str(annotation or ""), ""
    while text != known:  # an alias may stand for others
        text, known = re.sub(r"\b[A-Z]\w+", lambda found: words(cls, found[0]), text), text
    while (plain := WRAPPED.sub(r"\1", text)) != text:
        text = plain
    return text


def words(cls: Class, name: str) -> str:
    """The name of a type -> what it stands for, where that is one of several words, else the name."""
    found = target(cls, name)
    return found if "Literal[" in found or found.startswith("Annotated[") else name


def target(cls: Class, name: str) -> str:
    """A name in the module of a class -> the expression that it stands for, or an empty text."""
    try:
        found = cls.modules_collection[cls.resolve(name)]
        return str(found.value) if found.is_attribute else ""
    except (NameResolutionError, AliasResolutionError, KeyError):
        return ""


def value(cls: Class, default: Any) -> str:
    """A default as the table shows it: the number that a constant stands for."""
    text = str(default)
    if re.search(r"\(lambda: .*\b_", text):  # a name of the module's own says nothing to a reader
        return "…"
    found = target(cls, text) if re.fullmatch(r"[A-Z][A-Z_]+", text) else ""
    if re.fullmatch(r"[\d._-]+|'.*'|\".*\"", found):
        return found
    return {"dict()": "{}", "list()": "[]", "tuple()": "()"}.get(text, text)


def split_prose(text: str, names: list[str]) -> tuple[str, dict[str, str]]:
    """A docstring -> the same without the settings that it explains, as ``name: text.``, and those."""
    if not names:
        return text, {}
    one = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    begins = re.compile(rf"(?:^|(?<=[.;)] ))((?:{one})(?:(?:, | and )(?:{one}))*): ")
    kept, said = [], dict[str, str]()
    for paragraph in text.split("\n\n"):
        joined = paragraph if ">>>" in paragraph else " ".join(paragraph.split("\n"))
        found = list(begins.finditer(joined))
        if ">>>" in joined or not found:
            kept.append(paragraph)
            continue
        joined, *rest = REST.split(joined, maxsplit=1)
        kept += [part for part in (joined[: found[0].start()].strip(), *rest) if part]
        for this, then in zip(found, [*found[1:], None], strict=True):
            meaning = joined[this.end() : then.start() if then else len(joined)].strip().rstrip(";")
            said |= dict.fromkeys(re.split(r", | and ", this[1]), meaning)
    return "\n\n".join(kept), said
