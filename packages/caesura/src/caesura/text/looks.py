"""A paragraph's span -> "code" or "table" where its lines look like that, else ""."""

from __future__ import annotations

import re

_ROW = 1000  # a longer line is prose, or nothing that a look at it could tell
_CODE = re.compile(
    r"\s*(?!\\)(?:(?:def|class|async|import|from|return|elif|else:|try:|except|raise|yield|with|if|for|while|const|let|var|function"
    r"|export|static|public|private|package|using|namespace)\b(?=.*(?:[:;(){}=]$|[=({]|import\b)|import\b)"
    r"|[@$%]\w|\#!|//|/\*|\*(?=[\s/]|$)|[)\]}]+[;,)]*\s*$|[\w.\[\]\"'-]+\s*[-+*/|&%:]?=(?:\s|$)|\"[^\"]*\"\s*:|[\w.]+\(.*\)[;,]?\s*$)"
)
_CODE_ENDS = (";", "{", "}", "(", "[", "):", "=>")
_PLAIN = re.compile(r"[a-z]{2}[\"')”’]*[.?!][\"')”’]*\s*$")
_FIELD = re.compile(r"[,;](?<=[^\s,;][,;])(?=[^\s,;])(?![\"”’](?:\s|$))")  # but a comma before a closing quote
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_COLUMNS = re.compile(r"(?<![\s.?!:\"')])(?: {2,}|\t+)(?=\S)")


def look_of(text: str, at: int, end: int) -> str:
    """A paragraph -> "code" or "table" where its lines look like that, else "". The first two lines must, for speed."""
    head = text[at : min(end, at + _ROW)].split("\n", 2)[:2]
    if len(head[0]) >= _ROW or not any(map(_hints, head)):
        return ""
    rows = [row for row in text[at:end].splitlines() if row.strip()]
    if len(rows) > 1:
        bare = _QUOTED.sub("", text[at:end])
        for comma in ",;":
            counts = {row.count(comma) for row in bare.splitlines()}
            if len(counts) == 1 and counts != {0} and f"{comma} " not in bare:
                return "table"
        gaps = [len(_COLUMNS.findall(row.strip())) if _wide(row) else 0 for row in rows]
        if min(gaps) > 0 and gaps.count(max(gaps)) * 4 >= len(gaps) * 3:
            return "table"
    return "code" if sum(map(_is_code, rows)) * 2 >= len(rows) else ""


def _hints(row: str) -> bool:
    columns = _wide(row) and _COLUMNS.search(row.strip())
    return bool(columns) or _FIELD.search(row) is not None or _is_code(row)


def _wide(row: str) -> bool:
    return "  " in row or "\t" in row


def _is_code(row: str) -> bool:
    if len(row) >= _ROW:
        return False
    if row.rstrip().endswith(_CODE_ENDS):
        return not row.startswith("\\")
    return _CODE.match(row) is not None and _PLAIN.search(row) is None
