"""A Griffe extension: our docstrings in, Markdown out, with examples fenced and names linked. Used by mkdocs.yml."""

from __future__ import annotations

import re
from ast import literal_eval
from typing import Any

from griffe import Attribute, Class, Docstring, ExprCall, ExprKeyword, Extension, Module, NameResolutionError, Object

EXAMPLE = re.compile(r"(?:^[ \t]*>>> .*\n?(?:^[ \t]*\S.*\n?)*)+", re.MULTILINE)
NAME = re.compile(r"(?<!`)`([A-Za-z_][\w.]*)`(?!`)")


class Docstrings(Extension):
    """Ours are prose, with doctests and names; a pydantic field has its text in the call of `Field`."""

    def on_package(self, *, pkg: Module, **_: Any) -> None:
        """As `on_object`, which a package itself is not given to."""
        written(pkg)

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Fences the doctests of a docstring, and links the names that it has in backquotes."""
        written(obj)

    def on_class(self, *, cls: Class, **_: Any) -> None:
        """Gives each field the description and the default that its `Field` has."""
        cls.members.pop("class_name", None)  # LlamaIndex's, for `to_dict`: the same in every class
        for member in cls.members.values():
            call = member.value if isinstance(member, Attribute) else None
            if isinstance(call, ExprCall) and str(call.function) == "Field":
                field(member, call)


def written(one: Object) -> None:
    """A module, class or function with a docstring -> the same with Markdown in its place."""
    if one.docstring is not None:
        text = NAME.sub(lambda found: linked(one, found), one.docstring.value)
        one.docstring.value = EXAMPLE.sub(lambda found: f"\n```pycon\n{found[0].rstrip()}\n```\n", text)


def linked(one: Object, found: re.Match[str]) -> str:
    """A name in backquotes -> a link, where there is something of that name and the site has it."""
    name = found[1]
    try:
        target = name if "." in name else one.resolve(name)
    except NameResolutionError:
        return found[0]
    return f'<autoref identifier="{target}" optional><code>{name}</code></autoref>'


def field(attribute: Attribute, call: ExprCall) -> None:
    """``name: type = Field(default=…, description=…)`` -> the attribute with that text and that default."""
    given = {one.name: one.value for one in call.arguments if isinstance(one, ExprKeyword)}
    text = given.get("description")
    if attribute.docstring is None and isinstance(text, str):  # else an expression, which only a run would tell
        attribute.docstring = Docstring(literal_eval(text), parent=attribute)
    attribute.value = given.get("default")
