"""What packages need and how long sessions take in; out, the figures of docs/architecture.md and CONTRIBUTING.md.

python docs/figures.py              writes the levels and the column "needs" of docs/architecture.md
python docs/figures.py REPORT...    writes also the minutes of CONTRIBUTING.md, as `nox --report REPORT` has them

Run by `nox -s figures`. Sessions that no report has keep their minutes.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
ARCHITECTURE, CONTRIBUTING = ROOT / "docs" / "architecture.md", ROOT / "CONTRIBUTING.md"
ROW = re.compile(r"^\| (?P<names>`[^|]+`) \| (?P<what>.+) \| (?P<last>[^|]*) \|$", re.MULTILINE)
"""A line of a table that begins with names in backquotes."""
HEAD = re.compile(r"^\| (?P<first>\w+) \|.*\| (?P<last>[^|]+) \|\n\|[-|]+\|\n(?P<rows>(?:\|.*\n)+)", re.MULTILINE)
LEVELS = re.compile(r"(?<=is the one exception:\n\n```text\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
"""The lines of the page that say which packages are above which."""


def package_dependencies() -> dict[str, list[str]]:
    """Each distribution -> those of ours that it needs."""
    projects = [tomllib.loads(path.read_text("utf-8"))["project"] for path in ROOT.glob("*/*/pyproject.toml")]
    ours = {project["name"] for project in projects}
    return {
        project["name"]: sorted(ours & {re.split(r"[^\w-]", each)[0] for each in project["dependencies"]})
        for project in projects
    }


def package_needs(dependencies: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """What each distribution needs, in short; numpy for one that needs none of ours."""
    short = {"caesura": "the core"}
    return {
        package: ", ".join(short.get(name, name.removeprefix("caesura-")) for name in own) or "numpy"
        for package, own in dependencies.items()
    }


def package_levels(dependencies: Mapping[str, Iterable[str]]) -> str:
    """Lines of distributions, such that each needs only those of lines below its own."""

    def level(package: str) -> int:
        return max((level(name) + 1 for name in dependencies[package]), default=0)

    lines = dict[int, list[str]]()
    for package in sorted(dependencies):
        lines.setdefault(level(package), []).append(package)
    return "".join("   ".join(lines[at]) + "\n" for at in sorted(lines, reverse=True))


def session_minutes(reports: Iterable[Mapping[str, object]]) -> dict[str, str]:
    """Reports of nox -> the minutes of each session that succeeded, of several Pythons the longest."""
    seconds = dict[str, float]()
    for report in reports:
        for each in report["sessions"]:  # type: ignore[attr-defined]
            name = re.sub(r"-3\.\d+$", "", each["name"])
            if each["result"] == "success":
                seconds[name] = max(seconds.get(name, 0.0), each["duration"])
    return {name: "under 1" if taken < 45 else f"{taken / 60:.0f}" for name, taken in seconds.items()}


def with_column(page: str, column: str, values: Mapping[str, str]) -> str:
    """A page -> the same with these values in the last column of the tables whose head names that column."""

    def row(found: re.Match[str]) -> str:
        new = [values[name] for name in re.findall(r"`([^`]+)`", found["names"]) if name in values]
        longest = max(new, key=lambda value: (value.isdigit(), len(value), value), default=found["last"])
        return f"| {found['names']} | {found['what']} | {longest} |"

    def table(found: re.Match[str]) -> str:
        return ROW.sub(row, found[0]) if found["last"].strip() == column else found[0]

    return HEAD.sub(table, page)


def main() -> None:
    """Writes both pages."""
    page = ARCHITECTURE.read_text("utf-8")
    dependencies = package_dependencies()
    page = LEVELS.sub(package_levels(dependencies), with_column(page, "needs", package_needs(dependencies)))
    ARCHITECTURE.write_text(page, encoding="utf-8")
    minutes = session_minutes(json.loads(Path(name).read_text("utf-8")) for name in sys.argv[1:])
    page = CONTRIBUTING.read_text("utf-8")
    CONTRIBUTING.write_text(with_column(page, "minutes", minutes), encoding="utf-8")


if __name__ == "__main__":
    main()
