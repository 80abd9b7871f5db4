"""Markdown documents as hypothesis draws them: prose, code, tables, lists and quotations, one within the other."""

from __future__ import annotations

from hypothesis import strategies as st

SENTENCES = st.sampled_from(
    (
        "The river rose in the night.",
        "Was it late?",
        "He read the gauge, wrote 3.42 metres in his book, and went home without a word to anybody in the village.",
        "Nobody, e.g. the miller, would say (they seldom did).",
        "See `tide.read(at)` for *all* of it!",
    )
)
PROSE = st.lists(SENTENCES, min_size=1, max_size=3)
PARAGRAPH = st.builds(lambda rows, space: space.join(rows), PROSE, st.sampled_from((" ", "\n")))
CODE_LINES = st.lists(
    st.sampled_from(
        (
            "x = 1", "def read(at):", "    return at + 1  # why", "", "# a comment. And more.", "- name: tide", "| a |",
            "> out", "1. one", "The end. Or not.", "</div>", "print('a.b')", "* [ ] x",
        )
    ),
    min_size=1,
    max_size=8,
)  # fmt: skip


@st.composite
def fences(draw: st.DrawFn) -> str:
    mark = draw(st.sampled_from(("```", "~~~", "````", "~~~~~")))
    inside = draw(CODE_LINES)
    if len(mark) > 3 and draw(st.booleans()):
        inside = [*inside, mark[:3], *draw(CODE_LINES), mark[:3]]
    if draw(st.booleans()):
        inside = [*inside, "~~~" if mark[0] == "`" else "```"]
    return "\n".join([mark + draw(st.sampled_from(("", "python", " text"))), *inside, mark])


@st.composite
def indented(draw: st.DrawFn) -> str:
    """Of lines that look like code."""
    rows = draw(
        st.lists(st.sampled_from(("x = 1", "def read(at):", "    return at + 1;", "print(at)", "")), max_size=6)
    )
    return "\n".join("    " + row if row else "" for row in ["x = 0", *rows, "y = 2"])


@st.composite
def tables(draw: st.DrawFn) -> str:
    cells = st.sampled_from(("a", "3.5", "The end. Or not.", "", "x, y", "`a`"))
    width = draw(st.integers(2, 4))
    rows = draw(st.lists(st.lists(cells, min_size=width, max_size=width), min_size=1, max_size=4))
    head = draw(st.lists(st.sampled_from(("part", "Cost in €", "note")), min_size=width, max_size=width))
    lines = [" | ".join(row) for row in (head, ["---"] * width, *rows)]
    return "\n".join(f"| {line} |" if draw(st.booleans()) else f"| {line}" for line in lines)


@st.composite
def quotes(draw: st.DrawFn) -> str:
    inner = draw(st.one_of(PARAGRAPH, lists(), fences()))
    if draw(st.booleans()):
        inner += "\n\n" + draw(PARAGRAPH)
    return "\n".join(f"> {line}".rstrip() for line in inner.split("\n"))


@st.composite
def lists(draw: st.DrawFn, depth: int = 0) -> str:
    mark = draw(st.sampled_from(("-", "*", "+", "1.", "1)")))
    loose = draw(st.booleans())
    items = []
    for number in range(draw(st.integers(2, 4))):
        bullet = f"{number + 1}{mark[1]}" if mark[0] == "1" else mark
        body = draw(PARAGRAPH)
        more = draw(st.integers(0, 5))
        if more == 1 and depth < 2:
            body += "\n" + draw(lists(depth + 1))
        elif more == 2:
            body += "\n\n" + draw(PARAGRAPH)
        elif more == 3:
            body += "\n\n" + draw(fences())
        pad = " " * (len(bullet) + 1)
        items.append(f"{bullet} " + "\n".join(pad + line if line else "" for line in body.split("\n")).lstrip())
    return ("\n\n" if loose else "\n").join(items)


HEADINGS = st.sampled_from(("# Tides", "## Parts of it ##", "Gauges\n======", "Drums and pens\n---"))
BLOCKS = st.one_of(PARAGRAPH, PARAGRAPH, HEADINGS, fences(), indented(), tables(), quotes(), lists(), st.just("***"))


@st.composite
def markdown(draw: st.DrawFn) -> str:
    """A document whose blocks are parted by blank lines, or by a line end alone where one ends with its last line."""
    made = ""
    for block in draw(st.lists(BLOCKS, min_size=1, max_size=6)):
        closed = made.endswith(("#", "```", "~~~", "***", "=====")) and not block.startswith("    ")
        made += ("\n" if closed and draw(st.booleans()) else "\n\n") * bool(made) + block
    return made + draw(st.sampled_from(("", "\n")))
