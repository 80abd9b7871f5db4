"""Containers: blocks that hold other blocks, such as notes, tabs and directives, and fences of code.

Each way to write one opens with a line and ends with a mark, or where the lines are indented less. One pass over the
lines finds them all, one inside the other.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from caesura.edges import trim
from caesura.text.marks import ADMONITIONS, CODE_DIRECTIVES
from caesura.text.markup import BLANKS, end_of

_WIDE = 60  # no indented container is indented further
_DEEP = 16  # containers within containers; of more, the outermost have no end
_ATTRIBUTES = r"[^\n<]*+(?:(?<!>)(?<!> )\n(?![ \t]*+[<\n])[^\n<]*+){0,30}+(?:(?<=>)|(?<=> ))"  # of a component
_TOKEN = (
    r"(?=[ \t`~/:<!?=.>{\[*+\d-])(?P<indent>[ \t]*+)(?:(?:[-*+]|\d{1,3}[.)])[ \t]++(?=[`~]))?+(?=[`~/:<!?=.>{\[])"
    r"(?P<mark>(?P<fence>`{3,9}+(?![^`\n]*`)|~{3,9}+(?!~))(?P<info>[^\n]*+)"
    r"|(?P<slashes>/{3,9}+)[ \t]*+(?P<block>[a-z][\w-]*+[ \t]*+(?:\|[^\n]*+)?)?(?=\n|\Z)"
    r"|(?P<colons>:{3,9}+)[ \t]*+(?P<div>[\w{][^\n]*+)?(?=\n|\Z)"
    rf"|<(?P<tag>details|[A-Z][A-Z0-9_]*+[a-z.][\w.]*+)(?=[\s>])(?P<attributes>{_ATTRIBUTES})[ \t]*+(?=\n|<summary|\Z)"
    r"|</(?P<ending>details|[A-Z][\w.]*+)[ \t]*+>"
    r"|(?P<indented>(?:!!!|\?\?\?\+?)[ \t]*+[\w-][^\n]*+|===[!+]?[ \t]++[\"'][^\n]*+"
    r"|\.\. (?P<directive>[\w.+-]++(?::[\w.+-]++)*+)::(?=\s|\Z)[^\n]*+)"
    r"|(?P<footnote>\[\^[^\]\n]{1,60}+\]:)"
    r"|(?P<callout>>[ \t]?\[![\w-]{1,30}+\])"
    r"|(?P<comment><!--|\{/\*))"
)
_FIRST, _NEXT = re.compile(_TOKEN), re.compile("\n" + _TOKEN)
_SUMMARY = re.compile(r"\s*+<summary\b[^\n]*+")
_QUOTED = re.compile(r"[^\n]*+(?:\n[ \t]*+>[^\n]*+)*+")
_LINES = re.compile(r"[^\n]*+(?:\n(?![ \t]*+(?:\n|\Z|\[\^))[^\n]*+)*+")
_MYST = re.compile(rf"[ \t]*+\{{(?:{ADMONITIONS})\}}")
_CODE = re.compile(rf"(?:{CODE_DIRECTIVES})\Z")


class Container(NamedTuple):
    """Where a container begins, where what follows its opening lines does, where it ends, and its kind.

    Kinds: "container", "code", and "footnote", which has no line to open it.
    """

    start: int
    body: int
    end: int
    kind: str


class _Opening(NamedTuple):
    """What waits for the mark that closes it: which one, how long it is, and where the container begins."""

    mark: str
    length: int
    start: int
    body: int


def containers(text: str) -> list[Container]:
    """Returns the containers of a text that more than one line has, by their starts; any two are apart, or one inside
    the other.

    They are ``/// note`` to ``///``, ``::: note`` to ``:::``, ``!!! note``, ``??? note``, ``=== "Tab"`` and
    ``.. note::`` with the lines that are indented below, ``> [!NOTE]``, ``<details>``, components of MDX, footnotes,
    directives of MyST, and fences. What stands in code or in comments opens none.

    >>> text = '/// tip\\n\\nWait.\\n\\n///\\n'
    >>> [(text[at.start : at.body], text[at.body : at.end]) for at in containers(text)]
    [('/// tip\\n\\n', 'Wait.\\n\\n///')]
    """
    if "\r" in text:  # as many characters as before
        text = text.replace("\r\n", " \n").replace("\r", "\n")
    found: list[Container] = []
    waiting: list[_Opening] = []
    token, absent = _FIRST.match(text) or _NEXT.search(text), set[str]()
    while token:
        at = _read(text, token, found, waiting, absent)
        token = _NEXT.search(text, at)
    return sorted(each for each in found if "\n" in text[each.start : each.end])


def _read(text: str, token: re.Match[str], found: list[Container], waiting: list[_Opening], absent: set[str]) -> int:
    """Adds what a token closes, or opens; returns where the next one may be. absent: marks that do not come again."""
    start, end = token.start("mark"), token.end()
    if token["fence"] is not None:
        return _read_fence(text, token, found, waiting)
    if token["comment"] is not None:
        mark = "-->" if text[start] == "<" else "*/}"
        closed = -1 if mark in absent else text.find(mark, end)
        if closed < 0:
            absent.add(mark)
        return max(closed, end)
    if token["ending"] is not None:
        _close(text, found, waiting, token["ending"], 0, token)
    elif token["tag"] is not None:
        if token["attributes"].rstrip().endswith("/>"):
            found.append(Container(start, start, end, "container"))
        else:
            summary = _SUMMARY.match(text, end) if token["tag"] == "details" else None
            end = summary.end() if summary else end
            _open(waiting, _Opening(token["tag"], 0, start, end_of(BLANKS, text, end)))
    elif token["callout"] is not None:
        stop = _QUOTED.match(text, end)
        end = stop.end() if stop else end
        body = end_of(BLANKS, text, _line_end(text, start))
        found.append(Container(start, body, trim(text, start, end).end, "container"))
    elif token["indented"] is not None or token["footnote"] is not None:
        return _read_indented(text, token, found)
    else:
        mark = "/" if token["slashes"] is not None else ":"
        length = len(token["slashes"] or token["colons"])
        if token["block"] is None and token["div"] is None:
            _close(text, found, waiting, mark, length, token)
        else:
            _open(waiting, _Opening(mark, length, start, end_of(BLANKS, text, end)))
    return end


def _read_fence(text: str, token: re.Match[str], found: list[Container], waiting: list[_Opening]) -> int:
    """A fence of code is passed over as a whole; one of a directive that holds Markdown opens a container."""
    mark, start = token["fence"], token.start("mark")
    above = text.rfind("\n", 0, max(token.start() - 1, 0)) + 1 if start else 0
    if not token["info"].strip() and 0 < len(text[above : token.start()].strip()) <= len(mark):
        return token.end()  # a heading is underlined
    if not token["info"].strip() and any(each.mark == mark[0] and each.length <= len(mark) for each in waiting):
        _close(text, found, waiting, mark[0], len(mark), token)
        return token.end()
    if _MYST.match(token["info"]):
        _open(waiting, _Opening(mark[0], len(mark), start, end_of(BLANKS, text, token.end())))
        return token.end()
    column = min(start - text.rfind("\n", 0, start), _WIDE) + 2
    closing = re.compile(rf"\n[ \t]{{0,{column}}}+{mark}{mark[0]}*+[ \t]*+(?=\n|\Z)").search(text, start)
    end = closing.end() if closing else len(text)
    found.append(Container(start, min(end_of(BLANKS, text, token.end()), end), trim(text, start, end).end, "code"))
    return end


def _read_indented(text: str, token: re.Match[str], found: list[Container]) -> int:
    """A container that ends where the lines are indented less; without such lines it is none."""
    start, end, indent = token.start("mark"), token.end(), token["indent"]
    if len(indent) > _WIDE:
        return end
    if token["footnote"] is not None:
        lines = _LINES.match(text, end)
        end = lines.end() if lines else end
    less = f"[ \t]{{0,{len(indent)}}}" if "\t" in indent else f" {{0,{len(indent) + 1}}}"
    dedent = re.compile(rf"\n(?={less}\S)").search(text, end)
    stop = trim(text, start, dedent.start() if dedent else len(text)).end
    kind, body = "container", end_of(BLANKS, text, end)
    if token["footnote"] is not None:
        kind, body = "footnote", start
    elif token["directive"] is not None and _CODE.match(token["directive"]):
        kind = "code"
    if stop > body:
        found.append(Container(start, body, stop, kind))
        if kind == "code":
            return stop
    return token.end()


def _open(waiting: list[_Opening], opening: _Opening) -> None:
    waiting.append(opening)
    if len(waiting) > _DEEP:
        del waiting[0]


def _close(
    text: str, found: list[Container], waiting: list[_Opening], mark: str, length: int, token: re.Match[str]
) -> None:
    """The innermost container that a mark closes ends with its line; what was opened in it and not closed is none."""
    for place in reversed(range(len(waiting))):
        opening = waiting[place]
        if opening.mark == mark and (opening.length == length if mark == "/" else opening.length <= length):
            if opening.body < token.start("mark"):
                found.append(Container(opening.start, opening.body, _line_end(text, token.end()), "container"))
            del waiting[place:]
            return


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end
