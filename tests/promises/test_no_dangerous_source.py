"""What no source of ours does: make objects or code of data, put values into SQL or a shell, trust any server."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fakes.source_faults import faults, sql_faults

ROOT = Path(__file__).parents[2]
SOURCES = sorted(path for folder in ("packages", "integrations") for path in (ROOT / folder).glob("*/src/**/*.py"))

BY_NAME = {
    "packages/caesura-documents/src/caesura_documents/syntax_tree.py",  # one of the grammars of LANGUAGES
    "packages/caesura-lab/src/caesura_lab/retrievers/named.py",  # the module:name that is typed
    "packages/caesura/src/caesura/__init__.py",
    "integrations/langchain/src/langchain_caesura/__init__.py",
    "integrations/llama-index/src/llama_index/node_parser/caesura/__init__.py",
    "integrations/llama-index/src/llama_index/node_parser/caesura/serialization.py",
}
"""Where modules are imported by a name that is a value: tables of ours, and `from_dict(…, trusted=True)`."""


@pytest.mark.thorough
def test_no_data_becomes_code_an_object_or_a_statement() -> None:
    for path in SOURCES:
        source = path.read_text("utf-8")
        assert [*faults(source), *sql_faults(source)] == [], path


def test_modules_are_imported_by_name_where_that_is_known() -> None:
    by_name = re.compile(r"import_module|resolve_name")
    found = {path.relative_to(ROOT).as_posix() for path in SOURCES if by_name.search(path.read_text("utf-8"))}
    assert found == BY_NAME


@pytest.mark.parametrize(
    "source",
    [
        "import pickle\npickle.loads(data)",
        "from pickle import loads",
        "eval(data)",
        "subprocess.run(data, shell=True)",
        "client.get(url, verify=False)",
        "np.load(path)",
        "np.load(path, allow_pickle=True)",
        "import shelve",
        "import xml.etree",
    ],
)
def test_the_search_finds(source: str) -> None:
    assert faults(source)


@pytest.mark.parametrize(
    "line",
    [
        "c.execute(f'SELECT {key}')",
        "c.execute('SELECT ' + key)",
        "c.execute('SELECT %s' % key)",
        "c.execute('SELECT {}'.format(key))",
        "q = f'SELECT {key}'; c.executemany(q, rows)",
        "q = 'SELECT '; q = q + key; c.executescript(q)",
    ],
)
def test_the_search_finds_values_in_statements(line: str) -> None:
    assert sql_faults(f"def f(c, key):\n    {line}")
    assert sql_faults("def f(c, key):\n    c.execute('SELECT ?', [key])") == []
