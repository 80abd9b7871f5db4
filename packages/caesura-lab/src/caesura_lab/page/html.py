"""The data that page.js reads, and a title -> the HTML of a page that asks nothing of any network, nor is let to.

Texts are data in it: `<` never appears in them as such, the script puts them in as text nodes, and a script that is not
ours does not run.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any


def page(data: Mapping[str, Any], title: str) -> str:
    """Data and a title -> the HTML."""
    script, style, body = (
        files("caesura_lab.page").joinpath(f"page.{kind}").read_text("utf-8") for kind in ("js", "css", "html")
    )
    policy = "; ".join(
        (
            "default-src 'none'",
            "img-src data:",  # the empty icon, so that no browser asks for one
            f"script-src {_hash(script)}",
            f"style-src {_hash(style)}",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    # ASCII only, lone surrogates and NUL as \uXXXX; and `<` as well, so that nothing in a text ends the element
    held = json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    title = escape(title.encode("utf-8", "replace").decode().replace("\0", "\ufffd"))
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="referrer" content="no-referrer">\n<link rel="icon" href="data:,">\n'
        f"<title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}"
        f'<script type="application/json" id="data">{held}</script>\n<script>{script}</script>\n</body>\n</html>\n'
    )


def _hash(source: str) -> str:
    return f"'sha256-{b64encode(sha256(source.encode()).digest()).decode()}'"
