"""A table -> HTML, for a notebook or as a page of its own that asks nothing of any network."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from caesura_lab.tables.table import Row, Table

STYLE = """\
<style>
.caesura{color-scheme:light dark;background:Canvas;color:CanvasText;font:14px/1.5 system-ui,sans-serif}
.caesura div{overflow-x:auto}
.caesura table{border-collapse:collapse;font-variant-numeric:tabular-nums}
.caesura caption{text-align:left;font-weight:600;padding:.3em .6em}
.caesura th,.caesura td{padding:.25em .6em;text-align:right;border-bottom:1px solid #8884;white-space:nowrap}
.caesura thead th{vertical-align:bottom;white-space:normal}
.caesura th:first-child,.caesura td.text{text-align:left}
.caesura td.text{white-space:normal;min-width:16em}
.caesura th:first-child{position:sticky;left:0;background:Canvas;white-space:normal;min-width:9.5em}
.caesura tbody th{font-weight:400}
.caesura p{margin:.3em .6em;opacity:.8}
</style>"""
CSP = "default-src 'none'; style-src 'unsafe-inline'"


def page(table: Table) -> str:
    """A page of its own."""
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{CSP}">\n'
        f'<meta name="viewport" content="width=device-width">\n<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(table.title)}</title>\n{fragment(table)}\n</html>\n"
    )


def fragment(table: Table) -> str:
    """What a notebook shows."""
    head = "".join(f'<th scope="col">{escape(table.label(name))}</th>' for name in table.columns)
    region = f'role="region" tabindex="0" aria-label="{escape(table.title)}"'  # so that keys scroll it
    body = "\n".join(_line(table, row) for row in table)
    notes = "".join(f"<p>{escape(note)}</p>" for note in table.notes)
    return (
        f'{STYLE}\n<div class="caesura"><div {region}><table><caption>{escape(table.title)}</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>{notes}</div>"
    )


def _line(table: Table, row: Row) -> str:
    (first, named), *others = row.items()
    cells = [f'<th scope="row">{escape(table.shown(first, named))}</th>']
    for name, value in others:
        kind = ' class="text"' if isinstance(value, str) else ""
        cells.append(f"<td{kind}>{escape(table.shown(name, value))}</td>")
    return f"<tr>{''.join(cells)}</tr>"
