"""Packages -> an exit code: whether pyright can tell the type of everything that they export, guessing nothing.

LlamaIndex leaves some of its own types open (a bare `dict` here and there), so that what derives from it or takes it is
"partially unknown" to pyright. That is not ours to mend and is left out; what is unknown by itself is not.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

THEIRS = "partially unknown"


def unclear(package: str) -> tuple[list[str], int]:
    """A package -> what is not clear about the names it exports, and how many there are."""
    command = ["pyright", "--verifytypes", package, "--ignoreexternal", "--outputjson"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    symbols: list[dict[str, Any]] = json.loads(done.stdout)["typeCompleteness"]["symbols"]
    own = [symbol for symbol in symbols if symbol["isExported"] and symbol["name"].startswith(f"{package}.")]
    told = [
        f"{symbol['name']}: {fault['message']}"
        for symbol in own
        for fault in symbol["diagnostics"]
        if fault["severity"] == "error" and THEIRS not in fault["message"].splitlines()[0]
    ]
    return told, len(own)


def main(packages: list[str]) -> int:
    """Names packages -> 1 if anything is unclear."""
    found = 0
    for package in packages:
        told, count = unclear(package)
        print(f"{package}: {count} exported names, {len(told)} unclear", *told, sep="\n  ")
        found += len(told) or count == 0
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
