"""Thirty documents with headings, tables, code and comments, each as one would find it; none is anyone else's text."""

from __future__ import annotations

_FERRY = "The ferry leaves at dawn, and again at noon. Nobody waits for a late cart. In winter it sails once a day."
_BREAD = (
    "Yeast makes the dough rise, because it turns sugar into gas. A warm kitchen makes that quicker. Salt slows it."
)
_MOON = (
    "The moon pulls at the sea. So the water rises on the shore twice a day, and falls twice. Sailors know the hours."
)
_ROWS = "\n".join(
    f"| {port} | {coins} | every day but one |" for port, coins in zip("ABCDEFGHIJKL", range(12), strict=True)
)
_VALUES = "\n".join(
    f"{port},{coins},{coins * 7}" for port, coins in zip("abcdefghijklmnopqrst", range(20), strict=True)
)
_HTML_ROWS = "\n".join(f"<tr><td>port {number}</td><td>{number} coins</td></tr>" for number in range(14))

MARKDOWN = {
    "guide": f"# Ferries\n\n{_FERRY}\n\n## Fares\n\n{_MOON}\n\n### Children\n\n{_BREAD}\n\n## Times\n\n{_FERRY}\n",
    "setext": f"Ferries\n=======\n\n{_FERRY}\n\nFares\n-----\n\n{_MOON}\n\nTimes\n-----\n{_BREAD}\n",
    "fences": (
        f"# Install\n\n```sh\n# a comment\nmake\n```\n\n{_BREAD}\n\n~~~\n"
        f"## not one\n~~~\n\n## Use\n\n{_FERRY}\n\n````\n```\n# no\n```\n"
        "````\n"
    ),
    "table": (
        f"# Fares\n\n{_FERRY}\n\n| port | coins | when |\n|------|------:|------|\n"
        f"{_ROWS}\n\nAll fares are for one.\n\n## Notes\n\n{_MOON}\n"
    ),
    "front matter": f"---\ntitle: Ferries\n# no heading\n---\n\n# Ferries\n\n{_FERRY}\n\n## Fares\n\n{_MOON}\n",
    "lists": (
        "# Bread\n\n- flour\n  - wheat\n    - white\n- water\n\n1. Mix.\n"
        f"2. Wait.\n\n## Baking\n\n{_BREAD}\n\n* hot\n* hotter\n"
    ),
    "skipped levels": (
        f"# A\n\n{_FERRY}\n\n#### D\n\n{_MOON}\n\n## B\n\n{_BREAD}\n\n###### F\n\n{_FERRY}\n\n# G\n\n{_MOON}\n"
    ),
    "only headings": "# A\n## B\n### C\n## D\n# E\n",
    "deeper first": f"### C\n\n{_FERRY}\n\n## B\n\n{_MOON}\n\n# A\n\n{_BREAD}\n",
    "html inside": (
        f"<h1 align=center>Ferries</h1>\n\n{_FERRY}\n\n## Fares\n\n<!-- # hidden -->\n\n"
        f"{_MOON}\n\n<details>\n<pre>\n# no\n</pre>\n</details>\n"
    ),
    "quotes": f"# Sayings\n\n> # not ours\n> {_FERRY}\n\n{_MOON}\n\n## More\n\n> {_BREAD}\n",
    "windows": (
        f"# Ferries\r\n\r\n{_FERRY}\r\n\r\nFares\r\n-----\r\n\r\n| a | b |\r\n|---|---|\r\n| 1 | 2 |\r\n\r\n{_MOON}\r\n"
    ),
    "old mac": f"# Ferries\r\r{_FERRY}\r\rFares\r-----\r\r{_MOON}\r",
    "byte order mark": f"\ufeff# Ferries\n\n{_FERRY}\n\n## Fares\n\n{_MOON}\n",
    "commands": f"# Setup\n\n# run this\nx = 1\n\n{_FERRY}\n\n## After\n\n{_MOON}\n",
}
HTML = {
    "page": (
        f"<html><head><title>F</title><style>h1 {{}}</style></head><body>\n"
        f"<h1>Ferries</h1>\n<p>{_FERRY}</p>\n<h2>Fares</h2>\n<p>{_MOON}</p>\n"
        f"<h2>Times</h2>\n<p>{_BREAD}</p>\n</body></html>"
    ),
    "one line": (
        f"<body><h1>A</h1><p>{_FERRY}</p><script>x='<h2>no</h2>'</script><h2>B</h2><p>{_MOON}</p><pre><h3>no</h3>"
        f"</pre><p>{_BREAD}</p></body>"
    ),
    "table": (
        f"<h1>Fares</h1>\n<p>{_FERRY}</p>\n<table>\n<thead><tr><th>Port</th><th>Coins</th></tr></thead>\n"
        f"<tbody>\n{_HTML_ROWS}\n</tbody>\n</table>\n<h2>Notes</h2>\n<p>{_MOON}</p>"
    ),
    "nested": (
        f"<div>\n<h1>A</h1>\n<div>\n<h2>B</h2>\n<p>{_FERRY}</p>\n</div>\n"
        "<table><tr><td>no head</td></tr></table>\n<h2>C &amp; D</h2>\n"
        f"<p>{_BREAD}</p>\n</div>"
    ),
    "unclosed": f"<h1>A\n<p>{_FERRY}\n<h2>B</h2>\n<p>{_MOON}\n<table><tr><th>x</th></tr>\n<tr><td>{_BREAD}",
}
RST = {
    "python": (
        f"Ferries\n=======\n\n{_FERRY}\n\nFares\n-----\n\n{_MOON}\n\nChildren\n"
        f"~~~~~~~~\n\n{_BREAD}\n\nTimes\n-----\n\n{_FERRY}\n"
    ),
    "overlined": (
        f"#######\nFerries\n#######\n\n{_FERRY}\n\n*****\nFares\n*****\n\n"
        f"{_MOON}\n\nOld\n===\n\n{_BREAD}\n\n*****\nTimes\n*****\n\n{_FERRY}\n"
    ),
    "directives": (
        "Use\n---\n\n.. code-block:: sh\n\n   # no heading\n   make\n\n"
        f"{_FERRY}\n\nMore\n====\n\n.. note:: {_MOON}\n\nAgain\n-----\n\n"
        f"{_BREAD}\n"
    ),
    "literal": f"Title\n=====\n\nAs this::\n\n    # no\n    ls\n\n{_FERRY}\n\nSub\n^^^\n\n{_MOON}\n",
}
LATEX = {
    "article": (
        f"\\documentclass{{article}}\n\\title{{F}}\n\\begin{{document}}\n"
        f"\\maketitle\n\\section{{Ferries}}\n{_FERRY}\n\n\\subsection{{Fares \\& more}}\n"
        f"{_MOON}\n\n\\section*{{Times}}\n{_BREAD}\n\\end{{document}}\n"
    ),
    "book": (
        f"\\part{{Sea}}\n\\chapter[Short]{{A long\n title}}\n{_FERRY}\n\n"
        f"\\section{{A}}\n{_MOON}\n\n% \\section{{no}}\n\\begin{{verbatim}}\n"
        f"\\section{{no}}\n\\end{{verbatim}}\n\n\\chapter{{B}}\n{_BREAD}\n"
    ),
}
CODE = {
    "python": (
        "#!/usr/bin/env python\n# The fares.\nimport os\n\n# Ports\nPORTS = 3\n\n\n"
        "# Computes.\ndef fare(port):\n    # half\n    return port / 2\n\n\n"
        "# Late\nclass Ferry:\n    pass\n"
    ),
    "shell": "# install\nx=1\n# run\ny=2\nmake(all)\n",
}
PLAIN = {
    "pdf": (
        f"INTRODUCTION\n\n{_FERRY}\n\n1 Results\n\n{_MOON}\n\n1.1 More Results\n\n{_BREAD}\n\nREFERENCES\n\n{_FERRY}\n"
    ),
    "book": f"PART ONE\n\nChapter I\n\n{_FERRY}\n\nChapter II\n\n{_MOON}\n\nPart Two\n\n{_BREAD}\n",
    "values": f"port,coins,week\n{_VALUES}\n",
    "values in prose": f"{_FERRY}\n\nport;coins\na;1\nb;2\n\n{_MOON}\n\nx\ty\n1\t2\n3\t4\n",
    "prose": f"{_FERRY}\n\n{_MOON}\n\n{_BREAD}\n",
}
DOCUMENTS = {
    f"{kind}: {name}": text
    for kind, documents in (
        ("Markdown", MARKDOWN),
        ("HTML", HTML),
        ("RST", RST),
        ("LaTeX", LATEX),
        ("code", CODE),
        ("plain", PLAIN),
    )
    for name, text in documents.items()
}
