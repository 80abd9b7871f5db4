"""What names a table: its caption above, in it or below, a line or a sentence right above, its units."""

from __future__ import annotations

import time

import pytest

from caesura_documents.outline import outline

ROWS = "| port | fare |\n|---|---|\n| Gull | 3 |\n| Puffin | 4 |"
HTML = "<tr><th>port</th><th>fare</th></tr>\n<tr><td>Gull</td><td>3</td></tr>\n</table>"
TITLES = {
    "a caption": (f"We sail.\n\nTable 3: Fares by port\n\n{ROWS}", "Table 3: Fares by port"),
    "a caption in two lines": (
        f"We sail.\n\nTable A-1. Fares by\nport of call\n\n{ROWS}",
        "Table A-1. Fares by port of call",
    ),
    "units below a caption": (f"Table 3: Fares\n(in coins)\n\n{ROWS}", "Table 3: Fares (in coins)"),
    "bold, and units": (f"We sail.\n\n**Fares by port**\n*(in coins)*\n\n{ROWS}", "Fares by port (in coins)"),
    "a line": (f"We sail.\n\nFares by port\n\n{ROWS}", "Fares by port"),
    "units alone": (f"## Fares\n\n*in coins*\n\n{ROWS}", "in coins"),
    "a sentence": (
        f"We sail. Fares were raised in May\nand are as follows:\n\n{ROWS}",
        "Fares were raised in May and are as follows",
    ),
    "a sentence that says what follows": (f"We sail. The table shows fares.\n\n{ROWS}", "The table shows fares"),
    "a caption below": (f"We sail.\n\n{ROWS}\n\nTable 3: Fares\n\nWords.", "Table 3: Fares"),
    "a caption as Pandoc has it": (f"We sail.\n\n{ROWS}\n\n: Fares by port\n", "Fares by port"),
    "a caption in HTML": (f"<table>\n<caption>Fares &amp; <b>ports</b></caption>\n{HTML}", "Fares & ports"),
    "a paragraph in HTML": (f"<p><b>Table 2.</b> Fares</p>\n<table>\n{HTML}", "Table 2. Fares"),
    "German": (f"Wir fahren.\n\nTabelle 3: Preise\n\n{ROWS}", "Tabelle 3: Preise"),
    "Chinese": (f"我们出发。\n\n表 3：票价\n\n{ROWS}", "表 3：票价"),
    "in a long line": (f"{'We sail and sail. ' * 200}The fares are as follows:\n\n{ROWS}", "The fares are as follows"),
}
UNTITLED = {
    "prose": f"We sail at nine and come back at noon.\n\n{ROWS}",
    "an item": f"- a list\n- of items\n\n{ROWS}",
    "a heading": f"## Fares\n\n{ROWS}",
    "the start": ROWS,
    "a caption of the next": f"{ROWS}\n\nTable 2: Other\n\n{ROWS.replace('fare', 'time')}",
    "a long line": f"{'We sail ' * 40}\n\n{ROWS}",
}


@pytest.mark.parametrize("name", TITLES)
def test_a_table_has_its_title(name: str) -> None:
    text, title = TITLES[name]
    (table,) = outline(text).tables
    assert table.title == title
    words = title.replace(" &", "").split()
    assert words[0] in text[table.named : table.named + 60]
    assert outline(text).table_words(text, table.body, table.end).title == title
    assert outline(text).table_words(text, 0, len(text)) == (None, None)


@pytest.mark.parametrize("name", UNTITLED)
def test_what_names_no_table_is_no_title(name: str) -> None:
    table = outline(UNTITLED[name]).tables[0]
    assert (table.title, table.named) == ("", -1)


@pytest.mark.parametrize(
    "above",
    [
        "a " * 100_000,
        "(" * 100_000,
        "a. " * 50_000,
        "a\n" * 100_000,
        "\n" * 100_000,
        "Table " * 30_000,
        "<" * 100_000,
        "*" * 100_000,
        "in " + "(" * 50_000,
    ],
)
def test_hostile_lines_above_many_tables_take_linear_time(above: str) -> None:
    text = f"{above}\n\n{ROWS}\n\n" + f"{above[:3000]}\n\n{ROWS}\n\n" * 300
    started = time.process_time()
    assert outline(text).tables
    assert time.process_time() - started < 4
