"""A version in; out, every distribution of that version, each asking for the others of the same minor version.

python sessions/versions.py 0.2.0    run by `nox -s version`
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
RANGE = re.compile(r'"(?P<name>caesura(?:-\w+)?(?:\[\w+\])?)>=[\d.]+,<[\d.]+"')


def with_version(project: str, version: str) -> str:
    """The text of a pyproject.toml -> the same with this version, and the others' range.

    Below 1.0 a minor version may take away, so that the next one is out of the range.
    """
    major, minor, _ = map(int, version.split("."))
    least, most = f"{major}.{minor}", f"{major + 1}" if major else f"0.{minor + 1}"
    project = re.sub(r'(?m)^version = ".*"$', f'version = "{version}"', project, count=1)
    return RANGE.sub(lambda found: f'"{found["name"]}>={least},<{most}"', project)


def main() -> None:
    """Writes pyproject.toml and `__version__` of each distribution."""
    version = sys.argv[1]
    for path in ROOT.glob("*/*/pyproject.toml"):
        path.write_text(with_version(path.read_text("utf-8"), version), encoding="utf-8")
        for typed in path.parent.glob("src/**/py.typed"):
            module = typed.parent / "__init__.py"
            text = re.sub(r'(?m)^__version__ = ".*"$', f'__version__ = "{version}"', module.read_text("utf-8"))
            module.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
