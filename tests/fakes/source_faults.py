"""A source -> the calls, imports and statements in it that make code, objects or SQL of data."""

from __future__ import annotations

import ast
from collections.abc import Iterator

CALLS = {
    *("eval", "exec", "compile", "__import__", "os.system", "os.popen", "subprocess.getoutput"),
    *("pickle.load", "pickle.loads", "pickle.Unpickler", "marshal.load", "marshal.loads", "shelve.open"),
    *("yaml.load", "yaml.unsafe_load", "torch.load", "joblib.load", "pandas.read_pickle", "pd.read_pickle"),
    *("dill.loads", "cloudpickle.loads", "tempfile.mktemp", "ssl._create_unverified_context"),
}  # fmt: skip
MODULES = {"marshal", "shelve", "dill", "cloudpickle", "joblib", "xml.sax", "xml.dom", "xml.etree", "telnetlib"}
RUNS_SQL = {"execute", "executemany", "executescript"}
ALLOWED_IN_SQL = {
    *("quote_table(table)", "quote_table(table)[1:-1]", "self._name", "columns"),
    *("self._documents", "self._blocks", "self._texts", "self._pending", "self._marks", "table", "own", "index"),
    *("marks", "COLUMNS", "APPLICATION", "FILLING", "column", "statement", "there", "has"),
}
"""A table's checked name, question marks for values, the columns' declaration, a number or a statement of ours."""


def faults(source: str) -> list[str]:
    """The calls and imports of a source that make code or objects of data."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            options = {word.arg: ast.unparse(word.value) for word in node.keywords}
            if name in CALLS and not ast.unparse(node).startswith("pickle.loads(pickle.dumps("):
                found.append(name)
            if options.get("shell") not in (None, "False") or options.get("verify") == "False":
                found.append(f"{name} with {options}")
            if name.endswith("np.load") or name == "numpy.load":
                found += [] if options.get("allow_pickle") == "False" else [f"{name} without allow_pickle=False"]
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name in MODULES]
        if isinstance(node, ast.ImportFrom):
            whole = [f"{node.module}.{alias.name}" for alias in node.names]
            found += [name for name in [node.module or "", *whole] if name in MODULES | CALLS]
    return found


def put_into(text: ast.expr) -> Iterator[str]:
    """An expression -> what is put into the texts that it is made of."""
    if isinstance(text, ast.JoinedStr):
        yield from (ast.unparse(part.value) for part in text.values if isinstance(part, ast.FormattedValue))
    elif isinstance(text, ast.BinOp):
        yield f"operator: {ast.unparse(text)}"
    elif isinstance(text, ast.Call):
        yield f"call: {ast.unparse(text)}"


def sql_faults(source: str) -> list[str]:
    """What a source puts into statements, beside parameters and `ALLOWED_IN_SQL`; names are followed to values."""
    found = []
    for scope in ast.walk(ast.parse(source)):
        if not isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        values: dict[str, list[ast.expr]] = {}
        for node in ast.walk(scope):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    values.setdefault(ast.unparse(target), []).append(node.value)
        for node in ast.walk(scope):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in RUNS_SQL:
                for text in values.get(ast.unparse(node.args[0]), [node.args[0]]):
                    found += [one for one in put_into(text) if one not in ALLOWED_IN_SQL]
    return found
