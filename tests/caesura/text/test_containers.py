"""Containers: what opens and ends them, that they are whole where they fit, and that headings have text below them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura import ClusterCut, DoublePassCut, Limits, OptimalCut, PercentileCut, Splitter, sentences
from caesura.text.containers import containers
from caesura.text.refine import refine
from caesura.text.sentences import units

BODY = "High at nine. Low at three."
ONE = {
    "admonition": f'!!! note "At sea"\n\n    {BODY}\n\n    More of it.',
    "collapsed": f"???+ tip\n    {BODY}",
    "tab": f'=== "Bow"\n\n    {BODY}\n\n    - a\n    - b',
    "slashes": f"/// note | At sea\n    type: info\n\n{BODY}\n///",
    "slashes in slashes": f"//// tab | Bow\n\n/// tip\n{BODY}\n///\n\nMore of it.\n////",
    "caption": "/// caption\nTides of May. It is a picture.\n///",
    "colons": f":::note[At sea]\n\n{BODY}\n\n:::",
    "colons of VitePress": f"::: tip At sea\n{BODY}\n:::",
    "colons of pandoc": f":::: {{.wide #x}}\n::: inner\n{BODY}\n:::\nMore of it.\n::::::",
    "callout": f"> [!NOTE] At sea\n> {BODY}\n>\n> More of it.",
    "details": f"<details>\n<summary>At sea</summary>\n\n{BODY}\n\n</details>",
    "details in one line": f"<details open><summary>At sea</summary>\n\n{BODY}\n\n</details>",
    "component": f'<Tabs groupId="isle">\n<TabItem value="a"\n  label="Leith">\n\n{BODY}\n\n</TabItem>\n</Tabs>',
    "component without end": '<Map\n  place="Leith"\n  title="The quay. From above."\n/>',
    "MyST": f"```{{note}} At sea\n{BODY}\n```",
    "MyST with colons": f":::{{note}}\n{BODY}\n:::",
    "MyST with a fence": f"````{{tip}}\n{BODY}\n```sh\n# no\n```\nMore of it.\n````",
    "directive": f".. note:: At sea\n   :class: wide\n\n   {BODY}\n\n   More of it.",
    "directive of code": ".. code-block:: sh\n\n   # all of it\n   read --all\n\n   more",
    "footnote": f"[^1]: {BODY}\n\n    More of it.",
    "fence in a fence": "````md\n```\na. B.\n```\n````",
}
BELOW = {
    **ONE,
    "text": "It is one. It is two.",
    "table": "| a | b |\n|---|---|\n| 1 | 2 |",
    "list": "- one. Two.\n- three\n  - four",
    "fence": "```py\nx = 1\n```",
    "image": "![The quay. At noon.](quay.png)",
    "rule": "***\n\nIt is one.",
    "page break": "\fIt is one. It is two.",
}
HEADINGS = (
    *("# Tides", "## Tides { #tides .wide }", "## path/{isle}", "## f(x) {", "### Low; high;", "## When?", "## Note:"),
    *("Tides\n=====", "low_water();\n------------", "=====\nTides\n=====", "Key\n^^^", "<h2>Tides</h2>", "# A\n\n## B"),
)
CUTS = (DoublePassCut(), PercentileCut(), OptimalCut(), ClusterCut())


def embed(texts: list[str]) -> list[list[float]]:
    return [[1.0 + text.count(letter) for letter in "aeiou"] for text in texts]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("kind", ONE)
def test_a_container_is_one_unit(kind: str, end: str) -> None:
    text = f"Before it. And more.\n\n{ONE[kind]}\n\nAfter it. And more.\n".replace("\n", end)
    found = [text[start:stop].strip().replace("\r", "") for start, stop in pairwise(units(text).tolist())]
    assert found == ["Before it.", "And more.", ONE[kind], "After it.", "And more."]


@pytest.mark.parametrize("heading", HEADINGS)
@pytest.mark.parametrize("kind", BELOW)
def test_a_heading_is_in_the_unit_of_what_stands_below(kind: str, heading: str) -> None:
    text = f"Before it.\n\n{heading}\n\n{BELOW[kind]}\n\nAfter it.\n"
    _, unit, *_ = [text[start:stop].strip() for start, stop in pairwise(units(text).tolist())]
    assert unit.startswith(heading)
    assert len(unit) > len(heading) + 4


@pytest.mark.parametrize(
    "text",
    [
        "!!! Wow, she said. It is high.",
        "=== not a tab",
        "::: alone\n\nIt never ends. No mark closes it.",
        "<Tabs> are words. So is this.",
        "x = [^1]: y. Z.",
        "```sh\n/// note\n\na\n\n///\n```",
        "<!--\n!!! note\n\n    a. B.\n-->",
        "{/*\n:::note\na\n:::\n*/}",
    ],
)
def test_what_looks_like_a_container_and_is_none(text: str) -> None:
    assert [each for each in containers(text) if each.kind != "code"] == []


@pytest.mark.parametrize("max_size", [60, 90, 150])
@pytest.mark.parametrize("kind", ONE)
def test_what_fits_within_a_container_over_the_limit_is_whole(kind: str, max_size: int) -> None:
    text = f"::::: all\n\n{'It is a sentence. ' * 12}\n\n{ONE[kind]}\n\n{'It is a sentence. ' * 3}\n:::::\n"
    edges = refine(text, units(text), len, max_size)
    start = text.index(ONE[kind])
    inside = [at for at in edges.tolist() if start < at < start + len(ONE[kind])]
    assert not inside or len(ONE[kind]) > max_size - 2


@st.composite
def pages(draw: st.DrawFn) -> str:
    """Headings, one or several in a row, each above a block of some kind."""
    parts: list[str] = []
    for _ in range(draw(st.integers(1, 5))):
        parts += draw(st.lists(st.sampled_from(HEADINGS), min_size=0, max_size=2))
        parts.append(draw(st.sampled_from([*BELOW.values()])))
    return "\n\n".join(parts) + "\n"


@settings(max_examples=100)
@given(pages(), st.sampled_from(CUTS), st.integers(100, 400), st.booleans(), st.sampled_from([units, sentences]))
def test_no_chunk_ends_with_a_heading(page: str, cut: object, max_size: int, near: bool, segment: object) -> None:
    limits = Limits(max_size, target_size=max_size // 2 if near else None)
    chunks = Splitter(limits, cut=cut, segment=segment).split(page, embed)  # type: ignore[arg-type]
    assert not [chunk.text for chunk in chunks for heading in HEADINGS if chunk.text.endswith(heading)]


def test_no_chunk_ends_with_a_heading_where_a_fence_is_cut() -> None:
    below = '!!! note "At sea"\n\n    High at nine. Low at three.\n\n    More of it.\n'
    page = f"```{{note}} At sea\nHigh at nine. Low at three.\n```\n\n{below}\n# Tides\n\n{below}"
    chunks = Splitter(Limits(100), segment=sentences).split(page, embed)
    assert not [chunk.text for chunk in chunks if chunk.text.endswith("# Tides")]


@given(pages(), st.integers(100, 400), st.booleans())
def test_no_block_is_torn_that_fits_with_the_headings_above(page: str, max_size: int, near: bool) -> None:
    edges = refine(page, units(page), len, max_size, max_size // 2 if near else None).tolist()
    for kind in ONE.values():
        at = page.find(kind)
        while at >= 0:
            above = max(map(len, HEADINGS)) * 2 + 8  # what may be in its unit
            assert len(kind) + above > max_size or not [edge for edge in edges if at < edge < at + len(kind)], kind
            at = page.find(kind, at + 1)


def test_containers_are_apart_or_one_inside_the_other() -> None:
    rng = np.random.default_rng(0)
    lines = ["/// a\n", "///\n", "::: b\n", ":::\n", "!!! c\n", "    d\n", "```\n", "<Ab>\n", "</Ab>\n", "e\n", "\n"]
    for _ in range(300):
        text = "".join(rng.choice(lines, 14))
        found = containers(text)
        assert found == sorted(found)
        for one, two in pairwise(found):
            assert two.start >= one.end or two.end <= one.end, text
