"""Texts with headings, tables, code and comments, drawn line by line: of one format each, or of all."""

from __future__ import annotations

from hypothesis import strategies as st

PROSE = (
    "Yeast makes the dough rise.",
    "It is warm, and it rises; so it does.",
    "    deeper",
    "A line that is a little long.",
)
CODE = (
    "# no heading",
    "No heading",
    "==========",
    "<h1>None</h1>",
    "a,b",
    "1,2",
    "",
    "\\section{None}",
    "| a | b |",
    "|---|---|",
)
BLOCKS = {
    "markdown": (
        *(
            f"{'#' * level} {title}"
            for level, title in ((1, "One"), (2, "Two #"), (3, "Three ###"), (6, "Six"), (1, "a`b`"))
        ),
        *("   # Indented", "    # Code", "#None", "####### None", "## ", "# " + "x" * 201, "# A" + " " * 300 + "b"),
        *(
            "Title\n=====",
            "Under\n---",
            "A\nB\n---",
            "== Wiki ==",
            "=== Ascii doc",
            "- item\n---",
            "> quote\n===",
            "***",
            "Sub title\n--",
            "   Far\n   ---",
        ),
        *("- a\n  - b\n    - c\n      # d", "1. one\n2. two", "> # quoted"),
        *("| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |", "a | b\n:-: | ---\n1 | 2", "Words\n| c |\n| - |\n| d |\nafter"),
        *("|---|", "| alone |", "a,b\n1,2\n3,4", "a;b;c\n1;2;3", 'a\tb\n"x\ty"\t2', '"p,q",r\n1,2', "x, y\n1, 2"),
        *(
            "<h2>In HTML</h2>",
            "<!-- # no\n\n<h1>no</h1> -->",
            "<pre>\n# no\n</pre>",
            "`<h1>no</h1>`",
            "<h1 class='a'>A <b>b</b>&amp;c</h1>",
        ),
    ),
    "html": (
        *(
            "<h1>One</h1>",
            "<h2 id=x>Two\n  lines</h2>",
            "<H3>Three <em>more</em></H3>",
            "<h4></h4>",
            "<h5>Five</h6>",
            "<h1>",
            "</h2>",
        ),
        *("<p>Words &lt;h1&gt; and words.</p>", "<div>", "</div>", "<br/>", "words<h2>After words</h2>words"),
        *(
            "<pre># no <h1>no</h1></pre>",
            "<script>x = '<h1>no</h1>';\n\n</script>",
            "<style>h1 { a: b }</style>",
            "<!-- <h2>no</h2> -->",
        ),
        *(
            "<table><tr><th>A</th><th>B <i>b</i></th></tr><tr><td>1</td><td>2</td></tr></table>",
            "<table><tr><td>1</td></tr></table>",
        ),
        "<table>\n<thead><tr><th>A<th>B</thead>\n<tr><td>1\n<td><table><tr><th>in</th></tr></table>\n<tr><td>3\n</table>",
        *("<table><tr><th>A</th><td># b</td></tr>\n<tr><td><h3>Within</h3></td></tr></table>", "<header>", "<thead>"),
    ),
    "rst": (
        *(
            "One\n===",
            "Two\n---",
            "Three\n~~~~~",
            "Four\n^^^^",
            "=====\n Over \n=====",
            "#####\nParts\n#####",
            "Ticks\n`````",
            'Five\n""""',
        ),
        *(
            "Short\n~~~",
            ".. note:: a\n\n   Title\n   =====",
            ".. code-block:: sh\n\n   # no\n   ls",
            "::\n\n    # no",
            "=== ===\na   b\n=== ===",
        ),
        *("* a\n* b", ".. _label:", "API\n---", "# no"),
    ),
    "latex": (
        *(
            r"\part{P}",
            r"\chapter{The \emph{big} one}",
            r"\section*{Star}",
            r"\section[s]{Long\n one}",
            r"\subsection{Sub}",
        ),
        *(
            r"\subsubsection{Subsub}",
            r"\paragraph{Par} text",
            r"% \section{no}",
            r"\section{never closed",
            r"\section{}",
            r"text \section{no}",
        ),
        *(
            r"\begin{verbatim}" + "\n\\section{no}\n" + r"\end{verbatim}",
            r"\begin{equation} x \end{equation}",
            r"\sectional{no}",
            r"\section{a\}b}",
        ),
        "\\section{two\nlines}",
    ),
    "code": (
        *(
            "# a comment",
            "import os",
            "def f():\n    # within\n    return 1",
            "x = 1",
            "# above\nx = 2",
            "class A:\n    pass",
            "# alone",
            "#!/bin/sh",
        ),
        *("foo(a)", "# Title\n\nSome words here.", "## Two", "@cached\ndef g(): pass", "@someone said"),
    ),
    "plain": (
        *(
            "INTRODUCTION",
            "1 Results",
            "2.1 Methods",
            "2.1.3 Deeper Still",
            "Chapter IV",
            "PART ONE",
            "Part II",
            "A. Terms",
            "Appendix B",
        ),
        *("Not a title.", "SHOUTING\nTWICE", "12", "a,b\n1,2", "Scene 2"),
    ),
}
MIXED = tuple(one for blocks in BLOCKS.values() for one in blocks)
FENCES = st.tuples(
    st.sampled_from(["```", "~~~", "````", "```py", "~~~~ x"]),
    st.lists(st.sampled_from(CODE), max_size=4),
    st.sampled_from(["```", "~~~", "`````", "~~~~", ""]),
)
FRONT = (
    "",
    "",
    "",
    "---\ntitle: x\n# no\n---\n",
    "+++\na,b\n1,2\n+++\n",
    "---\nopen: x\n",
    "\\documentclass{a}\n\\section{no}\n\\begin{document}\n",
    "\ufeff",
)


@st.composite
def outlined_texts(draw: st.DrawFn, kinds: tuple[str, ...] = (*BLOCKS, "mixed")) -> str:
    """Blocks of a format, prose and fenced code, between blank lines or not, behind front matter or not."""
    kind = draw(st.sampled_from(kinds))
    blocks = MIXED if kind == "mixed" else BLOCKS[kind]
    fenced = FENCES.map(lambda fence: "\n".join((fence[0], *fence[1], fence[2])))
    block = st.one_of(st.sampled_from(blocks), st.sampled_from(blocks), st.sampled_from(PROSE), fenced)
    parts = draw(st.lists(st.tuples(block, st.sampled_from(["\n\n", "\n\n", "\n", "\n \t\n"])), max_size=12))
    text = draw(st.sampled_from(FRONT)) + "".join(block + gap for block, gap in parts)
    return text.replace("\n", draw(st.sampled_from(["\n", "\n", "\r\n", "\r"])))
