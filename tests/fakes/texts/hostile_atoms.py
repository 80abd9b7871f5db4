"""Hostile texts of any length: something opened, an atom again and again, something after it."""

from __future__ import annotations

ATOMS = "".join(
    (
        " ¦\n¦\t¦\r\n¦ \n¦\n\t\n¦\u3000¦\x0c¦Aa bb.   \n¦Aa bb. Dd ee.                                           ",
        "¦a¦1¦.¦,¦?!¦…¦—¦-¦a ¦A\n¦A.\n\n¦aa bb¦1.1 ¦3.14, ¦U.S. ¦e.g. ¦Mr. A. ¦Aa bb; cc, dd: ee. ¦Aa bb. Dd ee.\n\n",
        "¦(¦[¦{¦<¦$¦`¦\"¦'¦“¦”¦«¦「¦「あ」¦(a.) ¦“a.” ¦l’¦[1]¦\\(¦\\]¦/* ¦// a\n¦x = {\n¦}\n¦def f():\n    x\n",
        '¦```\n¦~~~\n¦$$\n¦\\[\n¦\\begin{align}\n¦\\item a\n¦"""\n¦<!--¦<pre>¦<table>\n¦<tr><td>a</td></tr>',
        "¦<a ¦<a b='¦<td rowspan=9>a¦<!-- -¦<ul><li>¦## a {#b}\n¦/// a\n\n¦///\n",
        '¦<b>a</b>. ¦</p>\n¦<a href="¦&nbsp;¦{{a}}¦# a\n¦a\n===\n¦---\n¦> ¦> a\n¦>> a\n\n¦- a\n¦  - a\n¦1. ¦(a) b\n',
        "¦| a | b |\n¦|¦a,b,c\n¦a\tb\n¦a  b  c\n¦Bob: hi\n¦[12:34] a: b\n¦**A:** b\n¦http://a.b/c?d=e&f ¦a@b.c ",
        '¦{"role": "user", "content": "a."},\n¦Yeast makes dough rise. The moon pulls at the sea.\n',
        "¦中文。¦。¦あ¦กขคง¦가¦ខ្មែរ។¦؟ a¦॥ ¦e\u0301¦\u0301¦\u1100¦\U0001f1e9¦\U0001f468\u200d¦\u0600¦\x00¦\ud800",
    )
).split("¦")
"""Whitespace, prose, marks, openers, code, blocks, markup, lists, tables, speech, links, JSON, scripts, clusters."""

FRAMES = (
    ("", ""),
    ("Aa bb. ", " Dd ee."),
    ("```\n", ""),
    ("<table>\n", ""),
    ('[{"a": "', '"}]'),
    ("$$\n", "\n$"),
    ("(", "."),
    ("- ", "\n\n- a"),
    ("/// a\n\n", "\n\n///\n"),
)
"""What stands before and after; some of it is never closed."""


def hostile_text(number: int, length: int) -> str:
    """The n-th hostile text, of that many characters or a few more: each atom comes in each frame in the end."""
    (before, after), atom = FRAMES[number // len(ATOMS) % len(FRAMES)], ATOMS[number % len(ATOMS)]
    return before + atom * (length // len(atom) + 1) + after


def hostile_name(number: int) -> str:
    """What a text is called, in ASCII."""
    before, after = FRAMES[number // len(ATOMS) % len(FRAMES)]
    return f"{before!a} + n * {ATOMS[number % len(ATOMS)]!a} + {after!a}"
